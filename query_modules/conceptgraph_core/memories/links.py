"""Create and strengthen links between memories, and read the memories at their other ends.

A removed link is a note in the metadata of its source, and its owner can restore it. So walks,
statistics and counts need not know of it, and it is exported, copied and restored with its memory.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from .. import text, validators
from ..errors import NotFound, Tautology
from . import schema
from .view import Graph, Node

Row = dict[str, Any]
# A link as read from one of its ends, in the form of `adapter.Graph.ends`: the edge (None for a
# parent), its relation, the vertex at its other end, and whether it leads there.
End = tuple[Any, str, Any, bool]

# So many times the requested ways are kept before the weakest are dropped. A lower factor finds
# weak links sooner, but sorts more often.
_TOO_MANY: Final = 1.5

# The edges of a memory to read for a direction: outgoing, incoming.
WAYS: Final = {
    schema.BOTH: (True, False),
    schema.OUTGOING: (True,),
    schema.INCOMING: (False,),
}


class Step:
    """A link as it was followed: to a memory from the memory `via`, in `direction`.

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
    def direction(self) -> str:
        """OUTGOING if the link leads to `node`, INCOMING if it starts there."""
        return schema.OUTGOING if self.outgoing else schema.INCOMING

    def is_better(self, other: "Step") -> bool:
        """Tell whether this step is a better way to its node than *other*.

        The stronger link wins; then the older memory's, the outgoing one, the type by its name.
        """
        if self.strength != other.strength:
            return self.strength > other.strength
        return self._place() < other._place()

    def _place(self) -> tuple[Any, ...]:
        return *age(self.via.raw), not self.outgoing, self.relation


def link(
    graph: Graph,
    source: str,
    target: str,
    type_: str = schema.DEFAULT_RELATION,
    strength: float | None = None,
    amount: float = schema.DEFAULT_AMOUNT,
) -> Row:
    """Link two memories, restate a link, or remove it.

    A new link gets *strength*, 0.5 if that is None. An existing one gets *strength* if given, else
    its current strength plus *amount*, from 0.5 up to 1. Either way it fades anew from now. A
    *strength* of 0 removes the link, which `relink` undoes. Returns from, to, type, strength and
    created. Raises InvalidText, InvalidNumber, Tautology, and NotFound.
    """
    relation = schema.checked_relation(type_)
    if strength is not None:
        strength = validators.unit(strength, "strength")
    amount = validators.unit(amount, "amount")
    start, end = _ends(graph, source, target)
    return join(graph, start, end, relation, strength, amount)


def join(
    graph: Graph,
    source: Node,
    target: Node,
    relation: str,
    strength: float | None = None,
    amount: float = schema.DEFAULT_AMOUNT,
) -> Row:
    """Link two memories that were found already, as `link` does."""
    edges = graph.edges_between(source, target, schema.RELATION_TYPES[relation])
    if strength == 0:
        take_away(graph, source, target, relation, edges)
        left = 0.0
    elif not edges:
        left = schema.DEFAULT_STRENGTH if strength is None else strength
        create_unlinked(graph, source, target, relation, left)
    elif strength is None:
        left = strengthen(graph, edges, amount, schema.RESTATED)
    else:
        left = _set(graph, edges, strength)
    return {
        "from": source.memory_id,
        "to": target.memory_id,
        "type": relation,
        "strength": round(left, schema.DECIMALS),
        "created": not edges and strength != 0,
    }


def relink(graph: Graph, source: str, target: str, type_: str = schema.DEFAULT_RELATION) -> Row:
    """Restore a removed link with its strength at that time; it fades from now on.

    Returns from, to, type, strength, and restored: False if the link was never removed. Raises
    NotFound if no such link was removed, and the errors of `link`.
    """
    relation = schema.checked_relation(type_)
    start, end = _ends(graph, source, target)
    edges = graph.edges_between(start, end, schema.RELATION_TYPES[relation])
    if edges:
        left = max(graph.strength(edge) for edge in edges)
    else:
        left = find_strength_taken_away(start, end, relation)
        create_unlinked(graph, start, end, relation, left)
    return {
        "from": start.memory_id,
        "to": end.memory_id,
        "type": relation,
        "strength": round(left, schema.DECIMALS),
        "restored": not edges,
    }


def _ends(graph: Graph, source_id: str, target_id: str) -> list[Node]:
    source_id, target_id = text.name(source_id, "source_id"), text.name(target_id, "target_id")
    if source_id == target_id:
        raise Tautology(
            f"link: tautology: source_id and target_id are both {text.show_name(source_id)}"
        )
    return graph.existing_all([source_id, target_id])


