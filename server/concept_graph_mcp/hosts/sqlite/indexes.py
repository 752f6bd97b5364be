"""Store indexes beside the vertices, so that look-ups need no scan.

There is one table for each index that a layer declares, created and maintained from the declaration
alone. A table's row for a vertex is derived from its labels and properties; a vertex that lacks a
property of the index has no row. Vectors are not derived: they are stored only in their tables,
because a scan of the vertices would read them all.
"""

import functools
import json
import sqlite3
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from conceptgraph_core.graph.layers import (
    SHARED,
    Columns,
    Index,
    Layer,
    Ranking,
    Slots,
    TextIndex,
    VectorIndex,
)
from conceptgraph_core.texts import folding
from conceptgraph_core.transfer.registry import MODEL

Row = tuple[Any, ...]
Properties = Mapping[str, Any]
# The types of values that an index can hold.
_KEYS = frozenset({str, int, float, bool})


def _is_shared(properties: Properties, scope: str | None) -> bool:
    return scope is None or (properties.get(scope) or SHARED) == SHARED


class Table(ABC):
    """The table of one declaration: its statements, and the row of a vertex.

    Callers quote `name` in SQL. Insertions and deletions take a whole row each, with numbered
    parameters. A row is derived from the `properties` of the vertex.
    """

    columns: int
    properties: tuple[str, ...]
    # Whether `insertions` only inserts a row into this table.
    is_plain = True

    def __init__(self, name: str, label: str) -> None:
        self.name = name
        self.label = label

    @property
    @abstractmethod
    def schema(self) -> list[str]:
        """Return the statements that create the empty table."""

    @abstractmethod
    def row(self, vertex: int, properties: Properties) -> Row | None:
        """Return the row of a vertex with the label, or None if it has none."""

    @functools.cached_property
    def insertions(self) -> list[str]:
        return [f'INSERT INTO "{self.name}" VALUES ({", ".join("?" * self.columns)})']

    @functools.cached_property
    @abstractmethod
    def deletions(self) -> list[str]:
        """Return the statements that remove a row, given all of its values."""


class IndexTable(Table):
    """Vertices by the values of some properties."""

    def __init__(self, index: Index, slots: Sequence[Slots] = ()) -> None:
        super().__init__(f"index {index.label}({', '.join(index.properties)})", index.label)
        self.index = index
        # Taken from the list itself, so that files of versions without the properties have rows.
        self._slots = [
            one
            for one in slots
            if one.label == index.label and {*one.names, one.more} & {*index.properties}
        ]
        others = (name for one in self._slots for name in (one.source, one.unless))
        self.properties = (*index.properties, *others)
        self.columns = len(index.properties) + 1

    @property
    def schema(self) -> list[str]:
        keys = [f"k{number}" for number in range(len(self.index.properties))]
        primary = keys if self.index.unique else [*keys, "vertex"]
        return [
            f'CREATE TABLE "{self.name}" ({", ".join(keys)}, vertex INTEGER NOT NULL,'
            f" PRIMARY KEY ({', '.join(primary)})) WITHOUT ROWID"
        ]

    def row(self, vertex: int, properties: Properties) -> Row | None:
        for one in self._slots:
            if not properties.get(one.source):
                # Most nodes have no tag, and so no row in any table of tags.
                return None
            properties = {**properties, **one.of(properties)}
        values = [properties.get(name) for name in self.index.properties]
        if self.index.scope is not None and properties.get(self.index.scope) is None:
            values[self.index.properties.index(self.index.scope)] = SHARED
        # Runs several times for each write, so it checks classes without a loop.
        if not _KEYS.issuperset(map(type, values)):
            return None
        return (*values, vertex)

    @functools.cached_property
    def deletions(self) -> list[str]:
        numbers = range(len(self.index.properties))
        keys = " AND ".join(f"k{number} = ?{number + 1}" for number in numbers)
        return [f'DELETE FROM "{self.name}" WHERE {keys} AND vertex = ?{self.columns}']


