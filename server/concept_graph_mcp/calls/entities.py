"""Declare the verbs of the entity layer, all within the scope of one user."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from conceptgraph_core import budgets
from conceptgraph_core import text as texts
from conceptgraph_core.arguments import (
    BEGINS,
    ENDS,
    INNER,
    UNTIL,
    Between,
    EntityId,
    Items,
    OneOf,
    Reason,
    TextBudget,
    Unit,
    When,
    ms,
)
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.embeddings.schema import remembered
from conceptgraph_core.entities import ids, names, procedures, schema
from conceptgraph_core.entities import lookups as look_up
from conceptgraph_core.errors import InvalidText
from conceptgraph_core.graph.primitives import Equal, Lookup, Ordered, Range, Union

from . import text_lookups
from .embedding import held
from .verb import Passing, verb

# A map of areas reads so many entities; a picture of an area has so many members.
_MAPPED = 20_000
MOST_MEMBERS = schema.MAX_LISTED

Speaker = Annotated[str, OneOf(schema.SPEAKERS)]
NodeType = Literal["entity", "topic", "preference", "event", "emotion"]
_EDGES = OneOf(("co_occurrence", "semantic", "temporal", "causal", "same_as", "contradicts"))
Mention = Annotated[Mapping[str, Any], "Something that the message mentions."]
Statement = Annotated[Mapping[str, Any], "What it says about two of these."]
Rows = Annotated[
    Annotated[int, Between(1, schema.MAX_LIMIT, clamps=True)] | None, "At most so many."
]
AsOf = Annotated[When | None, ENDS, "A date or time, e.g. 2026-01-31; now if left out."]
SaidNames = Annotated[
    str | None,
    "The user's exact words that say so. A name of each must stand in them, and no"
    ' denial, such as "not the same".',
]
SaidName = Annotated[
    str | None,
    "The user's exact words that say so. Only its name is looked for in them: that"
    " they mean this is for you to judge.",
]


@verb(procedures.OBSERVE, is_worded=True)
def observe(
    session_id: Annotated[str, "The conversation that it is said in."],
    message_id: Annotated[str, "The message's id: observed again, it does not count twice."],
    speaker: Annotated[Speaker, "The author of the message."],
    text: Annotated[str, "The whole message, as it was written."],
    observations: Annotated[
        Sequence[Mention],
        Items(schema.MAX_OBSERVATIONS),
        "Its mentions; none: names and users' facts on themselves are found.",
    ] = (),
    relations: Annotated[
        Sequence[Statement],
        Items(schema.MAX_OBSERVATIONS),
        "Its statements about two of these.",
    ] = (),
    user_id: str = DEFAULT_USER,
) -> Passing:
    """Record what a message mentions."""
    # Imported only here, because every database connection imports this module and few observe.
    from conceptgraph_core.entities import inputs, rule_extractor

    texts.name(session_id, "session_id")
    texts.name(message_id, "message_id")
    texts.summary(text, "text")
    rows, wanted = rule_extractor.wanted(text, observations, text_lookups.spoken(), speaker)
    related = inputs.relations(relations)
    known = [one for one in wanted if one.needs_known]
    wanted = [one for one in wanted if not one.needs_known]
    called = [name for one in wanted for name in (one.name, *one.also, *one.longer)]
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
        *look_up.find_kin(text, user_id),
        look_up.with_ids(*(one.same_as for one in wanted if one.same_as is not None)),
        look_up.latest(user_id),
        *(look_up.near(one.embedding, user_id) for one in wanted if one.embedding is not None),
    ]
    if any(one.embedding is not None for one in wanted):
        parts += [remembered(), held(session_id)]
    return Passing(Union(tuple(parts)), {"observations": rows})


@verb(procedures.END_SESSION)
def end_session(
    session_id: Annotated[str, "The conversation that is over."], user_id: str = DEFAULT_USER
) -> Lookup:
    """End a conversation."""
    return look_up.session(texts.name(session_id, "session_id"), user_id)


@verb(procedures.SEARCH)
def search(
    query: Annotated[str, "A name, or the beginning of one, or words."],
    types: Annotated[Sequence[NodeType], "Only of these types."] = (),
    limit: Rows = schema.DEFAULT_LIMIT,
    include_inactive: Annotated[bool, "Forgotten ones too."] = False,
    user_id: str = DEFAULT_USER,
) -> Lookup:
    """Find entities by name."""
    texts.summary(query, "query")
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
    return Union((called, *begun, *inner))


@verb(procedures.GET)
def get(
    entity_id: EntityId,
    valid_at: AsOf = None,
    known_at: AsOf = None,
    limit: Rows = schema.DEFAULT_ROWS,
) -> Lookup:
    """Read all that is known of an entity."""
    return look_up.with_ids(entity_id)


@verb(procedures.HISTORY)
def history(entity_id: EntityId) -> Lookup:
    """List the facts of an entity, ended and corrected ones too."""
    return look_up.with_ids(entity_id)


@verb(procedures.NEIGHBOURHOOD)
def neighbourhood(
    entity_ids: Sequence[str], max_hop: int = schema.DEFAULT_HOPS, limit: int | None = None
) -> Lookup:
    """Return a picture of the entities around *entity_ids*."""
    return look_up.with_ids(*entity_ids, field="entity_ids")


@verb(procedures.PRESENCE)
def presence(entity_ids: Sequence[str], bounds: Sequence[int]) -> Lookup:
    """Count the mentions of *entity_ids* between each two of *bounds*."""
    return look_up.with_ids(*entity_ids, field="entity_ids")


@verb(procedures.FACT)
def fact(
    entity_id: EntityId,
    predicate: Annotated[str, "The property's name: birthday, home, likes."],
    value: Annotated[str | None, "The value in the words of the message: 3 May, Berlin."] = None,
    object_id: Annotated[str | None, "Or the entity_id that it is, in place of a value."] = None,
    valid_from: Annotated[When | None, "Since when it was so; unknown if left out."] = None,
    valid_until: Annotated[When | None, "When it was no longer so; still so if left out."] = None,
    single: Annotated[bool, "It can have but one value at a time."] = False,
    corrects: Annotated[str | None, "The fact_id that was wrong all along: never so."] = None,
    ends: Annotated[str | None, "The fact_id that was so until this: no longer."] = None,
    speaker: Annotated[Speaker, "The author of the message."] = schema.MODEL,
    text: Annotated[str, "The whole message that says so."] = "",
    span: Annotated[str | None, "The exact words of it that state the fact."] = None,
) -> Lookup:
    """State a fact, or correct or end one."""
    from conceptgraph_core.entities import inputs

    times = ms(valid_from), ms(valid_until)
    inputs.check_fact(
        inputs.Given(
            *(predicate, value, object_id, *times, single, corrects, ends, speaker, text, span)
        )
    )
    found = look_up.with_ids(entity_id, *([] if object_id is None else [object_id]))
    old = tuple((one,) for one in (corrects, ends) if one is not None)
    return Union((found, *([Equal((schema.FACT,), ("id",), old)] if old else [])))


@verb(procedures.STATS)
def stats(user_id: str = DEFAULT_USER) -> Lookup:
    """Count entities."""
    return Equal((schema.ENTITY,), ("user_id",), ((user_id,),))


@verb(procedures.COMMUNITIES)
def communities(
    community: str | None = None,
    members: int = 3,
    limit: int | None = None,
    user_id: str = DEFAULT_USER,
) -> Lookup:
    """Return the communities of the entities activated last, or one of them."""
    if community is not None:
        texts.name(community, "community")
    return Ordered(schema.ENTITY, "last_activated", _MAPPED, where=look_up.mine(user_id))


@verb(procedures.CONTEXT)
def context(
    message: Annotated[str, "The user's message, or your intended answer."],
    token_budget: TextBudget = budgets.DEFAULT_BUDGET,
    user_id: str = DEFAULT_USER,
) -> Lookup:
    """Tell what is known of those whom *message* names."""
    texts.summary(message, "message")
    return Union(tuple(look_up.named_by(message, user_id)))


@verb(procedures.EXPLAIN)
def explain(
    entity_id: Annotated[str | None, "Why this is as it is."] = None,
    source: Annotated[str | None, "Or an edge: from this entity_id"] = None,
    target: Annotated[str | None, "to this one,"] = None,
    type: Annotated[Annotated[str, _EDGES] | None, "of this type, as entity_get shows it."] = None,
) -> Lookup:
    """Say why an entity, or an edge, is as it is."""
    given = [one for one in (entity_id, source, target) if one is not None]
    if not given:
        raise InvalidText("entity_id: give an entity_id, or from, to and type")
    return look_up.with_ids(*given)


@verb(procedures.LINK)
def link(
    entity_id: EntityId,
    linked_entity_id: Annotated[str | None, "The entity_id that it is the same as; null: none."],
    link_confidence: Annotated[Unit | None, "Your own estimate; it is not used. Leave it out."],
    link_rationale: Reason,
    origin: Annotated[Speaker, "user: the user's own words say it."],
    said: SaidNames = None,
) -> Lookup:
    """Claim that two entities are the same."""
    texts.summary(link_rationale, "link_rationale")
    return look_up.with_ids(entity_id, *([] if linked_entity_id is None else [linked_entity_id]))


@verb(procedures.MERGE)
def merge(
    source_id: Annotated[str, "The entity_id that from now on counts as"],
    target_id: Annotated[str, "this one, by its entity_id."],
    reason: Reason,
    by: Annotated[
        Annotated[str, OneOf(schema.MERGERS)],
        "user_correction: the user said so (said); system: if all agrees.",
    ] = schema.SYSTEM,
    said: SaidNames = None,
) -> Lookup:
    """Let two entities count as one."""
    texts.name(source_id, "source_id")
    texts.name(target_id, "target_id")
    texts.summary(reason, "reason")
    return look_up.with_ids(source_id, target_id)


@verb(procedures.SPLIT, beside=("labels",))
def split(
    entity_id: EntityId,
    labels: Annotated[Sequence[str], INNER],
    mention_ids: Annotated[
        Sequence[str], "The mentions and facts of the other one, as entity_get has them;"
    ],
    since: Annotated[When | None, BEGINS, "or all since this date or time, e.g. 2026-01-31."],
    said: SaidName,
    reason: Reason,
    user_id: str = DEFAULT_USER,
) -> Lookup:
    """Split an entity; *labels*, from `get`, are its names, which are taken."""
    found = look_up.with_ids(entity_id)
    texts.summary(reason, "reason")
    for one in mention_ids:
        texts.name(one, "mention_ids")
    # The plain name, without the suffix that distinguishes it from namesakes.
    bare = [names.canonical(one.partition(" (")[0]) for one in labels]
    every = dict.fromkeys([*bare, *map(names.canonical, labels)])
    called = tuple((user_id, one) for one in every)
    taken = dict.fromkeys(name for one in every for name in (one, *names.numbered(one)))
    known = tuple((user_id, one) for one in taken)
    return Union(
        (
            found,
            Equal((schema.ENTITY,), ("user_id", "called"), called),
            Equal((schema.ENTITY,), ("user_id", "canonical_name"), known),
        )
    )


@verb(procedures.END)
def end(
    entity_id: EntityId,
    said: SaidName,
    reason: Reason,
    valid_until: Annotated[
        When | None, UNTIL, "Until when it was, e.g. 2026-01-31; now if left out."
    ] = None,
) -> Lookup:
    """End what is no longer there."""
    texts.summary(reason, "reason")
    return look_up.with_ids(entity_id)


@verb(procedures.ANSWER)
def answer(one_id: str, other_id: str, same: bool, reason: str) -> Lookup:
    """Answer, for the owner, an open question whether two are the same."""
    texts.summary(reason, "reason")
    return look_up.with_ids(one_id, other_id)


@verb(procedures.QUESTIONS)
def questions(limit: int | None = None, user_id: str = DEFAULT_USER) -> Lookup:
    """List the open questions about the entities activated last."""
    statuses = [
        Ordered(
            *(schema.ENTITY, "last_activated", schema.MAX_LISTED),
            where=(*look_up.mine(user_id), ("identity_status", status)),
        )
        for status in (schema.AMBIGUOUS, schema.PROVISIONAL, schema.DISTINCT)
    ]
    return Union(tuple(statuses))


@verb(procedures.UNMERGE)
def unmerge(
    merge_id: Annotated[str, "The id from entity_merge, entity_split or entity_end."],
    reason: Reason,
) -> Lookup:
    """Take a merge, a split or an end back."""
    texts.name(merge_id, "merge_id")
    texts.summary(reason, "reason")
    return Equal((schema.MERGE,), ("id",), ((merge_id,),))


@verb(procedures.FORGET)
def forget(id: str, reason: str | None = None) -> Lookup:
    """Hide a fact, a mention or an entity."""
    if reason is not None:
        texts.summary(reason, "reason")
    return look_up.with_any_id(texts.name(id, "id"))


@verb(procedures.RESTORE)
def restore(id: str) -> Lookup:
    """Bring back, for the owner, what `forget` hid."""
    return look_up.with_any_id(texts.name(id, "id"))
