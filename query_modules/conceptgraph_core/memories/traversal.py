"""Walk along links: breadth first or depth first, filtered, bounded, the same on both hosts."""

import math
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import Any, Final

from ..texts import text
from ..verbs import validators
from . import lookups, schema
from .view import Graph, Node

Row = dict[str, Any]
# A link as read from one of its ends, in the form of `adapter.Graph.ends`: the edge (None for a
# parent), its relation, the vertex at its other end, and whether it leads there.
End = tuple[Any, str, Any, bool]

# Why a walk ended before it had visited all reachable memories.
MAX_NODES: Final = "max_nodes"
TIME_BUDGET: Final = "time_budget"
# So many times the requested ways are kept before the weakest are dropped. A lower factor finds
# weak links sooner, but sorts more often.
_TOO_MANY: Final = 1.5
# The links of so many memories are read together, because a hub among them may have very many.
_TOGETHER: Final = 64
_ADVICE: Final = "lower max_depth or max_nodes, or follow fewer relation types"

# The edges of a memory to read for a direction: outgoing, incoming.
WAYS: Final = {
    schema.BOTH: (True, False),
    schema.OUTGOING: (True,),
    schema.INCOMING: (False,),
}


class Step:
    """A link as it was followed: to a memory from the memory `via`; `outgoing` if it starts there.

    `far` is the vertex at its end, still unread. `node` is set once it proves to be a memory that
    the call sees. `relation` is the public name of the type, `strength` the current strength.
    """

    __slots__ = ("far", "far_id", "link", "node", "outgoing", "relation", "strength", "via")

    def __init__(self, far_id: int, strength: float, via: Node, end: End) -> None:
        self.far_id = far_id
        self.strength = strength
        self.via = via
        self.link, self.relation, self.far, self.outgoing = end
        self.node: Node | None = None

    @property
    def place(self) -> tuple[Any, ...]:
        """A sort key of equally strong ways to one node.

        The older memory's is the first, then the outgoing one, then by the name of the type.
        """
        return *age(self.via.raw), not self.outgoing, self.relation


class Ways:
    """The best way to each memory that links lead to, by the id of the database.

    Ways become steps only when they are taken, because most are never needed. *most* bounds the
    ways to the first in order; *least* then rises to the weakest kept one, and `is_cut` tells that
    others were dropped.
    """

    __slots__ = (
        *("_ends", "_graph", "_most", "_nears", "_strengths", "_too_many"),
        *("is_cut", "least"),
    )

    def __init__(self, graph: Graph, least: float = 0.0, most: int | None = None) -> None:
        self._graph = graph
        self.least = least
        self.is_cut = False
        self._most = most
        self._too_many = math.inf if most is None else _TOO_MANY * most
        self._strengths: dict[int, float] = {}
        self._nears: dict[int, Node] = {}
        self._ends: dict[int, End] = {}

    def add(self, far_id: int, strength: float, near: Node, end: End) -> None:
        """Keep the link *end* of *near* as the way to its end unless a better one is known."""
        strengths = self._strengths
        known = strengths.get(far_id)
        if known is not None and known >= strength:
            place = Step(far_id, strength, near, end).place if known == strength else None
            if place is None or place >= self._step(far_id).place:
                return
        strengths[far_id] = strength
        self._nears[far_id] = near
        self._ends[far_id] = end
        if len(strengths) > self._too_many:
            self._cut()

    def in_order(self) -> Iterator[Step]:
        """Iterate over the ways: the strongest first, on ties the older memory, then the id.

        They are created one by one, on demand.
        """
        strength = self._strengths.__getitem__
        for _, equal in groupby(sorted(self._strengths, key=strength, reverse=True), strength):
            steps = [self._step(far_id) for far_id in equal]
            # Ages are read only for ties, and only as far as the caller iterates.
            if len(steps) > 1:
                self._graph.expect([step.far_id for step in steps])
                steps.sort(key=lambda step: age(step.far))
            yield from steps

    def _step(self, far_id: int) -> Step:
        return Step(far_id, self._strengths[far_id], self._nears[far_id], self._ends[far_id])

    def _cut(self) -> None:
        """Drop ways weaker than the weakest of the first *most*; ties all stay."""
        least = sorted(self._strengths.values(), reverse=True)[self._most or 0]
        for far_id in [one for one, strength in self._strengths.items() if strength < least]:
            del self._strengths[far_id], self._nears[far_id], self._ends[far_id]
        self.least, self.is_cut = least, True
        self._too_many = _TOO_MANY * len(self._strengths)


