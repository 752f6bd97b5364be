"""Answer from the past time that a message names among other words, as in "I bought it in May".

Texts of that time come first. The time itself is evidence: where no other word or meaning leads to
one of them, the nearest few answer, because a person who asks about May expects something of May.
"""

from collections.abc import Sequence
from typing import Final

from ..dates import Span
from ..memories import candidates as contexts
from ..memories.candidates import Candidate
from ..memories.search import comparable
from ..memories.view import Graph
from ..ranks import cosine_to
from ..retrieval.nearness import least_alone
from ..retrieval.periods import periods
from .bar import Bar

# So many texts of the time answer where no word leads to one.
_MOST: Final = 3


def put_first(
    graph: Graph,
    question: str,
    found: list[Candidate],
    bar: Bar,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> list[Candidate]:
    """Return *found* with what is of the context's `told_around` first, and without later texts.

    * A text that matters about somebody named stays first.
    * A text from before stays if a word leads to it: what was so then may have been told earlier.
    * A later text stays if it names that time, or if nothing is of it.
    """
    if graph.context.told_around is None:
        return found
    span = Span(*graph.context.told_around)
    matters = [one for one in found if bar.is_first(one.node)]
    others = [one for one in found if one not in matters]
    then = [one for one in others if span.holds(one.node.told_at)]
    if not then and not any(span.holds(one.node.told_at) for one in matters):
        then = _nearest(graph, question, span, bar, vector, model)
    led_to = [one for one in others if one.found is not None and one.found.is_said]
    before = [
        one for one in led_to if one not in then and (not then or _is_before(graph, one, span))
    ]
    return [*matters, *then, *before]


def _is_before(graph: Graph, one: Candidate, span: Span) -> bool:
    """Tell whether *one* was told before the end of *span*, or names a time in it."""
    told_at = one.node.told_at
    if told_at < (span.until or 0):
        return True
    named = periods(one.node.content, told_at, graph.context.zone)
    return any(
        period.from_ms < (span.until or 0) and (span.since or 0) < period.to_ms for period in named
    )


def _nearest(
    graph: Graph,
    question: str,
    span: Span,
    bar: Bar,
    vector: Sequence[float],
    model: str | None,
) -> list[Candidate]:
    """Return the few texts of *span* that are nearest to *question*; without vectors the latest.

    A message about nobody who is known may ask about the world: it needs what is near enough.
    """
    told = contexts.told_in(graph, question, span)
    given = comparable(graph, vector, model)
    if not given:
        return told[:_MOST] if bar.is_known else []
    cosine = cosine_to(given)
    vectors = ((one, one.node.raw.get_property("embedding")) for one in told)
    cosines = ((cosine(kept), one) for one, kept in vectors if isinstance(kept, (list, tuple)))
    near = [(value, one) for value, one in cosines if value is not None]
    near.sort(key=lambda pair: -pair[0])
    least = -1.0 if bar.is_known else least_alone(graph.context.near_nothing, len(told))
    return [one for value, one in near[:_MOST] if value >= least]
