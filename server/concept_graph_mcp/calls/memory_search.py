"""Declare the verbs that find memories by their text."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from conceptgraph_core import budgets, text
from conceptgraph_core.arguments import INNER, AskedAt, Asker, Most, Query, SourceFilter, TextBudget
from conceptgraph_core.embeddings.schema import remembered
from conceptgraph_core.entities import lookups as entity_lookups
from conceptgraph_core.entities import names
from conceptgraph_core.entities import schema as entities
from conceptgraph_core.graph.primitives import Equal, Lookup, Range, Union
from conceptgraph_core.layers import SHARED
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.lookups import EVER, SEEN, latest, mine, near
from conceptgraph_core.retrieval.question import shorten
from conceptgraph_core.retrieval.schema import checked_limit
from conceptgraph_core.words import missing

from . import concepts, text_lookups
from .also import NO_ALSO, Also
from .call import Call, checked, whose
from .memories import Embedded
from .verb import Passing, verb_of_user

# A list by tags or types looks up at most so many of them, and reads so many for each that it
# may show. Each tag takes a look-up for each place that it may have.
_MOST_LOOKED_UP = 3
_READ_FOR_EACH = 2
AnyQuery = Annotated[str | None, 'A question or a sentence; dates are read. "" lists the latest.']
PresentState = Literal["active", "dormant", "archived"]
# The text is rendered again with days in the session's zone.
_CONTEXT = procedures.CONTEXT.without("text")


@verb_of_user(procedures.SEARCH, is_worded=True)
def search(
    scope: str,
    query: AnyQuery,
    limit: Annotated[Most, "At most this many."] = schema.FOUND,
    source_filter: SourceFilter = None,
    types: Annotated[Sequence[str], "Only those of one of these types; none: of any."] = (),
    tags: Annotated[Sequence[str], "Only those with one of these tags."] = (),
    states: Annotated[Sequence[PresentState], "Only those in one of these states."] = (),
    embedded: Embedded | None = None,
    *,
    asker: Asker = None,
    asked_at: AskedAt = None,
    explained: Annotated[bool, INNER] = False,
    concept_scope: str = SHARED,
) -> Lookup | Passing:
    """Find the memories for *query*; without one, list the latest that pass the filters."""
    text_lookups.check_asker(asker)
    wanted = Wanted.of(source_filter, types, tags, states)
    depth = max(checked_limit(limit), schema.SEARCH_DEPTH)
    if query:
        return _asking((scope, concept_scope), query, embedded, wanted, depth)
    return Passing(_listed(scope, wanted, depth), {"query": None})


def _listed(scope: str, wanted: Wanted, depth: int) -> Lookup:
    """Look up the latest memories that are *wanted*: by tags, else by types, else all of them.

    With one filter alone it reads a few more than *depth*, for copies of a text share a row.
    """
    filters = [one for one in (wanted.source, wanted.types, wanted.tags, wanted.states) if one]
    most = schema.MAX_FILTERED if len(filters) > 1 else _READ_FOR_EACH * depth
    if 0 < len(wanted.tags) <= _MOST_LOOKED_UP:
        slots = schema.TAGGED
        having = [(name, tag) for tag in sorted(wanted.tags) for name in slots.names]
        found = [_latest_with(scope, most, one) for one in having]
        return Union((*found, _latest_with(scope, schema.MAX_FILTERED, (slots.more, True))))
    if 0 < len(wanted.types) <= _MOST_LOOKED_UP:
        of_types = [(state, one) for one in sorted(wanted.types) for state in SEEN]
        return Union(
            tuple(
                _latest_with(scope, most, ("state", state), ("type", one))
                for state, one in of_types
            )
        )
    return latest(scope, SEEN, schema.MAX_FILTERED, wanted.source)


def _latest_with(scope: str, most: int, *having: tuple[str, Any]) -> Range:
    where = (*mine(scope), *having)
    return Range((schema.MEMORY,), "latest", *EVER, where=where, limit=most, then="id")


@verb_of_user(_CONTEXT, is_worded=True)
def context(
    scope: str,
    query: Query,
    token_budget: TextBudget = budgets.DEFAULT_BUDGET,
    embedded: Embedded | None = None,
    concept_scope: str = SHARED,
    *,
    asker: Asker = None,
    asked_at: AskedAt = None,
) -> Lookup:
    """Assemble the context of *query*, and access it."""
    text_lookups.check_asker(asker)
    budgets.budget(token_budget)
    return _asking((scope, concept_scope), query, embedded, Wanted(), schema.SEARCH_DEPTH)


@checked
def unnamed(scope: str, query: str, spelt: bool = True) -> Call:
    """Return the call that tells *query* without the first names of speakers.

    Without *spelt* it looks up no spellings near its words, which are hundreds. It tells
    which words are unknown, and what they are meant for takes another call.
    """
    text.summary(query, "query")
    terms = Union(tuple(text_lookups.of_terms((query,), scope, spelt)))
    return Call(procedures.UNNAMED, (query,), terms, text_lookups.context() | {"user_id": scope})


@checked
def widened(
    scope: str,
    query: str,
    concept_scope: str = SHARED,
    about: str | None = None,
    also: Also = NO_ALSO,
) -> Call:
    """Return the call that returns the terms added to *query* by the people and names in it.

    The terms of all names of *about* are returned too, and those of *also*, other wordings.
    """
    wordings = (query, also.text) if also.wordings else (query,)
    found = [one for wording in wordings for one in _widening(scope, wording, concept_scope)]
    if about is not None:
        found += entity_lookups.named_by(about, scope)
    context = text_lookups.context() | whose(concept_scope) | {"user_id": scope}
    if also.wordings:
        context["also"] = list(also.wordings)
    return Call(procedures.WIDENED, (query, about), Union(tuple(found)), context)


def _widening(scope: str, query: str, concept_scope: str) -> list[Lookup]:
    by_concept = concepts.widened(query, concept_scope)
    assert by_concept.lookup is not None
    forms = [] if missing() else names.asked_for(query, text_lookups.spoken())
    called = tuple((scope, form) for form in forms)
    by_kind = entity_lookups.meant_by_kind(query, scope)
    by_matter = [] if missing() else entity_lookups.of_matters(query, scope, text_lookups.spoken())
    by_part = entity_lookups.named_in_part(query, scope)
    merged = Equal((entities.ENTITY,), ("user_id", "searched"), called)
    return [by_concept.lookup, merged, *by_part, *by_kind, *by_matter]


def _asking(
    scopes: tuple[str, str],
    query: str,
    embedded: Embedded | None,
    wanted: Wanted,
    depth: int,
) -> Lookup:
    """Look up the memories that may match *query*.

    *scopes* are that of the memories and that of the concepts that it names.
    """
    near_: list[Lookup] = []
    if embedded is not None:
        near_ = [remembered(), *near(scopes[0], embedded[1], depth, wanted)]
    return asking(scopes, query, near_)


def asking(scopes: tuple[str, str], query: str, also: Sequence[Lookup]) -> Lookup:
    """Look up what may match *query* by its words, and *also*."""
    query = shorten(text.summary(query, "query"))
    scope, concept_scope = scopes
    then = text_lookups.of_widened(widened(scope, query, concept_scope), scope)
    return text_lookups.of_question(query, scope, scope, also, then)
