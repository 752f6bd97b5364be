"""Record episodes: an event in a sentence, linked from the concepts that it is about."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from ..retrieval import searching
from ..retrieval.indexer import Writer
from ..retrieval.schema import DEFAULT_LIMIT, MAX_LIMIT
from ..texts import text
from ..texts.text import show_name
from ..verbs import limits
from ..verbs.errors import InvalidText, WrongKind
from . import lookups, schema
from .affect import create_concept
from .node import Graph


def add(graph: Graph, summary: str, concepts: Sequence[str]) -> dict[str, Any]:
    """Record an episode and an EVOKES edge to it from each distinct one of *concepts*.

    Returns episode_id ("YYYYMMDD/<first concept>", with "-2", "-3" … until no episode and no
    concept has it), linked_concepts and valence. Concepts that do not exist are created. Raises
    WrongKind for the name of an episode.
    """
    summary = text.summary(summary, "summary")
    names = text.names(concepts, "concepts")
    if not names:
        raise InvalidText("concepts: name at least one concept that the episode is about")
    base = f"{graph.context.date}/{names[0]}"
    asked = lookups.new_episode(graph.scope, base, summary, graph.context.languages)
    found = graph.find_named([base, *names], *asked)
    taken = {node.name for node in graph.nodes() if node.name.startswith(base)}
    for name in names:
        if name in found and found[name][0].is_episode:
            raise WrongKind(f"concepts: {show_name(name)} is an episode, not a concept")
    linked = [
        found[name][0] if name in found else create_concept(graph, name, schema.AROUSAL_INDIRECT)
        for name in names
    ]
    episode = graph.create_node(
        schema.EPISODE,
        **graph.owner,
        name=_free_name(base, taken.union(names)),
        summary=summary,
        valence=0.0,
        arousal_level=schema.AROUSAL_EPISODE,
        accessed_at=graph.context.now_ms,
    )
    for concept in linked:
        graph.create_edge(concept, episode, schema.EVOKES, weight=schema.INITIAL_WEIGHT)
    writer = Writer(graph)
    writer.put(schema.LAYER.kind(schema.EPISODE), episode)
    writer.finish()
    return {"episode_id": episode.name, "linked_concepts": names, "valence": 0.0}


def search(graph: Graph, text_: str, limit: int | None = DEFAULT_LIMIT) -> list[dict[str, Any]]:
    """Return the episodes that match the words of a text, the best first; at most *limit*.

    A row has episode_id, summary, date ("2025-06-15", or None), score, matched, words and factors
    as `Search.explain` returns them, and the node. This arouses nothing.
    """
    kind, most = schema.LAYER.kind(schema.EPISODE), text.limit(limit, DEFAULT_LIMIT, MAX_LIMIT)
    found = searching.find_nodes(graph, kind, schema.words_scope(graph.scope), text_, most)
    return [
        {
            "episode_id": match.told.id,
            "summary": hit.node.text,
            "date": _date(match.told.said_at),
            "score": hit.score,
            **by.explain(match),
            "episode": graph.yielded(hit.node),
        }
        for hit in found
        if (match := hit.match) and (by := hit.by)
    ]


def count_unindexed(graph: Graph) -> dict[str, int]:
    """Return how many episodes `search` cannot find, such as those of an older version."""
    kind = schema.LAYER.kind(schema.EPISODE)
    return {"episodes": searching.count_unindexed(graph, kind, schema.words_scope(graph.scope))}


def _date(said_at: int | None) -> str | None:
    if said_at is None or abs(said_at) > limits.MAX_TIME_MS:
        return None
    # Not fromtimestamp, which rejects times before 1970 on some platforms.
    day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=said_at)
    return f"{day:%Y-%m-%d}"


def _free_name(base: str, taken: set[str]) -> str:
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name
