"""Find the component of an entity: all entities that merged same-as edges connect to it.

Each such edge stands between the two entities that somebody named. So undoing one merge leaves all
others as they are. `canonical_node_id` names the member that the others count as.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...verbs.errors import NotAllowed
from .. import schema
from ..node import All, Graph, Node, Tie
from ..trust import Said


def canonical(graph: Graph, node: Node) -> Node:
    """Return the canonical entity of *node*'s component: the one that the others count as."""
    return node if _into(graph, node) is None else _first(graph, node, find_connected(graph, node))


def members(graph: Graph, node: Node) -> list[Node]:
    """Return all entities of *node*'s component, its canonical one first, then by age."""
    whole = find_connected(graph, node)
    first = _first(graph, node, whole)
    return [first, *sorted((one for one in whole if one is not first), key=lambda one: one.age)]


def find_connected(graph: Graph, node: Node) -> list[Node]:
    """Return all entities that merged same-as edges connect to *node*, itself first.

    Ones out of sight connect others, too.
    """
    found = {node.id: node}
    waiting, every = [node], graph.another(All)
    while waiting:
        one = waiting.pop()
        # Most entities were never merged. This spares them a walk over their edges and mentions.
        is_merging = bool(one.get("merge_count") or graph.planned.merged)
        for tie in every.ties(one, schema.SAME_AS) if is_merging else ():
            other = tie.other
            if other.id not in found and is_merged(every, one, tie):
                found[other.id] = other
                waiting.append(other)
    return [one for one in found.values() if one is node or graph.raw_node(one.raw)]


def _first(graph: Graph, node: Node, whole: Sequence[Node]) -> Node:
    by_key = {one.key: one for one in whole}
    while (into := _into(graph, node)) in by_key:
        node = by_key.pop(into)
    # The one that they count as may be forgotten; Cypher written by hand may have left a circle.
    return node if into is None else min(whole, key=lambda one: one.age)


def labels(members: Sequence[Node]) -> list[str]:
    """Return the names of a component: first its label, then each spelling."""
    return list(dict.fromkeys([members[0].name, *(one.own_name for one in members)]))


def _into(graph: Graph, node: Node) -> str | None:
    """Return the id of the entity that *node* was merged into, or would be in a rehearsal."""
    merged = graph.planned.merged
    into: str | None = (merged and merged.get(node.key)) or node.get("canonical_node_id")
    return into


def is_merged(graph: Graph, node: Node, tie: Tie) -> bool:
    """Tell whether a same-as edge of *node* stands for a merge, done or planned."""
    merged: bool = tie.get("status") == schema.MERGED
    return merged or graph.planned.merges(node.key, tie.other.key)


def said(graph: Graph, node: Node) -> Said:
    """Return the counts of *node*'s whole component, as those of one entity."""
    everyone = members(graph, node)
    if len(everyone) == 1:
        return own(graph, node)
    together = sum((own(graph, one) for one in everyone), Said(0, 0, 0, 0.0, 0))
    sessions = {name for one in everyone for name in one.get("user_sessions")}
    inside = {one.id for one in everyone}
    outward = [
        tie
        for one in everyone
        for tie in graph.ties(one, *schema.CONNECTING)
        if tie.other.id not in inside
    ]
    by_user = {(tie.other.id, tie.type) for tie in outward if tie.by_user}
    active = {(tie.other.id, tie.type) for tie in outward if tie.is_active}
    return replace(together, sessions=len(sessions), edges=len(by_user), active=len(active))


def own(graph: Graph, node: Node) -> Said:
    """Return the counts of *node* alone."""
    return Said(
        node.get("user_mention_count"),
        node.get("model_mention_count"),
        len(node.get("user_sessions")),
        node.get("emotional_intensity"),
        by_user(graph, node),
        node.get("edge_count"),
    )


def by_user(graph: Graph, node: Node) -> int:
    """Return how many connections of *node* the user ever reinforced.

    They are counted if *node* has no such count, as entities made by version 0.1.0 have none.
    """
    count: int | None = node.get("user_edge_count")
    return count_by_user(graph, node) if count is None else count


def count_by_user(graph: Graph, node: Node) -> int:
    """Count the connections of *node* that the user ever reinforced."""
    ties = graph.ties(node, *schema.CONNECTING)
    return sum(tie.by_user for tie in ties)


def called_by_user(graph: Graph, node: Node) -> list[str]:
    """Return the user's names for *node*'s component, with "I" if it stands for the user."""
    called = [one.bare for one in members(graph, node) if one.get("user_mention_count")]
    return [*called, *sorted(schema.FIRST_PERSON)] if is_self(node) else called


def is_self(node: Node) -> bool:
    """Tell whether *node* is the entity that stands for the user."""
    return bool(node.get("canonical_name") == schema.SELF)


def refuse_self(nodes: Iterable[Node], field: str, what: str) -> None:
    """Raise NotAllowed if one of *nodes* stands for the user, whose facts need this one entity."""
    if any(map(is_self, nodes)):
        raise NotAllowed(f"{field}: {schema.SELF} cannot be {what}")


def are_one(graph: Graph, one: Node, other: Node) -> bool:
    return canonical(graph, one).id == canonical(graph, other).id


def find_kind(members: Iterable[Node]) -> str | None:
    """Return the kind of a component: that of its first member with one."""
    return next((kind for one in members if (kind := one.get("entity_kind"))), None)


def mentions_of(graph: Graph, entities: Iterable[Node]) -> list[Node]:
    return [tie.other for one in entities for tie in graph.arriving(one, schema.OF)]


def questions(graph: Graph, node: Node) -> list[tuple[Node, float]]:
    """Return the canonical entities that *node* may be the same as, the most similar first."""
    found: dict[int, tuple[Node, float]] = {}
    for tie in graph.ties(node, schema.SAME_AS):
        other = canonical(graph, tie.other)
        if tie.get("status") == schema.CANDIDATE and other.id != node.id:
            known = found.get(other.id, (other, 0.0))[1]
            found[other.id] = other, max(known, tie.get("confidence"))
    return sorted(found.values(), key=lambda pair: (-pair[1], *pair[0].age))
