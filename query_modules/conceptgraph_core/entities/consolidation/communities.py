"""Communities: which entities belong together, as `propagation` finds it.

It needs all edges at once, though of each but its ends and its weight. So the worker reads them
with `connections`, a batch a call, works by itself, and stores with `settle` what changed. What was
killed meanwhile is begun again.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ... import text as texts
from ...errors import InvalidText
from .. import edges, schema
from ..identity import components
from ..node import Edge, Graph, Node
from . import batches
from .batches import Row
from .propagation import Propagation

_JOINING: Final = {one: one for one in (*schema.CONNECTING, schema.SAME_AS)}


def connections(graph: Graph, after: str | None = None, limit: int | None = None) -> list[Row]:
    """Return the next entities by id, those after *after*, with what leaves each and counts.

    A row has entity_id, label, community, node (its id in the database), and others and weights: of
    each edge the other end's id in the database, and what it weighs.
    """
    nodes = batches.next_after(graph, after or "", batches.size(limit))
    return [_connected(graph, node) for node in nodes]


def _connected(graph: Graph, node: Node) -> Row:
    found = [(far.get_id(), weight) for far, weight in _joined(graph, node)]
    return {
        "entity_id": node.key,
        "label": node.name,
        "community": node.get("community"),
        "node": node.id,
        "others": [other for other, _ in found],
        "weights": [weight for _, weight in found],
    }


def _joined(graph: Graph, node: Node) -> Iterator[tuple[Any, float]]:
    for edge, far in graph.bare(node, _JOINING, (True,)):
        weight = _weight(edge)
        if edge.type == schema.SAME_AS:
            # Who was merged belongs together.
            tie = graph.tie(edge, far, leaves=True)
            weight = 1.0 if tie and components.is_merged(graph, node, tie) else None
        if weight is not None:
            yield far, weight


def _weight(edge: Edge) -> float | None:
    """Return what an edge weighs here, None for nothing."""
    weight: float = edge.get("weight")
    return weight if weight >= edges.MIN_WEIGHT and edge.is_active else None


def settle(graph: Graph, by_id: Mapping[str, Any]) -> Row:
    """Set the community of each entity that is a key of *by_id*. Returns how many are changed."""
    changed = 0
    for node in graph.of(schema.ENTITY):
        becomes = by_id.get(node.key)
        if becomes is not None and becomes != node.get("community"):
            # What earlier versions worked out is of no more use.
            node.set(community=texts.name(becomes, "communities"), community_draft=None)
            changed += 1
    return {"changed": changed}


def consolidate(graph: Graph, after: str | None, limit: int | None, dry_run: bool) -> Row:
    """Find all communities in this one call; as `batches.run`, but that *limit* bounds nothing."""
    batches.size(limit)
    if after is not None:
        raise InvalidText("after: must be null, for this step is taken in one call")
    found = Propagation()
    found.add(_connected(graph, node) for node in graph.of(schema.ENTITY))
    while found.take_pass():
        graph.check_abort()
    changes = list(found.changes())
    if not dry_run:
        settle(graph, {row["entity_id"]: row["to"] for row in changes})
    told = {"processed": found.size, "changed": len(changes), "last": None}
    return {**told, "changes": changes if dry_run else []}
