"""The edges as one call has them: what it makes, changes and deletes, over what is stored."""

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from . import interface
from .bulk_edges import Fan
from .cache import Cache, detach
from .database import Database
from .element_rows import ElementRows
from .elements import Deleted, EdgeElement, VertexElement, differs

# Of a call that makes more edges than these none is kept in memory, nor made an object of.
_FEW_EDGES = 2_000


class EdgeChanges:
    """The edges of one call, at none of the vertices *gone*."""

    def __init__(self, database: Database, cache: Cache, gone: set[VertexElement]) -> None:
        self._database = database
        self._cache = cache
        self._gone = gone
        # What was, for every edge that is no longer as it is stored.
        self._before: dict[EdgeElement, dict[str, Any]] = {}
        self._created: dict[EdgeElement, None] = {}
        # Those of them that no list of an end has, because it is not loaded; by end and way.
        self._unlisted: dict[tuple[VertexElement, bool], list[EdgeElement]] = {}
        # Further ones, which no list of an end has either; and how many there ever were.
        self._fans: list[Fan] = []
        self._fanned = 0
        self._deleted: set[EdgeElement] = set()
        # The properties of new edges: none, or one whole number.
        self._no_properties: dict[str, Any] = {}
        self._numbers: dict[tuple[str, int], dict[str, Any]] = {}

    # Reading

    def expect(self, vertices: Iterable[VertexElement], outgoing: bool) -> None:
        """Read the edges that leave (or enter) *vertices*, unless some are not yet stored."""
        if not self._created and not self._fans and not self._deleted:
            self._cache.load_edges(vertices, outgoing)

    def of(self, vertex: VertexElement, outgoing: bool) -> list[EdgeElement]:
        known = vertex.out_edges if outgoing else vertex.in_edges
        return list(self.stream(vertex, outgoing) if known is None else known)

    def any_of(self, vertex: VertexElement, outgoing: bool) -> bool:
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
            if edge not in self._deleted:
                seen.append(edge)
                yield edge
        if changes == self._changes():
            setattr(vertex, "out_edges" if outgoing else "in_edges", seen)

    def _changes(self) -> tuple[int, int, int]:
        return len(self._created), len(self._deleted), self._fanned

    # Writing

    def set_property(self, edge: EdgeElement, name: str, value: Any) -> None:
        """Set a property of *edge*, whose properties are never changed, only replaced.

        So edges that say the same one whole number can share them.
        """
        before = edge.properties
        if not differs(before.get(name), value):
            return
        if edge not in self._created:
            self._before.setdefault(edge, before)
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

    def create(self, source: VertexElement, target: VertexElement, edge_type: str) -> EdgeElement:
        [made] = self._create_all(source, edge_type, [target], [self._no_properties])
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
        if len(self._created) < _FEW_EDGES or set(map(type, given)) != {int}:
            only = self._only
            self._create_all(source, edge_type, targets, [only(name, one) for one in given])
            return
        ids = self._new_ids(source, targets)
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
        if created := [edge for edge in known if edge in self._created]:
            self._unlisted[vertex, outgoing] = created
        setattr(vertex, way, None)

    def _spread(self) -> None:
        """Make objects of all edges: somebody looks."""
        spread, self._fans = self._fans, []
        for fan in spread:
            properties = [self._only(fan.name, one) for one in fan.given]
            self._enter(fan.source, fan.targets, fan.edges(properties))

    def _create_all(
        self,
        source: VertexElement,
        edge_type: str,
        targets: Sequence[VertexElement],
        properties: Sequence[dict[str, Any]],
    ) -> list[EdgeElement]:
        ids = self._new_ids(source, targets)
        made = [
            EdgeElement(edge_id, edge_type, source, target, own)
            for edge_id, target, own in zip(ids, targets, properties, strict=True)
        ]
        self._enter(source, targets, made)
        return made

    def _new_ids(self, source: VertexElement, targets: Sequence[VertexElement]) -> range:
        """Return the ids of new edges from *source* to each of *targets*."""
        if self._gone and not self._gone.isdisjoint([source, *targets]):
            raise interface.DeletedObjectError("Accessing deleted object.")
        return self._database.new_ids("edge", len(targets))

    def _enter(
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
        self._created.update(dict.fromkeys(made))

    def delete(self, edges: Collection[EdgeElement]) -> None:
        for edge in edges:
            if edge not in self._created:
                self._before.setdefault(edge, edge.properties)
            self._deleted.add(edge)
            edge.properties = Deleted()
        detach(edges)

    # The end

    def ids(self) -> list[int]:
        """Return which edges are no longer as they are stored, or not stored yet."""
        changed = [edge.id for edge in (*self._before, *self._created)]
        return list(itertools.chain(changed, *(fan.ids for fan in self._fans)))

    def write(self, rows: ElementRows) -> None:
        """Store all changes by *rows*."""
        rows.write_edges(
            [edge for edge in self._before if edge not in self._deleted],
            [edge for edge in self._created if edge not in self._deleted],
            self._deleted,
            (self._no_properties, *self._numbers.values()),
            self._fans,
        )

    @property
    def gone(self) -> dict[int, int]:
        """Where each edge that was deleted led to, both by their ids."""
        return {edge.id: edge.target.id for edge in self._deleted}

    def finish(self, written: int) -> None:
        """Let go of what was deleted, after the commit; what was *written* has so many bytes."""
        for edge in self._deleted:
            self._cache.edges.pop(edge.id, None)
        if self._fans or len(self._created) > _FEW_EDGES:
            self._let_go()
        else:
            self._keep(written)

    def _keep(self, written: int) -> None:
        for edge in self._created:
            if edge not in self._deleted:
                self._cache.edges[edge.id] = edge
        self._cache.bytes += written

    def _let_go(self) -> None:
        """Keep no edges of the ends that got so many: who ingests will ask for few of them."""
        for edge in self._created:
            edge.source.out_edges = edge.target.in_edges = None

    def undo(self) -> None:
        """Take every change back, after the rollback."""
        for edge, properties in self._before.items():
            edge.properties = properties
        for edge in (*self._created, *self._deleted):
            # Read anew when next asked for, which is simpler than putting every list back.
            edge.source.out_edges = edge.target.in_edges = None
