"""Declare the verbs that find memories by their text."""

from collections.abc import Sequence
from typing import Annotated, Literal

from conceptgraph_core import budgets, text
from conceptgraph_core.arguments import INNER, AskedAt, Asker, Most, Query, SourceFilter, TextBudget
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.layers import SHARED
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.lookups import listed_by, near
from conceptgraph_core.retrieval.schema import checked_limit

from .call import check_asker
from .memories import Embedded
from .verb import Passing, verb_of_user

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
) -> list[Lookup] | Passing:
    """Find the memories for *query*; without one, list the latest that pass the filters."""
    check_asker(asker)
    wanted = Wanted.of(source_filter, types, tags, states)
    depth = max(checked_limit(limit), schema.SEARCH_DEPTH)
    if query:
        text.summary(query, "query")
        return [] if embedded is None else near(scope, embedded[1], depth, wanted)
    return Passing([listed_by(scope, wanted, depth)], {"query": None})


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
) -> list[Lookup]:
    """Assemble the context of *query*, and access it."""
    check_asker(asker)
    budgets.budget(token_budget)
    text.summary(query, "query")
    return [] if embedded is None else near(scope, embedded[1], schema.SEARCH_DEPTH)
