"""Build the calls of the entity layer, all within the scope of one user."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conceptgraph_core import text
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.entities import ids, names, procedures, schema
from conceptgraph_core.errors import InvalidText

from . import entity_lookups as look_up
from . import text_lookups
from .call import Call, checked
from .embedding import held, remembered
from .lookups import Equal, Ordered, Range, Union

if TYPE_CHECKING:
    from conceptgraph_core.entities import inputs

# A map of areas reads so many entities; a picture of an area has so many members.
_MAPPED = 20_000
MOST_MEMBERS = schema.MAX_LISTED


@checked
def observe(
    session_id: str,
    message_id: str,
    speaker: str,
    message: str,
    observations: Sequence[Mapping[str, Any]] = (),
    *,
    relations: Sequence[Mapping[str, Any]] = (),
    user_id: str = DEFAULT_USER,
) -> Call:
    # Imported only here, because every database connection imports this module and few observe.
    from conceptgraph_core.entities import inputs, rule_extractor

    text.name(session_id, "session_id")
    text.name(message_id, "message_id")
    text.summary(message, "text")
    observations, wanted = rule_extractor.wanted(
        message, observations, text_lookups.spoken(), speaker
    )
    related = inputs.relations(relations)
    known = [one for one in wanted if one.needs_known]
    wanted = [one for one in wanted if not one.needs_known]
    called = [name for one in wanted for name in (one.name, *one.also)]
    called += [name for one in related for name in (one.source, one.target)]
    mentioned = {
        ids.mention(user_id, session_id, message_id, one.counted, one.node_type)
        for one in (*wanted, *known)
    }
    parts = [
        look_up.session(session_id, user_id),
        Equal((schema.MENTION,), ("id",), tuple((one,) for one in sorted(mentioned))),
        *look_up.called(called, user_id),
        *look_up.meaning(wanted, user_id),
        *look_up.find_known(known, user_id),
        *look_up.find_kin(message, user_id),
        look_up.with_ids(one.same_as for one in wanted if one.same_as is not None),
        look_up.latest(user_id),
        *(look_up.near(one.embedding, user_id) for one in wanted if one.embedding is not None),
    ]
    if any(one.embedding is not None for one in wanted):
        parts += [remembered(), held(session_id)]
    arguments = (
        *(session_id, message_id, speaker, message),
        *([dict(one) for one in observations], [dict(one) for one in relations]),
    )
    return Call(procedures.OBSERVE, arguments, Union(tuple(parts)), text_lookups.context())


@checked
def end_session(session_id: str, user_id: str = DEFAULT_USER) -> Call:
    text.name(session_id, "session_id")
    return Call(procedures.END_SESSION, (session_id,), look_up.session(session_id, user_id))


@checked
def search(
    query: str,
    types: Sequence[str] = (),
    limit: int | None = None,
    include_inactive: bool = False,
    user_id: str = DEFAULT_USER,
) -> Call:
    text.summary(query, "query")
    name = names.canonical(query)
    plain = names.searched(name)
    words_asked = list(dict.fromkeys(names.words(name)))[: schema.WORDS_SEARCHED]
    # Entities whose name begins with the query, or with one of its words, at any word.
    begun = [
        Range(
            *((schema.ENTITY,), "searched", one, one + names.LAST),
            where=look_up.mine(user_id),
            limit=schema.SEARCHED if one == plain else schema.WORD_SEARCHED,
        )
        for one in dict.fromkeys((plain, *words_asked))
    ]
    inner = [
        Range(
            *((schema.ENTITY,), place, one, one + names.LAST),
            where=look_up.mine(user_id),
            limit=schema.WORD_SEARCHED,
        )
        for one in words_asked[: schema.INNER_SEARCHED]
        for place in schema.INNER_WORDS.values()
    ]
    called = Equal((schema.ENTITY,), ("user_id", "called"), ((user_id, name),))
    arguments = (query, list(types), limit, include_inactive)
    return Call(procedures.SEARCH, arguments, Union((called, *begun, *inner)))


@checked
def get(
    entity_id: str,
    valid_at: int | None = None,
    known_at: int | None = None,
    limit: int | None = None,
) -> Call:
    text.name(entity_id, "entity_id")
    return Call(
        procedures.GET, (entity_id, valid_at, known_at, limit), look_up.with_ids([entity_id])
    )


@checked
def neighbourhood(
    entity_ids: Sequence[str], max_hop: int = schema.DEFAULT_HOPS, limit: int | None = None
) -> Call:
    """Return the call for a picture of the entities around *entity_ids*."""
    wanted = [text.name(one, "entity_ids") for one in entity_ids]
    return Call(procedures.NEIGHBOURHOOD, (wanted, max_hop, limit), look_up.with_ids(wanted))


@checked
def history(entity_id: str) -> Call:
    """Return the call that lists the facts of *entity_id*, ended and corrected ones too."""
    text.name(entity_id, "entity_id")
    return Call(procedures.HISTORY, (entity_id,), look_up.with_ids([entity_id]))


@checked
def presence(entity_ids: Sequence[str], bounds: Sequence[int]) -> Call:
    """Return the call that counts the mentions of *entity_ids* between each two of *bounds*."""
    wanted = [text.name(one, "entity_ids") for one in entity_ids]
    return Call(procedures.PRESENCE, (wanted, list(bounds)), look_up.with_ids(wanted))


@checked
def fact(entity_id: str, given: "inputs.Given") -> Call:
    from conceptgraph_core.entities import inputs

    text.name(entity_id, "entity_id")
    inputs.check_fact(given)
    entities = [entity_id, *([] if given.object_id is None else [given.object_id])]
    old = tuple((one,) for one in (given.corrects, given.ends) if one is not None)
    arguments = (
        *(entity_id, given.predicate, given.value, given.object_id, given.valid_from),
        *(given.valid_until, given.single, given.corrects, given.ends, given.speaker),
        *(given.text, given.span),
    )
    found = (look_up.with_ids(entities), Equal((schema.FACT,), ("id",), old))
    return Call(procedures.FACT, arguments, Union(found if old else found[:1]))


@checked
def stats(user_id: str = DEFAULT_USER) -> Call:
    return Call(procedures.STATS, (), Equal((schema.ENTITY,), ("user_id",), ((user_id,),)))


@checked
def communities(
    community: str | None = None,
    members: int = 3,
    limit: int | None = None,
    user_id: str = DEFAULT_USER,
) -> Call:
    """Return the call for the communities of the entities activated last, or for one of them."""
    if community is not None:
        text.name(community, "community")
    found = Ordered(schema.ENTITY, "last_activated", _MAPPED, where=look_up.mine(user_id))
    return Call(procedures.COMMUNITIES, (community, members, limit), found)


@checked
def context(message: str, token_budget: int | None = None, user_id: str = DEFAULT_USER) -> Call:
    text.summary(message, "message")
    found = Union(tuple(look_up.named_by(message, user_id)))
    return Call(procedures.CONTEXT, (message, token_budget), found)


@checked
def explain(
    entity_id: str | None = None,
    source: str | None = None,
    target: str | None = None,
    edge_type: str | None = None,
) -> Call:
    given = [one for one in (entity_id, source, target) if one is not None]
    for one in given:
        text.name(one, "entity_id")
    if not given:
        raise InvalidText("entity_id: give an entity_id, or from, to and type")
    return Call(procedures.EXPLAIN, (entity_id, source, target, edge_type), look_up.with_ids(given))


@checked
def link(
    entity_id: str,
    linked_entity_id: str | None,
    confidence: float | None,
    rationale: str,
    origin: str,
    *,
    said: str | None = None,
) -> Call:
    given = [entity_id] if linked_entity_id is None else [entity_id, linked_entity_id]
    for one in given:
        text.name(one, "entity_id")
    text.summary(rationale, "link_rationale")
    claim = entity_id, linked_entity_id, confidence, rationale, origin, said
    return Call(procedures.LINK, claim, look_up.with_ids(given))


@checked
def merge(
    source_id: str,
    target_id: str,
    reason: str,
    by: str = schema.SYSTEM,
    said: str | None = None,
) -> Call:
    text.name(source_id, "source_id")
    text.name(target_id, "target_id")
    text.summary(reason, "reason")
    arguments = (source_id, target_id, reason, by, said)
    return Call(procedures.MERGE, arguments, look_up.with_ids([source_id, target_id]))


@checked
def split(
    entity_id: str,
    labels: Sequence[str],
    mention_ids: Sequence[str],
    since: int | None,
    *,
    said: str | None,
    reason: str,
    user_id: str = DEFAULT_USER,
) -> Call:
    """Return the call that splits an entity.

    *labels*, from `get`, are its names, which are taken.
    """
    text.name(entity_id, "entity_id")
    text.summary(reason, "reason")
    wanted = [text.name(one, "mention_ids") for one in mention_ids]
    # The plain name, without the suffix that distinguishes it from namesakes.
    bare = [names.canonical(one.partition(" (")[0]) for one in labels]
    every = dict.fromkeys([*bare, *map(names.canonical, labels)])
    called = tuple((user_id, one) for one in every)
    taken = [name for one in every for name in (one, *names.numbered(one))]
    parts = (
        look_up.with_ids([entity_id]),
        Equal((schema.ENTITY,), ("user_id", "called"), called),
        Equal(
            *((schema.ENTITY,), ("user_id", "canonical_name")),
            tuple((user_id, one) for one in dict.fromkeys(taken)),
        ),
    )
    return Call(procedures.SPLIT, (entity_id, wanted, since, said, reason), Union(parts))


@checked
def end(entity_id: str, said: str | None, reason: str, valid_until: int | None = None) -> Call:
    text.name(entity_id, "entity_id")
    text.summary(reason, "reason")
    return Call(
        procedures.END, (entity_id, said, reason, valid_until), look_up.with_ids([entity_id])
    )


@checked
def answer(one_id: str, other_id: str, same: bool, reason: str) -> Call:
    """Return the owner's call that answers an open question whether two are the same."""
    given = [text.name(one, "entity_id") for one in (one_id, other_id)]
    text.summary(reason, "reason")
    return Call(procedures.ANSWER, (*given, same, reason), look_up.with_ids(given))


