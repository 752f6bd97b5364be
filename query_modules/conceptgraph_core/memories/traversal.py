"""Walks along links: breadth first or depth first, filtered, bounded, the same on both hosts."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .. import text
from . import schema
from .links import WAYS, Row, Step, in_order, keep_better, told
from .node import Graph, Node

# Why a walk ended before it had seen all that it could reach.
MAX_NODES: Final = "max_nodes"
TIME_BUDGET: Final = "time_budget"
_ADVICE: Final = "lower max_depth or max_nodes, or follow fewer relation types"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a walk may go; what is empty or None says nothing.

    Filters say which memories are returned and walked through; the start is, whatever they say.
    `relations` are edge types with their names, `least` is a strength now.
    """

    max_depth: int
    max_nodes: int
    ways: tuple[bool, ...] = WAYS[schema.BOTH]
    relations: Mapping[str, str] | None = None
    types: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    least: float = 0.0
    with_parents: bool = False
    budget_ms: int | None = None


class Visit:
    """A memory that a walk reached, how far from the start, and by which step."""

    __slots__ = ("depth", "node", "step")

    def __init__(self, node: Node, depth: int, step: Step | None) -> None:
        self.node = node
        self.depth = depth
        self.step = step


def explore(
    graph: Graph, start_id: str, max_depth: int, max_nodes: int, min_weight: float
) -> list[Row]:
    """Return what lies around a memory, breadth first, itself first at distance 0 (seed 002).

    A row is a brief with distance, and truncated, why the walk ended early (None: it did not).
    """
    bounds = Bounds(
        max_depth=text.integer(max_depth, "max_depth", 0, schema.MAX_DEPTH_EXPLORED),
        max_nodes=text.integer(max_nodes, "max_nodes", 1, schema.MAX_NODES),
        least=schema.unit(min_weight, "min_weight"),
    )
    walk = _Walk(graph, bounds, start_id)
    walk.breadth_first()
    return [
        {**visit.node.brief, "distance": visit.depth, "truncated": walk.truncated}
        for visit in walk.visits.values()
    ]


def traverse(
    graph: Graph,
    start_id: str,
    strategy: str,
    max_depth: int,
    max_nodes: int,
    direction: str,
    relation_types: Sequence[str],
    types: Sequence[str],
    tags: Sequence[str],
    min_strength: float,
    include_parent_links: bool,
    time_budget_ms: int | None,
) -> list[Row]:
    """Return what can be reached from a memory, which comes first at depth 0 (seed 003).

    Breadth first, a memory comes at its least depth by the strongest link that leads there; of
    equal depth the stronger link comes first, then the older memory, then the id. Depth first, each
    link is followed to its end before the next, the stronger first; nothing within max_depth is
    missed. A row is a brief with depth, via (the id that it was reached from), relation, direction
    and strength of the link, the link itself, and truncated: None, "max_nodes" or "time_budget".
    Parents count as links of strength 1 from the child to the parent, of no type.

    Raises NotFound, InvalidText, InvalidNumber, and TooMuch beyond 1,000,000 links.
    """
    schema.one_of(strategy, "strategy", schema.STRATEGIES)
    names = {schema.checked_relation(one, "relation_types") for one in relation_types}
    bounds = Bounds(
        max_depth=text.integer(max_depth, "max_depth", 0, schema.MAX_DEPTH_TRAVERSED),
        max_nodes=text.integer(max_nodes, "max_nodes", 1, schema.MAX_NODES),
        ways=WAYS[schema.one_of(direction, "direction", schema.DIRECTIONS)],
        relations={schema.RELATION_TYPES[name]: name for name in names} or None,
        types=frozenset(types),
        tags=frozenset(tags),
        least=schema.unit(min_strength, "min_strength"),
        with_parents=include_parent_links,
        budget_ms=None if time_budget_ms is None else _checked_budget(time_budget_ms),
    )
    walk = _Walk(graph, bounds, start_id)
    if strategy == schema.BREADTH_FIRST:
        walk.breadth_first()
    else:
        walk.depth_first()
    return _rows(graph, walk)


def _rows(graph: Graph, walk: "_Walk") -> list[Row]:
    start, *reached = walk.visits.values()
    ids = {near: str(visit.node.raw.get_property("id")) for near, visit in walk.visits.items()}
    nothing = dict.fromkeys(("via", "relation", "direction", "strength", "link"))
    steps = [visit.step for visit in reached if visit.step is not None]
    rows = told(graph, steps)
    for visit, step, row in zip(reached, steps, rows, strict=True):
        row["via"], row["depth"] = ids[step.via.id], visit.depth
        row["truncated"] = walk.truncated
    return [{**start.node.brief, **nothing, "depth": 0, "truncated": walk.truncated}, *rows]


