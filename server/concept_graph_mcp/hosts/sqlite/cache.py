"""Keep the part of the graph that this process has read in memory between calls.

A write of another process empties the cache.
"""

import json
import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from typing import Any

from . import elements
from .database import Database, Row
from .elements import EdgeElement, UnreadVertex, VertexElement, size
from .opening import Unsound

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
        row = elements.read_vertex(self._database, vertex_id)
        return None if row is None else self.vertex_of(row)

    def load_vertices(self, ids: Iterable[int]) -> Iterator[VertexElement]:
        """Return the existing vertices among *ids*, in that order."""
        ids = list(ids)
        known = self.vertices
        missing = [one for one in ids if one not in known or known[one].reading is not None]
        if missing:
            there = {
                self.vertex_of(row).id for row in elements.read_vertices(self._database, missing)
            }
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
        for row in elements.read_vertices(self._database, waiting):
            waiting.pop(row[0]).become(self._label_tuple(row[1]), decode(row[2]))
            self.bytes += size(row[2])
        if waiting:
            raise Unsound(f"node {min(waiting)}: is not there, and has relations")

    def stored_edges(self, vertex: VertexElement, outgoing: bool) -> Iterator[EdgeElement]:
        """Iterate over the stored edges that leave (or enter) *vertex*, reading them on demand."""
        self.vertices.setdefault(vertex.id, vertex)
        cursor = elements.read_edges_of(self._database, vertex.id, outgoing)
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
        rows = elements.read_edges_of_many(self._database, lists, outgoing)
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
