"""Split an entity that was two of one name: move some mentions and facts to a new one.

Edges stay with the first entity, because whole sessions made them. Undoing a split moves everything
back. The new entity is then removed, unless it has gained anything of its own.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ...texts import text as texts
from ...texts.text import show_name
from ...verbs import validators
from ...verbs.errors import InvalidText, NotAllowed, NotFound
from .. import lookups, mentions, names, schema
from ..node import All, Graph, Node
from . import components, ledger, merging

Row = dict[str, Any]


def split(
    graph: Graph,
    entity_id: str,
    mention_ids: Sequence[str],
    since: int | None,
    said: str | None,
    reason: str,
) -> Row:
    """Move mentions and facts of an entity to a new entity of the same name.

    It moves *mention_ids*, or everything recorded *since* then (unix ms). Returns verdict
    (`split`), entity_id of the new one and merge_id, which undoes the split. *said*, the user's
    words, must contain a name of the entity. Else it is only a claim (`candidate`), and reason says
    why. Raises NotFound, InvalidText, NotAllowed if nothing would move, or nothing would stay.
    """
    texts.summary(reason, "reason")
    if said is not None:
        texts.summary(said, "said")
    if since is not None:
        validators.time(since, "since")
    if bool(mention_ids) == (since is not None):
        raise InvalidText("mention_ids: give mention_ids or since, one of them")
    source = merging.entity(graph, entity_id)
    members = components.members(graph, source)
    components.refuse_self(members, "entity_id", "split")
    of = _chosen(graph, members, mention_ids, since)
    if ledger.lacking(graph, [source], said) is not None:
        return ledger.claim(graph, schema.SPLIT_ACTION, source, reason, said)
    return _made(graph, source, of, said, reason)


def _chosen(
    graph: Graph, members: Iterable[Node], wanted: Sequence[str], since: int | None
) -> dict[Node, Node]:
    """Return the mentions and facts to move, each with its entity."""
    everything = {one: member for member in members for one in _parts(graph, member)}
    ids_wanted = {texts.name(one, "mention_ids") for one in wanted}
    for unknown in sorted(ids_wanted - {one.key for one in everything}):
        raise NotFound(f"mention_ids: no mention or fact of this entity: {show_name(unknown)}")
    chosen = {
        one: member
        for one, member in everything.items()
        if one.key in ids_wanted or (since is not None and one.told_at >= since)
    }
    if not any(one.label == schema.MENTION for one in chosen):
        raise NotAllowed("since: none of its mentions would move")
    if not any(one.label == schema.MENTION and one not in chosen for one in everything):
        raise NotAllowed("mention_ids: all of its mentions would move; leave it one at least")
    return chosen


def _parts(graph: Graph, entity: Node) -> list[Node]:
    told = [tie.other for tie in graph.arriving(entity, schema.OF)]
    return told + [tie.other for tie in graph.leaving(entity, schema.HAS_FACT)]


def _made(
    graph: Graph, source: Node, chosen: dict[Node, Node], said: str | None, reason: str
) -> Row:
    moved = sorted(chosen, key=lambda one: (one.told_at, one.key))
    told = [one for one in moved if one.label == schema.MENTION]
    label = chosen[told[-1]].bare
    plain = names.canonical(label)
    graph.pull(lookups.taking(plain, graph.user_id))
    taken = {node.get("canonical_name") for node in graph.of(schema.ENTITY)}
    name = names.free(plain, taken)
    by_user = any(one.get("origin") == schema.USER for one in told)
    other = graph.make(
        schema.ENTITY,
        id=names.make_id(*("split off", graph.user_id, source.key, ledger.number(graph, source))),
        node_type=source.node_type,
        node_label=label,
        canonical_name=name,
        identity_status=schema.DISTINCT if by_user else schema.PROVISIONAL,
        valid_from=moved[0].told_at,
        last_activated=told[0].told_at,
        activation_strength=0.0,
    )
    entry = ledger.enter(
        graph,
        *(schema.SPLIT_ACTION, source, other, reason),
        said=said,
        moved=[f"{one.key}\t{chosen[one].key}" for one in moved],
    )
    for member in dict.fromkeys(chosen.values()):
        if member.id != source.id:
            graph.add_edge(entry, member, schema.MERGE_OF)
    _move(graph, [(one, chosen[one], other) for one in moved])
    older, younger = graph.ordered(source, other)
    graph.join(
        *(older, younger, schema.SAME_AS),
        status=schema.REJECTED,
        is_active=False,
        confidence=1.0,
        evidence=reason,
    )
    return {"verdict": schema.SPLIT_ACTION, "entity_id": other.key, "merge_id": entry.key}


def _move(graph: Graph, moves: Sequence[tuple[Node, Node, Node]]) -> None:
    """Move mentions and facts, in their order, to other entities: (thing, from, to).

    Each entity is counted again once, however many things move.
    """
    gone: dict[Node, list[Node]] = {}
    come: dict[Node, list[Node]] = {}
    for one, source, target in moves:
        is_fact = one.label == schema.FACT
        ties = graph.arriving(one, schema.HAS_FACT) if is_fact else graph.leaving(one, schema.OF)
        # An edge that Cypher written by hand has doubled moves along.
        for tie in [tie for tie in ties if tie.other.id == source.id]:
            graph.delete_edge(tie.raw)
        if is_fact:
            one.set(entity_id=target.key)
            graph.add_edge(target, one, schema.HAS_FACT)
        else:
            graph.add_edge(one, target, schema.OF)
            gone.setdefault(source, []).append(one)
            come.setdefault(target, []).append(one)
    for entity, mentioned in gone.items():
        mentions.discount(graph, entity, mentioned)
    for entity, mentioned in come.items():
        mentions.recount(graph, entity, mentioned)


def rejoin(graph: Graph, entry: Node) -> merging.Undone:
    """Move back everything that a split moved. Returns the entities that are whole again.

    Later mentions of the other one count as the first one's from now on, by a merge of its own.
    """
    other = ledger.target(graph, entry)
    origins = _origins(entry)
    back = [one for one in _parts(graph, other) if one.key in origins]
    back.sort(key=lambda one: (one.told_at, one.key))
    _move(graph, [(one, other, _home(graph, other, one.key)) for one in back])
    home, undo = _home(graph, other, ""), None
    is_more = bool(_parts(graph, other)) and other.get("canonical_node_id") is None
    if is_more and other not in components.find_connected(graph, home):
        reason = entry.get("unmerge_reason")
        undo = merging.merged(graph, other, home, reason, schema.USER_CORRECTION)
    return merging.Undone([home], undo)


def _origins(entry: Node) -> dict[str, str]:
    """Return, by id, the former entity of each thing that a split moved."""
    return dict(one.split("\t", 1) for one in entry.get("moved") or ())


def _made_by(graph: Graph, entity: Node) -> Node | None:
    """Return the split that made *entity*."""
    made = ledger.entries(graph, entity, schema.MERGE_INTO)
    return next((one for one in made if ledger.action_of(one) == schema.SPLIT_ACTION), None)


def _home(graph: Graph, entity: Node, moved_id: str) -> Node:
    """Return the entity that a thing of *entity* belongs to, past all splits that were undone."""
    while (entry := _made_by(graph, entity)) is not None and not entry.get("is_active"):
        wanted = _origins(entry).get(moved_id, entry.get("source_node_id"))
        of = [tie.other for tie in graph.leaving(entry, schema.MERGE_OF)]
        entity = next((one for one in of if one.key == wanted), of[0])
    return entity


def _is_between(graph: Graph, entity: Node) -> bool:
    """Tell whether an entity still stands that was split from *entity*."""
    return any(
        ledger.action_of(one) == schema.SPLIT_ACTION
        and any(True for _ in graph.leaving(one, schema.MERGE_INTO))
        for one in ledger.entries(graph, entity, schema.MERGE_OF)
    )


def drop_if_bare(graph: Graph, entity: Node) -> list[Node]:
    """Remove the entity that an undone split made, if nothing else was recorded of it.

    The same goes for the entity that it was split from, which stays until then: things that were
    split off again find their way home through it. Returns what is gone; ledger entries stay.
    """
    made = _made_by(graph, entity)
    if made is None or made.get("is_active") or entity.get("merge_count"):
        return []
    if _is_between(graph, entity):
        return []
    in_force = any(one.get("is_active") for one in ledger.entries(graph, entity))
    is_tied = any(tie.type != schema.SAME_AS for tie in graph.ties(entity))
    is_object = any(True for _ in graph.arriving(entity, schema.OBJECT))
    if in_force or is_tied or is_object or _parts(graph.another(All), entity):
        return []
    of = ledger.about(graph, made)
    graph.delete_node(entity)
    return [entity, *(gone for one in of if one is not entity for gone in drop_if_bare(graph, one))]