@checked
def questions(limit: int | None = None, user_id: str = DEFAULT_USER) -> Call:
    """Return the call for the open questions about the entities activated last."""
    statuses = [
        Ordered(
            *(schema.ENTITY, "last_activated", schema.MAX_LISTED),
            where=(*look_up.mine(user_id), ("identity_status", status)),
        )
        for status in (schema.AMBIGUOUS, schema.PROVISIONAL, schema.DISTINCT)
    ]
    return Call(procedures.QUESTIONS, (limit,), Union(tuple(statuses)))


@checked
def unmerge(merge_id: str, reason: str) -> Call:
    text.name(merge_id, "merge_id")
    text.summary(reason, "reason")
    found = Equal((schema.MERGE,), ("id",), ((merge_id,),))
    return Call(procedures.UNMERGE, (merge_id, reason), found)


@checked
def forget(id_: str, reason: str | None = None) -> Call:
    """Return the call that hides a fact, a mention or an entity."""
    if reason is not None:
        text.summary(reason, "reason")
    return Call(procedures.FORGET, (text.name(id_, "id"), reason), look_up.with_any_id(id_))


@checked
def restore(id_: str) -> Call:
    """Return the owner's call that brings back what `forget` hid."""
    return Call(procedures.RESTORE, (text.name(id_, "id"),), look_up.with_any_id(id_))
