"""Manage the SQLite file: its connection, transactions and statements, but no graph logic."""

import itertools
import json
import sqlite3
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import (
    REPAIR,
    Ended,
    Full,
    Misdeployed,
    StoreError,
    Unavailable,
    Unwritable,
    one_line,
)
from . import cancellation, tables
from .indexes import CATALOGUE, Catalogue
from .nearest import Vectors
from .opening import (
    BUSY_TIMEOUT_S,
    FAILURES,
    Opening,
    Presence,
    abandon,
    code,
    copy_store,
    give_up_spare,
    is_busy,
    keep_spare,
    when_free,
)
from .values import write_ids

# The log of changes: each of the last writing transactions, with the elements that it changed, by
# which another process brings its vectors up to date; the rest of its cache it empties.
_LOG = "change"
# The number of transactions that it covers; older ones are removed once in this many transactions.
KEPT = 1_024
REMOVED_EVERY = 64
# A transaction's number has the epoch above this bit and a counter below it. Replacing the graph
# starts a new epoch.
_EPOCH_BIT = 40

# SQLite steps between two checks for cancellation: about a millisecond.
_STEPS_BETWEEN_LOOKS = 50_000

# Rows inserted by one statement, if there are this many.
_ROWS_AT_ONCE = 32

# Error codes that prevent writing but not reading.
_UNWRITABLE = {
    sqlite3.SQLITE_READONLY: Unwritable,
    sqlite3.SQLITE_IOERR: Unwritable,
    sqlite3.SQLITE_FULL: Full,
}

Row = tuple[Any, ...]


class Conflict(Exception):
    """Another process wrote since this transaction began to read; nothing was written."""


