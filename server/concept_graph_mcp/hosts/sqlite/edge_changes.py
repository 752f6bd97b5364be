"""Track the edges that one call creates, changes and deletes, on top of the stored ones."""

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from . import interface
from .cache import Cache, detach
from .database import Database
from .elements import Deleted, EdgeElement, ElementRows, VertexElement, differs

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
