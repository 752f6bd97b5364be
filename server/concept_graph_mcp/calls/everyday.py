"""The verbs over all layers, as their rules declare them. Written by server/verbs/declare.py."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from conceptgraph_core.everyday import procedures
from conceptgraph_core.verbs.arguments import (
    BEGINS,
    ENDED,
    AskedAt,
    Asker,
    Budget,
    Days,
    InProject,
    Keep,
    Kind,
    Limit,
    Names,
    RelationType,
    When,
    Wordings,
)
from conceptgraph_core.verbs.procedures import NOTHING

from .verb import verb_of_rule


@verb_of_rule(procedures.RECALL, "message", "before", "token_budget", "embedded")
def recall(
    scope: str,
    message: Annotated[str, "As the user wrote it."],
    before: Annotated[str | None, "The messages before it, for she and it."] = None,
    token_budget: Budget = 1_200,
    *,
    asker: Asker = None,
    asked_at: AskedAt = None,
    also: Wordings = (),
    project: InProject = "this",
    max_age_days: Annotated[Days | None, "No older memory."] = None,
) -> None:
    """Put together what belongs to *message*, in at most *token_budget* tokens (estimated)."""


@verb_of_rule(procedures.ACCESS, "memories", "concepts")
def access(
    scope: str,
    memories: Sequence[str] = (),
    concepts: Mapping[str, float] = NOTHING,
) -> None:
    """Count the accesses that a read-only twin returned as accessed."""


@verb_of_rule(
    procedures.REMEMBER, "text", "about", "keep", "said", "replaces", "happened_at", "embedded"
)
def remember(
    scope: str,
    text: Annotated[str, "One thing, in a sentence understood on its own."],
    about: Names = (),
    keep: Annotated[Keep, "How long; days are two weeks."] = "normal",
    said: Annotated[str | None, "The user's message, word for word."] = None,
    replaces: Annotated[str | None, "The id of what is over."] = None,
    happened_at: Annotated[
        When | None, BEGINS, "When, if not now: 2026-01-31, last Tuesday."
    ] = None,
) -> None:
    """Keep *text*; *about* has the names in it, or maps of a name with its kind and facts."""


@verb_of_rule(procedures.SEARCH, "query", "since", "until", "about", "kinds", "limit", "embedded")
def search(
    scope: str,
    query: Annotated[str, "A question or words."],
    since: Annotated[When | None, BEGINS, "A day or time."] = None,
    until: Annotated[When | None, ENDED, "A time, or a day to its end."] = None,
    about: Annotated[str | None, "A name it is about."] = None,
    kinds: Sequence[Kind] = (),
    limit: Limit = 10,
    *,
    asker: Asker = None,
    asked_at: AskedAt = None,
    also: Wordings = (),
    project: InProject = "this",
) -> None:
    """Return what *query* belongs to, of *kinds* (none: of all), the best first, cut to *limit*."""


@verb_of_rule(procedures.EXPLAIN, "message", "id", "limit", "embedded")
def explain(
    scope: str,
    message: Annotated[str, "A message, or what was searched for."],
    id: Annotated[str | None, "A memory; without it, the best."] = None,
    limit: Limit = 10,
    *,
    also: Wordings = (),
    project: InProject = "this",
) -> None:
    """Tell why a recall of *message* shows a memory, or does not: what each signal adds."""


@verb_of_rule(procedures.ABOUT, "name", "limit", "entity_id", "embedded")
def about(
    scope: str,
    name: Annotated[str, 'A name, an id, or "me".'],
    limit: Limit = 10,
) -> None:
    """Report everything stored about *name*, at most *limit* of each kind."""


@verb_of_rule(procedures.PROFILE, "token_budget", "since", "until")
def profile(
    scope: str,
    token_budget: Budget = 300,
) -> None:
    """Tell who the user is, in at most *token_budget* tokens (estimated), sources included."""


@verb_of_rule(procedures.DAYS, "first", "bounds")
def days(
    scope: str,
    first: str,
    bounds: Sequence[int],
) -> None:
    """Count what was kept and said on each day; *first* is the date of the first, "20260101"."""


@verb_of_rule(procedures.SIZES, "bounds")
def sizes(
    scope: str,
    bounds: Sequence[int],
) -> None:
    """Count what is stored, expired and forgotten memories and merged entities too."""


@verb_of_rule(procedures.HAPPENED, "day", "since", "until", "limit")
def happened(
    scope: str,
    day: str,
    since: int,
    until: int,
    limit: int = 1_000,
) -> None:
    """List what happened, was kept and said on *day*, "20260131", from *since* until *until*."""


@verb_of_rule(procedures.CHANGES, "since", "until", "limit")
def changes(
    scope: str,
    since: int,
    until: int,
    limit: int = 1_000,
) -> None:
    """List what changed from *since* until *until* (unix ms), the latest first, at most *limit*."""


@verb_of_rule(procedures.FORGET, "id", "reason")
def forget(
    scope: str,
    id: Annotated[str, "An id, or the words of what to forget."],
    reason: Annotated[str | None, "Why, for the owner."] = None,
) -> None:
    """Hide a memory, a fact, a mention or an entity, by its id, with what rests on it alone."""


@verb_of_rule(procedures.RESTORE, "id")
def restore(
    scope: str,
    id: str,
) -> None:
    """Bring back what `forget` hid with that id, as its owner; counts an access to a memory."""


@verb_of_rule(procedures.RELATE, "source", "target", "type")
def relate(
    scope: str,
    source: Annotated[str, "A notion."],
    target: Annotated[str, "Another."],
    type: RelationType,
) -> None:
    """Relate two concepts, as `relations.add` does, which returns the weight too."""


@verb_of_rule(procedures.IDENTIFY, "a", "b", "same", "said")
def identify(
    scope: str,
    a: Annotated[str, 'A name, an id, or "me".'],
    b: Annotated[str | None, "Another. Without it and not same, a is somebody new."] = None,
    *,
    same: Annotated[bool, "Whether they are one."],
    said: Annotated[str, "The user's message, with a name of each."],
) -> None:
    """Settle by *said*, the user's words, whether *a* and *b* (names or ids) are the same."""


@verb_of_rule(procedures.KEEP_QUESTION, "message", "wordings", "shown")
def keep_question(
    scope: str,
    message: str,
    wordings: Sequence[str] = (),
    shown: Sequence[str] = (),
) -> None:
    """Keep that the user was shown the memories *shown* (ids) for *message*; return its id."""


@verb_of_rule(procedures.QUESTIONS, "after", "limit")
def questions(
    scope: str,
    after: str | None = None,
    limit: int | None = None,
) -> None:
    """Return the user's kept questions in the order of their ids, that of time, from *after* on."""


@verb_of_rule(procedures.PURGE_QUESTIONS, "retention_ms", "limit")
def purge_questions(
    scope: str,
    retention_ms: int,
    limit: int = 500,
) -> None:
    """Remove at most *limit* questions that were asked over *retention_ms* ago; return purged."""