class RankingTable(Table):
    """Vertices by level and, within each, by time, the latest first."""

    columns = 4

    def __init__(self, ranking: Ranking) -> None:
        name = f"ranking {ranking.label}({ranking.level}, {ranking.time}, {ranking.then})"
        super().__init__(name, ranking.label)
        self.ranking = ranking
        scope = () if ranking.scope is None else (ranking.scope,)
        self.properties = (ranking.level, ranking.time, ranking.then, *scope)

    @property
    def schema(self) -> list[str]:
        return [
            f'CREATE TABLE "{self.name}" (level REAL NOT NULL, time INTEGER NOT NULL,'
            ' "then" TEXT NOT NULL, vertex INTEGER NOT NULL,'
            ' PRIMARY KEY (level, time DESC, "then", vertex)) WITHOUT ROWID'
        ]

    def row(self, vertex: int, properties: Properties) -> Row | None:
        then = properties.get(self.ranking.then)
        if not isinstance(then, str) or not _is_shared(properties, self.ranking.scope):
            return None
        # A vertex created by hand in Cypher may lack the numbers, and counts as never aroused.
        level, time = properties.get(self.ranking.level), properties.get(self.ranking.time)
        if level.__class__ is float and time.__class__ is int:
            return level, time, then, vertex
        return (
            float(level) if isinstance(level, (int, float)) else 0.0,
            int(time) if isinstance(time, (int, float)) else 0,
            then,
            vertex,
        )

    @functools.cached_property
    def deletions(self) -> list[str]:
        return [
            f'DELETE FROM "{self.name}" WHERE level = ?1 AND time = ?2 AND "then" = ?3'
            " AND vertex = ?4"
        ]


class TextTable(Table):
    """Vertices by a text: its own form, case-folded, plain if that differs, and by trigrams."""

    columns = 4
    is_plain = False

    def __init__(self, index: TextIndex) -> None:
        super().__init__(f"text {index.label}({index.source})", index.label)
        self.index = index
        self.properties = (index.source, index.scope)
        self.trigrams = f"trigrams {index.label}({index.source})"

    @property
    def schema(self) -> list[str]:
        name = self.name
        return [
            f'CREATE TABLE "{name}" (source TEXT NOT NULL, plain TEXT NOT NULL,'
            " vertex INTEGER PRIMARY KEY, folded TEXT NOT NULL)",
            f'CREATE INDEX "{name} by source" ON "{name}" (source, folded)',
            f'CREATE INDEX "{name} by folded" ON "{name}" (folded)',
            f'CREATE INDEX "{name} by plain" ON "{name}" (plain) WHERE plain <> \'\'',
            f'CREATE VIRTUAL TABLE "{self.trigrams}" USING fts5('
            f" folded, content='{name}', content_rowid='vertex',"
            " tokenize='trigram case_sensitive 1')",
        ]

    def row(self, vertex: int, properties: Properties) -> Row | None:
        source = properties.get(self.index.source)
        if not isinstance(source, str) or not _is_shared(properties, self.index.scope):
            return None
        return (source, folding.plain_if_other(source) or "", vertex, folding.fold(source))

    @functools.cached_property
    def insertions(self) -> list[str]:
        return [
            f'INSERT INTO "{self.name}" VALUES (?1, ?2, ?3, ?4)',
            f'INSERT INTO "{self.trigrams}" (rowid, folded) VALUES (?3, ?4)',
        ]

    @functools.cached_property
    def deletions(self) -> list[str]:
        trigrams = self.trigrams
        return [
            f'INSERT INTO "{trigrams}" ("{trigrams}", rowid, folded) VALUES (\'delete\', ?3, ?4)',
            f'DELETE FROM "{self.name}" WHERE vertex = ?3 AND folded = ?4',
        ]


class ColumnsTable(Table):
    """Some properties of vertices, read along the edges that leave them."""

    def __init__(self, columns: Columns) -> None:
        super().__init__(f"columns {columns.label}", columns.label)
        self.properties = columns.properties
        self.columns = len(columns.properties) + 1

    @property
    def schema(self) -> list[str]:
        values = ", ".join(f"k{number}" for number in range(len(self.properties)))
        return [f'CREATE TABLE "{self.name}" (vertex INTEGER PRIMARY KEY, {values})']

    def row(self, vertex: int, properties: Properties) -> Row | None:
        values = (properties.get(name) for name in self.properties)
        return (vertex, *(one if isinstance(one, (str, int, float)) else None for one in values))

    @functools.cached_property
    def deletions(self) -> list[str]:
        last = len(self.properties)
        return [f'DELETE FROM "{self.name}" WHERE vertex = ?1 AND k{last - 1} IS ?{last + 1}']


class VectorTable:
    """The vectors of one property, as 32-bit floats like in Memgraph."""

    def __init__(self, index: VectorIndex) -> None:
        self.name = f"vector {index.label}({index.vector})"
        self.index = index

    @property
    def schema(self) -> list[str]:
        return [f'CREATE TABLE "{self.name}" (vertex INTEGER PRIMARY KEY, vector BLOB NOT NULL)']


def pack_vector(vector: Iterable[float]) -> bytes:
    """Return *vector* in its stored form."""
    values = tuple(vector)
    return struct.pack(f"<{len(values)}f", *values)


