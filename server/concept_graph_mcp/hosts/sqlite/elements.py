"""Represent vertices and edges in memory, one object for each id; read and store their rows."""

import functools
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Protocol

from .database import Database, Row
from .values import encode, write_ids

# Bytes of an element beyond its properties, and of its properties per stored character: measured on
# stores of 1,000 to 100,000 concepts.
_BYTES_AN_ELEMENT, _BYTES_A_CHARACTER = 350, 4


class DeletedObjectError(Exception):
    """The exception of `_mgp` for a read of a deleted element."""


class Reading(Protocol):
    """Reads the stored state of a vertex."""

    def read(self, vertex: "VertexElement") -> None: ...


class VertexElement:
    """A vertex; its edge lists are None until they are first read."""

    __slots__ = ("id", "in_edges", "kept", "labels", "out_edges", "properties", "reading")
    labels: tuple[str, ...]
    # Values that procedures made of the properties, by name, until one of them changes.
    kept: dict[str, Any] | None
    properties: dict[str, Any]

    def __init__(self, vertex_id: int, labels: tuple[str, ...], properties: dict[str, Any]) -> None:
        self.id = vertex_id
        self.labels = labels
        self.properties = properties
        self.kept = None
        self.out_edges: list[EdgeElement] | None = None
        self.in_edges: list[EdgeElement] | None = None
        self.reading: Reading | None = None

    def become(self, labels: tuple[str, ...], properties: dict[str, Any]) -> None:
        """Take over the stored state."""
        self.labels, self.properties, self.reading, self.kept = labels, properties, None, None
        self.__class__ = VertexElement


class UnreadVertex(VertexElement):
    """A vertex known only as the end of an edge, without labels and properties.

    `reading` adds both when one of them is first read, which for most never happens. Then the class
    changes to VertexElement: a class with `__getattr__` reads its attributes four times as slowly.
    """

    __slots__ = ()

    def __init__(self, vertex_id: int, reading: Reading) -> None:
        self.id = vertex_id
        self.out_edges = self.in_edges = self.kept = None
        self.reading = reading

    def __getattr__(self, name: str) -> Any:
        if self.reading is None or name not in ("labels", "properties"):
            raise AttributeError(name)
        self.reading.read(self)
        return getattr(self, name)


class EdgeElement:
    """An edge from `source` to `target`."""

    __slots__ = ("id", "properties", "source", "target", "type")

    def __init__(
        self,
        edge_id: int,
        edge_type: str,
        source: VertexElement,
        target: VertexElement,
        properties: dict[str, Any],
    ) -> None:
        self.id = edge_id
        self.type = edge_type
        self.source = source
        self.target = target
        self.properties = properties


class Deleted(dict[str, Any]):
    """The properties of a deleted element."""

    def get(self, *_: Any) -> Any:
        raise DeletedObjectError("Accessing deleted object.")

    __getitem__ = __iter__ = get


def differs(old: Any, value: Any) -> bool:
    """Return whether *value* must replace *old*; large values are not compared."""
    if old is None:
        return value is not None
    return old.__class__ is not value.__class__ or isinstance(old, (tuple, dict)) or old != value


def size(properties: str) -> int:
    """Estimate the bytes of an element from its stored *properties*."""
    return _BYTES_AN_ELEMENT + _BYTES_A_CHARACTER * len(properties)


def read_vertices(database: Database, ids: Iterable[int]) -> Iterator[Row]:
    """Return (id, labels, properties) of the existing ones of *ids*."""
    given = list(ids)
    select = "SELECT id, labels, properties FROM vertex WHERE id"
    if len(given) == 1:
        return database.execute(f"{select} = ?", given)
    return database.execute(f"{select} IN (SELECT value FROM json_each(?))", [write_ids(given)])


def read_vertex(database: Database, vertex_id: int) -> Row | None:
    """Return one vertex by its id, as `read_vertices` does."""
    # Called by the hundred, one id at a time: a list with one id takes twice as long.
    row: Row | None = database.execute(
        "SELECT id, labels, properties FROM vertex WHERE id = ?", (vertex_id,)
    ).fetchone()
    return row


