"""Create concepts when they are first named, and find them by any substring of the name.

Name the terms that a text evokes by the concepts that it names.
"""

import heapq
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import Any, Final, NamedTuple

from ..graph.layers import SHARED
from ..retrieval.question import asked_terms
from ..texts import folding, text
from ..texts import text as texts
from ..texts.text import show_name
from ..verbs.errors import InvalidText, NameTaken
from . import affect, lookups, schema
from .node import Graph, Node
from .schema import find_names

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
    """Return the concepts that *asked* names, in the order of `schema.find_names`."""
    places = {name: place for place, name in enumerate(find_names(asked, graph.context.languages))}
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


def upsert(graph: Graph, concept: str) -> dict[str, Any]:
    """Create *concept* if nothing has the name. Returns concept_id and created.

    Raises NameTaken for the name of an episode.
    """
    concept = text.name(concept, "concept")
    nodes = graph.find_named([concept]).get(concept)
    is_new = not nodes
    if nodes and nodes[0].is_episode:
        raise NameTaken(f"concept: {show_name(concept)} is the name of an episode")
    if not nodes:
        nodes = [affect.create_concept(graph, concept, schema.AROUSAL_UPSERTED)]
    if graph.scope != SHARED and nodes[0].raw.get_property("memories") != []:
        # It rests on no memory from now on.
        nodes[0].raw.set_property("memories", [])
    return {"concept_id": concept, "created": is_new}


def find_or_create(graph: Graph, names: Sequence[str]) -> list[Node]:
    """Return the concepts with one of *names*, each once; create the missing ones.

    Case is ignored. A name that is no valid concept name is left out.
    """
    wanted = {folding.fold(name): name for name in names}
    known: dict[str, Node] = {}
    for node in graph.nodes():
        form = folding.fold(node.name)
        if form in wanted and (form not in known or node.name in names):
            known[form] = node
    found = [
        known.get(form) or affect.create_concept(graph, name, schema.AROUSAL_INDIRECT)
        for form, name in wanted.items()
    ]
    return [node for node in found if not node.is_episode]


def search(
    graph: Graph, keywords: Sequence[str], limit: int | None = schema.DEFAULT_SEARCH_LIMIT
) -> list[dict[str, Any]]:
    """Return up to *limit* concepts: those that match by name, then the most aroused.

    A keyword matches anywhere in a name, in any case and any script, and without accents also what
    has some (see `folding`). An exact match comes first, then names that begin with a keyword, then
    names with a word that does, then the others, each by name. *limit* is clamped to 1…200; None
    means 50. Each row has the concept, its current arousal, how much that is of the greatest among
    the rows (relative), and whether it matched. Raises TooMuch beyond 100 keywords.
    """
    wanted = folding.keywords(text.keywords(keywords))
    most = schema.search_limit(limit)
    graph.pull(lookups.search(graph.scope, wanted, most, graph.context.tau_ms))
    hits: list[tuple[int, str, Node]] = []
    others: list[tuple[float, str, Node]] = []
    tau_ms = graph.context.tau_ms
    for node in _concepts(graph):
        place = wanted.place(node.name)
        if place != folding.ELSEWHERE:
            hits.append((place, node.name, node))
        else:
            others.append((-_rank(node, tau_ms), node.name, node))
    matched = _first(hits, most)
    chosen = [(node, True) for node in matched]
    chosen += [(node, False) for node in _first(others, most - len(matched))]
    best = max((_rank(node, tau_ms) for node, _ in chosen), default=0.0)
    return [
        {
            "concept": node.name,
            "arousal": node.arousal,
            "relative": affect.relative(_rank(node, tau_ms), best, tau_ms),
            "matched": is_match,
        }
        for node, is_match in chosen
    ]


def _rank(node: Node, tau_ms: float) -> float:
    return affect.rank(node.arousal_level, node.accessed_at, tau_ms)


def unknown(graph: Graph, seeds: Sequence[Any]) -> list[dict[str, Any]]:
    """Return a row for each name in *seeds* that no node has: the seed, and similar names.

    Names of concepts are similar if they are equal, begin with the seed or contain it, apart from
    case, accents and blanks. At most five are returned, and only for the first ten such seeds.
    """
    return similar(graph, find_seeds(graph, seeds)[1])


def find_seeds(graph: Graph, seeds: Sequence[Any]) -> tuple[list[Node], list[str]]:
    """Return the nodes of *seeds* (names or nodes), each once, and the unknown names."""
    names, nodes = graph.split(seeds)
    known = [node for node in nodes if node is not None]
    if len(known) < len(nodes):
        raise InvalidText("seeds: a node is neither a concept nor an episode")
    names = list(dict.fromkeys(text.existing_name(name, "seeds") for name in names))
    found = graph.find_named(names) if names else {}
    for named in found.values():
        known.extend(named)
    nodes_once = list({node.id: node for node in known}.values())
    return nodes_once, [name for name in names if name not in found]


def similar(graph: Graph, missing: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each of *missing*, the unknown names, as `unknown` does."""
    squeezed = {seed: folding.squeeze(seed) for seed in missing[: schema.EXPLAINED_SEEDS]}
    sought = {seed: key for seed, key in squeezed.items() if key}
    if sought:
        graph.pull(lookups.similar(graph.scope, sought.values()))
    alike: dict[str, list[tuple[int, str, Node]]] = {seed: [] for seed in missing}
    for node in _concepts(graph) if sought else ():
        name = folding.squeeze(node.name)
        for seed, sought_name in sought.items():
            if sought_name in name:
                place = 0 if name == sought_name else 1 if name.startswith(sought_name) else 2
                alike[seed].append((place, node.name, node))
    return [
        {"seed": seed, "similar": [node.name for node in _first(nodes, schema.SIMILAR_NAMES)]}
        for seed, nodes in alike.items()
    ]


def _concepts(graph: Graph) -> Iterator[Node]:
    return (node for node in graph.nodes() if node.name and not node.is_episode)


def _first(entries: list[tuple[Any, str, Node]], most: int) -> list[Node]:
    """Return the first *most* nodes by place and name; nodes themselves have no order."""
    return [node for *_, node in heapq.nsmallest(most, entries, key=lambda entry: entry[:2])]