def unpack_vector(blob: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(blob) // 4}f", blob)


class Catalogue:
    """All tables of the indexes that *layers* declare."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self.layers = layers
        self.indexes = [IndexTable(one, layer.slots) for layer in layers for one in layer.indexes]
        self.rankings = [RankingTable(one) for layer in layers for one in layer.rankings]
        self.texts = [TextTable(one) for layer in layers for one in layer.texts]
        self.vectors = [VectorTable(one) for layer in layers for one in layer.vectors]
        self.columns = [ColumnsTable(one) for layer in layers for one in layer.columns]
        self.derived: list[Table] = [*self.indexes, *self.rankings, *self.texts, *self.columns]
        self._by_label: dict[str, list[Table]] = {}
        for table in self.derived:
            self._by_label.setdefault(table.label, []).append(table)
        self.vector_names = frozenset(table.index.vector for table in self.vectors)
        # Cached statements: the look-ups are always the same.
        self._followed: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._following: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[Table, ...]] = {}
        self._keyed: dict[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]]] = {}
        self._statements: dict[Hashable, str] = {}
        # By label and leading properties: the first index of each is used.
        self._leading: dict[tuple[str, tuple[str, ...]], IndexTable] = {}
        for one in self.indexes:
            names = one.index.properties
            for count in range(len(names) + 1):
                self._leading.setdefault((one.label, names[:count]), one)

    @property
    def names(self) -> set[str]:
        """Return the names of all tables, those of the trigrams included."""
        names = {table.name for table in self.derived} | {table.name for table in self.vectors}
        return names | {text.trigrams for text in self.texts}

    def of_label(self, label: str) -> list[Table]:
        """Return the tables that have rows of vertices with *label*."""
        return self._by_label.get(label, [])

    def followed(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """Return the properties of vertices with *labels* that rows are derived from."""
        known = self._followed.get(labels)
        if known is None:
            names = (name for table in self._of_labels(labels) for name in table.properties)
            known = self._followed[labels] = tuple(dict.fromkeys(names))
        return known

    def following(self, labels: tuple[str, ...], changed: tuple[str, ...]) -> tuple[Table, ...]:
        """Return the tables of vertices with *labels* whose rows depend on any of *changed*."""
        known = self._following.get((labels, changed))
        if known is None:
            tables = self._of_labels(labels)
            found = [table for table in tables if not set(changed).isdisjoint(table.properties)]
            known = self._following[labels, changed] = tuple(found)
        return known

    def _of_labels(self, labels: Sequence[str]) -> list[Table]:
        return [table for label in labels for table in self.of_label(label)]

    def index(self, label: str, properties: Sequence[str]) -> IndexTable:
        """Return the index of *label* that begins with *properties*."""
        known = self._leading.get((label, tuple(properties)))
        if known is None:
            raise LookupError(f"no index on :{label}({', '.join(properties)}) is declared")
        return known

    def keyed(self, label: str, properties: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Return the table that indexes *properties*, and its columns for them."""
        known = self._keyed.get((label, properties))
        if known is None:
            known = self._keyed[label, properties] = self._looked_for(label, properties)
        return known

    def statement(self, asked: Hashable, make: Callable[[], str]) -> str:
        """Return the statement for *asked*, which *make* writes the first time."""
        known = self._statements.get(asked)
        if known is None:
            known = self._statements[asked] = make()
        return known

    def _looked_for(self, label: str, properties: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        for text in self.texts:
            if (text.label, (text.index.folded,)) == (label, properties):
                return text.name, ("folded",)
        name = self.index(label, properties).name
        return name, tuple(f"k{number}" for number in range(len(properties)))

    def ranking(self, label: str, time: str) -> RankingTable:
        return next(
            table for table in self.rankings if table.label == label and table.ranking.time == time
        )

    def text(self, label: str) -> TextTable:
        return next(table for table in self.texts if table.label == label)

    def columns_of(self, label: str) -> ColumnsTable:
        return next(table for table in self.columns if table.label == label)

    def vector(self, labels: Sequence[str], name: str) -> VectorTable | None:
        """Return the table with the vectors of the property *name* of such a vertex."""
        for table in self.vectors:
            if table.index.vector == name and table.index.label in labels:
                return table
        return None


# For the layers of this version.
CATALOGUE = Catalogue(MODEL.stored)


State = tuple[tuple[str, ...], dict[str, Any]] | None
_BATCH = 1_000

# Finds the edges into a vertex with their properties, without reading each from its table.
_INTO = "edge_into"


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
    return {*catalogue.names, _INTO} <= _names(connection)


def make(connection: sqlite3.Connection, catalogue: Catalogue) -> None:
    """Create the missing tables with their rows, within the caller's transaction."""
    connection.execute(
        f"CREATE INDEX IF NOT EXISTS {_INTO} ON edge (target, id, type, source, properties)"
    )
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
