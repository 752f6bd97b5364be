"""Concepts: made when first named, found by any part of the name."""

from collections.abc import Sequence
from typing import Any

from .. import text
from ..errors import EpisodeNotAllowed, NameTaken
from ..text import shown
from . import affect, schema
from .node import Graph, Node


def upsert(graph: Graph, concept: str) -> dict[str, Any]:
    """Create *concept* if nothing has the name. Returns concept_id and created.

    Raises NameTaken for the name of an episode.
    """
    concept = text.name(concept, "concept")
    nodes = graph.find([concept]).get(concept)
    if nodes and nodes[0].is_episode:
        raise NameTaken(f"concept: {shown(concept)} is the name of an episode")
    if not nodes:
        affect.create_concept(graph, concept, schema.AROUSAL_UPSERTED)
    return {"concept_id": concept, "created": not nodes}


def ensure(graph: Graph, names: Sequence[str], field: str) -> list[Node]:
    """Return the concepts of *names*, creating those that do not exist yet.

    Raises EpisodeNotAllowed for the name of an episode.
    """
    found = graph.find(names)
    nodes = []
    for name in names:
        known = found.get(name)
        if known and known[0].is_episode:
            raise EpisodeNotAllowed(f"{field}: {shown(name)} is an episode, not a concept")
        nodes.append(
            known[0] if known else affect.create_concept(graph, name, schema.AROUSAL_INDIRECT)
        )
    return nodes


def search(graph: Graph, keywords: Sequence[str], limit: int | None) -> list[dict[str, Any]]:
    """Return up to *limit* concepts: exact matches, then matches by name, then the most aroused.

    A keyword matches anywhere in a name, in any case and any script. *limit* is clamped to 1…200;
    None means 50. Each row has the concept and its current arousal. Raises TooMuch beyond 100
    keywords.
    """
    wanted = [schema.search_name(keyword) for keyword in text.keywords(keywords)]
    most = schema.DEFAULT_SEARCH_LIMIT if limit is None else limit
    most = max(1, min(schema.MAX_SEARCH_LIMIT, most))
    hits: list[tuple[bool, str, Node]] = []
    others: list[tuple[float, str, Node]] = []
    tau_ms = graph.context.tau_ms
    for node in graph.nodes():
        if node.is_episode or not node.name:
            continue
        folded = schema.search_name(node.name)
        if any(keyword in folded for keyword in wanted):
            hits.append((folded not in wanted, node.name, node))
        else:
            others.append(
                (-affect.rank(node.arousal_level, node.accessed_at, tau_ms), node.name, node)
            )
    chosen = [node for *_, node in sorted(hits, key=_order)[:most]]
    chosen += [node for *_, node in sorted(others, key=_order)[: most - len(chosen)]]
    return [{"concept": node.name, "arousal": node.arousal} for node in chosen]


def _order(entry: tuple[Any, str, Node]) -> tuple[Any, str]:
    return entry[:2]
