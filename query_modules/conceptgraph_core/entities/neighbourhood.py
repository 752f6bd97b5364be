"""Return the surroundings of entities for a picture, each component as one node."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from .. import text
from ..graph.around import walk_around
from . import admin, schema
from .identity import components, merging
from .narration import reading
from .node import Graph, Node, Tie

Row = dict[str, Any]

# The most facts, ties, mentions and ledger entries shown for a component.
MOST_FACTS: Final = 100
MOST_TIES: Final = 100
MOST_MENTIONS: Final = 8
MOST_MERGES: Final = 10
MAX_EDGES_READ: Final = 1_000_000


def neighbourhood(
    graph: Graph,
    entity_ids: Sequence[str],
    max_hop: int = schema.DEFAULT_HOPS,
    limit: int | None = schema.NEIGHBOURS,
) -> list[Row]:
    """Return a row for each component within *max_hop* of those entities, nearest first.

    The walk follows the strongest ties first; *limit* (None: 100) cuts that order. A row is that of
    `get` as of now, with these differences:

    * hop, and degree (the number of all its ties).
    * ties in place of edges: its strongest 100, one of a type to each other component, as maps with
      from, to, type, strength and directed. An undirected tie is the same from either end.
    * The strength of a doubt (`same_as`) is its similarity. A rejected doubt is left out.
    * The latest 8 mentions, and the latest 10 ledger entries with the labels of both entities.

    Raises NotFound for an entity that is missing or another user's; InvalidText, InvalidNumber;
    TooMuch beyond 1,000,000 edges.
    """
    hops = text.integer(max_hop, "max_hop", 0, schema.MAX_HOPS)
    most = schema.NEIGHBOURS if limit is None else limit
    most = text.integer(most, "limit", 1, schema.MAX_LISTED)
    graph.bound_edges(MAX_EDGES_READ, "lower max_hop or limit")
    found = merging.entities(graph, entity_ids)
    seeds = [components.canonical(graph, one) for one in found]
    return walk_around(seeds, hops, most, lambda node: _looked_at(graph, node))


def _looked_at(graph: Graph, node: Node) -> tuple[Row, list[Node]]:
    """Return the row of a component, and its neighbours, those with the strongest ties first."""
    members = components.members(graph, node)
    joined = reading.ties(graph, members)
    distinct = _distinct(
        graph, sorted(filter(_holds, joined), key=lambda tie: tie.rank(graph.now_ms))
    )
    now = graph.now_ms, graph.now_ms
    row = {
        **reading.described(graph, members, joined, now, MOST_FACTS),
        "ties": [_tie(node, tie, other) for tie, other in distinct[:MOST_TIES]],
        "mentions": reading.mentions(graph, members, MOST_MENTIONS),
        "merges": [
            admin.entry(graph, one) for one in reading.entries(graph, members)[-MOST_MERGES:]
        ],
        "degree": len(distinct),
    }
    return row, [other for _, other in distinct[:MOST_TIES]]


def _tie(node: Node, tie: Tie, other: Node) -> Row:
    ends = [node.key, other.key]
    directed = tie.type not in schema.UNDIRECTED
    source, target = sorted(ends) if not directed else ends if tie.leaves else reversed(ends)
    strength = tie.get("weight") if tie.type == schema.SAME_AS else tie.strength
    row = {"from": source, "to": target, "type": tie.type.lower()}
    return row | {"strength": strength, "directed": directed}


def _holds(tie: Tie) -> bool:
    """Tell whether a tie holds: it is active, or an open doubt."""
    if tie.type == schema.SAME_AS and tie.get("status") == schema.REJECTED:
        return False
    return tie.is_active


def _distinct(graph: Graph, ties: Iterable[Tie]) -> list[tuple[Tie, Node]]:
    """Return the first of *ties* of each type to each component, with that component."""
    first: dict[tuple[str, bool, int], tuple[Tie, Node]] = {}
    for tie in ties:
        other = components.canonical(graph, tie.other)
        leaves = tie.type in schema.UNDIRECTED or tie.leaves
        first.setdefault((tie.type, leaves, other.id), (tie, other))
    return list(first.values())
