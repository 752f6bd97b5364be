"""Widen a question by the neighbours of the concepts that it names.

No edge joins concepts and memories: they meet by name. The question's words name concepts, and
these have neighbours. The words of the neighbours' names are searched for as well, with a smaller
share than the question's own.
"""

from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import Any, Final, NamedTuple

from .. import folding
from .. import text as texts
from ..retrieval.question import asked_terms
from . import schema
from .node import Graph, Node
from .spoken import names

Row = dict[str, Any]

# The fields of a row; `retrieval.question.Further` has the same.
FIELDS: Final = ("term", "share", "said", "to", "why")


class _Neighbour(NamedTuple):
    """A neighbour; the fields are in the order of preference."""

    against: float
    name: str
    why: str


def widen(graph: Graph, text_: str) -> list[Row]:
    """Return the terms that a text evokes by the concepts that it names, the strongest first.

    A row has term, share (relative to a word of the question, below 1), said (the named concept),
    to (its neighbour) and why ("dog evokes Max"). A concept brings at most three neighbours, those
    with the greatest weight, and no term that the question has itself. Raises InvalidText,
    LibraryMissing.
    """
    languages = graph.context.languages
    own = asked_terms(texts.summary(text_, "text"), languages)
    best: dict[str, Row] = {}
    for concept in _with_neighbours(graph, find_named(graph, text_)):
        for neighbour in nsmallest(schema.WIDENED_NEIGHBOURS, concept[1]):
            for term in asked_terms(neighbour.name, languages):
                share = round(-neighbour.against, schema.SCORE_DECIMALS)
                if term in own or share <= best.get(term, {"share": 0.0})["share"]:
                    continue
                said, to = concept[0].name, neighbour.name
                told = {"said": said, "to": to, "why": neighbour.why}
                best[term] = {"term": term, "share": share, **told}
    rows = sorted(best.values(), key=lambda row: (-row["share"], row["term"]))
    return rows[: schema.WIDENED_TERMS]


def find_named(graph: Graph, asked: str) -> list[Node]:
    """Return the concepts that *asked* names, in the order of `spoken.names`."""
    places = {name: place for place, name in enumerate(names(asked, graph.context.languages))}
    found = [
        (place, node.name, node)
        for node in graph.nodes()
        if not node.is_episode and (place := places.get(folding.fold(node.name))) is not None
    ]
    return [node for *_, node in sorted(found, key=lambda one: one[:2])]


def _with_neighbours(
    graph: Graph, concepts: Sequence[Node]
) -> Iterator[tuple[Node, list[_Neighbour]]]:
    """Yield *concepts*, each with its neighbours, unless these are too many."""
    left = schema.WIDENED_RELATIONS_IN_ALL
    for node in concepts:
        read, neighbours = _neighbours(graph, node, min(left, schema.WIDENED_RELATIONS))
        if read > left:
            return
        left -= read
        yield node, neighbours


def _neighbours(graph: Graph, node: Node, most: int) -> tuple[int, list[_Neighbour]]:
    """Return the number of relations of *node*, and its neighbours unless over *most*."""
    best: dict[str, _Neighbour] = {}
    read = 0
    for edge, relation, other, outgoing in graph.ends(node):
        read += 1
        if read > most:
            return read, []
        name = other.get_property("name")
        if graph.label(other) != schema.CONCEPT or not isinstance(name, str) or name == node.name:
            continue
        share = (
            schema.WIDENED_SHARE
            * graph.weight(edge)
            * (1.0 if outgoing else schema.REVERSE_PENALTY)
        )
        ends = (node.name, name) if outgoing else (name, node.name)
        made = _Neighbour(-share, name, f"{ends[0]} {relation} {ends[1]}")
        if name not in best or made < best[name]:
            best[name] = made
    return read, list(best.values())
