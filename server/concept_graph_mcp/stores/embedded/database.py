"""The SQLite file: its connection, its transactions and its statements. No graph logic."""

import itertools
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...errors import Ended, Misdeployed, StoreError, Unavailable, Unwritable, one_line
from . import cancellation, changes, identity, tables
from .checksums import FAILURES
from .file_watch import Presence, abandon
from .indexes import CATALOGUE, Catalogue
from .nearest import Vectors
from .opening import BUSY_TIMEOUT_S, Opening, code, copied, is_busy, when_free

# Steps of SQLite's between two looks at whether to go on: about a millisecond.
_STEPS_BETWEEN_LOOKS = 50_000

# Rows that one statement inserts, where there are so many.
_ROWS_AT_ONCE = 32

# What says that nothing can be written, and little of what can be read.
_UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}

Row = tuple[Any, ...]


class Conflict(Exception):
    """Another process wrote since this transaction began to read; nothing was written."""


class Database:
    """A connection to one store file; *opening* says what becomes of one that is not there.

    Raises NoStore if it must not be made, Unavailable if the file cannot be opened, Misdeployed if
    it is of another kind or written by a newer version.
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
        # The highest id of each table that was asked for, as of a position; None: not to be known.
        self._last_ids: dict[str, int] = {}
        self._last_ids_at: int | None = None
        self._presence: Presence | None = None
        # How often it was opened: again where SQLite does not watch the file, and it has changed.
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
        """The id of the store that this is, wherever its file lies."""
        self._set_timeout(BUSY_TIMEOUT_S)
        return identity.of(self._connection, self.path).id

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._access.connection

    def check_presence(self, otherwise: str) -> None:
        """Raise Unavailable if the file was taken away or replaced since it was opened."""
        if self._presence is None or self._presence.is_intact:
            return
        if not self._presence.has_its_file:
            self._empty_log()
        self._presence.check(otherwise)

    def copy_to(self, file: Path) -> None:
        """Copy all there is to the empty *file*: one snapshot, whoever writes meanwhile."""
        with copied(self._connection, file) as made:
            tables.note_identity(made, self._connection, self.path)

    @property
    def is_writable(self) -> bool:
        """Tell whether the file can be written, as far as its opening told."""
        return self._access.writable

    # Transactions

    def begin(self, exclusive: bool) -> int:
        """Begin a transaction; an *exclusive* one waits for its turn and cannot conflict.

        Returns the number of the last writing transaction before it.
        """
        if self._access.is_outdated:
            self._access.close()
            self._open(Opening.EXISTING)
        self.check_presence("nothing was written")
        self._writes = False
        # Whoever finds the lock taken when it comes to writing was overtaken and need not wait.
        self._set_timeout(0)
        if exclusive:
            self._wait_for_turn()
        else:
            self._connection.execute("BEGIN")
        try:
            position = self._first_read()
        except FAILURES:
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
        # Hardly ever: somebody recovers or closes the log.
        self._set_timeout(BUSY_TIMEOUT_S)
        try:
            return self.position()
        finally:
            self._set_timeout(0)

    def commit(self) -> None:
        """Commit. Raises Unavailable if what was written is not to be found where the store is."""
        self._connection.execute("COMMIT")
        if self._writes:
            self._last_ids_at = self._last_ids.get(changes.TABLE)
            self.check_presence("what was just written is lost")

    @property
    def in_transaction(self) -> bool:
        """Tell whether a transaction has begun and not ended."""
        return self._connection.in_transaction

    def rollback(self) -> None:
        self._last_ids_at = None
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def unavailable(self, error: Exception) -> StoreError:
        """Return *error*, one of the FAILURES of reading and writing, as the caller is told it."""
        if not isinstance(error, sqlite3.Error) or code(error) == sqlite3.SQLITE_CORRUPT:
            return Unavailable(
                f"store {self.path}: is damaged: {one_line(error)}; nothing was written;"
                " run concept-graph-mcp doctor"
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
        kind = Unwritable if code(error) in _UNWRITABLE else Unavailable
        return kind(f"store {self.path}: {reason}; nothing was written")

    def execute(self, statement: str, parameters: Iterable[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(statement, tuple(parameters))

    def write(self, statement: str, rows: Iterable[Row]) -> None:
        """Execute *statement* once a row. Raises Conflict if another process wrote meanwhile."""
        try:
            self._connection.executemany(statement, rows)
        except sqlite3.OperationalError as error:
            if is_busy(error):
                raise Conflict from error
            raise

    def insert(self, table: str, columns: int, rows: Iterable[Row]) -> None:
        """Insert *rows* of so many *columns* into *table*. Raises as `write` does.

        Several in a statement, for each has a price of its own; what is left over one by one.
        """
        row = f"({', '.join('?' * columns)})"
        for some in _batches(rows):
            if len(some) == _ROWS_AT_ONCE:
                # All is taken back after a failure: SQLite need not be ready to take back a
                # statement.
                statement = f"INSERT OR FAIL INTO {table} VALUES {', '.join([row] * len(some))}"
                self.write(statement, [tuple(itertools.chain.from_iterable(some))])
            else:
                self.write(f"INSERT INTO {table} VALUES {row}", some)

    # Numbers

    def new_id(self, table: str) -> int:
        """Return an id that *table* never had."""
        return self.new_ids(table, 1)[0]

    def new_ids(self, table: str, count: int) -> range:
        """Return *count* ids that *table* never had, in their order."""
        last = self._last_ids.get(table)
        if last is None:
            last = self._last_id(table)
        self._last_ids[table] = last + count
        return range(last + 1, last + 1 + count)

    def _last_id(self, table: str) -> int:
        """Return the highest id that *table* ever had."""
        row = self.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", [table]).fetchone()
        return 0 if row is None else int(row[0])

    def position(self) -> int:
        """Return the number of the last writing transaction."""
        return changes.position(self.execute)

    def changes_after(self, position: int) -> tuple[set[int], set[int]] | None:
        """Return the ids of vertices and edges changed since, or None where that cannot be told."""
        return changes.after(self.execute, position)

    def log_change(self, vertices: Iterable[int], edges: Iterable[int]) -> int:
        """Record what this transaction changes; return its number."""
        self._writes = True
        position = self.new_id(changes.TABLE)
        changes.record(self.execute, position, vertices, edges)
        return position

    def begin_epoch(self) -> None:
        """Record that this transaction replaces all there is: nobody can catch up with that."""
        self._writes, self._last_ids = True, {}
        changes.begin_epoch(self.execute)

    def _wait_for_turn(self) -> None:
        """Begin to write as soon as nobody else does.

        SQLite's own waiting sleeps longer each time, so that whoever came last goes first.
        """
        self._set_timeout(0)
        when_free(lambda: self._connection.execute("BEGIN IMMEDIATE"), meanwhile=cancellation.check)

    def _set_timeout(self, seconds: float) -> None:
        if seconds != self._timeout_s:
            self._connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
            self._timeout_s = seconds

    def _empty_log(self) -> None:
        """Write what is in the log only into the file that it belongs to, wherever that is by now.

        Else it would be missing there, and be taken for the log of what replaced the file.
        """
        self._set_timeout(BUSY_TIMEOUT_S)
        with suppress(sqlite3.Error):
            self.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _open(self, opening: Opening) -> None:
        try:
            self._access = tables.opened(self.path, opening, self.catalogue)
        except FAILURES as error:
            raise self.unavailable(error) from error
        self.openings += 1
        # Of a file that SQLite does not watch, `Access` knows what it looked like.
        watched = opening is not Opening.STAND_IN and self._access.seen is None
        self._presence = Presence(self.path) if watched else None
        self._timeout_s = None
        self._connection.set_progress_handler(cancellation.must_end, _STEPS_BETWEEN_LOOKS)


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield *rows*, as they are asked for, so many at once as one statement inserts."""
    given = iter(rows)
    while some := list(itertools.islice(given, _ROWS_AT_ONCE)):
        yield some
