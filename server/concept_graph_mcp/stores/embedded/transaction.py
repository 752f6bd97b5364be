"""One call's reading and writing: changes are made in memory, then stored or taken back as one."""

import itertools
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from ...calls.lookups import Equal
from . import interface, lookups
from .cache import Cache, detach
from .database import Database
from .derivation import Derivation
from .element_rows import ElementRows
from .elements import EdgeElement, VertexElement
from .fans import Fan
from .indexes import Catalogue, packed, unpacked

_SCAN_BATCH = 1_000
# Of a call that makes more edges than these none is kept in memory, nor made an object of.
_FEW_EDGES = 2_000


class UniqueViolation(Exception):
    """Two nodes of one label would have the same value of a unique property."""


class _Deleted(dict[str, Any]):
    """The properties of something deleted."""

    def get(self, *_: Any) -> Any:
        raise interface.DeletedObjectError("Accessing deleted object.")

    __getitem__ = __iter__ = get


class Transaction:
    """The graph of one call. `flush` stores what changed; `undo` makes it not have happened."""

    def __init__(self, database: Database, cache: Cache, catalogue: Catalogue) -> None:
        self._database = database
        self._cache = cache
        self._catalogue = catalogue
        # What was set of vectors, which are not among the properties of an element.
        self._vectors: dict[tuple[VertexElement, str], tuple[float, ...] | None] = {}
        # What was, for every element that is no longer as it is stored.
        self._before: dict[VertexElement, tuple[tuple[str, ...], dict[str, Any]]] = {}
        self._edges_before: dict[EdgeElement, dict[str, Any]] = {}
        self._created: dict[VertexElement, None] = {}
        self._created_edges: dict[EdgeElement, None] = {}
        # Those of them that no list of an end has, because it is not loaded; by end and way.
        self._unlisted: dict[tuple[VertexElement, bool], list[EdgeElement]] = {}
        # Further ones, which no list of an end has either; and how many there ever were.
        self._fans: list[Fan] = []
        self._fanned = 0
        self._deleted: set[VertexElement] = set()
        self._deleted_edges: set[EdgeElement] = set()
        self._position: int | None = None
        # The properties of new edges: none, or one whole number.
        self._no_properties: dict[str, Any] = {}
        self._numbers: dict[tuple[str, int], dict[str, Any]] = {}
        self._rows = ElementRows(database)

    # Reading

    def vertex(self, vertex_id: int) -> VertexElement | None:
        element = self._cache.vertex(vertex_id)
        return None if element in self._deleted else element

    def vertices(self) -> Iterator[VertexElement]:
        """Iterate over all vertices, the stored ones by id and then those of this call."""
        last_id = 0
        while rows := self._database.vertices_after(last_id, _SCAN_BATCH):
            for row in rows:
                element = self._cache.vertex_of(row)
                if element not in self._deleted:
                    yield element
            last_id = rows[-1][0]
        yield from [element for element in self._created if element not in self._deleted]

    def vector(self, vertex: VertexElement, name: str) -> tuple[float, ...] | None:
        """Return the vector *name* of *vertex*, or None; what is stored has 32 bits a number."""
        if (vertex, name) in self._vectors:
            return self._vectors[vertex, name]
        table = self._catalogue.vector(vertex.labels, name)
        if table is None or vertex in self._deleted:
            return None
        blob = self._database.vector(table.name, vertex.id)
        return None if blob is None else unpacked(blob)

    def vectors(self, vertex: VertexElement) -> dict[str, tuple[float, ...]]:
        """Return all vectors of *vertex* by name."""
        found = {name: self.vector(vertex, name) for name in self._catalogue.vector_names}
        return {name: vector for name, vector in found.items() if vector is not None}

    def expect_vertices(self, vertex_ids: Collection[int]) -> None:
        """Read those of *vertex_ids* that were not, in one statement."""
        self._cache.load_vertices(vertex_ids)

    def look_up(
        self, label: str, properties: Sequence[str], values: Sequence[Sequence[Any]]
    ) -> list[VertexElement] | None:
        """Return the vertices with one of *values*; None once some are not stored as they are."""
        if self._before or self._created:
            return None
        wanted = Equal((label,), tuple(properties), tuple(map(tuple, values)))
        return list(self._cache.load_vertices(lookups.find(self._database, wanted)))

    def expect_edges(self, vertices: Iterable[VertexElement], outgoing: bool) -> None:
        """Read the edges that leave (or enter) *vertices*, unless some are not yet stored."""
        if not self._created_edges and not self._fans and not self._deleted_edges:
            self._cache.load_edges(vertices, outgoing)

    def edges(self, vertex: VertexElement, outgoing: bool) -> list[EdgeElement]:
        known = vertex.out_edges if outgoing else vertex.in_edges
        return list(self.stream(vertex, outgoing) if known is None else known)

    def has_edges(self, vertex: VertexElement, outgoing: bool) -> bool:
        """Tell whether there is any, for which one is read at most."""
        known = vertex.out_edges if outgoing else vertex.in_edges
        return any(True for _ in self.stream(vertex, outgoing)) if known is None else bool(known)

    def stream(self, vertex: VertexElement, outgoing: bool) -> Iterator[EdgeElement]:
        """Iterate over edges that are read as they are asked for, and kept if all of them are."""
        self._spread()
        created = list(self._unlisted.get((vertex, outgoing), ()))
        changes = self._changes()
        seen: list[EdgeElement] = []
        for edge in itertools.chain(self._cache.stored_edges(vertex, outgoing), created):
            if edge not in self._deleted_edges:
                seen.append(edge)
                yield edge
        if changes == self._changes():
            setattr(vertex, "out_edges" if outgoing else "in_edges", seen)

    def _changes(self) -> tuple[int, int, int]:
        return len(self._created_edges), len(self._deleted_edges), self._fanned

    # Writing

    def set_property(self, vertex: VertexElement, name: str, value: Any) -> None:
        if not _differs(vertex.properties.get(name), value):
            return
        self._save(vertex)
        if value is None:
            del vertex.properties[name]
        else:
            vertex.properties[name] = value

    def set_edge_property(self, edge: EdgeElement, name: str, value: Any) -> None:
        """Set a property of *edge*, whose properties are never changed, only replaced.

        So edges that say the same one whole number can share them.
        """
        before = edge.properties
        if not _differs(before.get(name), value):
            return
        if edge not in self._created_edges:
            self._edges_before.setdefault(edge, before)
        if not before:
            edge.properties = self._only(name, value)
            return
        edge.properties = {**before, name: value}
        if value is None:
            del edge.properties[name]

    def _only(self, name: str, value: Any) -> dict[str, Any]:
        """Return properties of an edge that has but this one."""
        # To a dictionary True is 1.
        if value.__class__ is not int:
            return {} if value is None else {name: value}
        return self._numbers.get((name, value)) or self._number(name, value)

    def _number(self, name: str, value: int) -> dict[str, Any]:
        made = self._numbers[name, value] = {name: value}
        return made

    def set_vector(self, vertex: VertexElement, name: str, value: Any) -> None:
        """Set the vector *name* of *vertex*. Raises ValueError for all but a list of floats."""
        if value is not None and not (
            isinstance(value, tuple) and value and all(one.__class__ is float for one in value)
        ):
            raise ValueError(f"{name}: a vector must be a list of floats")
        self._save(vertex)
        self._vectors[vertex, name] = value

    def add_label(self, vertex: VertexElement, label: str) -> None:
        if label not in vertex.labels:
            self._save(vertex)
            vertex.labels = (*vertex.labels, label)

    def remove_label(self, vertex: VertexElement, label: str) -> None:
        if label in vertex.labels:
            self._save(vertex)
            vertex.labels = tuple(other for other in vertex.labels if other != label)

    def create_vertex(
        self, labels: tuple[str, ...] = (), properties: dict[str, Any] | None = None
    ) -> VertexElement:
        """Create a vertex, which takes *properties*, as they are stored, for its own."""
        made = {} if properties is None else properties
        vertex = VertexElement(self._database.new_id("vertex"), labels, made)
        vertex.out_edges, vertex.in_edges = [], []
        self._cache.vertices[vertex.id] = vertex
        self._created[vertex] = None
        return vertex

    def create_edge(
        self, source: VertexElement, target: VertexElement, edge_type: str
    ) -> EdgeElement:
        [made] = self._create_edges(source, edge_type, [target], [self._no_properties])
        return made

    def create_edges(
        self,
        source: VertexElement,
        edge_type: str,
        name: str,
        targets: Sequence[VertexElement],
        given: Sequence[Any],
    ) -> None:
        """Create an edge from *source* to each of *targets*, with its *given* property *name*."""
        if len(self._created_edges) < _FEW_EDGES or set(map(type, given)) != {int}:
            only = self._only
            self._create_edges(source, edge_type, targets, [only(name, one) for one in given])
            return
        ids = self._new_edges(source, targets)
        for target in targets:
            if target.in_edges is not None:
                self._unlist(target, False)
        if source.out_edges is not None:
            self._unlist(source, True)
        self._fans.append(Fan(ids, edge_type, source, targets, name, given))
        self._fanned += len(ids)

    def _unlist(self, vertex: VertexElement, outgoing: bool) -> None:
        """Have the edges of *vertex* read anew when they are asked for, and with them what is new.

        Nothing of a fan is in a list.
        """
        way = "out_edges" if outgoing else "in_edges"
        known: list[EdgeElement] = getattr(vertex, way)
        if created := [edge for edge in known if edge in self._created_edges]:
            self._unlisted[vertex, outgoing] = created
        setattr(vertex, way, None)

    def _spread(self) -> None:
        """Make objects of all edges: somebody looks."""
        spread, self._fans = self._fans, []
        for fan in spread:
            properties = [self._only(fan.name, one) for one in fan.given]
            self._add_edges(fan.source, fan.targets, fan.edges(properties))

    def _create_edges(
        self,
        source: VertexElement,
        edge_type: str,
        targets: Sequence[VertexElement],
        properties: Sequence[dict[str, Any]],
    ) -> list[EdgeElement]:
        ids = self._new_edges(source, targets)
        made = [
            EdgeElement(edge_id, edge_type, source, target, own)
            for edge_id, target, own in zip(ids, targets, properties, strict=True)
        ]
        self._add_edges(source, targets, made)
        return made

    def _new_edges(self, source: VertexElement, targets: Sequence[VertexElement]) -> range:
        """Return the ids of new edges from *source* to each of *targets*."""
        if self._deleted and not self._deleted.isdisjoint([source, *targets]):
            raise interface.DeletedObjectError("Accessing deleted object.")
        return self._database.new_ids("edge", len(targets))

    def _add_edges(
        self, source: VertexElement, targets: Sequence[VertexElement], made: list[EdgeElement]
    ) -> None:
        """Enter new edges from *source* to each of *targets* in the lists of their ends."""
        for edge, target in zip(made, targets, strict=True):
            entering = target.in_edges
            if entering is None:
                entering = self._unlisted.setdefault((target, False), [])
            entering.append(edge)
        leaving = source.out_edges
        if leaving is None:
            leaving = self._unlisted.setdefault((source, True), [])
        leaving.extend(made)
        self._created_edges.update(dict.fromkeys(made))

    def delete_vertex(self, vertex: VertexElement) -> None:
        self._save(vertex)
        self._deleted.add(vertex)
        vertex.properties = _Deleted()

    def delete_edges(self, edges: Collection[EdgeElement]) -> None:
        for edge in edges:
            if edge not in self._created_edges:
                self._edges_before.setdefault(edge, edge.properties)
            self._deleted_edges.add(edge)
            edge.properties = _Deleted()
        detach(edges)

    def _save(self, vertex: VertexElement) -> None:
        """Remember *vertex* as it is stored, before its first change."""
        if vertex not in self._created and vertex not in self._before:
            self._before[vertex] = (vertex.labels, vertex.properties)
            vertex.properties = dict(vertex.properties)

    # The end

    def flush(self) -> bool:
        """Store all changes, within the database's open transaction; tell whether there are any.

        Raises UniqueViolation, or Conflict if another process wrote since this one began to read.
        """
        vertices = [*self._before, *self._created]
        edges = [edge.id for edge in (*self._edges_before, *self._created_edges)]
        for fan in self._fans:
            edges += fan.ids
        if not vertices and not edges:
            return False
        self._write_elements()
        self._write_vectors()
        derivation = Derivation(self._database, self._catalogue)
        for vertex in vertices:
            after = None if vertex in self._deleted else (vertex.labels, vertex.properties)
            derivation.change(vertex.id, self._before.get(vertex), after)
        try:
            derivation.write()
        except sqlite3.IntegrityError as error:
            raise UniqueViolation(
                "Unable to commit due to unique constraint violation on " + derivation.violated()
            ) from error
        self._position = self._database.log_change([vertex.id for vertex in vertices], edges)
        return True

    @property
    def gone(self) -> dict[int, int]:
        """Where each edge that was deleted led to, both by their ids."""
        return {edge.id: edge.target.id for edge in self._deleted_edges}

    def finish(self) -> None:
        """Let go of what was deleted, after the commit."""
        if self._position is not None:
            self._cache.position = self._position
        self._cache.bytes += self._rows.written
        for vertex in self._deleted:
            self._cache.vertices.pop(vertex.id, None)
        for edge in self._deleted_edges:
            self._cache.edges.pop(edge.id, None)
        if self._fans or len(self._created_edges) > _FEW_EDGES:
            self._let_go()
        else:
            self._keep_edges()
        for vertex in self._created:
            if vertex.in_edges:
                # Read when it is asked for: of what becomes a hub that may be never.
                vertex.in_edges = None

    def _keep_edges(self) -> None:
        for edge in self._created_edges:
            if edge not in self._deleted_edges:
                self._cache.edges[edge.id] = edge
        self._cache.bytes += self._rows.written_of_edges

    def _let_go(self) -> None:
        """Keep no edges of the ends that got so many: who ingests will ask for few of them."""
        for edge in self._created_edges:
            edge.source.out_edges = edge.target.in_edges = None

    def undo(self) -> None:
        """Take every change back, after the rollback."""
        for vertex, (labels, properties) in self._before.items():
            vertex.labels, vertex.properties = labels, properties
        for edge, properties in self._edges_before.items():
            edge.properties = properties
        for edge in (*self._created_edges, *self._deleted_edges):
            # Read anew when next asked for, which is simpler than putting every list back.
            edge.source.out_edges = edge.target.in_edges = None
        for vertex in self._created:
            del self._cache.vertices[vertex.id]

    def _write_elements(self) -> None:
        rows = self._rows
        rows.write_vertices(
            [v for v in self._before if v not in self._deleted],
            [v for v in self._created if v not in self._deleted],
            self._deleted,
        )
        rows.write_edges(
            [e for e in self._edges_before if e not in self._deleted_edges],
            [e for e in self._created_edges if e not in self._deleted_edges],
            self._deleted_edges,
            (self._no_properties, *self._numbers.values()),
            self._fans,
        )

    def _write_vectors(self) -> None:
        for (vertex, name), vector in self._vectors.items():
            table = self._catalogue.vector(vertex.labels, name)
            if table is None:
                raise ValueError(f"{name}: vectors are only of nodes that have an index for them")
            row = None if vector is None or vertex in self._deleted else packed(vector)
            self._database.write_vector(table.name, vertex.id, row)
        for vertex in self._deleted & self._before.keys():
            for name in self._catalogue.vector_names:
                table = self._catalogue.vector(self._before[vertex][0], name)
                if table is not None:
                    self._database.write_vector(table.name, vertex.id, None)


def _differs(old: Any, value: Any) -> bool:
    """Tell whether *value* is to be written where *old* is; what is large is not compared."""
    if old is None:
        return value is not None
    return old.__class__ is not value.__class__ or isinstance(old, (tuple, dict)) or old != value
