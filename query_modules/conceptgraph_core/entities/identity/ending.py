"""End an entity: it died, closed or was sold, and its name may now mean another one."""

from typing import Any

from ... import text as texts
from ... import validators
from ...errors import NotAllowed
from ...text import show_name
from .. import schema
from ..language import spans
from ..node import Graph, Node
from . import components, ledger, merging

Row = dict[str, Any]


def end(
    graph: Graph, entity_id: str, said: str | None, reason: str, valid_until: int | None = None
) -> Row:
    """End an entity, with all entities merged with it, at *valid_until* (unix ms; None: now).

    A later mention of its name makes a new, ambiguous entity. Returns verdict (`ended`),
    valid_until and merge_id, which undoes the end. *said*, the user's words, must contain a name of
    the entity. Else the end is only a claim (verdict `candidate`), and reason says why. Raises
    NotFound, and NotAllowed if it has ended already.
    """
    texts.summary(reason, "reason")
    if said is not None:
        texts.summary(said, "said")
    now = valid_until is None
    until = graph.now_ms if now else validators.time(valid_until, "valid_until")
    entity = components.canonical(graph, merging.entity(graph, entity_id))
    components.refuse_self(components.members(graph, entity), "entity_id", "ended")
    if entity.get("valid_until") is not None:
        raise NotAllowed(
            f"entity_id: {show_name(entity.name)} has ended already; unmerge that first"
        )
    if ledger.lacking(graph, [entity], said) is not None:
        return ledger.claim(graph, schema.END_ACTION, entity, reason, said)
    members = components.members(graph, entity)
    # The end belongs to the entity that the user named, even if a merge is undone later.
    named = entity
    if said is not None:
        words = spans.Said(said)
        named = next(one for one in members if ledger.is_named(graph, one, words))
    lasting = [one for one in members if one.get("valid_until") is None]
    entry = ledger.enter(graph, schema.END_ACTION, named, None, reason, said=said)
    for one in lasting:
        one.set(valid_until=until)
        if one.id != named.id:
            graph.add_edge(entry, one, schema.MERGE_OF)
    return {"verdict": "ended", "valid_until": until, "merge_id": entry.key}


def follow(graph: Graph, entry_id: str, ended: Node, fresh: Node) -> None:
    """Enter in the ledger that *fresh*, another entity of the name, begins where *ended* ends."""
    entry = next(
        one for one in ledger.entries(graph, ended, schema.MERGE_OF) if one.key == entry_id
    )
    entry.set(target_node_id=fresh.key)
    graph.add_edge(entry, fresh, schema.MERGE_INTO)


def revived(graph: Graph, entry: Node) -> merging.Undone:
    """Undo an end, so that the entity goes on. Returns the entity.

    An entity of the name that began with the end is merged into it, by a merge of its own.
    """
    for tie in graph.leaving(entry, schema.MERGE_OF):
        tie.other.set(valid_until=None)
    entity, undo = ledger.source(graph, entry), None
    for tie in list(graph.leaving(entry, schema.MERGE_INTO)):
        fresh = tie.other
        # One that was merged into a third, or has ended itself, means another by now.
        if components.canonical(graph, fresh).id == fresh.id and fresh.get("valid_until") is None:
            reason = entry.get("unmerge_reason")
            undo = merging.merged(graph, fresh, entity, reason, schema.USER_CORRECTION)
    return merging.Undone([components.canonical(graph, entity)], undo)
