"""Return the surroundings of nodes for a picture of the graph."""

from collections.abc import Iterable, Sequence
from typing import Any

from . import affect, names, schema
from .node import Graph, Node


def neighbourhood(
    graph: Graph,
    seeds: Sequence[Any],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: int | None = schema.DEFAULT_NEIGHBOURS,
) -> list[dict[str, Any]]:
    """Return a row for each node within *max_hop* of *seeds* (names or nodes), nearest first.

    Nodes equally far are ordered by arousal, then by name; *limit* (None: 100) cuts that order. A
    row has id, kind ("concept" or "episode"), name, text (an episode's summary), valence,
    arousal_level as of accessed_at (unix ms), hop, degree (how many relations the node has in all)
    and relations: those that leave it for a node that is returned too, as maps with from and to
    (ids), type and weight. Unknown seeds are skipped. Raises InvalidNumber for max_hop outside
    0…10 or a limit below 1.
    """
    schema.checked_hops(max_hop)
    most = schema.checked_limit(limit, schema.DEFAULT_NEIGHBOURS)
    shown = _spread(graph, names.find_seeds(graph, seeds)[0], max_hop, most)
    return [_row(graph, node, hop, shown) for node, hop in shown.values()]


def _spread(
    graph: Graph, seeds: Iterable[Node], max_hop: int, most: int
) -> dict[int, tuple[Node, int]]:
    """Return at most *most* nodes and their hops, ring after ring, by id."""
    shown: dict[int, tuple[Node, int]] = {}
    ring = seeds
    for hop in range(max_hop + 1):
        kept = sorted(ring, key=lambda node: _order(graph, node))[: most - len(shown)]
        shown.update({node.id: (node, hop) for node in kept})
        if hop == max_hop or len(shown) == most:
            break
        ends = (other for node in kept for _, _, other, _ in graph.edges(node))
        ring = {other.id: other for other in ends if other.id not in shown}.values()
    return shown


def _order(graph: Graph, node: Node) -> tuple[float, str, str]:
    # Not by arousal itself, which is 0 for everything after two years.
    rank = affect.rank(node.arousal_level, node.accessed_at, graph.context.tau_ms)
    return -rank, node.name, node.label


def _row(graph: Graph, node: Node, hop: int, shown: dict[int, tuple[Node, int]]) -> dict[str, Any]:
    relations = []
    degree = 0
    for edge, relation, other, outgoing in graph.edges(node):
        # A relation to itself, which only Cypher written by hand can make, is read from both ends.
        degree += outgoing or other.id != node.id
        if outgoing and other.id in shown:
            weight = graph.weight(edge)
            relations.append((other.name, other.label, relation, weight, other.id))
    return {
        "id": node.id,
        "kind": "episode" if node.is_episode else "concept",
        "name": node.name,
        "text": node.text,
        "valence": node.valence,
        "arousal_level": node.arousal_level,
        "accessed_at": node.accessed_at,
        "hop": hop,
        "degree": degree,
        # The hosts return edges in orders of their own.
        "relations": [
            {"from": node.id, "to": other_id, "type": relation, "weight": weight}
            for _, _, relation, weight, other_id in sorted(relations)
        ],
    }
