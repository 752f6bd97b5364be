"""Forget a fact, a mention or an entity, and bring it back. Nothing is removed."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from .. import limits
from .. import text as texts
from ..errors import NotAllowed, NotFound
from ..jobs.schema import BATCH, MAX_BATCH
from ..text import show_name
from . import bitemporal, lookups, schema
from .identity import components, ledger, merging
from .node import All, Graph, Node
from .observation import hiding, mentions

Row = dict[str, Any]
# The kinds of what can be forgotten, by their labels.
FORGETTABLE: Final = {
    schema.ENTITY: "entity",
    schema.FACT: "fact",
    schema.MENTION: "mention",
}


def forget(graph: Graph, id_: str, reason: str | None = None) -> Row:
    """Hide a fact, a mention or an entity, until `restore` brings it back.

    * With a fact goes the sentence that told it, which is not quoted any more. A fact that it ended
      or corrected is so again.
    * With a mention go the facts that it alone told, and an entity of which nothing is left.
    * With an entity go all entities merged with it, their mentions and facts, and the facts that
      have one of them as their value, with the sentences that told them.

    Returns id and forgotten_at (unix ms). Raises NotFound, InvalidText.
    """
    if reason is not None:
        texts.summary(reason, "reason")
    node = find(graph, id_)
    node.set(forgotten_because=reason)
    if node.label == schema.ENTITY:
        _forget_entity(graph, node)
    elif node.label == schema.MENTION:
        hiding.hide(graph, [node], node.key)
    else:
        hiding.hide_node(graph, node, node.key)
        _settle_holders(graph, [node])
        _withhold(graph, [node], node.key)
    return {"id": node.key, "forgotten_at": graph.now_ms}


def restore(graph: Graph, id_: str) -> Row:
    """Bring back what `forget` hid with that id. Returns id and restored (False: it was in sight).

    Raises NotFound, and NotAllowed if it went with another thing, which must be restored first.
    """
    node = find(graph.another(All), id_)
    was_hidden = node.get("forgotten_at") is not None
    if node.label == schema.ENTITY:
        _restore_entity(graph, node)
    elif node.label == schema.MENTION:
        hiding.show(graph, [node], {node.key})
    else:
        hiding.show_node(node, {node.key})
        _settle_holders(graph, [node])
        _quote_again(graph, [node], {node.key})
    if node.get("forgotten_at") is not None:
        raise NotAllowed(
            f"id: {show_name(id_)} was forgotten with {_with(graph, node)}; restore that"
        )
    node.set(forgotten_because=None)
    return {"id": node.key, "restored": was_hidden}


def purge(
    graph: Graph,
    retention_ms: int,
    ids: Sequence[str] = (),
    limit: int | None = BATCH,
    dry_run: bool = False,
) -> list[Row]:
    """Remove for ever what was forgotten by itself over *retention_ms* ago, or those of *ids*.

    The longest forgotten first, at most *limit*, with all that was hidden with them. Returns id,
    kind, forgotten_at and text of each.
    """
    window = texts.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    most = texts.integer(BATCH if limit is None else limit, "limit", 1, MAX_BATCH)
    latest = graph.now_ms - window
    if ids:
        wanted = [texts.name(one, "ids") for one in ids]
        graph.pull(lookups.with_any_id(*wanted))
    else:
        graph.pull(lookups.forgotten(-limits.MAX_TIME_MS, latest + 1, graph.user_id, most))
    every = graph.another(All)
    gone = [
        one
        for one in every.nodes()
        if one.label in FORGETTABLE
        and one.key in (one.get("forgotten_with") or ())
        and one.get("forgotten_at") <= latest
        and (not ids or one.key in ids)
    ]
    gone.sort(key=lambda one: (one.get("forgotten_at"), one.key))
    rows = [
        {
            "id": one.key,
            "kind": FORGETTABLE[one.label],
            "forgotten_at": one.get("forgotten_at"),
            "text": describe(every, one),
        }
        for one in gone[:most]
    ]
    # Memgraph refuses to read a node that is gone, and one may go with another.
    removed: set[int] = set()
    for one in () if dry_run else gone[:most]:
        if one.id not in removed:
            removed |= _remove(every, one)
    return rows


def describe(graph: Graph, node: Node) -> str:
    """Return what a fact, a mention or an entity says, for a list."""
    if node.label == schema.ENTITY:
        return node.own_name
    if node.label == schema.MENTION:
        return str(node.get("mention_context") or node.get("label"))
    of = next((tie.other.own_name for tie in graph.arriving(node, schema.HAS_FACT)), "")
    about = bitemporal.about(graph, node)
    value = node.get("value") if about is None else about.own_name
    return f"{of} – {node.get('predicate')}: {value}"


def _remove(every: Graph, node: Node) -> set[int]:
    """Remove what was forgotten with *node*; return the ids of all that is gone."""
    if node.label == schema.MENTION:
        return hiding.remove(every, [node])
    if node.label == schema.FACT:
        _strike_out(every, [node])
        every.delete_node(node)
        return {node.id}
    members = components.members(every, node)
    everyone = [one for one in members if _is_hidden(one)]
    facts = [fact for one in everyone for fact in _facts(every, one)]
    _strike_out(every, facts)
    mentioned = _mentions(every, everyone)
    sessions = {tie.other for one in mentioned for tie in every.leaving(one, schema.IN)}
    entries = {entry for one in everyone for entry in ledger.entries(every, one)}
    for entry in entries:
        is_merge = ledger.action_of(entry) == schema.MERGE_ACTION and entry.get("is_active")
        if is_merge and any(one not in everyone for one in ledger.about(every, entry)):
            # Told anew, one of them is in sight again.
            entry.set(is_active=False)
            merging.parted(every, entry)
    gone = {one.id: one for one in (*everyone, *entries, *facts, *mentioned)}
    for one in gone.values():
        every.delete_node(one)
    hiding.drop_empty(every, sessions)
    return set(gone)


def _is_hidden(node: Node) -> bool:
    return node.get("forgotten_at") is not None


def find(graph: Graph, id_: str) -> Node:
    """Return the fact, the mention or the entity of that id. Raises NotFound."""
    wanted = texts.name(id_, "id")
    graph.pull(lookups.with_any_id(wanted))
    for node in graph.nodes():
        if node.label in FORGETTABLE and node.key == wanted:
            return node
    raise NotFound(f"id: not found: {show_name(wanted)}; about and search return the ids")


def _forget_entity(graph: Graph, entity: Node) -> None:
    # Things that are hidden already must not come back with something else.
    every = graph.another(All)
    everyone = components.members(every, entity)
    facts = [fact for one in everyone for fact in _facts(every, one)]
    for one in (*everyone, *facts):
        hiding.hide_node(graph, one, entity.key)
    hiding.hide(graph, _mentions(every, everyone), entity.key)
    _settle_holders(graph, facts)
    _withhold(graph, facts, entity.key)


def _restore_entity(graph: Graph, entity: Node) -> None:
    every = graph.another(All)
    everyone = components.members(every, entity)
    causes = {one.key for one in everyone}
    facts = [fact for one in everyone for fact in _facts(every, one)]
    for one in (*everyone, *facts):
        hiding.show_node(one, causes)
    hiding.show(graph, _mentions(every, everyone), causes)
    _settle_holders(graph, facts)
    _quote_again(graph, facts, causes)


def _facts(graph: Graph, entity: Node) -> list[Node]:
    """Return the facts of *entity*, and those that have it as their value."""
    own = [tie.other for tie in graph.leaving(entity, schema.HAS_FACT)]
    return own + [tie.other for tie in graph.arriving(entity, schema.OBJECT)]


def _mentions(graph: Graph, entities: Iterable[Node]) -> list[Node]:
    return [tie.other for one in entities for tie in graph.arriving(one, schema.OF)]


def _settle_holders(graph: Graph, facts: Iterable[Node]) -> None:
    """Settle the entities that have *facts*, each once."""
    every = graph.another(All)
    ties = [tie for fact in facts for tie in every.arriving(fact, schema.HAS_FACT)]
    for entity in {tie.other.id: tie.other for tie in ties}.values():
        hiding.settle(graph, entity)


def _withhold(graph: Graph, facts: Iterable[Node], cause: str) -> None:
    """Let nobody quote the sentences that told *facts*, which were forgotten with *cause*."""
    for one in _telling(graph, facts):
        one.set(unquoted_with=[*(one.get("unquoted_with") or ()), cause])


def _quote_again(graph: Graph, facts: Iterable[Node], causes: Collection[str]) -> None:
    for one in _telling(graph, facts):
        left = [key for key in one.get("unquoted_with") or () if key not in causes]
        one.set(unquoted_with=left or None)


def _strike_out(graph: Graph, facts: Iterable[Node]) -> None:
    """Remove the sentences that told *facts* for ever."""
    for one in _telling(graph, facts):
        one.set(mention_context=None, source_span=None, inferred_from=None, unquoted_with=None)


def _telling(graph: Graph, facts: Iterable[Node]) -> list[Node]:
    """Return the mentions of the messages that told *facts* whose sentence tells one of them."""
    found: dict[int, Node] = {}
    every = graph.another(All)
    for fact in facts:
        said, ids = fact.get("context"), fact.get("mention_ids") or ()
        holders = [tie.other for tie in every.arriving(fact, schema.HAS_FACT)]
        told = [one for one in _mentions(every, holders) if one.key in ids]
        messages = {one.get("message_id") for one in told}
        sessions = {tie.other for one in told for tie in every.leaving(one, schema.IN)}
        for one in (one for session in sessions for one in mentions.of_session(every, session)):
            words = one.get("mention_context")
            is_told = words and said and (said in words or words in said)
            if is_told and one.get("message_id") in messages:
                found[one.id] = one
    return list(found.values())


def _with(graph: Graph, node: Node) -> str:
    """Return the ids that *node*, or the mentions that told it, were forgotten with."""
    every = graph.another(All)
    causes = list(node.get("forgotten_with") or ())
    if not causes:
        around = [tie.other for tie in every.arriving(node, schema.HAS_FACT, schema.OF)]
        around += [one for tie in around for one in _mentions(every, [tie])]
        entity = mentions.entity_of(every, node) if node.label == schema.MENTION else None
        around += [] if entity is None else [entity]
        causes = [key for one in around for key in one.get("forgotten_with") or ()]
    return ", ".join(show_name(one) for one in dict.fromkeys(causes)) or "what told it"
