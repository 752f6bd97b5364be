"""Declare the verbs on the entities of a user: of agents, of the owner and of the nightly runs."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from conceptgraph_core.entities import lookups, procedures, schema
from conceptgraph_core.entities import lookups as look_up
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.jobs.schema import BATCH
from conceptgraph_core.recall import budgets
from conceptgraph_core.texts import text
from conceptgraph_core.verbs.arguments import (
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
from conceptgraph_core.verbs.context import DEFAULT_USER

from .call import Call, checked
from .verb import verb

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
) -> None:
    """Record what a message mentions."""


@verb(procedures.END_SESSION)
def end_session(
    session_id: Annotated[str, "The conversation that is over."], user_id: str = DEFAULT_USER
) -> list[Lookup]:
    """End a conversation."""
    return [look_up.session(session_id, user_id)]


@verb(procedures.SEARCH)
def search(
    query: Annotated[str, "A name, or the beginning of one, or words."],
    types: Annotated[Sequence[NodeType], "Only of these types."] = (),
    limit: Rows = schema.DEFAULT_LIMIT,
    include_inactive: Annotated[bool, "Forgotten ones too."] = False,
    user_id: str = DEFAULT_USER,
) -> list[Lookup]:
    """Find entities by name."""
    return [look_up.searched(query, user_id)]


@verb(procedures.GET)
def get(
    entity_id: EntityId,
    valid_at: AsOf = None,
    known_at: AsOf = None,
    limit: Rows = schema.DEFAULT_ROWS,
) -> list[Lookup]:
    """Read all that is known of an entity."""
    return [look_up.with_ids(entity_id)]


@verb(procedures.HISTORY)
def history(entity_id: EntityId) -> list[Lookup]:
    """List the facts of an entity, ended and corrected ones too."""
    return [look_up.with_ids(entity_id)]


# Counts the mentions of entities between each two times.
presence = verb(procedures.PRESENCE)(lambda entity_ids, bounds: None)


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
) -> list[Lookup]:
    """State a fact, or correct or end one."""
    from conceptgraph_core.entities import inputs

    times = ms(valid_from), ms(valid_until)
    given = inputs.Given(
        *(predicate, value, object_id, *times, single, corrects, ends, speaker, text, span)
    )
    return [look_up.stated(entity_id, given)]


stats = verb(procedures.STATS)(lambda: None)


@verb(procedures.CONTEXT)
def context(
    message: Annotated[str, "The user's message, or your intended answer."],
    token_budget: TextBudget = budgets.DEFAULT_BUDGET,
    user_id: str = DEFAULT_USER,
) -> None:
    """Tell what is known of those whom *message* names."""


@verb(procedures.EXPLAIN)
def explain(
    entity_id: Annotated[str | None, "Why this is as it is."] = None,
    source: Annotated[str | None, "Or an edge: from this entity_id"] = None,
    target: Annotated[str | None, "to this one,"] = None,
    type: Annotated[Annotated[str, _EDGES] | None, "of this type, as entity_get shows it."] = None,
) -> list[Lookup]:
    """Say why an entity, or an edge, is as it is."""
    given = (one for one in (entity_id, source, target) if one is not None)
    return [look_up.with_ids(*given)]


@verb(procedures.LINK)
def link(
    entity_id: EntityId,
    linked_entity_id: Annotated[str | None, "The entity_id that it is the same as; null: none."],
    link_confidence: Annotated[Unit | None, "Your own estimate; it is not used. Leave it out."],
    link_rationale: Reason,
    origin: Annotated[Speaker, "user: the user's own words say it."],
    said: SaidNames = None,
) -> list[Lookup]:
    """Claim that two entities are the same."""
    return [look_up.with_ids(entity_id, *([] if linked_entity_id is None else [linked_entity_id]))]


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
) -> list[Lookup]:
    """Let two entities count as one."""
    text.name(source_id, "source_id")
    text.name(target_id, "target_id")
    return [look_up.with_ids(source_id, target_id)]


@verb(procedures.SPLIT)
def split(
    entity_id: EntityId,
    mention_ids: Annotated[
        Sequence[str], "The mentions and facts of the other one, as entity_get has them;"
    ],
    since: Annotated[When | None, BEGINS, "or all since this date or time, e.g. 2026-01-31."],
    said: SaidName,
    reason: Reason,
) -> list[Lookup]:
    """Split an entity that was two of one name."""
    return [look_up.with_ids(entity_id)]


@verb(procedures.END)
def end(
    entity_id: EntityId,
    said: SaidName,
    reason: Reason,
    valid_until: Annotated[
        When | None, UNTIL, "Until when it was, e.g. 2026-01-31; now if left out."
    ] = None,
) -> list[Lookup]:
    """End what is no longer there."""
    return [look_up.with_ids(entity_id)]


# Answers, for the owner, an open question whether two are the same, and lists such questions.
answer = verb(procedures.ANSWER)(lambda one_id, other_id, same, reason: None)
questions = verb(procedures.QUESTIONS)(lambda limit=None: None)


@verb(procedures.UNMERGE)
def unmerge(
    merge_id: Annotated[str, "The id from entity_merge, entity_split or entity_end."],
    reason: Reason,
) -> list[Lookup]:
    """Take a merge, a split or an end back."""
    return [look_up.of_merge(merge_id)]


HOUR_MS = 3_600_000
Listed = Annotated[int, Between(1, schema.MAX_LISTED), "At most this many."]


@verb(procedures.LIST)
def listed(
    statuses: Annotated[
        Sequence[Annotated[str, OneOf(schema.IDENTITY_STATUSES)]],
        "Only those of this status; may be given again.",
    ] = (),
    limit: Listed = schema.LISTED,
) -> None:
    """List, for the owner, all entities of *statuses*; of any status if there are none."""


@checked
def purgeable(retention_ms: int, limit: int = BATCH) -> Call:
    """Return the call for what `purge` would remove now; it writes nothing."""
    return Call(procedures.PURGE, (retention_ms, [], limit, True))


@checked
def purge(retention_ms: int, ids: Sequence[str], dry_run: bool = False) -> Call:
    """Return the call that permanently removes those of *ids* that are `purgeable`."""
    return Call(procedures.PURGE, (retention_ms, list(ids), len(ids) or 1, dry_run))


@verb(procedures.MERGES)
def merges(
    merge_id: Annotated[str | None, INNER] = None, limit: Listed = schema.LISTED
) -> list[Lookup]:
    """List, for the owner, the entries of the ledger, the latest first, or one of them."""
    return [] if merge_id is None else [lookups.of_merge(merge_id)]


# A step of the daily or the weekly run on the next entities, and the edges of these that matter.
daily = verb(procedures.CONSOLIDATE_DAILY)(lambda step, after=None, limit=None, dry_run=False: None)
weekly = verb(procedures.CONSOLIDATE_WEEKLY)(
    lambda step, after=None, limit=None, dry_run=False: None
)
connections = verb(procedures.CONNECTIONS)(lambda after=None, limit=None: None)
# Sets the communities of entities, by their ids.
settle_communities = verb(procedures.SETTLE_COMMUNITIES)(lambda communities: None)
# The sessions that had been silent for an hour.
silent_sessions = verb(procedures.SILENT_SESSIONS)(
    lambda silent_ms=HOUR_MS, limit=schema.MAX_LIMIT: None
)
# The first user after one who has entities.
next_scope = verb(procedures.SCOPES)(lambda after=None, limit=1: None)
