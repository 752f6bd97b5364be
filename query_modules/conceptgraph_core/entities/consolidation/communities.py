"""Find communities: groups of entities that belong together, computed by `propagation`.

Propagation needs all edges at once, but only their ends and weights. So the worker reads them in
batches with `connections`, computes outside the database, and stores changes with `settle`. A
killed run starts again.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ... import text as texts
from ...errors import InvalidText
from ...graph.primitives import BEYOND, Range, WithEdges
from .. import edges, lookups, schema
from ..identity import components
from ..node import Edge, Graph, Node
from . import batches
from .batches import Row
from .propagation import Propagation

_JOINING: Final = {one: one for one in (*schema.CONNECTING, schema.SAME_AS)}


def connections(graph: Graph, after: str | None = None, limit: int | None = None) -> list[Row]:
    """Return the next entities by id, those after *after*, with their outgoing weighted edges.

    A row has entity_id, label, community, node (its id in the database), others and weights. The
    last two are lists: the database id of the other end of each edge, and the weight of that edge.
    """
    nodes = batches.next_after(graph, after, batches.size(limit))
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
            # Merged entities belong to one community.
            tie = graph.tie(edge, far, leaves=True)
            weight = 1.0 if tie and components.is_merged(graph, node, tie) else None
        if weight is not None:
            yield far, weight


def _weight(edge: Edge) -> float | None:
    """Return the weight of an edge in a community, None for no weight."""
    weight: float = edge.get("weight")
    return weight if weight >= edges.MIN_WEIGHT and edge.is_active else None


def settle(graph: Graph, by_id: Mapping[str, Any]) -> Row:
    """Set the community of each entity that is a key of *by_id*. Returns how many are changed."""
    changed = 0
    values = [(graph.user_id, key) for key in by_id]
    for node in graph.find(schema.ENTITY, ("user_id", "id"), values):
        becomes = by_id.get(node.key)
        if becomes is not None and becomes != node.get("community"):
            # Communities that earlier versions prepared are obsolete.
            node.set(community=texts.name(becomes, "communities"), community_draft=None)
            changed += 1
    return {"changed": changed}


def consolidate(graph: Graph, after: str | None, limit: int | None, dry_run: bool) -> Row:
    """Find all communities in one call, as `batches.run` does, but without a *limit*."""
    batches.size(limit)
    if after is not None:
        raise InvalidText("after: must be null, for this step is taken in one call")
    graph.pull(WithEdges(Range((schema.ENTITY,), "id", "", BEYOND, lookups.mine(graph.user_id))))
    found = Propagation()
    found.add(_connected(graph, node) for node in graph.of(schema.ENTITY))
    while found.take_pass():
        graph.check_abort()
    changes = list(found.changes())
    if not dry_run:
        settle(graph, {row["entity_id"]: row["to"] for row in changes})
    told = {"processed": found.size, "changed": len(changes), "last": None}
    return {**told, "changes": changes if dry_run else []}
