"""Read and write the graph of one call.

Changes, those of edges too, are made in memory, then stored or undone as one.
"""

import itertools
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from conceptgraph_core.graph.primitives import Equal

from . import cache, interface, lookups
from .cache import Cache, Deleted, EdgeElement, ElementRows, VertexElement, detach, differs
from .database import Database
from .indexes import Catalogue, Derivation, pack_vector, unpack_vector

# A call with more new edges than this keeps none of them in memory.
_FEW_EDGES = 2_000


class EdgeChanges:
    """The edges of one call; vertices in *gone* have none."""

    def __init__(self, database: Database, cache: Cache, gone: set[VertexElement]) -> None:
        self._database = database
        self._cache = cache
        self._gone = gone
        # The stored state of every edge that was changed.
        self._before: dict[EdgeElement, dict[str, Any]] = {}
        self._created: dict[EdgeElement, None] = {}
        # New edges whose ends have no loaded list, by end and direction.
        self._unlisted: dict[tuple[VertexElement, bool], list[EdgeElement]] = {}
        self._deleted: set[EdgeElement] = set()

    # Reading

    def expect(self, vertices: Iterable[VertexElement], outgoing: bool) -> None:
        """Read the edges that leave (or enter) *vertices*, unless some are not yet stored."""
        if not self._created and not self._deleted:
            self._cache.load_edges(vertices, outgoing)

    def of(self, vertex: VertexElement, outgoing: bool) -> list[EdgeElement]:
        known = vertex.out_edges if outgoing else vertex.in_edges
        return list(self.stream(vertex, outgoing) if known is None else known)

    def any_of(self, vertex: VertexElement, outgoing: bool) -> bool:
        """Return whether there is any such edge, reading one at most."""
        known = vertex.out_edges if outgoing else vertex.in_edges
        return any(True for _ in self.stream(vertex, outgoing)) if known is None else bool(known)

    def stream(self, vertex: VertexElement, outgoing: bool) -> Iterator[EdgeElement]:
        """Iterate over edges read on demand, and keep them if all are read."""
        created = list(self._unlisted.get((vertex, outgoing), ()))
        changes = self._changes()
        seen: list[EdgeElement] = []
        for edge in itertools.chain(self._cache.stored_edges(vertex, outgoing), created):
            if edge not in self._deleted:
                seen.append(edge)
                yield edge
        if changes == self._changes():
            setattr(vertex, "out_edges" if outgoing else "in_edges", seen)

    def _changes(self) -> tuple[int, int]:
        return len(self._created), len(self._deleted)

    # Writing

    def set_property(self, edge: EdgeElement, name: str, value: Any) -> None:
        """Set a property of *edge*; its properties are replaced, never changed."""
        if not differs(edge.properties.get(name), value):
            return
        if edge not in self._created:
            self._before.setdefault(edge, edge.properties)
        edge.properties = {**edge.properties, name: value}
        if value is None:
            del edge.properties[name]

    def create(self, source: VertexElement, target: VertexElement, edge_type: str) -> EdgeElement:
        [made] = self._create_all(source, edge_type, [target], [{}])
        return made

    def create_each(
        self,
        source: VertexElement,
        edge_type: str,
        name: str,
        targets: Sequence[VertexElement],
        given: Sequence[Any],
    ) -> None:
        """Create an edge from *source* to each of *targets*, with its *given* property *name*."""
        properties = [{} if one is None else {name: one} for one in given]
        self._create_all(source, edge_type, targets, properties)

    def _create_all(
        self,
        source: VertexElement,
        edge_type: str,
        targets: Sequence[VertexElement],
        properties: Sequence[dict[str, Any]],
    ) -> list[EdgeElement]:
        if self._gone and not self._gone.isdisjoint([source, *targets]):
            raise interface.DeletedObjectError("Accessing deleted object.")
        made = []
        for edge_id, target, own in zip(
            self._database.new_ids("edge", len(targets)), targets, properties, strict=True
        ):
            edge = EdgeElement(edge_id, edge_type, source, target, own)
            made.append(edge)
            entering = target.in_edges
            if entering is None:
                entering = self._unlisted.setdefault((target, False), [])
            entering.append(edge)
        leaving = source.out_edges
        if leaving is None:
            leaving = self._unlisted.setdefault((source, True), [])
        leaving.extend(made)
        self._created.update(dict.fromkeys(made))
        return made

    def delete(self, edges: Collection[EdgeElement]) -> None:
        for edge in edges:
            if edge not in self._created:
                self._before.setdefault(edge, edge.properties)
            self._deleted.add(edge)
            edge.properties = Deleted()
        detach(edges)

    # The end

    def ids(self) -> list[int]:
        """Return the ids of edges that are changed or not stored yet."""
        return [edge.id for edge in (*self._before, *self._created)]

    def write(self, rows: ElementRows) -> None:
        """Store all changes by *rows*."""
        rows.write_edges(
            [edge for edge in self._before if edge not in self._deleted],
            [edge for edge in self._created if edge not in self._deleted],
            self._deleted,
        )

    def finish(self, written: int) -> None:
        """Forget the deleted edges after the commit.

        *written* is the size of the stored ones in bytes.
        """
        for edge in self._deleted:
            self._cache.edges.pop(edge.id, None)
        if len(self._created) > _FEW_EDGES:
            # An ingesting call reads few of so many new edges.
            for edge in self._created:
                edge.source.out_edges = edge.target.in_edges = None
            return
        for edge in self._created:
            if edge not in self._deleted:
                self._cache.edges[edge.id] = edge
        self._cache.bytes += written

    def undo(self) -> None:
        """Undo all changes, after the rollback."""
        for edge, properties in self._before.items():
            edge.properties = properties
        for edge in (*self._created, *self._deleted):
            # Lists are read again on demand, which is simpler than restoring them.
            edge.source.out_edges = edge.target.in_edges = None


