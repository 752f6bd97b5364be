"""What of the memories belongs to a query, written within a budget of tokens.

Being put into such a text is an access, and the links between what stands there together become
firmer: what is of use together is found together (seed 002).
"""

import heapq
import math
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from .. import budgets, dates
from . import lifecycle, links, near_duplicates, rendering, schema, standing
from .filters import Wanted
from .search import Finder, Found
from .view import Graph, Node

Row = dict[str, Any]

# Bytes of a line besides its text, roughly: when it was said, who said it, and its id.
_BESIDE: Final = 100


def context(
    graph: Graph,
    query: str,
    token_budget: int | None = budgets.DEFAULT_BUDGET,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> Row:
    """Put together what belongs to *query*, the most relevant first, in at most *token_budget*.

    What is found, what links of the best of it lead to, and what contradicts any of it, before
    that. What is said again in the same words is there once, by the latest that says it. What does
    not fit is left out, and cut only if it is the first. Returns text, its lines' `entries`
    (memory_id, at in unix ms, speaker, source, text, also, contradicted_by), memory_ids, tokens,
    which are estimated, and left_out, how many did not fit. All that is put in is accessed by this,
    and the links between these memories strengthened, where this may write; none is created. Raises
    what `search` does.
    """
    budget = budgets.budget(token_budget)
    found = candidates(graph, query, vector, model)
    fitting = list(_fitting(graph, found, budget))
    put = [node for node, _, _ in fitting]
    accessed(graph, put)
    made = "\n".join(line for _, _, line in fitting)
    return {
        "text": made,
        "entries": [shown for _, shown, _ in fitting],
        "memory_ids": [node.memory_id for node in put],
        "tokens": budgets.tokens(budgets.size(made)),
        "left_out": len(found) - len(put),
    }


def candidates(
    graph: Graph,
    query: str,
    vector: Sequence[float] = (),
    model: str | None = None,
    least: float = 0.0,
    least_named: float = 0.0,
) -> list[tuple[Node, Row]]:
    """Return what belongs to *query* with its entry, the most relevant first.

    Nothing, if no text that is found has *least* of what is asked for (`Finder.answers`), or where
    *query* names a speaker *least_named*.
    """
    graph.bound_edges(schema.MAX_LINKS_READ, "ask for something narrower")
    finder = Finder(graph, query, vector, model)
    found = finder.best(schema.SEARCH_DEPTH, Wanted())
    enough = least_named if finder.names_a_speaker else least
    if not finder.answers(found[: schema.CONTEXT_BEST], enough):
        return []
    relevance, copies = _relevance(graph, found)
    worth = {node: _worth(node, value) for node, value in relevance.items()}
    ordered = sorted(worth, key=lambda node: (-worth[node], *links.age(node.raw)))
    return _entries(graph, ordered, copies)


def _worth(node: Node, relevance: float) -> float:
    """Return what a text counts in its place: as relevant as another, the shorter one comes first.

    So more of what answers a question fits into a budget.
    """
    size = _BESIDE + budgets.size(node.content)
    return relevance / math.pow(size, schema.CONTEXT_BREVITY)


def accessed(graph: Graph, put: Sequence[Node]) -> None:
    """Count an access of what is *put* into a text, and make the links between it firmer."""
    if graph.may_write:
        for node in put:
            lifecycle.access(graph, node)
        _strengthen(graph, put)


def _relevance(graph: Graph, found: Sequence[Found]) -> tuple[dict[Node, float], set[Node]]:
    """Return what belongs to what was *found*, by how much (the best has 1), and copies of it."""
    belonging = _belonging(found)
    relevance = {one.node: one.score / found[0].score for one in belonging}
    copies = {node for one in belonging for node in one.also}
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
        # What is linked to thousands would bring them all: the most relevant stand for them.
        best = sorted(better, key=lambda node: (-better[node], *links.age(node.raw)))
        frontier = {node: better[node] for node in best[: schema.SEARCH_DEPTH]}
        relevance |= frontier
    return relevance, copies - relevance.keys()


def _belonging(found: Sequence[Found]) -> list[Found]:
    """Return those of *found* that belong into a context: what has a share of the best's score.

    What no word leads to, only if it is among the few nearest: where nobody says what is near to
    nothing, whatever there is would be accessed else.
    """
    alone = [one.similarity or 0.0 for one in found if not one.is_said]
    least = min(heapq.nlargest(schema.CONTEXT_BEST, alone), default=0.0)
    enough = schema.CONTEXT_LEAST * max((one.score for one in found), default=0.0)
    return [
        one
        for one in found
        if one.score >= enough and (one.is_said or (one.similarity or 0.0) >= least)
    ]


def _entries(
    graph: Graph, ordered: Sequence[Node], copies: Collection[Node]
) -> list[tuple[Node, Row]]:
    """Return each saying of *ordered* once, with its entry, what contradicts it before it.

    *copies* are others that say what some of these do.
    """
    groups: dict[Node, list[Node]] = {}
    chosen = set(ordered)
    for group in near_duplicates.grouped([*ordered, *copies]):
        groups[max(chosen.intersection(group), key=near_duplicates.age)] = group
    sayings = near_duplicates.shown_first(groups, groups.values())
    # What was found stands beside what corrects it, even where their link is faint by now.
    against = standing.against(graph, list(groups), sayings)
    later = dict.fromkeys(node for node in against.values() if node not in groups)
    against |= standing.against(graph, list(later), sayings)
    shown = near_duplicates.later_first([*groups, *later], against)
    return [(node, entry(graph, node, groups.get(node, [node]), against)) for node in shown]


def _fitting(
    graph: Graph, found: Sequence[tuple[Node, Row]], budget: int
) -> Iterator[tuple[Node, Row, str]]:
    """Yield those of *found* that fit, each with its line; the first is cut if it does not fit."""
    used = 0
    for node, whole in found:
        graph.step()
        shown, line = whole, rendering.line(whole, dates.minute)
        needed = budgets.size(line) + (1 if used else 0)
        if budgets.tokens(used + needed) > budget:
            if used:
                continue
            shown = dict(rendering.cut(whole, budget))
            line = rendering.line(shown, dates.minute)
            needed = budgets.size(line)
            if budgets.tokens(needed) > budget:
                continue
        used += needed
        yield node, shown, line


def entry(graph: Graph, node: Node, group: Sequence[Node], against: dict[Node, Node]) -> Row:
    """Return *node* as it is written, for all of *group*, which say the same."""
    return {
        "memory_id": node.memory_id,
        "at": near_duplicates.told_at(node),
        "speaker": node.value("speaker"),
        "source": node.value("source"),
        "text": node.content,
        "also": len(group) - 1,
        **standing.mark(graph, node, against),
    }


def _strengthen(graph: Graph, put: Sequence[Node]) -> None:
    among = {node.id for node in put}
    graph.expect_edges(put, outgoing=True)
    between: dict[tuple[int, int, str], list[Any]] = {}
    for node in put:
        for edge, relation, other, _ in graph.edges(node, links.WAYS[schema.OUTGOING]):
            if other.id in among and other.id != node.id:
                between.setdefault((node.id, other.id, relation), []).append(edge)
    for edges in between.values():
        links.strengthen(graph, edges, schema.CONTEXT_AMOUNT)
