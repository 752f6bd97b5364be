"""Keep the tables of `indexes` in step with the vertices: change by change, or rebuilt."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from .indexes import Catalogue, Row, Table

State = tuple[tuple[str, ...], dict[str, Any]] | None
_BATCH = 1_000

# Finds the edges into a vertex with their properties, without reading each from its table.
_INTO = "edge_into"
# An index that no look-up uses any more, and that would not be kept up to date.
_GONE = "index Memory(user_id, accessed_at)"
_SCHEMA = (
    # Indexes of earlier versions.
    "DROP INDEX IF EXISTS edge_target",
    f'DROP TABLE IF EXISTS "{_GONE}"',
    f"CREATE INDEX IF NOT EXISTS {_INTO} ON edge (target, id, type, source, properties)",
)


class Statements(Protocol):
    """Executes statements: the open database, whose tables are created here."""

    def execute(self, statement: str, parameters: Iterable[Any] = ()) -> sqlite3.Cursor: ...

    def write(self, statement: str, rows: Iterable[Row]) -> None: ...

    def insert(self, table: str, columns: int, rows: Iterable[Row]) -> None: ...


class Derivation:
    """The rows to remove and add for the vertices changed in one transaction."""

    def __init__(self, database: Statements, catalogue: Catalogue) -> None:
        self._database = database
        self._catalogue = catalogue
        self._gone: dict[Table, list[Row]] = {}
        self._new: dict[Table, list[Row]] = {}
        self._written = ""

    def change(self, vertex: int, before: State, after: State) -> None:
        """Record a vertex's change from one state to another; None means that it does not exist."""
        if before is None and after is not None:
            labels, properties = after
            for label in labels:
                for table in self._catalogue.of_label(label):
                    self._note(table, None, table.row(vertex, properties))
            return
        if before is None or after is None or before[0] != after[0]:
            old, new = (rows(self._catalogue, vertex, state) for state in (before, after))
            for table in old | new:
                self._note(table, old.get(table), new.get(table))
            return
        labels, was, now = before[0], before[1], after[1]
        followed = self._catalogue.followed(labels)
        changed = tuple([name for name in followed if was.get(name) != now.get(name)])
        if changed:
            for table in self._catalogue.following(labels, changed):
                self._note(table, table.row(vertex, was), table.row(vertex, now))

    def _note(self, table: Table, old: Row | None, new: Row | None) -> None:
        if old == new:
            return
        if old is not None:
            self._gone.setdefault(table, []).append(old)
        if new is not None:
            self._new.setdefault(table, []).append(new)

    def write(self) -> None:
        """Store the recorded changes.

        Raises sqlite3.IntegrityError for a duplicate unique value.
        """
        for table, gone in self._gone.items():
            for statement in table.deletions:
                self._database.write(statement, gone)
        for table, new in self._new.items():
            self._written = table.name
            if table.is_plain:
                self._database.insert(f'"{table.name}"', table.columns, new)
                continue
            for statement in table.insertions:
                self._database.write(statement, new)

    def violated(self) -> str:
        """Return the constraint that `write` violated, in Memgraph's words."""
        return ":" + self._written.partition(" ")[2]


def rows(catalogue: Catalogue, vertex: int, state: State) -> dict[Table, Row]:
    """Return the row that each table has for a vertex in the given state."""
    if state is None:
        return {}
    labels, properties = state
    found = {}
    for label in labels:
        for table in catalogue.of_label(label):
            row = table.row(vertex, properties)
            if row is not None:
                found[table] = row
    return found


def is_made(connection: sqlite3.Connection, catalogue: Catalogue) -> bool:
    """Return whether the tables of *catalogue* exist.

    Additional tables are harmless: a version with more layers created them, and maintains them.
    """
    names = _names(connection)
    return {*catalogue.names, _INTO} <= names and _GONE not in names


def make(connection: sqlite3.Connection, catalogue: Catalogue) -> None:
    """Create the missing tables with their rows, within the caller's transaction."""
    for statement in _SCHEMA:
        connection.execute(statement)
    known = _names(connection)
    missing = [table for table in catalogue.derived if table.name not in known]
    vectors = [table for table in catalogue.vectors if table.name not in known]
    for statement in (line for table in missing for line in table.schema):
        connection.execute(statement)
    for statement in (line for table in vectors for line in table.schema):
        connection.execute(statement)
    _fill(connection.execute, connection.executemany, missing)


def _names(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'index')")
    return {name for (name,) in rows}


def remake(database: Statements, catalogue: Catalogue) -> None:
    """Rebuild all derived rows, within the caller's transaction."""
    for table in catalogue.derived:
        database.execute(f'DELETE FROM main."{table.name}"')
    for text in catalogue.texts:
        trigrams = text.trigrams
        database.execute(f'INSERT INTO "{trigrams}" ("{trigrams}") VALUES (\'delete-all\')')
    _fill(database.execute, database.write, catalogue.derived)


def _fill(
    execute: Callable[..., sqlite3.Cursor],
    write: Callable[[str, Iterable[Row]], object],
    tables: Iterable[Table],
) -> None:
    """Fill the empty *tables* with their rows of all vertices."""
    tables = list(tables)
    last_id = 0
    while tables:
        vertices = execute(
            "SELECT id, labels, properties FROM main.vertex WHERE id > ? ORDER BY id LIMIT ?",
            (last_id, _BATCH),
        ).fetchall()
        if not vertices:
            return
        last_id = vertices[-1][0]
        read = [(vertex, json.loads(labels), json.loads(text)) for vertex, labels, text in vertices]
        for table in tables:
            made = [
                row
                for vertex, labels, properties in read
                if table.label in labels and (row := table.row(vertex, properties)) is not None
            ]
            for statement in table.insertions:
                write(statement, made)
