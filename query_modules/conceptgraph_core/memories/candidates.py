"""Write the memories that match a query into one text, within a token budget.

A memory in the text counts as accessed. The links between the memories in one text are
strengthened: memories that are useful together should be found together (Hebb, see
docs/design.md).
"""

import heapq
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from .. import budgets, text
from ..dates import DAY_MS, Span
from ..retrieval.question import asks_of_the_past, shorten
from . import lifecycle, links, near_duplicates, rendering, schema, standing, together
from .filters import Wanted
from .meaning import read_meant
from .projects import read_project
from .search import Found
from .view import Graph, Node
from .wordings import Wordings, merge_found

Row = dict[str, Any]

# The estimated bytes of a line besides its text: its time, its speaker and its id.
_BESIDE: Final = 100


class Candidate(NamedTuple):
    """A memory for a context with its entry; `found` is None if a link or a time led to it."""

    node: Node
    entry: Row
    found: Found | None = None


def context(
    graph: Graph,
    query: str,
    token_budget: int | None = budgets.DEFAULT_BUDGET,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> Row:
    """Compose the memories that match *query* within *token_budget*, the most relevant first.

    * The text has the matches, and memories that the links of the best matches lead to.
    * A memory that contradicts another one precedes it, and so does a later one on its matter.
    * Duplicates (the same words) appear once, by the latest.
    * A replaced memory is left out, unless *query* asks for the past.
    * A memory that does not fit is left out; only the first one is cut.

    Returns text, entries (the lines: memory_id, at in unix ms, speaker, source, text, also,
    contradicted_by), memory_ids, tokens (estimated), left_out (how many did not fit) and accessed
    (the arguments of `everyday.access`).

    Unless the call is read-only, the memories in the text count as accessed, and the existing links
    between them are strengthened. Raises the errors of `search`.
    """
    budget = budgets.budget(token_budget)
    query = shorten(text.summary(query, "query"))
    meant = read_meant(graph, query, vector)
    found = candidates(graph, query, Wordings(graph, query, meant.vector, model, spelt=meant.spelt))
    if not asks_of_the_past(query):
        found = [one for one in found if graph.ended(one.node) is None]
    fitting = list(_fitting(graph, found, budget))
    put = [node for node, _, _ in fitting]
    count_access(graph, put)
    made = "\n".join(line for _, _, line in fitting)
    memory_ids = [node.memory_id for node in put]
    return {
        "text": made,
        "entries": [shown for _, shown, _ in fitting],
        "memory_ids": memory_ids,
        "tokens": budgets.tokens(budgets.size(made)),
        "left_out": len(found) - len(put),
        "accessed": {"memories": memory_ids},
    }


def candidates(graph: Graph, query: str, wordings: Wordings) -> list[Candidate]:
    """Return the memories that *wordings* of *query* find, the most relevant first."""
    graph.bound_edges(schema.MAX_LINKS_READ, "ask for something narrower")
    wanted = Wanted(project=read_project(graph, query))
    lists = [found for _, found in wordings.each(schema.SEARCH_DEPTH, wanted)]
    kept = [_belonging(found) for found in lists]
    if not any(kept):
        return []
    every = merge_found(lists)
    relevance, copies = _relevance(graph, merge_found(kept))
    worth = {
        node: _worth(node, value)
        for node, value in relevance.items()
        # A link may lead into another project.
        if wanted.project is None or wanted.project.admits(node)
    }
    ordered = sorted(worth, key=lambda node: (-worth[node], *links.age(node.raw)))
    by_node = {one.node: one for one in every}
    return [
        one._replace(found=by_node.get(one.node))
        for one in entries(graph, ordered, copies, find_renewed(every))
    ]


def told_in(
    graph: Graph, query: str, span: Span, plans: bool = False, apart: bool = False
) -> list[Candidate]:
    """Return the memories that happened in *span*, or were told then, with their entries.

    *query* asks for them. The latest come first; a plan that was made then is one of them. With
    *plans*, only plans for that time are returned, the earliest first. *apart*: only the first and
    the last day count.
    """
    graph.bound_edges(schema.MAX_LINKS_READ, "ask for something narrower")
    at = {node: _find_time_within(node, span, plans) for node in graph.nodes()}
    then = [(time, node) for node, time in at.items() if time is not None]
    if apart:
        since, until = span.since or 0, span.until or 0
        then = [one for one in then if one[0] - since < DAY_MS or until - one[0] <= DAY_MS]
    wanted = Wanted(project=read_project(graph, query))
    then = [one for one in then if wanted.admits(graph, one[1])]
    then.sort(key=lambda one: (one[0] * (1 if plans else -1), one[1].memory_id))
    return entries(graph, [node for _, node in then[: schema.SEARCH_DEPTH]], (), {})


def _find_time_within(node: Node, span: Span, plans: bool) -> int | None:
    """Return when *node* happened or was told in *span*; None: it was not."""
    is_plan = node.is_plan
    times = [node.told_at] if is_plan or not plans else []
    if is_plan and not plans:
        times.append(node.get("created_at"))
    return next(filter(span.holds, times), None)


def _worth(node: Node, relevance: float) -> float:
    """Return the relevance of *node* divided by a power of its size.

    The shorter of two equally relevant memories comes first, so that more answers fit the budget.
    """
    return relevance / math.pow(_BESIDE + budgets.size(node.content), schema.CONTEXT_BREVITY)


def count_access(graph: Graph, put: Sequence[Node]) -> None:
    """Count an access of the memories *put* into a text, and strengthen their links."""
    if graph.may_write:
        for node in put:
            lifecycle.access(graph, node)
        together.count(graph, put, _strengthen(graph, put))


def _relevance(graph: Graph, found: Sequence[Found]) -> tuple[dict[Node, float], set[Node]]:
    """Return the relevance (the best has 1) of *found* and linked memories, and duplicates."""
    relevance = {one.node: one.score / found[0].score for one in found}
    copies = {node for one in found for node in one.also}
    frontier = dict(islice(relevance.items(), schema.CONTEXT_BEST))
    for _ in range(schema.CONTEXT_HOPS):
        reached: dict[Node, float] = {}
        for node, value in frontier.items():
            for edge, _, other, _ in graph.edges(node):
                strength = graph.strength(edge)
                passed = value * strength * schema.CONTEXT_FADING
                if strength >= schema.CONTEXT_STRENGTH and passed > reached.get(other, 0.0):
                    reached[other] = passed
        better = {
            node: value for node, value in reached.items() if value > relevance.get(node, 0.0)
        }
        # A memory may have thousands of links: follow only the most relevant ones.
        best = sorted(better, key=lambda node: (-better[node], *links.age(node.raw)))
        frontier = {node: better[node] for node in best[: schema.SEARCH_DEPTH]}
        relevance |= frontier
    return relevance, copies - relevance.keys()


def _belonging(found: Sequence[Found]) -> list[Found]:
    """Return those of *found* that a word leads to, with `CONTEXT_LEAST` of the best score or more.

    A memory that no word leads to must be among the few nearest instead: one rare word outweighs
    any nearness. Otherwise a context without `near_nothing` would access every memory.
    """
    alone = [one.similarity or 0.0 for one in found if not one.is_said]
    least = min(heapq.nlargest(schema.CONTEXT_BEST, alone), default=0.0)
    enough = schema.CONTEXT_LEAST * max((one.score for one in found), default=0.0)
    return [
        one
        for one in found
        if (one.score >= enough if one.is_said else (one.similarity or 0.0) >= least)
    ]


def find_renewed(found: Sequence[Found]) -> dict[Node, Node]:
    """Return those of *found* that a later one is on the matter of, each with the latest of these.

    See `second_step.later_first`.
    """
    renewing = [(one.node, texts) for one in found if (texts := one.renews)]
    if not renewing:
        return {}
    by_text = {one.hit.found.text: one.node for one in found if one.hit is not None}
    renewing.sort(key=lambda one: near_duplicates.age(one[0]))
    return {by_text[text]: node for node, texts in renewing for text in texts if text in by_text}


def entries(
    graph: Graph,
    ordered: Sequence[Node],
    copies: Collection[Node],
    renewed: Mapping[Node, Node],
) -> list[Candidate]:
    """Return *ordered* without duplicates, with entries, contradicting memories first.

    *copies* has duplicates of some of them, and *renewed* the later ones on the same matter.
    """
    groups: dict[Node, list[Node]] = {}
    chosen = set(ordered)
    for group in near_duplicates.group_nodes([*ordered, *copies]):
        groups[max(chosen.intersection(group), key=near_duplicates.age)] = group
    sayings = near_duplicates.shown_first(groups, groups.values())
    # A found memory brings the memory that corrects it, even if their link has faded.
    against = standing.find_contradicting(graph, list(groups), sayings)
    later = dict.fromkeys(node for node in against.values() if node not in groups)
    against |= standing.find_contradicting(graph, list(later), sayings)
    shown = near_duplicates.later_first([*groups, *later], {**renewed, **against})
    return [
        Candidate(node, entry(graph, node, groups.get(node, [node]), against)) for node in shown
    ]


def _fitting(
    graph: Graph, found: Sequence[Candidate], budget: int
) -> Iterator[tuple[Node, Row, str]]:
    """Yield those of *found* that fit, each with its line (`rendering.fitting`)."""

    def each() -> Iterator[Row]:
        for one in found:
            graph.step()
            yield one.entry

    for place, shown, line in rendering.fitting(each(), budget):
        yield found[place].node, dict(shown), line


def entry(graph: Graph, node: Node, group: Sequence[Node], against: dict[Node, Node]) -> Row:
    """Return the entry of *node*, which stands for all duplicates in *group*."""
    return {
        "memory_id": node.memory_id,
        "at": near_duplicates.told_at(node),
        "speaker": node.get("speaker"),
        "source": node.get("source"),
        "text": node.told,
        "also": len(group) - 1,
        **standing.mark(graph, node, against),
    }


def _strengthen(graph: Graph, put: Sequence[Node]) -> set[tuple[int, int]]:
    """Strengthen the links between the memories *put*; return the pairs that have one."""
    among = {node.id for node in put}
    graph.expect_edges(put, outgoing=True)
    between: dict[tuple[int, int, str], list[Any]] = {}
    for node in put:
        for edge, relation, other, _ in graph.edges(node, links.WAYS[schema.OUTGOING]):
            if other.id in among and other.id != node.id:
                between.setdefault((node.id, other.id, relation), []).append(edge)
    for edges in between.values():
        links.strengthen(graph, edges, schema.CONTEXT_AMOUNT)
    return {(source, target) for source, target, _ in between}
