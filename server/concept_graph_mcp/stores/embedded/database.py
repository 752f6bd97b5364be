"""The SQLite file: its tables, its transactions and the rows in it. No graph logic."""

import json
import math
import os
import random
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...errors import Ended, Misdeployed, StoreError, Unavailable
from . import ending

# "CGrM": tells a concept graph from any other SQLite file.
APPLICATION_ID = 0x4347724D
FORMAT = 1
BUSY_TIMEOUT_S = 30.0
_PAUSE_S = (0.0005, 0.004)
# How many transactions back another process can be and still catch up change by change.
KEPT_CHANGES = 1_024
# The number of a writing transaction has the epoch, which ends when all is replaced, above this bit
# and below it goes on counting.
_EPOCH_BIT = 40
# Steps of SQLite's between two looks at whether to go on: about a millisecond.
_STEPS_BETWEEN_LOOKS = 50_000

_SCHEMA = (
    "CREATE TABLE vertex ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, labels TEXT NOT NULL, properties TEXT NOT NULL)",
    "CREATE TABLE edge ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL,"
    " source INTEGER NOT NULL, target INTEGER NOT NULL, properties TEXT NOT NULL)",
    "CREATE INDEX edge_source ON edge (source)",
    "CREATE INDEX edge_target ON edge (target)",
    "CREATE TABLE unique_value ("
    " label TEXT, property TEXT, value, vertex INTEGER NOT NULL,"
    " PRIMARY KEY (label, property, value)) WITHOUT ROWID",
    # What a search needs of a vertex, indexed by name, by arousal and by any part of the name.
    "CREATE TABLE searchable ("
    " vertex INTEGER PRIMARY KEY, name TEXT NOT NULL, search_name TEXT NOT NULL,"
    " arousal_level REAL NOT NULL, accessed_at INTEGER NOT NULL)",
    "CREATE INDEX searchable_name ON searchable (name, search_name)",
    "CREATE INDEX searchable_search_name ON searchable (search_name)",
    "CREATE INDEX searchable_arousal ON searchable (arousal_level, accessed_at DESC, name)",
    "CREATE VIRTUAL TABLE search_text USING fts5("
    " search_name, content='searchable', content_rowid='vertex',"
    " tokenize='trigram case_sensitive 1')",
    # One row a writing transaction: which elements it changed, as JSON arrays of ids.
    "CREATE TABLE change ("
    " position INTEGER PRIMARY KEY AUTOINCREMENT, vertices TEXT NOT NULL, edges TEXT NOT NULL)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {FORMAT}",
)

Row = tuple[Any, ...]
encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Conflict(Exception):
    """Another process wrote since this transaction began to read; nothing was written."""