def age(raw: Any) -> tuple[int, str]:
    """Return a sort key: the older memory first, then the lower id."""
    created_at = raw.get_property("created_at")
    is_time = isinstance(created_at, int) and not isinstance(created_at, bool)
    return created_at if is_time else 0, str(raw.get_property("id"))


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a walk; an empty or None one does not filter.

    Filters decide which memories are returned and walked through, except the start. `relations` are
    edge types with their names, `least` is a current strength.
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
    """A memory that a walk reached, its distance from the start, and the step to it."""

    __slots__ = ("depth", "node", "step")

    def __init__(self, node: Node, depth: int, step: Step | None) -> None:
        self.node = node
        self.depth = depth
        self.step = step


def list_connected(
    graph: Graph,
    memory_id: str,
    direction: str = schema.BOTH,
    min_weight: float = schema.MIN_WEIGHT_CONNECTED,
    limit: int = schema.DEFAULT_CONNECTED,
) -> list[Row]:
    """Return the memories that are linked to one, each once, by its strongest link.

    The strongest first; on ties the older memory, then the id. A row is a brief with relation,
    direction, strength, the link, and the total before *limit* cut. Raises NotFound, InvalidText,
    InvalidNumber, and TooMuch for a memory of more than 1,000,000 links.
    """
    ways = WAYS[validators.one_of(schema.DIRECTIONS)(direction, "direction")]
    least = validators.unit(min_weight, "min_weight")
    most = text.integer(limit, "limit", 1, schema.MAX_NODES)
    bounds = Bounds(max_depth=1, max_nodes=schema.MAX_LINKS_READ, ways=ways, least=least)
    walk = _Walk(graph, bounds, memory_id, "ask in one direction only")
    walk.breadth_first()
    total = len(walk.visits) - 1
    fields = "relation", "direction", "strength", "link"
    return [
        graph.brief(visit.node) | {name: row[name] for name in fields} | {"total": total}
        for visit, row in islice(walk.describe(), 1, most + 1)
    ]


def explore(
    graph: Graph,
    start_id: str,
    max_depth: int = schema.DEFAULT_DEPTH_EXPLORED,
    max_nodes: int = schema.DEFAULT_NODES_EXPLORED,
    min_weight: float = schema.MIN_WEIGHT_EXPLORED,
) -> list[Row]:
    """Return the memories around one, breadth first, itself first at distance 0.

    A row is a brief with distance, and truncated, why the walk ended early (None: it did not).
    """
    bounds = Bounds(
        max_depth=text.integer(max_depth, "max_depth", 0, schema.MAX_DEPTH_EXPLORED),
        max_nodes=text.integer(max_nodes, "max_nodes", 1, schema.MAX_NODES),
        least=validators.unit(min_weight, "min_weight"),
    )
    walk = _Walk(graph, bounds, start_id)
    walk.breadth_first()
    return [
        {**graph.brief(visit.node), "distance": visit.depth, "truncated": walk.truncated}
        for visit in walk.visits.values()
    ]