_SCAN_BATCH = 1_000


class UniqueViolation(Exception):
    """Two nodes of one label would have the same value of a unique property."""


class Transaction:
    """The graph of one call. `flush` stores the changes; `undo` reverts them."""

    def __init__(self, database: Database, cache: Cache, catalogue: Catalogue) -> None:
        self._database = database
        self._cache = cache
        self._catalogue = catalogue
        # Changed vectors, which are not among the properties of an element.
        self._vectors: dict[tuple[VertexElement, str], tuple[float, ...] | None] = {}
        # Stored ones that were read together.
        self._read_vectors: dict[tuple[VertexElement, str], tuple[float, ...]] = {}
        # The stored state of every element that was changed.
        self._before: dict[VertexElement, tuple[tuple[str, ...], dict[str, Any]]] = {}
        self._created: dict[VertexElement, None] = {}
        self._deleted: set[VertexElement] = set()
        self._position: int | None = None
        self.edges = EdgeChanges(database, cache, self._deleted)
        self._rows = ElementRows(database)

    # Reading

    def vertex(self, vertex_id: int) -> VertexElement | None:
        element = self._cache.vertices.get(vertex_id) or self._cache.vertex(vertex_id)
        return None if element in self._deleted else element

    def vertices(self) -> Iterator[VertexElement]:
        """Iterate over all vertices, the stored ones by id and then those of this call."""
        last_id = 0
        while rows := cache.read_vertices_after(self._database, last_id, _SCAN_BATCH):
            for row in rows:
                element = self._cache.vertex_of(row)
                if element not in self._deleted:
                    yield element
            last_id = rows[-1][0]
        yield from [element for element in self._created if element not in self._deleted]

    def vector(self, vertex: VertexElement, name: str) -> tuple[float, ...] | None:
        """Return the vector *name* of *vertex*, or None; stored numbers have 32 bits."""
        if (vertex, name) in self._vectors:
            return self._vectors[vertex, name]
        if (vertex, name) in self._read_vectors and vertex not in self._deleted:
            return self._read_vectors[vertex, name]
        table = self._catalogue.vector(vertex.labels, name)
        if table is None or vertex in self._deleted:
            return None
        row = cache.read_vectors(self._database, table.name, [vertex.id]).fetchone()
        return None if row is None else unpack_vector(row[1])

    def vectors(self, vertex: VertexElement) -> dict[str, tuple[float, ...]]:
        """Return all vectors of *vertex* by name."""
        found = {name: self.vector(vertex, name) for name in self._catalogue.vector_names}
        return {name: vector for name, vector in found.items() if vector is not None}

    def expect_vertices(self, vertex_ids: Collection[int]) -> None:
        """Read the unread ones of *vertex_ids* in one statement."""
        self._cache.load_vertices(vertex_ids)

    def expect_vectors(self, vertices: Collection[VertexElement], name: str) -> None:
        """Read the stored vectors *name* of *vertices* in one statement a table."""
        of_tables: dict[str, dict[int, VertexElement]] = {}
        for vertex in vertices:
            table = self._catalogue.vector(vertex.labels, name)
            if table is not None:
                of_tables.setdefault(table.name, {})[vertex.id] = vertex
        for table_name, by_id in of_tables.items():
            for vertex_id, blob in cache.read_vectors(self._database, table_name, by_id):
                self._read_vectors[by_id[vertex_id], name] = unpack_vector(blob)

    def cosines(
        self, vertices: Collection[VertexElement], name: str, vector: Sequence[float]
    ) -> dict[int, float]:
        """Return the cosines to *vector* of the vectors *name*, by id, that are at hand."""
        if self._before or self._created or self._deleted or self._vectors:
            return {}
        tables = {self._catalogue.vector(one.labels, name) for one in vertices}
        ids = [one.id for one in vertices]
        found: dict[int, float] = {}
        for table in filter(None, tables):
            vectors = self._database.vectors
            found |= vectors.cosines(self._database, table.name, vector, ids)
        return found

    def look_up(
        self, label: str, properties: Sequence[str], values: Sequence[Sequence[Any]]
    ) -> list[VertexElement] | None:
        """Return the vertices with one of *values*.

        None if unsaved changes could alter the answer.
        """
        if self._before or self._created:
            return None
        wanted = Equal((label,), tuple(properties), tuple(map(tuple, values)))
        return list(self._cache.load_vertices(lookups.find(self._database, wanted)))

    # Writing

    def set_property(self, vertex: VertexElement, name: str, value: Any) -> None:
        if not differs(vertex.properties.get(name), value):
            return
        self._save(vertex)
        vertex.kept = None
        if value is None:
            del vertex.properties[name]
        else:
            vertex.properties[name] = value

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
        """Create a vertex, which owns *properties*, already in their stored form."""
        made = {} if properties is None else properties
        vertex = VertexElement(self._database.new_id("vertex"), labels, made)
        vertex.out_edges, vertex.in_edges = [], []
        self._cache.vertices[vertex.id] = vertex
        self._created[vertex] = None
        return vertex

    def delete_vertex(self, vertex: VertexElement) -> None:
        self._save(vertex)
        self._deleted.add(vertex)
        vertex.properties, vertex.kept = Deleted(), None

    def _save(self, vertex: VertexElement) -> None:
        """Remember the stored state of *vertex*, before its first change."""
        if vertex not in self._created and vertex not in self._before:
            self._before[vertex] = (vertex.labels, vertex.properties)
            vertex.properties = dict(vertex.properties)

    # The end

    def flush(self) -> bool:
        """Store all changes within the open transaction; return whether there are any.

        Raises UniqueViolation, or Conflict if another process wrote since this one began to read.
        """
        vertices = [*self._before, *self._created]
        edges = self.edges.ids()
        if not vertices and not edges:
            return False
        self._rows.write_vertices(
            [v for v in self._before if v not in self._deleted],
            [v for v in self._created if v not in self._deleted],
            self._deleted,
        )
        self.edges.write(self._rows)
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

    def finish(self) -> None:
        """Forget the deleted elements, after the commit."""
        if self._position is not None:
            self._cache.position = self._position
        self._cache.bytes += self._rows.written
        for vertex in self._deleted:
            self._cache.vertices.pop(vertex.id, None)
        self.edges.finish(self._rows.written_of_edges)
        for vertex in self._created:
            if vertex.in_edges:
                # Read on demand: the edges of a new hub may never be needed.
                vertex.in_edges = None

    def undo(self) -> None:
        """Undo all changes, after the rollback."""
        for vertex, (labels, properties) in self._before.items():
            vertex.labels, vertex.properties, vertex.kept = labels, properties, None
        self.edges.undo()
        for vertex in self._created:
            del self._cache.vertices[vertex.id]

    def _write_vectors(self) -> None:
        for (vertex, name), vector in self._vectors.items():
            table = self._catalogue.vector(vertex.labels, name)
            if table is None:
                raise ValueError(f"{name}: vectors are only of nodes that have an index for them")
            row = None if vector is None or vertex in self._deleted else pack_vector(vector)
            self._rows.write_vector(table.name, vertex.id, row)
        for vertex in self._deleted & self._before.keys():
            for name in self._catalogue.vector_names:
                table = self._catalogue.vector(self._before[vertex][0], name)
                if table is not None:
                    self._rows.write_vector(table.name, vertex.id, None)