def read_vertices_after(database: Database, vertex_id: int, count: int) -> list[Row]:
    """Return the next *count* vertices by id, as `read_vertices` does."""
    return database.execute(
        "SELECT id, labels, properties FROM vertex WHERE id > ? ORDER BY id LIMIT ?",
        (vertex_id, count),
    ).fetchall()


def read_edges_of(database: Database, vertex_id: int, outgoing: bool) -> sqlite3.Cursor:
    """Return (id, type, source, target, properties) of a vertex's edges, by id."""
    return database.execute(
        "SELECT id, type, source, target, properties FROM edge"
        f" WHERE {'source' if outgoing else 'target'} = ? ORDER BY id",
        [vertex_id],
    )


def read_edges_of_many(
    database: Database, vertex_ids: Iterable[int], outgoing: bool
) -> sqlite3.Cursor:
    """Return all edges of some vertices, as `read_edges_of` does, those of each by id."""
    near = "source" if outgoing else "target"
    return database.execute(
        "SELECT id, type, source, target, properties FROM edge"
        f" WHERE {near} IN (SELECT value FROM json_each(?)) ORDER BY {near}, id",
        [write_ids(vertex_ids)],
    )


def read_vectors(database: Database, table: str, vertices: Iterable[int]) -> sqlite3.Cursor:
    """Return those of *vertices* that have a vector in *table*, each with its stored form."""
    return database.execute(
        f'SELECT vertex, vector FROM "{table}" WHERE vertex IN (SELECT value FROM json_each(?))',
        [write_ids(vertices)],
    )


class ElementRows:
    """Writes elements within the open transaction, and adds up their size in memory.

    `written` counts the bytes of the vertices, `written_of_edges` those of the edges.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.written = self.written_of_edges = 0

    def write_vertices(
        self,
        changed: Collection[VertexElement],
        created: Collection[VertexElement],
        deleted: Collection[VertexElement],
    ) -> None:
        """Store the current state of vertices, except the *deleted* ones."""
        self._write(
            # An update would fire a trigger of 0.3.0.
            "REPLACE INTO vertex (id, labels, properties) VALUES (?, ?, ?)",
            self._vertex_row,
            changed,
        )
        columns = "vertex (id, labels, properties)"
        self._database.insert(columns, 3, map(self._vertex_row, created))
        self._write("DELETE FROM vertex WHERE id = ?", lambda v: (v.id,), deleted)

    def write_edges(
        self,
        changed: Collection[EdgeElement],
        created: Collection[EdgeElement],
        deleted: Collection[EdgeElement],
    ) -> None:
        """Store the current state of edges."""
        self._write("UPDATE edge SET properties = ?5 WHERE id = ?1", self._edge_row, changed)
        columns = "edge (id, type, source, target, properties)"
        self._database.insert(columns, 5, map(self._edge_row, created))
        self._write("DELETE FROM edge WHERE id = ?", lambda e: (e.id,), deleted)

    def write_vector(self, table: str, vertex: int, vector: bytes | None) -> None:
        """Store the vector of a vertex, or remove it."""
        if vector is None:
            self._database.write(f'DELETE FROM "{table}" WHERE vertex = ?', [(vertex,)])
        else:
            into = f'INSERT OR REPLACE INTO "{table}" (vertex, vector) VALUES (?, ?)'
            self._database.write(into, [(vertex, vector)])

    def _write(self, statement: str, row: Callable[[Any], Row], elements: Collection[Any]) -> None:
        """Execute *statement* with the row of each of *elements*, made on demand."""
        # Most calls need few of these statements, and each has a cost even without rows.
        if elements:
            self._database.write(statement, map(row, elements))

    def _vertex_row(self, vertex: VertexElement) -> Row:
        text = encode(vertex.properties)
        self.written += size(text)
        return vertex.id, _encoded_labels(vertex.labels), text

    def _edge_row(self, edge: EdgeElement) -> Row:
        text = encode(edge.properties)
        self.written_of_edges += size(text)
        return edge.id, edge.type, edge.source.id, edge.target.id, text


@functools.cache
def _encoded_labels(labels: tuple[str, ...]) -> str:
    """Return *labels* in their stored form; cached, because there are few."""
    return encode(labels)
