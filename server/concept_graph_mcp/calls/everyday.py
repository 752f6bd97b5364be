"""Build calls over all layers, for an agent's everyday use, each with a single look-up."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core import dates, limits, text
from conceptgraph_core.concepts.schema import CONCEPT, EPISODE, words_scope
from conceptgraph_core.dates import Span
from conceptgraph_core.entities import schema as entities_schema
from conceptgraph_core.entities.language import kin
from conceptgraph_core.entities.subjects import Subject
from conceptgraph_core.everyday import hearing, procedures
from conceptgraph_core.everyday.asking import Then, asked, budget, has_words, limited, within
from conceptgraph_core.everyday.schema import (
    DEFAULT_BUDGET,
    DEFAULT_KEEP,
    MOST_DAYS,
    MOST_EPISODES,
    MOST_LISTED,
    MOST_OF_A_STATE,
    OWN_LOOKED_UP,
    PROFILE_BUDGET,
    beyond,
)
from conceptgraph_core.language import oneself
from conceptgraph_core.layers import SHARED
from conceptgraph_core.memories import schema
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.rules import ACTIVE
from conceptgraph_core.procedures import NOTHING

from . import concepts, entities, entity_lookups, memories, memory_search, text_lookups
from .also import NO_ALSO, Also
from .call import Call, checked
from .embedding import remembered
from .lookups import BEYOND, Equal, Incoming, Lookup, Ordered, Range, Tallied, Tally, Union
from .memories import Embedded, mine, near

# The nodes whose creation is a day's news.
_TOLD = (schema.MEMORY, entities_schema.MENTION)
_LAST_MS = limits.MAX_TIME_MS + 1
# Beyond all keys of `memories.own`.
_OWN_MS = 20 * limits.MAX_TIME_MS
# The text is rendered again with times in the session's zone.
RECALL = procedures.RECALL.without("text")
PROFILE = procedures.PROFILE.without("text")


@checked
def recall(
    scope: str,
    message: str,
    before: str | None = None,
    token_budget: int = DEFAULT_BUDGET,
    embedded: Embedded | None = None,
    *,
    asker: str | None = None,
    asked_at: int | None = None,
    told_in: Span | Then | None = None,
    also: Also = NO_ALSO,
    concept_scope: str | None = None,
) -> Call:
    """Return the call that assembles the context of *message*, and accesses it.

    *told_in* is the time that it asks for, if for nothing else (`asking.told_in`). *also* are other
    wordings of it.
    """
    budget(token_budget)
    question = asked(message, before)
    own = scope if concept_scope is None else concept_scope
    parts = _naming(question, scope)
    if also.wordings:
        parts += _naming(also.text, scope)
    context = text_lookups.context() | text_lookups.asking(asker, asked_at) | also.context()
    if told_in is not None:
        since, until, *how = told_in
        parts += _of_time(scope, since, until, plans=any(how[:1]))
        context["told_in"] = list(told_in)
    if oneself.asked(message, *also.wordings):
        parts += _of_user(scope)
    lookup = _asking((scope, own), question, embedded, parts, also=also)
    model, vector = embedded or (None, ())
    arguments = (message, before, token_budget, list(vector), model)
    return Call(RECALL, arguments, lookup, context | concepts.whose(own))


@checked
def access(
    scope: str,
    memory_ids: Sequence[str] = (),
    levels: Mapping[str, float] = NOTHING,
    concept_scope: str | None = None,
) -> Call:
    """Return the call that counts what a read-only twin returned as accessed."""
    own = scope if concept_scope is None else concept_scope
    parts: list[Lookup] = [memories.ids(*memory_ids)] if memory_ids else []
    if levels:
        parts.append(concepts.named(own, *levels))
    given = [*memory_ids], dict(levels)
    return Call(procedures.ACCESS, given, _all(parts), concepts.whose(own))


@checked
def remember(
    scope: str,
    content: str,
    about: Sequence[str | Mapping[str, Any]] = (),
    keep: str = DEFAULT_KEEP,
    *,
    said: str | None = None,
    replaces: str | None = None,
    happened_at: int | None = None,
    embedded: Embedded | None = None,
    concept_scope: str | None = None,
) -> Call:
    """Return the call that stores *content*; *embedded* is its vector, if there is one."""
    schema.checked_content(content, "text")
    if said is not None:
        text.summary(said, "said")
    named = hearing.named_in(about, content)
    # A text that begins with the name of the user is marked so.
    terms = dict.fromkeys((*hearing.terms(named), entities_schema.SELF))
    found_by = list(terms)
    made = memories.create(scope, content, concepts=found_by, embedded=embedded, said=said)
    assert isinstance(made.lookup, Incoming)
    parts: list[Lookup] = [made.lookup.lookup, *entity_lookups.selves(scope)]
    if replaces is not None:
        parts.append(memories.resting(replaces, field="replaces"))
    own = scope if concept_scope is None else concept_scope
    if named and own != SHARED:
        parts += concepts.called(own, list(named))
    if named:
        message = hearing.kept(content, said, named, happened_at)
        parts += _parts(entities.observe(*message, user_id=scope))
        if (note := hearing.make_note(content, said, named, happened_at)) is not None:
            parts += _parts(entities.observe(*note, user_id=scope))
    model, vector = embedded or (None, ())
    given = [dict(one) if isinstance(one, Mapping) else one for one in about]
    arguments = (content, given, keep, said, replaces, happened_at, list(vector), model)
    context = {**made.context, **concepts.whose(own)}
    return Call(procedures.REMEMBER, arguments, made.lookup._replace(lookup=_all(parts)), context)


@checked
def search(
    scope: str,
    query: str,
    *,
    since: int | None = None,
    until: int | None = None,
    about: str | None = None,
    kinds: Sequence[str] = (),
    limit: int | None = None,
    embedded: Embedded | None = None,
    asker: str | None = None,
    asked_at: int | None = None,
    also: Also = NO_ALSO,
    concept_scope: str | None = None,
) -> Call:
    """Return the call that searches all layers for *query*, or another wording of it."""
    limited(limit)
    text.summary(query, "query")
    called = _parts(entities.search(query, user_id=scope))
    if also.wordings:
        called += entity_lookups.matching_any(also.wordings, scope)
    own = scope if concept_scope is None else concept_scope
    subject = None if about is None else Subject([text.name(about, "about")])
    only = Wanted(within=within(since, until), about=subject)
    if about is not None:
        called += [*entity_lookups.named_by(about, scope), *text_lookups.of_name(about, scope)]
    if since is not None and not has_words(query, text_lookups.spoken()):
        called += _of_time(scope, since, _LAST_MS if until is None else until)
    lookup = _asking((scope, own), query, embedded, called, about=about, wanted=only, also=also)
    model, vector = embedded or (None, ())
    arguments = (query, since, until, about, list(kinds), limit, list(vector), model)
    context = text_lookups.context() | text_lookups.asking(asker, asked_at) | also.context()
    return Call(procedures.SEARCH, arguments, lookup, context | concepts.whose(own))


@checked
def about(
    scope: str,
    name: str,
    limit: int | None = None,
    entity_id: str | None = None,
    embedded: Embedded | None = None,
    *,
    called: Sequence[str] = (),
    concept_scope: str | None = None,
) -> Call:
    """Return the call for everything stored about *name*, or about one entity of that name.

    *called* has other names of that entity: it has the relations of these too.
    """
    limited(limit)
    text.name(name, "name")
    parts = _naming(name, scope)
    if entity_id is not None:
        parts += _parts(entities.get(entity_id))
    elif oneself.is_me(name):
        parts += _of_profile(scope)
    model, vector = embedded or (None, ())
    arguments = (name, limit, entity_id, list(vector), model)
    own = scope if concept_scope is None else concept_scope
    if called:
        parts += concepts.called(own, called)
    lookup = _asking((scope, own), name, embedded, parts, about=name)
    return Call(procedures.ABOUT, arguments, lookup, text_lookups.context() | concepts.whose(own))


@checked
def profile(
    scope: str,
    token_budget: int = PROFILE_BUDGET,
    since: int | None = None,
    until: int | None = None,
) -> Call:
    """Return the call that tells who the user is, and what happens in a time."""
    budget(token_budget)
    parts = _of_profile(scope, since, until)
    return Call(PROFILE, (token_budget, since, until), _all(parts), text_lookups.context())


@checked
def days(
    scope: str, first: str, bounds: Sequence[int], *, concept_scope: str | None = None
) -> Call:
    """Return the call that counts what was kept and said on each day from *first* on."""
    own = scope if concept_scope is None else concept_scope
    parts = tuple(dates.periods(bounds, "bounds", MOST_DAYS))
    episodes = _episodes(first, beyond(first, parts), own)
    of = [Tally(label, "created_at", parts, mine(scope)) for label in _TOLD]
    lookup = Tallied(episodes, tuple(of))
    return Call(procedures.DAYS, (first, list(parts)), lookup, concepts.whose(own))


@checked
def sizes(scope: str, bounds: Sequence[int], *, concept_scope: str | None = None) -> Call:
    """Return the call that counts what is stored, and what was made between each two of *bounds*.

    All is counted by index.
    """
    own = scope if concept_scope is None else concept_scope
    parts = tuple(dates.periods(bounds, "bounds", MOST_DAYS))
    of = [Tally(label, "created_at", parts, mine(scope)) for label in _TOLD]
    of.append(Tally(entities_schema.ENTITY, "last_activated", (0, _LAST_MS), mine(scope)))
    of += [Tally(label, "name", ("", BEYOND), concepts.mine(own)) for label in (CONCEPT, EPISODE)]
    lookup = Tallied(Union(()), tuple(of))
    return Call(procedures.SIZES, (list(parts),), lookup, concepts.whose(own))


@checked
def happened(
    scope: str,
    day: str,
    since: int,
    until: int,
    limit: int | None = None,
    *,
    concept_scope: str | None = None,
) -> Call:
    """Return the call that lists what was kept and said on *day*, between the two times."""
    own = scope if concept_scope is None else concept_scope
    # "0" follows "/", which follows the date in a name.
    parts: list[Lookup] = [_episodes(f"{text.name(day, 'day')}/", f"{day}0", own)]
    parts += _of_time(scope, since, until, last=False)
    mention = (entities_schema.MENTION,)
    parts.append(Range(mention, "created_at", since, until, mine(scope), MOST_LISTED))
    arguments = (day, since, until, limit)
    return Call(procedures.HAPPENED, arguments, Union(tuple(parts)), concepts.whose(own))


@checked
def changes(scope: str, since: int, until: int, limit: int | None = None) -> Call:
    """Return the call that lists what changed in a time.

    No index has the changes of a state, so it reads the latest memories of each state.
    """
    most, own = MOST_LISTED, mine(scope)
    parts = (
        *(
            Range((schema.MEMORY,), one, since, until, own, most, then)
            for one, then in (("created_at", None), ("deleted_at", "id"))
        ),
        *memories.latest(scope, memories.SEEN, MOST_OF_A_STATE).parts,
        Range((entities_schema.ENTITY,), "last_activated", since, _LAST_MS, own, most),
        Ordered(entities_schema.MERGE, "created_at", most, where=own),
    )
    return Call(procedures.CHANGES, (since, until, limit), Union(parts))


def _of_time(
    scope: str, since: int | None, until: int | None, *, plans: bool = False, last: bool = True
) -> list[Lookup]:
    """Look up the memories that happened from *since* to before *until*, or were told then.

    *plans* are found by the day that they are for alone, the earliest; else the latest are found.
    """
    names = ("said_at",) if plans else ("said_at", "created_at")
    first = -limits.MAX_TIME_MS if since is None else since
    beyond = _LAST_MS if until is None else until
    memory, own, last = (schema.MEMORY,), mine(scope), last and not plans
    return [Range(memory, one, first, beyond, own, MOST_LISTED, descending=last) for one in names]


def _episodes(first: str, beyond: str, scope: str) -> Range:
    return Range((EPISODE,), "name", first, beyond, concepts.mine(scope), MOST_EPISODES)


@checked
def forget(memory_id: str, reason: str | None = None) -> Call:
    text.name(memory_id, "id")
    return memories.forget(memory_id, reason)._replace(procedure=procedures.FORGET)


@checked
def relate(concept_scope: str, source: str, target: str, relation_type: str) -> Call:
    made = concepts.relation_add(source, target, relation_type, concept_scope)
    return made._replace(procedure=procedures.RELATE)


@checked
def identify(scope: str, a: str, b: str | None, same: bool, said: str) -> Call:
    text.summary(said, "said")
    called = {"a": a} if b is None else {"a": a, "b": b}
    parts = [
        part
        for field, one in called.items()
        for part in (*_naming(text.name(one, field), scope), *_parts(entities.get(one)))
    ]
    if b is None:
        parts += _parts(entities.observe(*hearing.begun(said, a), user_id=scope))
    return Call(procedures.IDENTIFY, (a, b, same, said), _all(parts), text_lookups.context())


def _asking(
    scopes: tuple[str, str],
    query: str,
    embedded: Embedded | None,
    beside: Sequence[Lookup],
    *,
    about: str | None = None,
    wanted: Wanted | None = None,
    also: Also = NO_ALSO,
) -> Lookup:
    """Look up memories that may match *query* or *also*, concepts that they name, and *beside*.

    *scopes* are that of the memories and that of the concepts. With *wanted*, the filter of a
    search, episodes are looked up too.
    """
    (scope, concept_scope), parts = scopes, list(beside)
    if embedded is not None:
        vectors = [embedded[1], *([also.vector] if also.vector else [])]
        depth, only = schema.SEARCH_DEPTH, wanted or Wanted()
        parts.append(remembered())
        parts += [one for vector in vectors for one in near(scope, vector, depth, only)]
    every = (query, also.text) if also.wordings else (query,)
    for one in every:
        widened = concepts.widened(one, concept_scope)
        assert isinstance(widened.lookup, Equal)
        parts.append(widened.lookup)
    if wanted is not None:
        episodes, wordings = words_scope(concept_scope), (query, *also.wordings)
        parts += text_lookups.of_terms(wordings, episodes)
        parts.append(text_lookups.of_user(episodes, scope))
    further = memory_search.widened(scope, query, concept_scope, about, also)
    then = text_lookups.of_widened(further, scope)
    return text_lookups.of_question(query, scope, scope, parts, then, others=also.wordings)


def _of_user(scope: str) -> list[Lookup]:
    """Look up the entities that stand for the user, and the memories about the user.

    Memories that an older version stored have no key; of them the latest are read.
    """
    ever = -_OWN_MS, _OWN_MS
    own = (
        Range((schema.MEMORY,), "own", *ever, (*mine(scope), ("state", state)), OWN_LOOKED_UP, "id")
        for state in memories.SEEN
    )
    unkeyed = memories.latest(scope, (ACTIVE,), OWN_LOOKED_UP)
    return [*entity_lookups.selves(scope), *own, *unkeyed.parts]


def _of_profile(scope: str, since: int | None = None, until: int | None = None) -> list[Lookup]:
    """Look up the same, those closest to the user, and what is coming up."""
    first, last = (0 if since is None else since), (_LAST_MS if until is None else until)
    ahead = Range((schema.MEMORY,), "said_at", first, last, mine(scope), MOST_LISTED)
    close = entity_lookups.of_kinds(kin.CLOSE, scope)
    return [*_of_user(scope), close, ahead]


def _naming(message: str, scope: str) -> list[Lookup]:
    """Look up the entities that *message* may name."""
    return entity_lookups.named_by(message, scope)


def _parts(call: Call) -> list[Lookup]:
    lookup = call.lookup
    if lookup is None:
        return []
    return list(lookup.parts) if isinstance(lookup, Union) else [lookup]


def _all(parts: Sequence[Lookup]) -> Union:
    """Return the union of *parts*, with nested unions flattened."""
    flat = [one for part in parts for one in (part.parts if isinstance(part, Union) else (part,))]
    return Union(tuple(flat))
