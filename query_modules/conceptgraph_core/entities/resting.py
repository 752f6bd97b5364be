"""Hide, show, end and remove mentions, facts and entities with what they rest on.

* A mention rests on its text, which whoever calls knows (`cascade.texts`): it is out of sight with
  that, and over with it (`valid_until`).
* A fact rests on each of its mentions: it is out of sight with the last one in sight, and ended
  when all of these are over. It also ends, or never was so, by what came after it: by a fact, or by
  a mention that told so without a new value. If that is out of sight or not believed, the next one
  counts; if there is none, the fact is so again.
* An entity rests on its mentions and facts.
* With a fact that was forgotten or corrected, its sentence is not quoted.

Each node has the ids that it was hidden with: of a memory, of an entity, or its own. It is in sight
again when none is left.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from . import bitemporal, mentions, names, schema
from .identity import components, ledger, merging
from .language import kin
from .node import All, Graph, Node

# An entity to which such an edge leads is not removed.
_KEEPING: Final = (schema.OBJECT, schema.MERGE_OF, schema.MERGE_INTO)
_FORMER: Final = "former "
# The predicate of a fact on one of this kind, where it is another word.
_TIES: Final = {"wife": "spouse", "husband": "spouse"}


def hide(graph: Graph, told: Iterable[Node], cause: str) -> None:
    """Hide the mentions *told* with *cause*, and all that rests on them alone."""
    for entity, of_one in group_by_entity(graph, told).items():
        gone = [one for one in of_one if hide_node(graph, one, cause)]
        mentions.discount(graph.another(Graph), entity, gone)
        settle(graph, entity)


def show(graph: Graph, told: Iterable[Node], causes: Collection[str] | None) -> None:
    """Bring back the mentions *told* that were hidden with *causes* alone, or with any (None)."""
    for entity, of_one in group_by_entity(graph, told).items():
        come = [one for one in of_one if show_node(one, causes)]
        if come and causes is None:
            # It was told anew.
            entity.set(forgotten_with=None)
        mentions.recount(graph.another(All), entity, come)
        settle(graph, entity)


def end(graph: Graph, told: Iterable[Node], until: int | None) -> None:
    """Let the texts of the mentions *told* have been so *until* then; None: they are so."""
    for entity, of_one in group_by_entity(graph, told).items():
        changed = [one for one in of_one if one.get("valid_until") != until]
        for one in changed:
            one.set(valid_until=until)
        if changed:
            settle(graph, entity)


def hide_node(graph: Graph, node: Node, cause: str) -> bool:
    """Hide *node* with *cause*; tell whether it was in sight."""
    causes = node.get("forgotten_with") or []
    was_seen = not is_hidden(node)
    if was_seen:
        node.set(forgotten_at=graph.now_ms)
    if cause not in causes:
        node.set(forgotten_with=[*causes, cause])
    return was_seen


def show_node(node: Node, causes: Collection[str] | None) -> bool:
    """Let *causes* hide *node* no longer (None: nothing does); tell whether it came into sight."""
    left = [one for one in node.get("forgotten_with") or () if causes and one not in causes]
    node.set(forgotten_with=left or None)
    if left or not is_hidden(node):
        return False
    node.set(forgotten_at=None)
    return True


def is_hidden(node: Node) -> bool:
    return node.get("forgotten_at") is not None


def settle(graph: Graph, entity: Node) -> None:
    """Hide or show *entity* and its facts by what they rest on, and end or open these."""
    every = graph.another(All)
    by_id = {one.key: one for one in components.mentions_of(every, [entity])}
    for fact in list_facts(every, entity):
        told = [by_id[key] for key in fact.get("mention_ids") or () if key in by_id]
        is_untold = bool(told) and all(map(is_hidden, told))
        _set_hidden(graph, fact, bool(fact.get("forgotten_with")) or is_untold)
    settle_ends(every, entity)
    rests = entity.get("user_mention_count") + entity.get("model_mention_count")
    rests += sum(1 for _ in graph.another(Graph).leaving(entity, schema.HAS_FACT))
    _set_hidden(graph, entity, bool(entity.get("forgotten_with")) or rests == 0)


def settle_holders(graph: Graph, facts: Iterable[Node]) -> None:
    """Settle the entities that have *facts*, each once."""
    every = graph.another(All)
    ties = [tie for fact in facts for tie in every.arriving(fact, schema.HAS_FACT)]
    for entity in {tie.other.id: tie.other for tie in ties}.values():
        settle(graph, entity)


def _set_hidden(graph: Graph, node: Node, hides: bool) -> None:
    if is_hidden(node) != hides:
        node.set(forgotten_at=graph.now_ms if hides else None)


def list_facts(every: Graph, entity: Node) -> list[Node]:
    return [tie.other for tie in every.leaving(entity, schema.HAS_FACT)]


def list_telling(every: Graph, fact: Node) -> list[Node]:
    """Return the mentions that told *fact*."""
    ids = fact.get("mention_ids") or ()
    holders = [tie.other for tie in every.arriving(fact, schema.HAS_FACT)] if ids else []
    return [one for one in components.mentions_of(every, holders) if one.key in ids]


def group_by_entity(graph: Graph, told: Iterable[Node]) -> dict[Node, list[Node]]:
    every = graph.another(All)
    found: dict[Node, list[Node]] = {}
    for mention in told:
        entity = mentions.entity_of(every, mention)
        if entity is not None:
            found.setdefault(entity, []).append(mention)
    return found


def settle_ends(graph: Graph, entity: Node) -> None:
    """Set the ends of the facts of *entity*'s component by what is in sight and believed."""
    every = graph.another(All)
    told, facts = _read_known(every, entity)
    known = {**told, **facts}
    for fact in facts.values():
        if fact.get("corrected_by") in known:
            by = _find_correcting(known, fact)
            fact.set(known_until=None if by is None else by.told_at)
            withhold(every, [fact], by is not None, fact.get("corrected_by"))
    for fact in facts.values():
        # Until when all texts in sight that tell it were so; None: one is so, or none.
        seen = [told[key] for key in fact.get("mention_ids") or () if key in told]
        ends = [one.get("valid_until") for one in seen if not is_hidden(one)]
        until = max(ends, default=None) if None not in ends else None
        if fact.get("ended_by") in known:
            _set_end(graph, fact, _find_ending(known, fact), until)
        elif until != fact.get("text_until") and (
            fact.get("ended_at") is None or fact.get("text_until") is not None
        ):
            _set_end(graph, fact, None, until)
        else:
            continue
        follow_tie(graph, fact)


