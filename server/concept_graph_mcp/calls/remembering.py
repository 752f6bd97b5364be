"""Calls that find memories by what they say."""

from collections.abc import Sequence
from typing import Any

from conceptgraph_core import text
from conceptgraph_core.associate.schema import checked_limit
from conceptgraph_core.memories import schema, wording
from conceptgraph_core.memories.wanted import Wanted

from . import concepts, words
from .call import Call, Procedure, checked
from .embedding import remembered
from .lookups import Lookup, Nearest
from .memories import BRIEF, SEEN, STANDING, mine

_EXPLANATION = ("words", "factors")
SEARCH = Procedure(
    "memorygraph.search",
    (*BRIEF, "score", "matched", "similarity", "total", *STANDING, *_EXPLANATION),
    writes=False,
)
# The text is written anew, with the days of the session's zone.
CONTEXT = Procedure(
    "memorygraph.context",
    ("entries", "memory_ids", "left_out"),
    writes=True,
    peeking="memorygraph.peek_context",
)

PROCEDURES = (SEARCH, CONTEXT, CONTEXT.peek())

# The name of an embedding, and a vector by it.
Embedded = tuple[str, Sequence[float]]


@checked
def search(
    scope: str,
    query: str,
    limit: int | None = None,
    *,
    source_filter: str | None = None,
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    states: Sequence[str] = (),
    embedded: Embedded | None = None,
    explained: bool = False,
    asker: str | None = None,
    asked_at: int | None = None,
) -> Call:
    """Return the call that finds what *query* belongs to; *asked_at* is in unix ms.

    *embedded* is the vector of the query, where there is one.
    """
    wanted = Wanted.of(source_filter, types, tags, states)
    depth = max(checked_limit(limit), schema.SEARCH_DEPTH)
    lookup, context = _asking(scope, query, embedded, wanted, depth)
    model, vector = embedded or (None, ())
    filters = (source_filter, list(types), list(tags), list(states))
    fields = tuple(one for one in SEARCH.fields if explained or one not in _EXPLANATION)
    asked = {"asker": asker, "asked_at": asked_at}
    context |= {key: value for key, value in asked.items() if value is not None}
    arguments = (query, limit, *filters, list(vector), model)
    return Call(SEARCH._replace(fields=fields), arguments, lookup, context)


@checked
def context(
    scope: str,
    query: str,
    token_budget: int = wording.DEFAULT_BUDGET,
    embedded: Embedded | None = None,
) -> Call:
    """Return the call that puts together what belongs to *query*, and accesses it."""
    wording.budget(token_budget)
    lookup, given = _asking(scope, query, embedded, Wanted(), schema.SEARCH_DEPTH)
    model, vector = embedded or (None, ())
    return Call(CONTEXT, (query, token_budget, list(vector), model), lookup, given)


def _asking(
    scope: str, query: str, embedded: Embedded | None, wanted: Wanted, depth: int
) -> tuple[Lookup, dict[str, Any]]:
    """Return the look-up of what *query* may belong to, and the context that goes with it."""
    text.summary(query, "query")
    also: list[Lookup] = []
    if embedded is not None:
        also = [remembered(), _nearest(scope, embedded[1], wanted, depth)]
    then = words.of_widened(concepts.widened(query), scope)
    return words.of_question(query, scope, also, then), words.context()


def _nearest(scope: str, vector: Sequence[float], wanted: Wanted, depth: int) -> Nearest:
    among: list[tuple[str, tuple[Any, ...]]] = [
        # What is not said of a memory counts as its layer has it.
        ("state", (*SEEN, None)),
        ("deleted_at", (None,)),
    ]
    if wanted.source is not None:
        absent = (None,) if wanted.source == schema.DEFAULT_SOURCE else ()
        among.append(("source", (wanted.source, *absent)))
    if wanted.types:
        among.append(("type", tuple(sorted(wanted.types))))
    having = (("tags", tuple(sorted(wanted.tags))),) if wanted.tags else ()
    # A state is that of now, which no index has.
    depth = schema.MAX_FILTERED if wanted.states else depth
    vector_of = schema.LAYER.vectors[0].vector
    return Nearest(
        schema.MEMORY, vector_of, tuple(vector), depth, mine(scope), tuple(among), having
    )