def traverse(
    graph: Graph,
    start_id: str,
    strategy: str = schema.BREADTH_FIRST,
    max_depth: int = schema.DEFAULT_DEPTH_TRAVERSED,
    max_nodes: int = schema.DEFAULT_NODES_TRAVERSED,
    direction: str = schema.BOTH,
    relation_types: Sequence[str] = (),
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    min_strength: float = 0,
    include_parent_links: bool = False,
    time_budget_ms: int | None = None,
) -> list[Row]:
    """Return the memories reachable from one, which comes first at depth 0.

    * Breadth first, a memory has its least depth, by the strongest link that leads there. At equal
      depth the order is: the stronger link, the older memory, the id.
    * Depth first, each link is followed to its end before the next, the stronger first. No memory
      within max_depth is missed.
    * Parents count as links of strength 1 from the child to the parent, without a type.

    A row is a brief with depth, via (the id it was reached from), relation, direction and strength
    of the link, the link itself, and truncated: None, "max_nodes" or "time_budget". Raises
    NotFound, InvalidText, InvalidNumber, and TooMuch beyond 1,000,000 links.
    """
    validators.one_of(schema.STRATEGIES)(strategy, "strategy")
    names = {schema.checked_relation(one, "relation_types") for one in relation_types}
    bounds = Bounds(
        max_depth=text.integer(max_depth, "max_depth", 0, schema.MAX_DEPTH_TRAVERSED),
        max_nodes=text.integer(max_nodes, "max_nodes", 1, schema.MAX_NODES),
        ways=WAYS[validators.one_of(schema.DIRECTIONS)(direction, "direction")],
        relations={schema.RELATION_TYPES[name]: name for name in names} or None,
        types=frozenset(types),
        tags=frozenset(tags),
        least=validators.unit(min_strength, "min_strength"),
        with_parents=include_parent_links,
        budget_ms=None
        if time_budget_ms is None
        else text.integer(time_budget_ms, "time_budget_ms", 0, schema.MAX_BUDGET_MS),
    )
    walk = _Walk(graph, bounds, start_id)
    if strategy == schema.BREADTH_FIRST:
        walk.breadth_first()
    else:
        walk.depth_first()
    # In the order in which the procedure declares its fields, which is checked fastest.
    return [
        {**graph.brief(visit.node), "depth": visit.depth, **row, "truncated": walk.truncated}
        for visit, row in walk.describe()
    ]