class _Walk:
    """What was reached so far, by the ids of the database, in the order in which it is told."""

    def __init__(self, graph: Graph, bounds: Bounds, start_id: str) -> None:
        self._deadline = (
            None if bounds.budget_ms is None else time.monotonic() + bounds.budget_ms / 1_000
        )
        graph.bound_edges(schema.MAX_LINKS_READ, _ADVICE)
        self._graph = graph
        self._bounds = bounds
        self._refused: set[int] = set()
        # The ways on from a memory, in order, once they were read depth first.
        self._known: dict[int, list[Step]] = {}
        start = graph.existing(start_id)
        self._parents = _Parents(graph) if bounds.with_parents else None
        self.truncated: str | None = None
        self.visits = {start.id: Visit(start, 0, None)}

    def breadth_first(self) -> None:
        frontier = list(self.visits.values())
        for depth in range(1, self._bounds.max_depth + 1):
            best: dict[int, Step] = {}
            for visit in frontier:
                for step in self._steps(visit.node, self.visits):
                    if self._is_full():
                        return
                    keep_better(best, step)
            frontier = []
            for step in in_order(best.values()):
                if self._is_full():
                    return
                visit = self.visits[step.node.id] = Visit(step.node, depth, step)
                frontier.append(visit)
            if self.truncated or not frontier:
                return

    def depth_first(self) -> None:
        [start] = self.visits.values()
        self._descend(start)

    def _descend(self, visit: Visit) -> None:
        """Follow each way on from *visit* to its end, the stronger first.

        What is reached again by a shorter way is followed again: it may lead further now.
        """
        depth = visit.depth + 1
        if depth > self._bounds.max_depth:
            return
        for step in self._ways_on(visit.node):
            known = self.visits.get(step.node.id)
            if known is None:
                if self._is_full():
                    return
                known = self.visits[step.node.id] = Visit(step.node, depth, step)
            elif depth < known.depth:
                known.depth, known.step = depth, step
            else:
                continue
            self._descend(known)
            if self.truncated:
                return

    def _ways_on(self, node: Node) -> list[Step]:
        ways = self._known.get(node.id)
        if ways is None:
            best: dict[int, Step] = {}
            for step in self._steps(node, ()):
                keep_better(best, step)
            ways = self._known[node.id] = in_order(best.values())
        return ways

    def _is_full(self) -> bool:
        """Tell whether there is no room for one more; then that is why the walk ends."""
        if len(self.visits) < self._bounds.max_nodes:
            return False
        self.truncated = self.truncated or MAX_NODES
        return True

    def _is_late(self) -> bool:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.truncated = TIME_BUDGET
        return self.truncated == TIME_BUDGET

    def _steps(self, node: Node, known: Mapping[int, Any] | tuple[()]) -> Iterator[Step]:
        """Iterate over the steps from *node* that the bounds allow, but for those to *known*."""
        graph, bounds, refused = self._graph, self._bounds, self._refused
        if self._is_late():
            return
        hurries = self._deadline is not None
        for edge, relation, other, outgoing in graph.edges(node, bounds.ways, bounds.relations):
            if hurries and self._is_late():
                return
            if other.id in known or other is node or other.id in refused:
                continue
            strength = graph.strength(edge)
            if strength >= bounds.least and self._admits(other):
                yield Step(other, node, relation, outgoing, strength, edge)
        if self._parents is not None:
            for step in self._parents.steps(node, bounds.ways):
                if step.node.id not in known and self._admits(step.node):
                    yield step

    def _admits(self, node: Node) -> bool:
        """Tell whether the filters let *node* be returned and walked through."""
        bounds = self._bounds
        admitted = not bounds.types or node.value("type") in bounds.types
        if admitted and bounds.tags:
            admitted = not bounds.tags.isdisjoint(node.value("tags"))
        if not admitted:
            self._refused.add(node.id)
        return admitted


class _Parents:
    """The ways between memories and their parents, which the look-up has brought along."""

    def __init__(self, graph: Graph) -> None:
        self._by_id: dict[str, Node] = {}
        self._children: dict[str, list[Node]] = {}
        for node in graph.nodes():
            self._by_id[node.memory_id] = node
            parent_id = node.raw.get_property("parent_id")
            if isinstance(parent_id, str):
                self._children.setdefault(parent_id, []).append(node)

    def steps(self, node: Node, ways: tuple[bool, ...]) -> Iterator[Step]:
        if True in ways:
            parent = self._by_id.get(str(node.raw.get_property("parent_id")))
            if parent is not None and parent is not node:
                yield Step(parent, node, schema.PARENT, True, 1.0, None)
        if False in ways:
            for child in self._children.get(node.memory_id, ()):
                if child is not node:
                    yield Step(child, node, schema.PARENT, False, 1.0, None)


def _checked_budget(value: Any) -> int:
    return text.integer(value, "time_budget_ms", 0, schema.MAX_BUDGET_MS)
