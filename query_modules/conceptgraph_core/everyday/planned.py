"""Find the plans that a text tells with their day: "the nurse sees me on the 14th of July".

Such a text was stored on the day it was told. The names of the months lead to it, and what it says
of its day tells whether that is asked for.
"""

from collections.abc import Collection, Iterator
from typing import Any, Final

from ..dates import DAY_MS, Span
from ..memories.entries import Told, entries
from ..memories.filters import Wanted
from ..memories.projects import read_project
from ..memories.schema import SEARCH_DEPTH
from ..memories.search import Wordings
from ..memories.view import Graph, Node
from ..retrieval.periods import Period, find_periods
from .asking import name_months

# Not by an import statement: a reload of the modules would drop the names it defines.
re: Final[Any] = __import__("re")

# "Am 9. Februar" goes on behind its point.
_SENTENCES: Final = re.compile(r"(?<!\d)[.!?…]\s+|\n")
_LONGEST_MS: Final = 31 * DAY_MS
_YEAR_MS: Final = 365 * DAY_MS
# Without a year, a day further ahead is rather the one just over.
_FURTHEST_MS: Final = 300 * DAY_MS


def find_told(graph: Graph, span: Span, known: Collection[Node]) -> list[Told]:
    """Return the memories but those *known* that tell of a day in *span*, the earliest day first.

    The day was to come when it was told, and is not over.
    """
    now_ms = graph.context.now_ms if graph.context.asked_at is None else graph.context.asked_at
    words = name_months(span.since or now_ms, span.until or now_ms)
    found = []
    wanted = Wanted(project=read_project(graph, words))
    for node in (one.node for one in Wordings(graph, words).best(SEARCH_DEPTH, wanted)):
        days = [day for day in _read_days(graph, node) if span.holds(day.from_ms)]
        ahead = min((day.from_ms for day in days if day.to_ms > now_ms), default=None)
        if ahead is not None and node not in known and not node.is_plan:
            found.append((ahead, -node.told_at, node))
    found.sort(key=lambda each: each[:2])
    return entries(graph, [node for *_, node in found], (), {})


def _read_days(graph: Graph, node: Node) -> Iterator[Period]:
    """Yield the days or months that *node* names and that were to come when it was told.

    A date without a year may be read as the last one, so what names no day to come is read from a
    year later too.
    """
    told_at, zone = node.told_at, graph.context.zone
    for said in _SENTENCES.split(node.told):
        named = find_periods(said, told_at, zone)
        if named.is_past:
            continue
        ahead = [one for one in named.periods if one.from_ms >= told_at]
        if named.periods and not ahead:
            later = find_periods(said, told_at + _YEAR_MS, zone).periods
            ahead = [one for one in later if 0 <= one.from_ms - told_at <= _FURTHEST_MS]
        yield from (one for one in ahead if one.to_ms - one.from_ms <= _LONGEST_MS)
