"""Keep the part of the graph that this process has read in memory between calls.

A write of another process empties the cache. Each vertex and edge is one object, and is read from
and stored as a row here.
"""

import functools
import json
import sqlite3
import sys
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from operator import attrgetter
from typing import Any

from .database import Database, Row
from .opening import Unsound
from .values import encode, write_ids

# Bytes of an element beyond its properties, and of its properties per stored character: measured on
# stores of 1,000 to 100,000 concepts.
_BYTES_AN_ELEMENT, _BYTES_A_CHARACTER = 350, 4


class DeletedObjectError(Exception):
    """The exception of `_mgp` for a read of a deleted element."""


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
        self.reading: _Ends | None = None

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

    def __init__(self, vertex_id: int, reading: "_Ends") -> None:
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


_CONTAINERS = frozenset({list, dict})
# Edges of a vertex read in one batch: few at first, because a caller may need no more.
_FIRST_EDGES, _MORE_EDGES = 16, 256
_ID = attrgetter("id")
# Columns of an edge's row with its ends; and rows taken in one batch.
_SOURCE, _TARGET, _READ_AT_ONCE = 2, 3, 5_000
_scanned = json.JSONDecoder().raw_decode
# Up to this many edges are each searched in a list; for more, the list is scanned once.
_FEW = 100
# Beyond about this many bytes, the cache is emptied and filled again as needed. A machine runs one
# server for each window of a client, so that each keeps what its calls need, and not all it read.
MAX_BYTES = 1 << 26
# Bytes of an element of which only the id is known; more is added once it is read.
_BYTES_UNREAD = 200