class Database:
    """A connection to one store file, created when missing.

    Raises Unavailable if the file cannot be opened or written, Misdeployed if it is of another kind
    or written by a newer version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _create_private(path)
            self._connection = sqlite3.connect(
                path,
                timeout=BUSY_TIMEOUT_S,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
        except (OSError, sqlite3.Error) as error:
            raise Unavailable(f"store {path}: cannot be opened: {_line(error)}") from error
        try:
            self._prepare()
        except sqlite3.Error as error:
            self._connection.close()
            raise self.unavailable(error) from error
        except Misdeployed:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    # Transactions

    def begin(self, exclusive: bool) -> None:
        """Begin a transaction; an *exclusive* one waits for its turn and cannot conflict."""
        if exclusive:
            self._wait_for_turn()
            return
        self._set_timeout(BUSY_TIMEOUT_S)
        self._connection.execute("BEGIN")
        try:
            self.position()  # The first read is what takes the snapshot.
        except sqlite3.Error:
            self.rollback()
            raise
        # Whoever finds the lock taken when it comes to writing was overtaken and need not wait.
        self._set_timeout(0)

    def commit(self) -> None:
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def unavailable(self, error: sqlite3.Error) -> StoreError:
        """Return *error* as the caller is told it."""
        if _code(error) == sqlite3.SQLITE_INTERRUPT:
            return Ended("the call was ended; nothing was written")
        if _code(error) == sqlite3.SQLITE_NOTADB:
            return Misdeployed(
                f"store {self.path}: is not a concept graph store; name another file"
            )
        return Unavailable(f"store {self.path}: {_line(error)}; nothing was written")

    def execute(self, statement: str, parameters: Iterable[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(statement, tuple(parameters))

    def write(self, statement: str, rows: Iterable[Row]) -> None:
        """Execute *statement* once a row. Raises Conflict if another process wrote meanwhile."""
        try:
            self._connection.executemany(statement, rows)
        except sqlite3.OperationalError as error:
            if _is_busy(error):
                raise Conflict from error
            raise

    # Rows

    def vertices(self, ids: Iterable[int]) -> Iterator[Row]:
        """Return (id, labels, properties) of those of *ids* that exist."""
        return self.execute(
            "SELECT id, labels, properties FROM vertex"
            " WHERE id IN (SELECT value FROM json_each(?))",
            [encode(list(ids))],
        )

    def vertices_after(self, vertex_id: int, count: int) -> list[Row]:
        """Return the next *count* vertices by id, as `vertices` does."""
        return self.execute(
            "SELECT id, labels, properties FROM vertex WHERE id > ? ORDER BY id LIMIT ?",
            (vertex_id, count),
        ).fetchall()

    def edges(self, ids: Iterable[int]) -> list[Row]:
        """Return (id, type, source, target, properties) of those of *ids* that exist."""
        return self.execute(
            "SELECT id, type, source, target, properties FROM edge"
            " WHERE id IN (SELECT value FROM json_each(?))",
            [encode(list(ids))],
        ).fetchall()

    def edges_of(self, vertex_id: int, outgoing: bool) -> Iterator[Row]:
        """Iterate over (id, type, properties, other end's id, labels, properties) of edges."""
        near, far = ("source", "target") if outgoing else ("target", "source")
        return self.execute(
            "SELECT e.id, e.type, e.properties, v.id, v.labels, v.properties"
            f" FROM edge e JOIN vertex v ON v.id = e.{far} WHERE e.{near} = ? ORDER BY e.id",
            [vertex_id],
        )

    def last_id(self, table: str) -> int:
        """Return the highest id that *table* ever had."""
        row = self.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", [table]).fetchone()
        return 0 if row is None else int(row[0])

    # The log of changes

    def position(self) -> int:
        """Return the number of the last writing transaction."""
        row = self.execute("SELECT position FROM change ORDER BY position DESC LIMIT 1").fetchone()
        return 0 if row is None else int(row[0])

    def changes_after(self, position: int) -> tuple[set[int], set[int]] | None:
        """Return the ids of vertices and edges changed since, or None where that cannot be told.

        It cannot after too many changes, and never once all was replaced.
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
            vertices.update(json.loads(vertex_ids))
            edges.update(json.loads(edge_ids))
        return vertices, edges

    def log_change(self, vertices: Iterable[int], edges: Iterable[int]) -> int:
        """Record what this transaction changes; return its number."""
        cursor = self.execute(
            "INSERT INTO change (vertices, edges) VALUES (?, ?)",
            (encode(list(vertices)), encode(list(edges))),
        )
        position = cursor.lastrowid or 0
        self.execute("DELETE FROM change WHERE position <= ?", [position - KEPT_CHANGES])
        return position

    def begin_epoch(self) -> None:
        """Record that this transaction replaces all there is: nobody can catch up with that."""
        epoch = (self.position() >> _EPOCH_BIT) + 1
        self.execute("DELETE FROM main.change")
        self.execute(
            "INSERT INTO main.change (position, vertices, edges) VALUES (?, '[]', '[]')",
            [epoch << _EPOCH_BIT],
        )

    def _wait_for_turn(self) -> None:
        """Begin to write as soon as nobody else does.

        SQLite's own waiting sleeps longer each time, so that whoever came last goes first.
        """
        self._set_timeout(0)
        deadline = time.monotonic() + BUSY_TIMEOUT_S
        while True:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or time.monotonic() > deadline:
                    raise
            ending.check()
            time.sleep(random.uniform(*_PAUSE_S))

    def _set_timeout(self, seconds: float) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def _prepare(self) -> None:
        connection = self._connection
        # A file without any of the three is new, or being made by another process.
        for mark in ("schema_version", "application_id", "user_version"):
            if connection.execute(f"PRAGMA {mark}").fetchone()[0]:
                self._check_kind()
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        try:
            connection.execute("SELECT ln(1.0)")
        except sqlite3.OperationalError:
            # Not every build of SQLite has it.
            connection.create_function("ln", 1, math.log, deterministic=True)
        connection.set_progress_handler(ending.must_end, _STEPS_BETWEEN_LOOKS)
        connection.execute("PRAGMA cache_size = -65536")
        self.begin(exclusive=True)
        try:
            # Looked at again, because another process may have created the store meanwhile.
            if not connection.execute("PRAGMA schema_version").fetchone()[0]:
                for statement in _SCHEMA:
                    connection.execute(statement)
            self.commit()
        finally:
            self.rollback()
        self._check_kind()

    def _check_kind(self) -> None:
        application_id = self.execute("PRAGMA application_id").fetchone()[0]
        if application_id != APPLICATION_ID:
            raise Misdeployed(
                f"store {self.path}: is a database of another kind; name another file"
            )
        found = self.execute("PRAGMA user_version").fetchone()[0]
        if found > FORMAT:
            raise Misdeployed(
                f"store {self.path}: has format {found}, this version reads up to {FORMAT};"
                " install a newer concept-graph-mcp"
            )


def _is_busy(error: sqlite3.OperationalError) -> bool:
    # Masked, because extended codes (such as a stale snapshot's) carry the plain one below.
    return _code(error) & 0xFF == sqlite3.SQLITE_BUSY


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's code; what Python's own layer raises has none."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)


def _create_private(path: Path) -> None:
    """Create the file, unless it is there, for its owner only; SQLite would ask the umask.

    What SQLite puts beside it gets the same mode.
    """
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())
