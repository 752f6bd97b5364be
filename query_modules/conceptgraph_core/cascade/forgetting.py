"""Forget, replace, restore and purge texts, and what was derived from them.

No text is removed but by a purge. A concept that only a forgotten text made goes at once, and a
restore makes it anew. Each verb changes a thing, and all that rests on it, in one call.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

from ..entities import bitemporal, mentions, resting, schema
from ..entities import lookups as of_entities
from ..entities.identity import components, ledger, merging
from ..entities.language import kin
from ..entities.names import canonical
from ..entities.node import All, Node
from ..entities.node import Graph as Entities
from ..graph.primitives import Range
from ..jobs import worker
from ..jobs.schema import BATCH, EVERY, MAX_BATCH, PURGE
from ..jobs.worker import Work
from ..memories import ingesting, lifecycle, links, lookups, standing
from ..memories import schema as memories
from ..memories.view import AllMemories, Graph
from ..memories.view import Node as Memory
from ..retrieval import documents
from ..retrieval.indexer import Writer
from ..texts import text as texts_
from ..texts.text import show_name
from ..verbs import limits
from ..verbs.errors import NotAllowed, NotFound, Tautology
from . import texts

Row = dict[str, Any]
# The kinds of what can be forgotten beside memories, by their labels.
FORGETTABLE: Final = {
    schema.ENTITY: "entity",
    schema.FACT: "fact",
    schema.MENTION: "mention",
}


def forget(graph: Graph, id_: str, reason: str | None = None) -> Row:
    """Hide what has that id: a memory, a fact, a mention or an entity, with what rests on it alone.

    * With a memory go the mentions, facts and entities that it alone told. One that it replaced is
      so again.
    * With a fact goes the sentence that told it, which is not quoted any more. A fact that it ended
      or corrected is so again.
    * With a mention go the facts that it alone told, and an entity of which nothing is left.
    * With an entity go all entities merged with it, their mentions and facts, the facts that have
      one of them as their value, and the texts that are about nobody else. `others` are those that
      are about others too: {id, text, about}, the names.

    The owner can restore everything in full. Returns id, forgotten_at (unix ms) and others. Raises
    NotFound, InvalidText.
    """
    if reason is not None:
        texts_.summary(reason, "reason")
    graph.pull(*lookups.of_any_id(id_))
    if found := graph.present([id_]):
        hide(graph, found, {} if reason is None else {"reason": reason})
        return {"id": id_, "forgotten_at": graph.context.now_ms, "others": []}
    every, known = graph.another(AllMemories), graph.another(Entities)
    node = _find(known, id_)
    node.set(forgotten_because=reason)
    others: list[Row] = []
    if node.label == schema.ENTITY:
        about = _list_about(every, node)
        _hide_entity(every, node)
        alone = [one for one, names in about.items() if not names and not one.is_deleted]
        others = [
            {"id": one.memory_id, "text": one.text, "about": names}
            for one, names in about.items()
            if names and not one.is_deleted
        ]
        hide(graph, alone, {**({} if reason is None else {"reason": reason}), "with": id_})
    elif node.label == schema.MENTION:
        resting.hide(known, [node], node.key)
        texts.mark_told(every, [node])
    else:
        resting.hide_node(known, node, node.key)
        _settle_facts(every, [node], True, node.key)
    return {"id": node.key, "forgotten_at": graph.context.now_ms, "others": others}


def restore(graph: Graph, id_: str) -> Row:
    """Bring back what `forget` hid with that id, as its owner; counts an access to a memory.

    Returns id, restored (False if it was in sight), and the state of a memory. Raises NotFound, and
    NotAllowed if it went with something else, which must be restored first.
    """
    graph.pull(*lookups.of_any_id(id_))
    every, known = graph.another(AllMemories), graph.another(Entities)
    if found := every.present([id_]):
        restored = _show(every, found)
        return {"id": id_, "restored": restored, "state": every.state(found[0])}
    node = _find(known.another(All), id_)
    was_hidden = resting.is_hidden(node)
    if node.label == schema.ENTITY:
        _show(every, [one for one in every.nodes() if _went_with(one, id_)])
        _show_entity(every, node)
    elif node.label == schema.MENTION:
        resting.show(known, [node], {node.key})
        texts.mark_told(every, [node])
    else:
        resting.show_node(node, {node.key})
        _settle_facts(every, [node], False, node.key)
    if resting.is_hidden(node):
        raise NotAllowed(
            f"id: {show_name(id_)} was forgotten with {_name_causes(known, node)}; restore that"
        )
    node.set(forgotten_because=None)
    return {"id": node.key, "restored": was_hidden, "state": None}


def forget_memory(graph: Graph, memory_id: str, reason: str | None = None) -> Row:
    """Hide a memory; its owner can restore it in full. Raises NotFound, InvalidText.

    The things that rest on it alone go with it. A memory that it replaced is so again. Returns
    memory_id and deleted_at (unix ms).
    """
    graph.pull(lookups.resting(memory_id))
    why = {} if reason is None else {"reason": texts_.summary(reason, "reason")}
    hide(graph, [graph.existing(memory_id)], why)
    return {"memory_id": memory_id, "deleted_at": graph.context.now_ms}


def restore_memory(graph: AllMemories, memory_id: str) -> Row:
    """Restore a forgotten or expired memory in full; counts an access.

    Returns memory_id, restored (False if it was never hidden), state and decay_score. Raises
    NotFound.
    """
    graph.pull(lookups.resting(memory_id))
    node = graph.existing(memory_id)
    return {
        "memory_id": node.memory_id,
        "restored": _show(graph, [node]),
        "state": graph.state(node),
        "decay_score": round(node.get("decay_score"), memories.DECIMALS),
    }


def hide(graph: AllMemories, nodes: Sequence[Memory], why: Row) -> None:
    """Hide *nodes*, and store *why*: a reason, what they were forgotten with."""
    # In one go, because the first may remove what the others had associated too.
    texts.settle(graph.another(AllMemories), standing.hide(graph, nodes, why))


def _show(graph: AllMemories, nodes: Sequence[Memory]) -> bool:
    """Bring *nodes* back; return whether any of them was hidden."""
    hidden = [node for node in nodes if node.is_deleted]
    changed = list(hidden)
    for node in hidden:
        metadata = {k: v for k, v in node.get("metadata").items() if k != memories.FORGOTTEN}
        graph.update(node, deleted_at=None, metadata=metadata)
        lifecycle.access(graph, node)
        changed += standing.settle(graph, node)
    texts.settle(graph, changed)
    return bool(hidden)


def _went_with(node: Memory, id_: str) -> bool:
    forgotten = node.get("metadata").get(memories.FORGOTTEN)
    return isinstance(forgotten, dict) and forgotten.get("with") == id_


def replace(
    graph: Graph, node: Memory, old: Memory, until: int, made: Sequence[Memory] = ()
) -> Memory | None:
    """Let *node* replace *old*, which was valid *until* then (unix ms), and contradict it.

    If another memory replaced that one before, it is returned and stays: each may be so of a part.
    Said again, it changes nothing. Raises Tautology.
    """
    if old.id == node.id:
        raise Tautology("replaces: a memory cannot replace itself")
    later = standing.last(graph.another(AllMemories), old)
    if later.id == node.id:
        return None
    end(graph, node, [old], until, made)
    return None if later.id == old.id else later


def end(
    graph: Graph, node: Memory, olds: Sequence[Memory], until: int, made: Sequence[Memory] = ()
) -> None:
    """Let *node* say what is so since *olds*, which were so *until* then, with what rests on them.

    They are so again once *node* is forgotten. *made* are the memories that this call made.
    """
    every = graph.another(AllMemories)
    graph.pull(lookups.resting_all(lookups.ids(*(old.memory_id for old in olds))))
    for old in olds:
        links.join(graph, node, old, "contradicts", 1.0)
        standing.end(every, old, node, until)
    texts.settle(every, olds, made)


def purge_memories(
    graph: AllMemories,
    retention_ms: int,
    memory_ids: Sequence[str] = (),
    limit: int | None = BATCH,
    dry_run: bool = False,
    holder: str | None = None,
) -> list[Row]:
    """Remove for ever the memories deleted over *retention_ms* ago, or those of *memory_ids*.

    The longest deleted first, at most *limit* of them, with what was hidden with them. Returns
    memory_id, deleted_at and text of each. With *holder*, see `decay.batch`.
    """
    window, most = _read_window(retention_ms, limit)
    only = frozenset(memory_ids)
    latest = graph.context.now_ms - window
    work = () if dry_run or holder is None else (EVERY,)
    if only:
        graph.pull(lookups.ids(*memory_ids), *work)
    else:
        span, where = (-limits.MAX_TIME_MS, latest + 1), lookups.mine(graph.context.user_id)
        graph.pull(Range((memories.MEMORY,), "deleted_at", *span, where, most, "id"), *work)
    gone = []
    for node in graph.nodes():
        deleted_at = node.get("deleted_at")
        if deleted_at is None or deleted_at > latest or (only and node.memory_id not in only):
            continue
        gone.append((deleted_at, node.memory_id, node))
    gone = sorted(gone, key=lambda one: one[:2])[:most]
    told = [{"memory_id": one, "deleted_at": at, "text": node.text} for at, one, node in gone]
    if not dry_run:
        if holder is not None:
            worker.count_batch(graph.another(Work), holder, PURGE, {"purged": len(gone)})
        expect_removal(graph, [one for _, one, _ in gone])
        _remove_memories(graph, [node for _, _, node in gone])
    return told


def retract(graph: AllMemories, import_id: str, memory_ids: Sequence[str]) -> Row:
    """Remove for ever those of the memories that the import brought alone, and what rests on them.

    Mentions, facts and entities go with the memories that alone told them. Memories that another
    import has too stay. Returns removed and kept, two counts.
    """
    label = texts_.name(import_id, "import_id")
    expect_removal(graph, memory_ids)
    gone, kept = ingesting.part_from(graph, label, memory_ids)
    hide_and_remove(graph, gone)
    return {"removed": len(gone), "kept": kept}


def hide_and_remove(graph: AllMemories, nodes: Sequence[Memory]) -> None:
    """Remove *nodes*, forgotten or not, with all that rests on them."""
    # Mentions are removed only when they are hidden.
    hide(graph, [one for one in nodes if not one.is_forgotten], {})
    _remove_memories(graph, nodes)


def expect_removal(graph: AllMemories, memory_ids: Sequence[str]) -> None:
    """Look up what it takes to hide and remove these memories."""
    if memory_ids:
        indexed = documents.removed(memories.KIND, memory_ids, graph.context.user_id)
        graph.pull(lookups.resting_all(lookups.ids(*memory_ids)), *indexed)


def _remove_memories(graph: AllMemories, nodes: Sequence[Memory]) -> None:
    """Remove *nodes* for ever, with the hidden mentions that rest on them."""
    writer = Writer(graph)
    # Memgraph refuses to read a node that is gone, so all are looked up before.
    observed = texts.find_mentions(graph, nodes)
    for node in nodes:
        writer.remove(memories.KIND, node)
        graph.delete_node(node)
    writer.finish()
    resting.remove(graph.another(Entities), observed)


def purge(
    graph: Entities,
    retention_ms: int,
    ids: Sequence[str] = (),
    limit: int | None = BATCH,
    dry_run: bool = False,
) -> list[Row]:
    """Remove for ever what was forgotten by itself over *retention_ms* ago, or those of *ids*.

    The longest forgotten first, at most *limit*, with all that was hidden with them. Returns id,
    kind, forgotten_at and text of each.
    """
    window, most = _read_window(retention_ms, limit)
    latest = graph.now_ms - window
    if ids:
        wanted = [texts_.name(one, "ids") for one in ids]
        graph.pull(of_entities.with_any_id(*wanted))
    else:
        graph.pull(of_entities.forgotten(-limits.MAX_TIME_MS, latest + 1, graph.user_id, most))
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


def _read_window(retention_ms: int, limit: int | None) -> tuple[int, int]:
    window = texts_.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    return window, texts_.limit(limit, BATCH, MAX_BATCH)


def describe(graph: Entities, node: Node) -> str:
    """Return what a fact, a mention or an entity says, for a list."""
    if node.label == schema.ENTITY:
        return node.own_name
    if node.label == schema.MENTION:
        return str(node.get("mention_context") or node.get("label"))
    of = next((tie.other.own_name for tie in graph.arriving(node, schema.HAS_FACT)), "")
    about = bitemporal.find_object(graph, node)
    value = node.get("value") if about is None else about.own_name
    return f"{of} – {node.get('predicate')}: {value}"


def _remove(every: Entities, node: Node) -> set[int]:
    """Remove what was forgotten with *node*; return the ids of all that is gone."""
    if node.label == schema.MENTION:
        return resting.remove(every, [node])
    if node.label == schema.FACT:
        _strike_out(every, [node])
        every.delete_node(node)
        return {node.id}
    members = components.members(every, node)
    everyone = [one for one in members if resting.is_hidden(one)]
    facts = [fact for one in everyone for fact in _list_facts(every, one)]
    _strike_out(every, facts)
    mentioned = components.mentions_of(every, everyone)
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
    resting.drop_empty(every, sessions)
    return set(gone)


def _find(graph: Entities, id_: str) -> Node:
    """Return the fact, the mention or the entity of that id. Raises NotFound."""
    wanted = texts_.name(id_, "id")
    for node in graph.nodes():
        if node.label in FORGETTABLE and node.key == wanted:
            return node
    raise NotFound(f"id: not found: {show_name(wanted)}; about and search return the ids")


def _hide_entity(graph: AllMemories, entity: Node) -> None:
    # Things that are hidden already must not come back with something else.
    every, known = graph.another(All), graph.another(Entities)
    everyone = components.members(every, entity)
    facts = [fact for one in everyone for fact in _list_facts(every, one)]
    for one in (*everyone, *facts):
        resting.hide_node(known, one, entity.key)
    resting.hide(known, components.mentions_of(every, everyone), entity.key)
    _settle_facts(graph, facts, True, entity.key)


def _show_entity(graph: AllMemories, entity: Node) -> None:
    every, known = graph.another(All), graph.another(Entities)
    everyone = components.members(every, entity)
    causes = {one.key for one in everyone}
    facts = [fact for one in everyone for fact in _list_facts(every, one)]
    for one in (*everyone, *facts):
        resting.show_node(one, causes)
    resting.show(known, components.mentions_of(every, everyone), causes)
    _settle_facts(graph, facts, False, *causes)


def _settle_facts(
    graph: AllMemories, facts: Sequence[Node], are_hidden: bool, *causes: str
) -> None:
    """Settle whoever has *facts*, which were hidden or shown with *causes*, and their texts."""
    every = graph.another(All)
    resting.settle_holders(graph.another(Entities), facts)
    resting.withhold(every, facts, are_hidden, *causes)
    told = [one for fact in facts for one in resting.list_telling(every, fact)]
    texts.mark(graph, [*facts, *texts.find_followed(graph, told)])


def _list_facts(graph: Entities, entity: Node) -> list[Node]:
    """Return the facts of *entity*, and those that have it as their value."""
    own = [tie.other for tie in graph.leaving(entity, schema.HAS_FACT)]
    return own + [tie.other for tie in graph.arriving(entity, schema.OBJECT)]


def _list_about(graph: AllMemories, entity: Node) -> dict[Memory, list[str]]:
    """Return the texts in which *entity* is named, each with the names of others in it.

    "peanuts", without a kind and a capital, is a thing that a text says something of, and a value
    of a fact on the entity is no other either, nor are "my friend" and the user.
    """
    every = graph.another(All)
    members = components.members(every, entity)
    everyone = {one.id for one in members}
    kinds = {canonical(kind) for one in members if (kind := one.get("entity_kind"))}
    for one in members:
        for fact in resting.list_facts(every, one):
            about = bitemporal.find_object(every, fact)
            kinds.add(canonical(fact.get("value")))
            if about is not None and kin.relation(fact.get("predicate")) is None:
                everyone.add(about.id)
    told = components.mentions_of(every, members)
    found: dict[Memory, list[str]] = {}
    for memory in texts.find_texts(graph, told):
        named = (mentions.entity_of(every, one) for one in texts.find_mentions(graph, [memory]))
        others = (
            one.own_name
            for one in named
            if one is not None and one.id not in everyone and _is_another(one, kinds)
        )
        found[memory] = list(dict.fromkeys(others))
    return found


def _is_another(entity: Node, kinds: Collection[str]) -> bool:
    name = canonical(entity.bare).removeprefix("my ")
    if components.is_self(entity) or name in kinds:
        return False
    kind = entity.get("entity_kind")
    if kin.relation(name) is not None or kin.kinds(name):
        # "Mum" is somebody, "friend" is a word for the one who is forgotten.
        return kind is not None and canonical(kind) != name
    return kind is not None or entity.bare != entity.bare.lower()


def _strike_out(graph: Entities, facts: Sequence[Node]) -> None:
    """Remove the sentences that told *facts*, and what they claim, for ever."""
    for one in (telling for fact in facts for telling in resting.list_telling(graph, fact)):
        one.set(claims=None)
    for one in resting.find_telling(graph, facts):
        one.set(mention_context=None, source_span=None, inferred_from=None, unquoted_with=None)


def _name_causes(graph: Entities, node: Node) -> str:
    """Return the ids that *node*, or the mentions that told it, were forgotten with."""
    every = graph.another(All)
    causes = list(node.get("forgotten_with") or ())
    if not causes:
        around = [tie.other for tie in every.arriving(node, schema.HAS_FACT, schema.OF)]
        around += components.mentions_of(every, around)
        entity = mentions.entity_of(every, node) if node.label == schema.MENTION else None
        around += [] if entity is None else [entity]
        causes = [key for one in around for key in one.get("forgotten_with") or ()]
    return ", ".join(show_name(one) for one in dict.fromkeys(causes)) or "what told it"