class Cache:
    """Elements by id, as of the writing transaction number `position`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.vertices: dict[int, VertexElement] = {}
        self.edges: dict[int, EdgeElement] = {}
        self.position = -1
        # An estimate; replaced elements stay counted until the cache is emptied.
        self.bytes = 0
        self._labels: dict[str, tuple[str, ...]] = {}
        self._types: dict[str, str] = {}

    def catch_up(self, position: int) -> None:
        """Empty the cache if another process has written since, up to *position*."""
        if position != self.position:
            self.clear()
            self.position = position

    def clear(self) -> None:
        # Vertices and edges refer to each other; without this only the cycle collector would free
        # them.
        for vertex in self.vertices.values():
            vertex.out_edges = vertex.in_edges = None
        self.vertices.clear()
        self.edges.clear()
        self.bytes = 0

    def trim(self) -> None:
        """Empty the cache if it has grown beyond its limit."""
        if self.bytes > MAX_BYTES:
            self.clear()

    def vertex(self, vertex_id: int) -> VertexElement | None:
        """Read a vertex that is not among `vertices`."""
        row = read_vertex(self._database, vertex_id)
        return None if row is None else self.vertex_of(row)

    def load_vertices(self, ids: Iterable[int]) -> Iterator[VertexElement]:
        """Return the existing vertices among *ids*, in that order."""
        ids = list(ids)
        known = self.vertices
        missing = [one for one in ids if one not in known or known[one].reading is not None]
        if missing:
            there = {self.vertex_of(row).id for row in read_vertices(self._database, missing)}
            gone = set(missing) - there
            ids = [vertex_id for vertex_id in ids if vertex_id not in gone]
        return (known[vertex_id] for vertex_id in ids)

    def vertex_of(self, row: Row) -> VertexElement:
        """Return the element of an (id, labels, properties) row."""
        element = self.vertices.get(row[0])
        if element is None or element.reading is not None:
            labels, properties = self._label_tuple(row[1]), decode(row[2])
            if element is None:
                element = self.vertices[row[0]] = VertexElement(row[0], labels, properties)
            else:
                element.become(labels, properties)
            self.bytes += size(row[2])
        return element

    def read(self, unread: Collection[VertexElement]) -> None:
        """Read the labels and properties of *unread*, vertices known only as ends of edges."""
        waiting = {vertex.id: vertex for vertex in unread if vertex.reading is not None}
        for row in read_vertices(self._database, waiting):
            waiting.pop(row[0]).become(self._label_tuple(row[1]), decode(row[2]))
            self.bytes += size(row[2])
        if waiting:
            raise Unsound(f"node {min(waiting)}: is not there, and has relations")

    def stored_edges(self, vertex: VertexElement, outgoing: bool) -> Iterator[EdgeElement]:
        """Iterate over the stored edges that leave (or enter) *vertex*, reading them on demand."""
        self.vertices.setdefault(vertex.id, vertex)
        cursor = read_edges_of(self._database, vertex.id, outgoing)
        count = _FIRST_EDGES
        while rows := cursor.fetchmany(count):
            ends = _Ends(self)
            yield from self._edges_of(rows, ends)
            ends.together = []
            if len(rows) < count:
                return
            count = _MORE_EDGES

    def _edges_of(self, rows: Collection[Row], ends: "_Ends") -> list[EdgeElement]:
        """Return the elements of rows as `Database.edges` returns them.

        Their newly created other ends are added to *ends*. Kept fast, because a walk reads
        thousands of edges.
        """
        edges, vertices, known_type = self.edges, self.vertices, self._types.setdefault
        new = [row for row in rows if row[0] not in edges]
        for edge_id, edge_type, source_id, target_id, stored in new:
            self.bytes += size(stored)
            edges[edge_id] = EdgeElement(
                edge_id,
                known_type(edge_type, edge_type),
                vertices.get(source_id) or self._end(source_id, ends),
                vertices.get(target_id) or self._end(target_id, ends),
                decode(stored),
            )
        return [edges[row[0]] for row in rows]

    def _end(self, vertex_id: int, ends: "_Ends") -> VertexElement:
        """Return the element of a vertex that is known only as the end of an edge."""
        vertex = self.vertices[vertex_id] = UnreadVertex(vertex_id, ends)
        ends.together.append(vertex)
        self.bytes += _BYTES_UNREAD
        return vertex

    def load_edges(self, vertices: Iterable[VertexElement], outgoing: bool) -> None:
        """Read all edges that leave (or enter) *vertices*, many in a statement."""
        lists: dict[int, list[EdgeElement]] = {
            one.id: [] for one in vertices if (one.out_edges if outgoing else one.in_edges) is None
        }
        if not lists:
            return
        near = _SOURCE if outgoing else _TARGET
        rows = read_edges_of_many(self._database, lists, outgoing)
        while some := rows.fetchmany(_READ_AT_ONCE):
            ends = _Ends(self)
            for row, edge in zip(some, self._edges_of(some, ends), strict=True):
                lists[row[near]].append(edge)
            # A caller with so many vertices reads few of their other ends.
            ends.together = []
        for vertex_id, edges in lists.items():
            setattr(self.vertices[vertex_id], "out_edges" if outgoing else "in_edges", edges)

    def _label_tuple(self, labels: str) -> tuple[str, ...]:
        known = self._labels.get(labels)
        if known is None:
            known = self._labels[labels] = tuple(parse(labels, list))
        return known


class _Ends:
    """The other ends of edges that were read in one batch.

    A caller that reads one of them while it iterates over these edges will read the others too, so
    until then they are read `together`. Later each is read by itself.
    """

    __slots__ = ("_cache", "together")

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self.together: list[VertexElement] = []

    def read(self, vertex: VertexElement) -> None:
        wanted, self.together = self.together or [vertex], []
        self._cache.read(wanted)


def decode(properties: str) -> dict[str, Any]:
    """Return stored properties as a new map, its lists as tuples."""
    # Interned: all vertices have the same few keys, and the parser makes new strings each time.
    return {
        sys.intern(key): _tuples(value) if value.__class__ in _CONTAINERS else value
        for key, value in parse(properties, dict).items()
    }


def parse(text: str, kind: type) -> Any:
    """Return the value of the JSON *text*.

    Raises Unsound for another *kind*, set by hand in SQL.
    """
    try:
        # The form in which this program writes; other whitespace takes the slower way.
        value, end = _scanned(text, 0)
        if end == len(text) and value.__class__ is kind:
            return value
    except (ValueError, TypeError, RecursionError):
        pass
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        value = None
    if not isinstance(value, kind):
        raise Unsound(f"a {kind.__name__} is not as it is stored")
    return value


def detach(edges: Collection[EdgeElement]) -> None:
    """Remove *edges* from the lists of their ends.

    The lists are replaced, so that running iterations keep the old ones.
    """
    leaving: dict[VertexElement, list[EdgeElement]] = {}
    entering: dict[VertexElement, list[EdgeElement]] = {}
    for edge in frozenset(edges):
        leaving.setdefault(edge.source, []).append(edge)
        entering.setdefault(edge.target, []).append(edge)
    for vertex, gone in leaving.items():
        if vertex.out_edges is not None:
            vertex.out_edges = _remove_edges(vertex.out_edges, gone)
    for vertex, gone in entering.items():
        if vertex.in_edges is not None:
            vertex.in_edges = _remove_edges(vertex.in_edges, gone)


def _remove_edges(edges: list[EdgeElement], gone: list[EdgeElement]) -> list[EdgeElement]:
    """Return *edges* without *gone*."""
    if len(gone) > _FEW:
        every = frozenset(gone)
        return [edge for edge in edges if edge not in every]
    left = edges.copy()
    for edge in gone:
        # A binary search by id, because lists are nearly sorted and a hub's are too long to scan.
        index = bisect_left(left, edge.id, key=_ID)
        if index == len(left) or left[index] is not edge:
            return [one for one in left if one not in gone]
        del left[index]
    return left


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value