def _read_known(every: Graph, entity: Node) -> tuple[dict[str, Node], dict[str, Node]]:
    """Return the mentions and the facts of the component of *entity*, by their ids."""
    members = components.members(every, entity)
    facts = {fact.key: fact for one in members for fact in list_facts(every, one)}
    return {one.key: one for one in components.mentions_of(every, members)}, facts


def find_ending(every: Graph, entity: Node, fact: Node) -> Node | None:
    """Return what in sight ends *fact*, of *entity*: a fact or a mention; None: nothing does."""
    if fact.get("ended_by") is None:
        return None
    told, facts = _read_known(every, entity)
    return _find_ending({**told, **facts}, fact)


def _set_end(graph: Graph, fact: Node, by: Node | None, until: int | None) -> None:
    """End *fact* where what stands after it begins, or when its texts do; or let it go on."""
    ends = []
    if by is not None:
        told_at = by.told_at
        # A mention may have told that it was over on an earlier day.
        is_by = by.label != schema.FACT and fact.get("ended_at") == told_at
        since = by.get("valid_from") if by.label == schema.FACT else told_at
        since = fact.get("valid_until") if is_by else since
        ends.append((told_at if since is None else since, told_at))
    if until is not None:
        was_over = fact.get("text_until") is not None and fact.get("ended_at") is not None
        ends.append((until, fact.get("ended_at") if was_over else graph.now_ms))
    fact.set(text_until=until)
    is_ended = fact.get("ended_at") is not None
    if ends:
        if not is_ended:
            fact.set(believed_until=fact.get("valid_until"))
        fact.set(valid_until=min(ends)[0], ended_at=min(ends)[1])
    elif is_ended:
        fact.set(ended_at=None, valid_until=fact.get("believed_until"), believed_until=None)


def follow_tie(graph: Graph, fact: Node) -> None:
    """Let the kind of the one whom a *fact* names follow it: boss, and former boss once it is over.

    The fact keeps the time.
    """
    about = bitemporal.find_object(graph, fact)
    kind = None if about is None else about.get("entity_kind")
    if about is None or kind is None or is_hidden(fact):
        return
    base = kind.removeprefix(_FORMER)
    relation = kin.relation(base) or base
    if names.canonical(fact.get("predicate")) not in (relation, _TIES.get(relation)):
        return
    # A later word, which is known already, may have ended it.
    at = max(graph.now_ms, fact.get("ended_at") or graph.now_ms)
    told = base if bitemporal.is_valid(fact, at, at) else f"{_FORMER}{base}"
    if told != kind:
        about.set(entity_kind=told)


def _find_correcting(known: Mapping[str, Node], fact: Node) -> Node | None:
    """Return what is in sight and corrected *fact*, or corrected a hidden fact that did."""
    seen: set[str] = set()
    by = known.get(fact.get("corrected_by") or "")
    while by is not None and is_hidden(by) and by.key not in seen:
        seen.add(by.key)
        by = known.get(by.get("corrected_by") or "") if by.label == schema.FACT else None
    return by if by is not None and not is_hidden(by) else None