class _Walk:
    """The visits so far, by the ids of the database, in their order."""

    def __init__(self, graph: Graph, bounds: Bounds, start_id: str, advice: str = _ADVICE) -> None:
        self._deadline = (
            None if bounds.budget_ms is None else time.monotonic() + bounds.budget_ms / 1_000
        )
        graph.bound_edges(schema.MAX_LINKS_READ, advice)
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
            frontier = self._next(frontier, depth)
            if self.truncated or not frontier:
                return

    def describe(self) -> Iterator[tuple[Visit, Row]]:
        """Yield each visit with via, relation, direction, strength and link of the step to it."""
        steps = [visit.step for visit in self.visits.values() if visit.step is not None]
        links = iter(self._graph.relations(one.link for one in steps if one.link is not None))
        for visit in self.visits.values():
            step = visit.step
            if step is None:
                yield visit, dict.fromkeys(("via", "relation", "direction", "strength", "link"))
                continue
            yield (
                visit,
                {
                    "via": step.via.memory_id,
                    "relation": step.relation,
                    "direction": schema.OUTGOING if step.outgoing else schema.INCOMING,
                    "strength": round(step.strength, schema.DECIMALS),
                    "link": None if step.link is None else next(links),
                },
            )

    def _next(self, frontier: list[Visit], depth: int) -> list[Visit]:
        """Visit the memories one link beyond *frontier*; return the visits, in order."""
        bounds = self._bounds
        # One more than the room, to know whether there is one. Filters read the memories and not
        # their links, so more ways than these may be needed.
        room = bounds.max_nodes - len(self.visits) + 1
        ways = Ways(self._graph, bounds.least, None if bounds.types or bounds.tags else room)
        self._read_all(frontier, ways)
        taken = self._take(ways, depth)
        if ways.is_cut and not self.truncated:
            # Some ways were dropped, and those after them are needed too.
            ways = Ways(self._graph, bounds.least)
            self._read_all(frontier, ways)
            taken += self._take(ways, depth)
        return taken

    def _read_all(self, frontier: list[Visit], ways: Ways) -> None:
        """Add the ways from all of *frontier* to memories that were not visited yet."""
        for start in range(0, len(frontier), _TOGETHER):
            nodes = [visit.node for visit in frontier[start : start + _TOGETHER]]
            if self._deadline is None:
                for outgoing in self._bounds.ways:
                    self._graph.expect_edges(nodes, outgoing)
            for node in nodes:
                self._read(node, self.visits, ways)

    def _take(self, ways: Ways, depth: int) -> list[Visit]:
        """Visit the ends of the ways, in order; return the visits that fit."""
        taken = []
        steps = ways.in_order()
        # Enough, unless the filters refuse some of them.
        first = list(islice(steps, self._bounds.max_nodes - len(self.visits) + 1))
        self._graph.expect([step.far_id for step in first])
        for step in chain(first, steps):
            node = self._admit(step)
            if node is None:
                continue
            if self._is_full():
                break
            visit = self.visits[node.id] = Visit(node, depth, step)
            taken.append(visit)
        return taken

    def depth_first(self, visit: Visit | None = None) -> None:
        """Follow each way on from *visit*, or the start, to its end, the stronger first.

        A memory reached again by a shorter way is followed again, because it may lead further now.
        """
        if visit is None:
            [visit] = self.visits.values()
        depth, node_id = visit.depth + 1, visit.node.id
        if depth > self._bounds.max_depth:
            return
        if node_id not in self._known:
            ways = Ways(self._graph, self._bounds.least)
            self._read(visit.node, (), ways)
            self._known[node_id] = list(ways.in_order())
        for step in self._known[node_id]:
            known, node = self.visits.get(step.far_id), self._admit(step)
            if node is None or (known is not None and depth >= known.depth):
                continue
            if known is not None:
                known.depth, known.step = depth, step
            elif self._is_full():
                return
            else:
                known = self.visits[node.id] = Visit(node, depth, step)
            self.depth_first(known)
            if self.truncated:
                return

    def _is_full(self) -> bool:
        """Tell whether no further visit fits; then that is why the walk ends."""
        if len(self.visits) < self._bounds.max_nodes:
            return False
        self.truncated = self.truncated or MAX_NODES
        return True

    def _is_late(self) -> bool:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.truncated = TIME_BUDGET
        return self.truncated == TIME_BUDGET

    def _read(self, node: Node, known: Container[int], ways: Ways) -> None:
        """Add the ways from *node* that the bounds allow, except those to *known*."""
        graph, bounds, refused = self._graph, self._bounds, self._refused
        if self._is_late():
            return
        hurries = self._deadline is not None
        own_id = node.id
        strength_of, relation_of, add = graph.strength, graph.relation, ways.add
        for edge, _, _, outgoing in graph.unread(node, bounds.ways):
            if hurries and self._is_late():
                return
            # Strength first, because most links of a hub are too weak for the room that is left.
            strength = strength_of(edge, ways.least)
            if strength < ways.least:
                continue
            relation = relation_of(edge, bounds.relations)
            if relation is None:
                continue
            far = edge.to_vertex() if outgoing else edge.from_vertex()
            far_id = far.get_id()
            if far_id not in known and far_id not in refused and far_id != own_id:
                add(far_id, strength, node, (edge, relation, far, outgoing))
        if self._parents is not None:
            for relative, is_parent in self._parents.of(node, bounds.ways):
                if relative.id not in known and relative.id not in refused:
                    end = (None, schema.PARENT, relative.raw, is_parent)
                    ways.add(relative.id, 1.0, node, end)

    def _admit(self, step: Step) -> Node | None:
        """Return the memory at the end of *step*, if this call sees it and the filters admit it.

        Called only for memories to return, because a hub has far more links than a walk returns.
        """
        if step.node is None and step.far_id not in self._refused:
            node, bounds = self._graph.raw_node(step.far), self._bounds
            if (
                node is None
                or (bounds.types and node.get("type") not in bounds.types)
                or (bounds.tags and bounds.tags.isdisjoint(node.get("tags")))
            ):
                self._refused.add(step.far_id)
            else:
                step.node = node
        return step.node


class _Parents:
    """The ways between memories and their parents, which the look-up has loaded."""

    def __init__(self, graph: Graph) -> None:
        self._by_id: dict[str, Node] = {}
        self._children: dict[str, list[Node]] = {}
        graph.pull(lookups.parents(graph.context.user_id))
        for node in graph.nodes():
            self._by_id[node.memory_id] = node
            parent_id = node.raw.get_property("parent_id")
            if isinstance(parent_id, str):
                self._children.setdefault(parent_id, []).append(node)

    def of(self, node: Node, ways: tuple[bool, ...]) -> Iterator[tuple[Node, bool]]:
        """Iterate over the parent and the children of *node*, and whether each is its parent."""
        if True in ways:
            parent = self._by_id.get(str(node.raw.get_property("parent_id")))
            if parent is not None and parent is not node:
                yield parent, True
        if False in ways:
            for child in self._children.get(node.memory_id, ()):
                if child is not node:
                    yield child, False