def strengthen(graph: Graph, edges: Sequence[Any], amount: float, least: float = 0.0) -> float:
    """Strengthen a link, all *edges* of one type between two memories, by *amount*.

    The result is at least *least*, at most 1; it fades anew from now. Returns its strength.
    """
    # Parallel edges made by hand count as one, the strongest; `check` reports them.
    left = max(graph.strength(edge) for edge in edges)
    return _set(graph, edges, max(least, min(1.0, left + amount)))


def _set(graph: Graph, edges: Sequence[Any], strength: float) -> float:
    """Set the current strength of a link; strengthening also slows its fading."""
    edge, now_ms = max(edges, key=graph.strength), graph.context.now_ms
    if strength >= graph.strength(edge):
        edge.set_property("strengthened_days", graph.link_days(edge))
    edge.set_property("strength", strength)
    edge.set_property("last_strengthened", now_ms)
    for other in edges:
        if other is not edge and graph.strength(other) > strength:
            graph.delete_edge(other)
    return strength


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
    node = graph.existing(memory_id)
    graph.bound_edges(schema.MAX_LINKS_READ, "ask in one direction only")
    ordered = strongest(graph, node, ways, least)
    return [row | {"total": len(ordered)} for row in describe_steps(graph, ordered[:most])]


def strongest(
    graph: Graph, node: Node, ways: Sequence[bool] = WAYS[schema.BOTH], least: float = 0.0
) -> list[Step]:
    """Return the steps to the memories that *node* is linked to, the strongest first.

    Each memory comes once, by its strongest link, if that has a strength of *least* now.
    """
    best = Ways(graph)
    for edge, relation, other, outgoing in graph.edges(node, ways):
        strength = graph.strength(edge)
        if other is not node and strength >= least:
            best.add(other.id, strength, node, (edge, relation, other.raw, outgoing))
    steps = list(best.in_order())
    for one in steps:
        one.node = graph.raw_node(one.far)
    return steps


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
            if known > strength:
                return
            if not Step(far_id, strength, near, end).is_better(self._step(far_id)):
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


def describe_steps(graph: Graph, steps: Sequence[Step]) -> list[Row]:
    """Return the fields of lists for each reached memory and its link."""
    links = iter(graph.relations([step.link for step in steps if step.link is not None]))
    return [
        {
            **graph.brief(step.node),
            "relation": step.relation,
            "direction": step.direction,
            "strength": round(step.strength, schema.DECIMALS),
            "link": None if step.link is None else next(links),
        }
        for step in steps
        if step.node is not None
    ]


def create_unlinked(
    graph: Graph, source: Node, target: Node, relation: str, strength: float
) -> None:
    """Link two memories; this deletes a note that they were unlinked."""
    now_ms = graph.context.now_ms
    graph.create_edge(
        source,
        target,
        schema.RELATION_TYPES[relation],
        strength=strength,
        created_at=now_ms,
        last_strengthened=now_ms,
    )
    notes = _read_notes(source)
    others = [note for note in notes if not _notes_link(note, target, relation)]
    if others != notes:
        _write_notes(graph, source, others)


def take_away(
    graph: Graph, source: Node, target: Node, relation: str, edges: Sequence[Any]
) -> None:
    """Remove a link, all *edges* of it, and note its current strength. Raises NotFound."""
    if not edges:
        # Removed twice, it stays removed.
        if any(_notes_link(one, target, relation) for one in _read_notes(source)):
            return
        raise NotFound(f"link: no {relation} link leads from source_id to target_id; say its type")
    left = max(graph.strength(edge) for edge in edges)
    for edge in edges:
        graph.delete_edge(edge)
    note = {
        "to": target.memory_id,
        "type": relation,
        "strength": round(left, schema.DECIMALS),
        "at": graph.context.now_ms,
    }
    others = [one for one in _read_notes(source) if not _notes_link(one, target, relation)]
    _write_notes(graph, source, [*others, note])


def find_strength_taken_away(source: Node, target: Node, relation: str) -> float:
    """Return the strength of a link when it was removed. Raises NotFound."""
    for note in _read_notes(source):
        if _notes_link(note, target, relation):
            left = note.get("strength")
            return left if left.__class__ is float and 0 < left <= 1 else schema.DEFAULT_STRENGTH
    raise NotFound(f"link: no {relation} link between these memories was taken away")


def _read_notes(source: Node) -> list[Row]:
    known = source.get("metadata").get(schema.UNLINKED)
    return list(known) if isinstance(known, (list, tuple)) else []


def _write_notes(graph: Graph, source: Node, notes: list[Row]) -> None:
    metadata = dict(source.get("metadata"))
    metadata.pop(schema.UNLINKED, None)
    if notes:
        metadata[schema.UNLINKED] = notes[-schema.MAX_UNLINKED :]
    graph.update(source, metadata=metadata)


def _notes_link(note: Any, target: Node, relation: str) -> bool:
    if not isinstance(note, Mapping):
        return False
    return bool(note.get("to") == target.memory_id and note.get("type") == relation)