class Database:
    """A connection to one store file; *opening* says how to treat a missing file.

    Raises NoStore if the file is missing and must not be created, Unavailable if it cannot be
    opened, Misdeployed if it is another kind of file or written by a newer version.
    """

    def __init__(
        self,
        path: Path,
        opening: Opening = Opening.CREATE,
        catalogue: Catalogue = CATALOGUE,
    ) -> None:
        self.path = path
        self.catalogue = catalogue
        self.vectors = Vectors()
        self._writes = False
        self._timeout_s: float | None = None
        self._is_synced = True
        # The highest id of each table, as of a position; None if it must be read again.
        self._last_ids: dict[str, int] = {}
        self._last_ids_at: int | None = None
        self._presence: Presence | None = None
        self._has_spare = False
        # The number of openings: a file that SQLite does not watch is opened again after a change.
        self.openings = 0
        self._open(opening)

    def close(self) -> None:
        presence, self._presence = self._presence, None
        if presence is None or presence.has_its_log:
            self._access.close()
        else:
            abandon(self._connection)

    @property
    def store_id(self) -> str:
        """Return the id of this store, wherever its file lies."""
        self._set_timeout(BUSY_TIMEOUT_S)
        return tables.identify(self._connection, self.path).id

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._access.connection

    def check_presence(self, otherwise: str) -> None:
        """Raise Unavailable if the file was removed or replaced since it was opened."""
        if self._presence is None or self._presence.is_intact:
            return
        if not self._presence.has_its_file:
            self.empty_log()
        self._presence.check(otherwise)

    def copy_to(self, file: Path) -> None:
        """Copy the store to the empty *file* from one snapshot, while other processes may write."""
        with copy_store(self._connection, file) as made:
            tables.note_identity(made, self._connection, self.path)

    @property
    def is_writable(self) -> bool:
        """Return whether the file was found writable when it was opened."""
        return self._access.writable

    # Transactions

    def begin(self, exclusive: bool, is_synced: bool = True) -> int:
        """Begin a transaction; an *exclusive* one waits for its turn and cannot conflict.

        The commit waits for the disk if it *is_synced*; any such commit saves those before it too.
        Returns the number of the last writing transaction before it.
        """
        if self._access.is_outdated:
            self._access.close()
            self._open(Opening.EXISTING)
        self.check_presence("nothing was written")
        self._writes = False
        # If another process holds the lock, this transaction is outdated; waiting would not help.
        self._set_timeout(0)
        if is_synced != self._is_synced:
            level = "FULL" if is_synced else "NORMAL"
            self._connection.execute(f"PRAGMA synchronous = {level}")
            self._is_synced = is_synced
        if exclusive:
            # SQLite's own waiting sleeps longer each time, which lets the last process to arrive
            # go first.
            begin = partial(self._connection.execute, "BEGIN IMMEDIATE")
            when_free(begin, meanwhile=cancellation.check)
        else:
            self._connection.execute("BEGIN")
        try:
            position = self._first_read()
            # A newer version may migrate the store while this process has it open.
            tables.check_format(self._connection, self.path)
        except (*FAILURES, Misdeployed):
            self.rollback()
            raise
        if position != self._last_ids_at:
            self._last_ids, self._last_ids_at = {}, position
        return position

    def _first_read(self) -> int:
        """Take the snapshot that the transaction sees; return its position."""
        try:
            return self.position()
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
        # Rare: another process is recovering or closing the log.
        self._set_timeout(BUSY_TIMEOUT_S)
        try:
            return self.position()
        finally:
            self._set_timeout(0)

    def commit(self) -> None:
        """Commit.

        Raises Unavailable if the written data are not in the file at the store's path.
        """
        self._connection.execute("COMMIT")
        if self._writes:
            self._last_ids_at = self._last_ids.get(_LOG)
            self.check_presence("what was just written is lost")
            if not self._has_spare and self._presence is not None:
                self._has_spare = keep_spare(self.path)

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction is open."""
        return self._connection.in_transaction

    def rollback(self) -> None:
        self._last_ids_at = None
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def unavailable(self, error: Exception) -> StoreError:
        """Return the caller's error for *error*, one of the FAILURES of reading and writing."""
        if not isinstance(error, sqlite3.Error) or code(error) == sqlite3.SQLITE_CORRUPT:
            return Unavailable(
                f"store {self.path}: is damaged: {one_line(error)}; nothing was written;"
                f" concept-graph-mcp check names the rows; {REPAIR}"
            )
        if code(error) == sqlite3.SQLITE_INTERRUPT:
            return Ended("the call was ended; nothing was written")
        if code(error) == sqlite3.SQLITE_NOTADB:
            return Misdeployed(
                f"store {self.path}: is not a concept graph store; name another file"
            )
        reason = one_line(error)
        if code(error) == sqlite3.SQLITE_READONLY:
            reason = "cannot be written, only read"
        kind = _UNWRITABLE.get(code(error), Unavailable)
        return kind(f"store {self.path}: {reason}; nothing was written")

    def execute(self, statement: str, parameters: Iterable[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(statement, tuple(parameters))

    def write(self, statement: str, rows: Iterable[Row]) -> None:
        """Execute *statement* for each of *rows*.

        Raises Conflict if another process wrote meanwhile.
        """
        try:
            self._connection.executemany(statement, rows)
        except sqlite3.OperationalError as error:
            if is_busy(error):
                raise Conflict from error
            raise

    def insert(self, table: str, columns: int, rows: Iterable[Row]) -> None:
        """Insert *rows* of *columns* values each into *table*. Raises as `write` does.

        Inserts many rows in a statement, because each statement has a cost; the rest one by one.
        """
        row = f"({', '.join('?' * columns)})"
        for some in _batches(rows):
            if len(some) == _ROWS_AT_ONCE:
                # FAIL, because a failed call rolls back everything: SQLite need not prepare to undo
                # one statement.
                statement = f"INSERT OR FAIL INTO {table} VALUES {', '.join([row] * len(some))}"
                self.write(statement, [tuple(itertools.chain.from_iterable(some))])
            else:
                self.write(f"INSERT INTO {table} VALUES {row}", some)

    # Numbers

    def new_id(self, table: str) -> int:
        """Return an id that *table* never had."""
        return self.new_ids(table, 1)[0]

    def new_ids(self, table: str, count: int) -> range:
        """Return *count* ids that *table* never had, in ascending order."""
        last = self._last_ids.get(table)
        if last is None:
            # The highest id that the table ever had.
            asked = "SELECT seq FROM sqlite_sequence WHERE name = ?"
            row = self.execute(asked, [table]).fetchone()
            last = 0 if row is None else int(row[0])
        self._last_ids[table] = last + count
        return range(last + 1, last + 1 + count)

    def position(self) -> int:
        """Return the number of the last writing transaction."""
        select = "SELECT position FROM change ORDER BY position DESC LIMIT 1"
        row = self.execute(select).fetchone()
        return 0 if row is None else int(row[0])

    def changes_after(self, position: int) -> tuple[set[int], set[int]] | None:
        """Return the ids of vertices and edges changed since *position*, or None.

        The log has no answer after too many changes, or after the graph was replaced.
        """
        rows = self.execute(
            "SELECT position, vertices, edges FROM change WHERE position > ? ORDER BY position",
            [position],
        ).fetchall()
        if not rows or rows[0][0] != position + 1 or rows[-1][0] != position + len(rows):
            return None
        vertices: set[int] = set()
        edges: set[int] = set()
        for _, vertex_ids, edge_ids in rows:
            try:
                vertices.update(json.loads(vertex_ids))
                edges.update(json.loads(edge_ids))
            except (ValueError, TypeError):
                return None
        return vertices, edges

    def log_change(self, vertices: Iterable[int], edges: Iterable[int]) -> int:
        """Record the changes of this transaction, remove outdated entries; return its number."""
        self._writes = True
        position = self.new_id(_LOG)
        self.execute(
            "INSERT INTO change (position, vertices, edges) VALUES (?, ?, ?)",
            (position, write_ids(vertices), write_ids(edges)),
        )
        if position % REMOVED_EVERY == 0:
            self.execute("DELETE FROM change WHERE position <= ?", [position - KEPT])
        return position

    def begin_epoch(self) -> None:
        """Record that this transaction replaces the graph, so other processes reload theirs."""
        self._writes, self._last_ids = True, {}
        epoch = (self.position() >> _EPOCH_BIT) + 1
        self.execute("DELETE FROM main.change")
        self.execute(
            "INSERT INTO main.change (position, vertices, edges) VALUES (?, '[]', '[]')",
            [epoch << _EPOCH_BIT],
        )

    def _set_timeout(self, seconds: float) -> None:
        if seconds != self._timeout_s:
            self._connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
            self._timeout_s = seconds

    def empty_log(self) -> bool:
        """Write the log into its own file, wherever that file has been moved, and empty it.

        Otherwise a moved file would lack the log's changes, and the file in its place would get
        them. Return whether the log is empty, which a reader prevents that does not end.
        """
        self._set_timeout(BUSY_TIMEOUT_S)
        try:
            was_busy, *_ = self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            return code(error) == sqlite3.SQLITE_FULL and self._give_up_spare() and self.empty_log()
        return not was_busy

    def make_room(self) -> None:
        """Let what removes something be written although the disk is full."""
        self._give_up_spare()
        self.empty_log()

    def _give_up_spare(self) -> bool:
        self._has_spare = False
        return give_up_spare(self.path)

    def _open(self, opening: Opening) -> None:
        try:
            self._access = tables.open_tables(self.path, opening, self.catalogue)
        except FAILURES as error:
            failure = self.unavailable(error)
            # SQLite needs room even to read, for the files beside the store.
            if not isinstance(failure, Unwritable) or not self._give_up_spare():
                raise failure from error
            self._open(opening)
            return
        self.openings += 1
        # `Access` remembers how a file looked that SQLite does not watch.
        watched = opening is not Opening.STAND_IN and self._access.seen is None
        self._presence = Presence(self.path) if watched else None
        self._timeout_s, self._is_synced = None, True
        self._connection.set_progress_handler(cancellation.must_end, _STEPS_BETWEEN_LOOKS)


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield *rows* on demand, as many at once as one statement inserts."""
    given = iter(rows)
    while some := list(itertools.islice(given, _ROWS_AT_ONCE)):
        yield some
