"""List the communities of entities, and the members of one, as areas of a map."""

import heapq
from typing import Any, Final

from .. import text as texts
from ..errors import NotFound
from ..text import show_name
from . import lookups, schema
from .node import Graph, Node

Row = dict[str, Any]

# Fewer than that are no area.
LEAST_MEMBERS: Final = 3
AREAS: Final = 40


def communities(
    graph: Graph,
    community: str | None = None,
    members: int = 3,
    limit: int | None = AREAS,
) -> list[Row]:
    """List the communities that the weekly run found, the largest first, at most *limit*.

    A row has community, size (the number of its entities), and those that the user mentioned most,
    at most *members*: labels and entity_ids. Communities of fewer than 3 are left out; with
    *community* only this one is listed, whatever its size. Merged entities and archived ones do not
    count. Raises NotFound for an unknown community.
    """
    most = texts.integer(AREAS if limit is None else limit, "limit", 1, schema.MAX_LISTED)
    shown_members = texts.integer(members, "members", 1, schema.MAX_LISTED)
    graph.pull(lookups.last_activated(schema.MAPPED, graph.user_id))
    found: dict[str, list[Node]] = {}
    for node in graph.of(schema.ENTITY):
        of = node.get("community")
        is_one = community is None or of == community
        # Nodes without a community are left out first, because most may lack one.
        if of is None or not is_one:
            continue
        if node.get("canonical_node_id") is None and node.get("is_active"):
            found.setdefault(of, []).append(node)
    if community is not None and not found:
        raise NotFound(f"community: not found: {show_name(community)}")
    least = LEAST_MEMBERS if community is None else 1
    large = [(of, nodes) for of, nodes in found.items() if len(nodes) >= least]
    large.sort(key=lambda one: (-len(one[1]), one[0]))
    return [_row(of, nodes, shown_members) for of, nodes in large[:most]]


def _row(community: str, nodes: list[Node], members: int) -> Row:
    first = heapq.nsmallest(members, nodes, key=_rank)
    return {
        "community": community,
        "size": len(nodes),
        "labels": [node.name for node in first],
        "entity_ids": [node.key for node in first],
    }


def _rank(node: Node) -> tuple[int, int, str]:
    return -node.get("user_mention_count"), -node.get("edge_count"), node.key