def _find_ending(known: Mapping[str, Node], fact: Node) -> Node | None:
    """Return what ends *fact*: what ended it, or what came after that if that stands no more."""
    seen = {fact.key}
    waiting = [fact.get("ended_by")]
    while waiting:
        by = known.get(waiting.pop() or "")
        if by is None or by.key in seen:
            continue
        is_believed = by.label != schema.FACT or by.get("known_until") is None
        if is_believed and not is_hidden(by):
            return by
        seen.add(by.key)
        if by.label == schema.FACT:
            waiting.append(by.get("ended_by"))
            # A mention may only have told that it never was so.
            instead = known.get(by.get("corrected_by") or "")
            if instead is not None and instead.label == schema.FACT:
                waiting.append(instead.key)
    return None


def withhold(graph: Graph, facts: Iterable[Node], withholds: bool, *causes: str) -> None:
    """Let nobody quote the sentences that told *facts* because of *causes*, or no longer so."""
    for one in find_telling(graph, facts):
        left = [key for key in one.get("unquoted_with") or () if key not in causes]
        one.set(unquoted_with=[*left, *(causes if withholds else ())] or None)


def find_telling(graph: Graph, facts: Iterable[Node]) -> list[Node]:
    """Return the mentions of the messages that told *facts* whose sentence tells one of them."""
    found: dict[int, Node] = {}
    every = graph.another(All)
    for fact in facts:
        said = fact.get("context")
        told = list_telling(every, fact)
        messages = {one.get("message_id") for one in told}
        sessions = {tie.other for one in told for tie in every.leaving(one, schema.IN)}
        for one in (one for each in sessions for one in mentions.of_session(every, each)):
            words = one.get("mention_context")
            is_told = words and said and (said in words or words in said)
            if is_told and one.get("message_id") in messages:
                found[one.id] = one
    return list(found.values())


def remove(graph: Graph, told: Iterable[Node]) -> set[int]:
    """Remove those of the mentions *told* that are hidden, and what rested on them alone.

    Sessions go with their last mention. Returns the database's ids of all that is gone.
    """
    removed: set[int] = set()
    every, once = graph.another(All), list(told)
    sessions = {tie.other for one in once for tie in every.leaving(one, schema.IN)}
    by_entity = group_by_entity(graph, once)
    # A fact is about others too, of which it may be the last.
    perhaps = {one.id: one for one in by_entity}
    for entity, of_one in by_entity.items():
        gone = [one for one in of_one if is_hidden(one)]
        words = [said for one in gone if (said := one.get("mention_context"))]
        for tie in every.ties(entity):
            # The words that an edge quotes are the message's.
            if any((tie.get("evidence") or said) in said for said in words):
                tie.set(evidence=None)
        facts = list_facts(every, entity)
        untold = ((one, list_telling(every, one)) for one in facts)
        gone += [one for one, by in untold if by and all(map(is_hidden, by))]
        keys = {one.key for one in gone}
        for one in facts:
            if one not in gone and not keys.isdisjoint(one.get("mention_ids") or ()):
                left = [key for key in one.get("mention_ids") if key not in keys]
                said = bitemporal.find_sentence(graph.another(Graph), one)
                one.set(mention_ids=left, context=said, source_span=None, inferred_from=None)
        for one in gone:
            about = [tie.other for tie in every.leaving(one, schema.OBJECT)]
            perhaps |= {other.id: other for other in about}
            every.delete_node(one)
        removed |= {one.id for one in gone}
    for entity in perhaps.values():
        if not is_hidden(entity):
            continue
        told = [*components.mentions_of(every, [entity]), *list_facts(every, entity)]
        if not told and next(every.arriving(entity, *_KEEPING), None) is None:
            every.delete_node(entity)
            removed.add(entity.id)
        elif not told:
            _blank(every, entity)
    drop_empty(every, sessions)
    return removed


def _blank(every: Graph, entity: Node) -> None:
    """Leave nothing of *entity* but that the ledger, or a fact on another one, refers to it."""
    values = {"node_label": schema.PURGED, "canonical_name": entity.key, "user_id": every.user_id}
    kind = every.kind(schema.ENTITY)
    entity.set(
        **values,
        **{name: derive(values) for name, derive in kind.derived.items()},
        **dict.fromkeys(("entity_kind", "qualifier", "shown_label", "embedding")),
    )
    for entry in ledger.entries(every, entity):
        entry.set(said=None, merge_reason=None, unmerge_reason=None)
    for tie in every.ties(entity):
        tie.set(evidence=None)
    merging.show_best(every, components.canonical(every, entity))


def drop_empty(graph: Graph, sessions: Iterable[Node]) -> None:
    """Remove those of *sessions* that have no mention."""
    for session in sessions:
        if next(mentions.of_session(graph, session), None) is None:
            graph.delete_node(session)
