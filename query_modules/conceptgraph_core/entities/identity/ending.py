"""The end of an entity: what died, closed or was sold is over, and its name may mean another."""

from typing import Any

from ... import text as texts
from ... import validators
from ...errors import NotAllowed
from ...text import shown
from .. import schema
from ..language import spans
from ..node import Graph, Node
from . import components, ledger, merging

Row = dict[str, Any]


def end(
    graph: Graph, entity_id: str, said: str | None, reason: str, valid_until: int | None = None
) -> Row:
    """Let an entity, with all it was merged with, be over since *valid_until* (unix ms; None: now).

    Of its name, what is mentioned later is another one, and a question. Returns verdict (`ended`),
    valid_until and merge_id, which takes it back. Without a name of the entity in *said*, the
    user's words, it is only a claim (`candidate`), and reason says why. Raises NotFound, NotAllowed
    if it has ended already.
    """
    texts.summary(reason, "reason")
    if said is not None:
        texts.summary(said, "said")
    now = valid_until is None
    until = graph.now_ms if now else validators.time(valid_until, "valid_until")
    entity = components.canonical(graph, merging.entity(graph, entity_id))
    components.refuse_self(components.members(graph, entity), "entity_id", "ended")
    if entity.get("valid_until") is not None:
        raise NotAllowed(f"entity_id: {shown(entity.name)} has ended already; unmerge that first")
    if said is None or ledger.lacking(graph, [entity], said) is not None:
        return ledger.claim(graph, schema.END_ACTION, entity, reason, said)
    members, words = components.members(graph, entity), spans.Said(said)
    # Should a merge be taken back, the end stays with whom the user named.
    named = next(one for one in members if ledger.is_named(graph, one, words))
    lasting = [one for one in members if one.get("valid_until") is None]
    entry = ledger.enter(graph, schema.END_ACTION, named, None, reason, said=said)
    for one in lasting:
        one.set(valid_until=until)
        if one.id != named.id:
            graph.add_edge(entry, one, schema.MERGE_OF)
    return {"verdict": "ended", "valid_until": until, "merge_id": entry.key}


def follow(graph: Graph, entry_id: str, ended: Node, fresh: Node) -> None:
    """Enter that *fresh*, another one of the name, begins where *ended* ends."""
    entry = next(
        one for one in ledger.entries(graph, ended, schema.MERGE_OF) if one.key == entry_id
    )
    entry.set(target_node_id=fresh.key)
    graph.add_edge(entry, fresh, schema.MERGE_INTO)


def revived(graph: Graph, entry: Node) -> list[Node]:
    """Take an end back: it goes on. Returns the entity.

    What was said since of another one that began with the end counts as its, by a merge of its own.
    """
    for tie in graph.leaving(entry, schema.MERGE_OF):
        tie.other.set(valid_until=None)
    entity = components.canonical(graph, ledger.source(graph, entry))
    for tie in list(graph.leaving(entry, schema.MERGE_INTO)):
        fresh = tie.other
        # One that was merged into a third, or has ended itself, is somebody else by now.
        if components.canonical(graph, fresh).id == fresh.id and fresh.get("valid_until") is None:
            merging.merged(
                graph, fresh, entity, entry.get("unmerge_reason"), schema.USER_CORRECTION
            )
    return [entity]
