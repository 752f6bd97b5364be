"""Which entities are one: the component along same-as edges that are merged, found at query time.

Merges form trees: an entity is merged into at most one other, its `canonical_node_id`. So taking
any one back leaves all others as they are.
"""

from collections.abc import Sequence
from dataclasses import replace

from . import schema
from .node import Graph, Node
from .trust import Said


def canonical(graph: Graph, node: Node) -> Node:
    """Return the entity that *node*'s component goes by: the one merged into no other."""
    seen = {node.id}
    while (wanted := node.get("canonical_node_id")) is not None:
        above = _merged_with(graph, node)
        parent = next((other for other in above if other.key == wanted), None)
        if parent is None or parent.id in seen:
            # Made by hand: no such edge, or a circle.
            break
        seen.add(parent.id)
        node = parent
    return node


def members(graph: Graph, node: Node) -> list[Node]:
    """Return all entities of *node*'s component, its canonical one first, then by age."""
    first = canonical(graph, node)
    found = {first.id: first}
    waiting = [first]
    while waiting:
        for other in _merged_with(graph, waiting.pop()):
            if other.id not in found:
                found[other.id] = other
                waiting.append(other)
    rest = sorted((one for one in found.values() if one is not first), key=lambda one: one.age)
    return [first, *rest]


def labels(members: Sequence[Node]) -> list[str]:
    """Return what a component is called: first what it is shown as, then each spelling it has."""
    return list(dict.fromkeys([members[0].name, *(one.own_name for one in members)]))


def _merged_with(graph: Graph, node: Node) -> list[Node]:
    # Most entities never were; their edges, mentions among them, need not be gone through.
    if not node.get("merge_count"):
        return []
    return [
        tie.other for tie in graph.ties(node, schema.SAME_AS) if tie.get("status") == schema.MERGED
    ]


def said(graph: Graph, node: Node) -> Said:
    """Return what counts of all of *node*'s component taken together, as of one entity."""
    everyone = members(graph, node)
    if len(everyone) == 1:
        return node.said
    together = sum((one.said for one in everyone), Said(0, 0, 0, 0.0, 0))
    sessions = {name for one in everyone for name in one.get("user_sessions")}
    inside = {one.id for one in everyone}
    outward = {
        (tie.other.id, tie.type)
        for one in everyone
        for tie in graph.ties(one, *schema.CONNECTING)
        if tie.connects and tie.other.id not in inside
    }
    return replace(together, sessions=len(sessions), edges=len(outward))


def called_by_user(graph: Graph, node: Node) -> list[str]:
    """Return what the user has called any of *node*'s component."""
    return [one.bare for one in members(graph, node) if one.get("user_mention_count")]


def questions(graph: Graph, node: Node) -> list[tuple[Node, float]]:
    """Return who *node* may be, by what is canonical of each, the most alike first."""
    found: dict[int, tuple[Node, float]] = {}
    for tie in graph.ties(node, schema.SAME_AS):
        other = canonical(graph, tie.other)
        if tie.get("status") == schema.CANDIDATE and other.id != node.id:
            known = found.get(other.id, (other, 0.0))[1]
            found[other.id] = other, max(known, tie.get("confidence"))
    return sorted(found.values(), key=lambda pair: (-pair[1], *pair[0].age))
