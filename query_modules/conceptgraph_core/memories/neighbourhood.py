"""Return the surroundings of memories for a picture."""

from collections.abc import Sequence

from .. import text
from ..graph.around import walk_around
from . import crud, lifecycle, links, schema, together
from .links import Row
from .view import Graph, Node

# The most links drawn for a memory: its strongest.
MOST_LINKS = 200
_STANDS = ("state", "decay_score", "next_state", "next_state_at")


def neighbourhood(
    graph: Graph,
    memory_ids: Sequence[str],
    max_hop: int = schema.DEFAULT_HOPS,
    limit: int | None = schema.NEIGHBOURS,
) -> list[Row]:
    """Return a row for each memory within *max_hop* of those, nearest first; counts no access.

    The walk follows the strongest links first; *limit* (None: 100) cuts that order. A row is that
    of `get` as of now, with next_state and next_state_at, hop, degree (the number of linked
    memories) and links: the strongest 200, one to each memory, as maps with from, to, type and
    current strength. `together` lists memories that were often in one answer with it, without a
    link: memory_id, text, together. Raises NotFound for a memory that is missing, forgotten or
    another user's; InvalidText, InvalidNumber; TooMuch beyond 1,000,000 links.
    """
    hops = text.integer(max_hop, "max_hop", 0, schema.MAX_DEPTH_EXPLORED)
    most = schema.NEIGHBOURS if limit is None else limit
    most = text.integer(most, "limit", 1, schema.MAX_NODES)
    graph.bound_edges(schema.MAX_LINKS_READ, "lower max_hop or limit")
    seeds = graph.existing_all(memory_ids, "memory_ids")
    return walk_around(seeds, hops, most, lambda node: _looked_at(graph, node))


def _looked_at(graph: Graph, node: Node) -> tuple[Row, list[Node]]:
    """Return the row of a memory, and its linked memories, the strongest links first."""
    steps = links.strongest(graph, node)
    drawn = steps[:MOST_LINKS]
    status = lifecycle.status_of(graph, node)
    row = crud.read_whole(graph, node) | {name: status[name] for name in _STANDS}
    row |= {"degree": len(steps), "links": [_link(step) for step in drawn]}
    row["together"] = [
        {"memory_id": one.memory_id, "text": one.text, **together.MARK}
        for one in together.find_offered(graph, node)
    ]
    return row, [step.node for step in drawn if step.node is not None]


def _link(step: links.Step) -> Row:
    ends = [step.via.memory_id, "" if step.node is None else step.node.memory_id]
    source, target = ends if step.outgoing else reversed(ends)
    strength = round(step.strength, schema.DECIMALS)
    return {"from": source, "to": target, "type": step.relation, "strength": strength}
