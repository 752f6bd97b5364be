"""The surroundings of some entities, as a picture of them needs them: a component is one."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from .. import text
from ..graph.around import around
from . import admin, schema
from .identity import components, merging
from .narration import reading
from .node import Graph, Node, Tie

Row = dict[str, Any]

# Of a component so many facts, ties, mentions and entries of its ledger are shown.
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

    From each its strongest ties are gone along first; *limit* (None: 100) cuts that order. A row is
    what `get` returns as of now, with hop, degree (how many ties it has in all) and, in place of
    edges, ties: the strongest 100 of those that hold, one of a type to each other component, as
    maps with from, to, type, strength and directed. One without a direction is the same from either
    end; of a doubt who is who, which is none any more once it was rejected, strength is how alike
    the two are. Of mentions there are the latest 8, of the ledger the latest 10, with what the two
    were called. Raises NotFound of what is not there or is another scope's; InvalidText,
    InvalidNumber; TooMuch beyond 1,000,000 edges.
    """
    hops = text.integer(max_hop, "max_hop", 0, schema.MAX_HOPS)
    most = schema.NEIGHBOURS if limit is None else limit
    most = text.integer(most, "limit", 1, schema.MAX_LISTED)
    graph.bound_edges(MAX_EDGES_READ, "lower max_hop or limit")
    found = merging.entities(graph, entity_ids)
    seeds = [components.canonical(graph, one) for one in found]
    return around(seeds, hops, most, lambda node: _looked_at(graph, node))


def _looked_at(graph: Graph, node: Node) -> tuple[Row, list[Node]]:
    """Return the row of a component, and those that it is tied to, the strongest ties first."""
    members = components.members(graph, node)
    joined = reading.ties(graph, members)
    distinct = _distinct(graph, sorted(filter(_holds, joined), key=lambda tie: tie.rank))
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
    """Tell whether a tie holds; of the thought that two are the same, whether it is still one."""
    if tie.type == schema.SAME_AS and tie.get("status") == schema.REJECTED:
        return False
    return tie.is_active


def _distinct(graph: Graph, ties: Iterable[Tie]) -> list[tuple[Tie, Node]]:
    """Return of *ties* the first of each type to each component, with that component."""
    first: dict[tuple[str, bool, int], tuple[Tie, Node]] = {}
    for tie in ties:
        other = components.canonical(graph, tie.other)
        leaves = tie.type in schema.UNDIRECTED or tie.leaves
        first.setdefault((tie.type, leaves, other.id), (tie, other))
    return list(first.values())
