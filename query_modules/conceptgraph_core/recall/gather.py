"""Gather the memories that may belong to a message, without judging them.

Words, vectors, links and the time that it names lead to them.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..everyday.asking import name_months
from ..everyday.schema import DAYS_MS, DAYS_TAG
from ..memories import schema, standing
from ..memories.entries import Told, entries
from ..memories.filters import Wanted
from ..memories.projects import Project, read_project
from ..memories.search import Finder, find_best, find_each, read_wordings
from ..memories.view import Graph, Node
from ..retrieval.periods import Period, find_periods
from ..retrieval.searching import Found
from ..texts.dates import DAY_MS, Span
from .read import Question

# Not by an import statement: a reload of the modules would drop the names it defines.
re: Final[Any] = __import__("re")

# "Am 9. Februar" goes on behind its point.
_SENTENCES: Final = re.compile(r"(?<!\d)[.!?…]\s+|\n")
_LONGEST_MS: Final = 31 * DAY_MS
_YEAR_MS: Final = 365 * DAY_MS
# Without a year, a day further ahead is rather the one just over.
_FURTHEST_MS: Final = 300 * DAY_MS


@dataclass(slots=True, eq=False)
class Candidate:
    """A memory, and what led to it: `found` has what each wording found, by its number.

    `linked` is the share of the best score that links pass to it, and `also` are its copies.
    """

    node: Node
    found: dict[int, Found] = field(default_factory=dict)
    linked: float = 0.0
    also: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """The candidates, and what each wording found: the best first."""

    candidates: Sequence[Candidate]
    wordings: Sequence[tuple[Finder, Sequence[Found]]]


def gather(question: Question) -> Gathered:
    """Return what may answer *question*, but what it replaced or what is over."""
    graph = question.graph
    graph.bound_edges(schema.MAX_LINKS_READ, "ask for something narrower")
    project = read_project(graph, question.text)
    wanted = Wanted(within=question.recent, project=project)
    wordings = find_each(question.wordings, schema.SEARCH_DEPTH, wanted)
    every: dict[Node, Candidate] = {}
    for number, (_, found) in enumerate(wordings):
        for hit in found:
            candidate = every.setdefault(hit.node, Candidate(hit.node))
            candidate.found[number] = hit
            candidate.also = tuple(dict.fromkeys((*candidate.also, *hit.also)))
        _follow_links(graph, found, every, project)
    if question.around is not None:
        for then in list_of_time(graph, question.text, question.around):
            every.setdefault(then.node, Candidate(then.node))
    for node, one in list(every.items()):
        if question.past is not None:
            for old in standing.find_replaced(graph, node):
                known = every.setdefault(old, Candidate(old))
                known.linked = max(known.linked, schema.CONTEXT_FADING)
        elif graph.ended(node) is not None:
            # Its successor may share nothing with the message.
            latest = standing.last(graph, node)
            known = every.setdefault(latest, Candidate(latest))
            known.found = {**one.found, **known.found}
    may_answer = [
        one
        for node, one in every.items()
        if not is_past_use(question.at, node)
        and question.recent.holds(node.told_at)
        and (question.past is not None or graph.ended(node) is None)
    ]
    return Gathered(may_answer, wordings)


def is_past_use(at: int, node: Node) -> bool:
    """Tell whether *node* was useful for some days only, and these are over *at* a time."""
    if DAYS_TAG not in node.get("tags"):
        return False
    kept_at = node.get("kept_at")
    return bool(at - (node.told_at if kept_at is None else kept_at) > DAYS_MS)


def _follow_links(
    graph: Graph, found: Sequence[Found], every: dict[Node, Candidate], project: Project | None
) -> None:
    """Add what the links of the best of *found* lead to."""
    best = max((one.score for one in found), default=0.0)
    frontier = {one.node: one.score / best for one in found[: schema.CONTEXT_BEST] if best}
    for _ in range(schema.CONTEXT_HOPS):
        reached: dict[Node, float] = {}
        for node, worth in frontier.items():
            for edge, _, other, _ in graph.edges(node):
                strength = graph.strength(edge)
                passed = worth * strength * schema.CONTEXT_FADING
                if strength >= schema.CONTEXT_STRENGTH and passed > reached.get(other, 0.0):
                    reached[other] = passed
        frontier = {}
        # A memory may have thousands of links: only the strongest go on.
        strongest = sorted(reached, key=lambda one: (-reached[one], one.memory_id))
        for node in strongest[: schema.SEARCH_DEPTH]:
            # A link may lead into another project.
            if project is None or project.admits(node):
                known = every.setdefault(node, Candidate(node))
                if reached[node] > known.linked:
                    known.linked = frontier[node] = reached[node]


def list_of_time(
    graph: Graph, query: str, span: Span, plans: bool = False, apart: bool = False
) -> list[Told]:
    """Return the memories that happened in *span*, or were told then, with their entries.

    *query* asks for them. The latest come first; a plan that was made then is one of them. With
    *plans*, only plans for that time are returned, the earliest first. *apart*: only the first and
    the last day count.
    """
    graph.bound_edges(schema.MAX_LINKS_READ, "ask for something narrower")
    then = []
    for node in graph.nodes():
        # A plan that was made then is told too, unless plans for then are asked for.
        times = [node.told_at] if node.is_plan or not plans else []
        if node.is_plan and not plans:
            times.append(node.get("created_at"))
        then += [(time, node) for time in times if span.holds(time)][:1]
    if apart:
        since, until = span.since or 0, span.until or 0
        then = [one for one in then if one[0] - since < DAY_MS or until - one[0] <= DAY_MS]
    wanted = Wanted(project=read_project(graph, query))
    then = [one for one in then if wanted.admits(graph, one[1])]
    then.sort(key=lambda one: (one[0] * (1 if plans else -1), one[1].memory_id))
    return entries(graph, [node for _, node in then[: schema.SEARCH_DEPTH]], (), {})


def find_planned(graph: Graph, span: Span, known: Collection[Node]) -> list[Told]:
    """Return the memories but those *known* that tell of a day in *span*, the earliest day first.

    Such a text was stored on the day it was told: "the nurse sees me on the 14th of July". The
    names of the months lead to it. The day was to come when it was told, and is not over.
    """
    now_ms = graph.context.at
    words = name_months(span.since or now_ms, span.until or now_ms)
    found = []
    wanted = Wanted(project=read_project(graph, words))
    finders = read_wordings(graph, words)
    for node in (one.node for one in find_best(finders, schema.SEARCH_DEPTH, wanted)):
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
