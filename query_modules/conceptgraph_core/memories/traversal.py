"""Walks along links: breadth first or depth first, filtered, bounded, the same on both hosts."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .. import checks, text
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
        least=checks.unit(min_weight, "min_weight"),
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
    checks.one_of(schema.STRATEGIES)(strategy, "strategy")
    names = {schema.checked_relation(one, "relation_types") for one in relation_types}
    bounds = Bounds(
        max_depth=text.integer(max_depth, "max_depth", 0, schema.MAX_DEPTH_TRAVERSED),
        max_nodes=text.integer(max_nodes, "max_nodes", 1, schema.MAX_NODES),
        ways=WAYS[checks.one_of(schema.DIRECTIONS)(direction, "direction")],
        relations={schema.RELATION_TYPES[name]: name for name in names} or None,
        types=frozenset(types),
        tags=frozenset(tags),
        least=checks.unit(min_strength, "min_strength"),
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
                    if len(self.visits) < self._bounds.max_nodes:
                        keep_better(best, step)
                    elif self._admitted(step) is not None and self._is_full():
                        return
            frontier = self._taken(best, depth)
            if self.truncated or not frontier:
                return

    def _taken(self, best: dict[int, Step], depth: int) -> list[Visit]:
        """Visit what the steps lead to, in order; return the visits that there was room for."""
        taken = []
        for step in in_order(best.values()):
            node = self._admitted(step)
            if node is None:
                continue
            if self._is_full():
                break
            visit = self.visits[node.id] = Visit(node, depth, step)
            taken.append(visit)
        return taken

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
            known, node = self.visits.get(step.far_id), self._admitted(step)
            if node is None or (known is not None and depth >= known.depth):
                continue
            if known is not None:
                known.depth, known.step = depth, step
            elif self._is_full():
                return
            else:
                known = self.visits[node.id] = Visit(node, depth, step)
            self._descend(known)
            if self.truncated:
                return

    def _ways_on(self, node: Node) -> list[Step]:
        ways = self._known.get(node.id)
        if ways is None:
            best: dict[int, Step] = {}
            for step in self._steps(node, ()):
                keep_better(best, step)
            ways = self._known[node.id] = list(in_order(best.values()))
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
        for edge, relation, far, outgoing in graph.ends(node, bounds.ways, bounds.relations):
            if hurries and self._is_late():
                return
            far_id = far.get_id()
            if far_id in known or far_id == node.id or far_id in refused:
                continue
            strength = graph.strength(edge)
            if strength >= bounds.least:
                yield Step(far, far_id, node, relation, outgoing, strength, edge)
        if self._parents is not None:
            for step in self._parents.steps(node, bounds.ways):
                if step.far_id not in known and step.far_id not in refused:
                    yield step

    def _admitted(self, step: Step) -> Node | None:
        """Return the memory that *step* leads to, if this call sees it and the filters let it.

        Asked only of what is to be returned: a hub has far more links than a walk returns.
        """
        if step.node is None and step.far_id not in self._refused:
            node = self._graph.raw_node(step.far)
            if node is not None and self._is_wanted(node):
                step.node = node
            else:
                self._refused.add(step.far_id)
        return step.node

    def _is_wanted(self, node: Node) -> bool:
        """Tell whether the filters let *node* be returned and walked through."""
        bounds = self._bounds
        if bounds.types and node.value("type") not in bounds.types:
            return False
        return not bounds.tags or not bounds.tags.isdisjoint(node.value("tags"))


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
                yield _to_relative(parent, node, True)
        if False in ways:
            for child in self._children.get(node.memory_id, ()):
                if child is not node:
                    yield _to_relative(child, node, False)


def _to_relative(relative: Node, via: Node, is_parent: bool) -> Step:
    return Step(relative.raw, relative.id, via, schema.PARENT, is_parent, 1.0, None)


def _checked_budget(value: Any) -> int:
    return text.integer(value, "time_budget_ms", 0, schema.MAX_BUDGET_MS)
