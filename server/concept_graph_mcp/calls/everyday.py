"""Declare the verbs over all layers, for an agent's everyday use.

The look-ups that a verb returns save Memgraph a round; a store file makes them when the rule asks.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from conceptgraph_core import text as texts
from conceptgraph_core.arguments import (
    BEGINS,
    ENDED,
    INNER,
    THIS,
    AskedAt,
    Asker,
    Budget,
    Days,
    InProject,
    Items,
    Keep,
    Kind,
    Limit,
    Named,
    RelationType,
    When,
    Wordings,
    ms,
)
from conceptgraph_core.concepts import lookups as concept_lookups
from conceptgraph_core.dates import Span
from conceptgraph_core.entities.subjects import Subject
from conceptgraph_core.everyday import hearing, procedures
from conceptgraph_core.everyday import lookups as of_everyday
from conceptgraph_core.everyday.asking import (
    Then,
    budget,
    read_limit,
    read_span,
)
from conceptgraph_core.everyday.schema import (
    DEFAULT_BUDGET,
    DEFAULT_KEEP,
    DEFAULT_LIMIT,
    MOST_ABOUT,
    PROFILE_BUDGET,
)
from conceptgraph_core.graph.primitives import (
    Lookup,
)
from conceptgraph_core.memories import lookups, schema
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.lookups import near
from conceptgraph_core.procedures import NOTHING

from . import concepts, text_lookups
from .also import NO_ALSO, Also
from .also import also as also_of
from .memories import Embedded
from .verb import verb, verb_of_user

# The text is rendered again with times in the session's zone.
RECALL = procedures.RECALL.without("text")
PROFILE = procedures.PROFILE.without("text")


@verb_of_user(RECALL, is_worded=True)
def recall(
    scope: str,
    message: Annotated[str, "As the user wrote it."],
    before: Annotated[str | None, "The previous messages, for she and it."] = None,
    token_budget: Budget = DEFAULT_BUDGET,
    embedded: Embedded | None = None,
    *,
    asker: Asker = None,
    asked_at: AskedAt = None,
    told_in: Annotated[Span | Then | None, INNER] = None,
    told_around: Annotated[Span | None, INNER] = None,
    also: Wordings | Also = (),
    max_age_days: Annotated[Days | None, "No older memory."] = None,
    project: InProject = THIS,
    concept_scope: str | None = None,
) -> list[Lookup]:
    """Assemble the context of *message*, and access it.

    *told_in* is the time that it asks for, if for nothing else (`asking.told_in`), and
    *told_around* the past time that it names among other words. *also* are other wordings of it.
    """
    budget(token_budget)
    text_lookups.check_asker(asker)
    texts.summary(message, "message")
    if before:
        texts.summary(before, "before")
    return _near(scope, embedded, also_of(also))


@verb_of_user(procedures.ACCESS)
def access(
    scope: str,
    memory_ids: Sequence[str] = (),
    levels: Mapping[str, float] = NOTHING,
    concept_scope: str | None = None,
) -> list[Lookup]:
    """Count what a read-only twin returned as accessed."""
    own = scope if concept_scope is None else concept_scope
    parts: list[Lookup] = [lookups.ids(*memory_ids)] if memory_ids else []
    return [*parts, concept_lookups.named(own, *levels)]


@verb_of_user(procedures.REMEMBER, is_worded=True)
def remember(
    scope: str,
    text: Annotated[str, "One thing, understood on its own, in a sentence."],
    about: Annotated[
        Sequence[Named],
        Items(MOST_ABOUT),
        "Names in it, with what it states of each as facts: home, employer, occupation, spouse,"
        " partner, boss, birthday, age, diet, allergy, phone, dose of …",
    ] = (),
    keep: Annotated[Keep, "How long it matters; days: two weeks."] = DEFAULT_KEEP,
    said: Annotated[str | None, "The user's message, word for word."] = None,
    replaces: Annotated[str | None, "Id of what is no longer so."] = None,
    happened_at: Annotated[
        When | None, BEGINS, "Its day, if not now; may lie ahead: 2026-01-31."
    ] = None,
    *,
    embedded: Embedded | None = None,
    project: Annotated[str | None, INNER] = None,
    concept_scope: str | None = None,
) -> None:
    """Store *text*, told in *project*; *embedded* is its vector, if there is one."""
    schema.checked_content(text, "text")
    if said is not None:
        texts.summary(said, "said")
    hearing.named_in(about, text)


@verb_of_user(procedures.SEARCH, is_worded=True)
def search(
    scope: str,
    query: str,
    since: Annotated[When | None, BEGINS, "A date: what was said from then."] = None,
    until: Annotated[When | None, ENDED, "A date: and up to the end of it."] = None,
    about: Annotated[str | None, "A name it is about."] = None,
    kinds: Annotated[Sequence[Kind], "None: any."] = (),
    limit: Limit = DEFAULT_LIMIT,
    *,
    embedded: Embedded | None = None,
    asker: Asker = None,
    asked_at: AskedAt = None,
    also: Wordings | Also = (),
    project: InProject = THIS,
    concept_scope: str | None = None,
) -> list[Lookup]:
    """Search all layers for *query*, or another wording of it."""
    read_limit(limit)
    texts.summary(query, "query")
    text_lookups.check_asker(asker)
    subject = None if about is None else Subject([texts.name(about, "about")])
    only = Wanted(within=read_span(ms(since), ms(until)), about=subject)
    return _near(scope, embedded, also_of(also), only)


@verb_of_user(procedures.ABOUT, is_worded=True)
def about(
    scope: str,
    name: Annotated[str, 'A name, the id of an entity, or "me".'],
    limit: Limit = DEFAULT_LIMIT,
    entity_id: Annotated[str | None, INNER] = None,
    embedded: Embedded | None = None,
    concept_scope: str | None = None,
) -> list[Lookup]:
    """Look up everything stored about *name*, or about one entity of that name."""
    read_limit(limit)
    texts.name(name, "name")
    return _near(scope, embedded, NO_ALSO, Wanted(about=Subject([name])))


@verb_of_user(PROFILE, is_worded=True)
def profile(
    scope: str,
    token_budget: int = PROFILE_BUDGET,
    since: Annotated[int | None, INNER] = None,
    until: Annotated[int | None, INNER] = None,
) -> list[Lookup]:
    """Tell who the user is, and what happens in a time."""
    budget(token_budget)
    return []


@verb_of_user(procedures.DAYS)
def days(
    scope: str, first: str, bounds: Sequence[int], *, concept_scope: str | None = None
) -> None:
    """Count what was kept and said on each day from *first* on."""


@verb_of_user(procedures.SIZES)
def sizes(scope: str, bounds: Sequence[int], *, concept_scope: str | None = None) -> None:
    """Count what is stored, and what was made between each two of *bounds*, by index."""


@verb_of_user(procedures.HAPPENED)
def happened(
    scope: str,
    day: str,
    since: int,
    until: int,
    limit: int | None = None,
    *,
    concept_scope: str | None = None,
) -> list[Lookup]:
    """List what was kept and said on *day*, between the two times."""
    own = scope if concept_scope is None else concept_scope
    return [of_everyday.happened(scope, own, texts.name(day, "day"), since, until)]


@verb_of_user(procedures.CHANGES)
def changes(scope: str, since: int, until: int, limit: int | None = None) -> list[Lookup]:
    """List what changed in a time."""
    return [of_everyday.changed(scope, since, until)]


@verb(procedures.FORGET)
def forget(
    id: Annotated[str, "Any id returned."],
    reason: str | None = None,
) -> list[Lookup]:
    """Hide a memory, a fact, a mention or an entity."""
    if reason is not None:
        texts.summary(reason, "reason")
    return of_everyday.of_any_id(id)


@verb(procedures.RESTORE)
def restore(id: str) -> list[Lookup]:
    """Bring back what was forgotten, as its owner."""
    return of_everyday.of_any_id(id)


@verb_of_user(procedures.RELATE)
def relate(
    concept_scope: str,
    source: Annotated[str, "A concept."],
    target: Annotated[str, "Another."],
    type: RelationType,
) -> list[Lookup]:
    """Relate two concepts."""
    return list(concepts.relation_add(source, target, type, concept_scope).wanted)


@verb_of_user(procedures.IDENTIFY, is_worded=True)
def identify(
    scope: str,
    a: Annotated[str, "A name, or an id of an entity."],
    b: Annotated[str | None, "Another; none and not same: a is a new one's name now."],
    same: bool,
    said: Annotated[str, "The user's message, with a name of each."],
) -> None:
    """Record whether two names are of one."""
    texts.summary(said, "said")
    for field, one in (("a", a), ("b", b)):
        if one is not None:
            texts.name(one, field)


def _near(
    scope: str, embedded: Embedded | None, also: Also, wanted: Wanted | None = None
) -> list[Lookup]:
    """Look up the memories that are near in meaning, which a question is sure to need."""
    if embedded is None:
        return []
    vectors = [embedded[1], *([also.vector] if also.vector else [])]
    return [
        found
        for one in vectors
        for found in near(scope, one, schema.SEARCH_DEPTH, wanted or Wanted())
    ]
