"""Episodes: what happened, in a sentence, linked from the concepts that it is about."""

from collections.abc import Sequence
from typing import Any

from .. import text
from ..errors import InvalidText
from . import schema
from .names import ensure
from .node import Graph


def add(graph: Graph, summary: str, names: Sequence[str]) -> dict[str, Any]:
    """Record an episode and an EVOKES edge to it from each distinct concept of *names*.

    Returns episode_id ("YYYYMMDD/<first concept>", with "-2", "-3" … until no episode and no
    concept has it), linked_concepts and valence. Concepts that do not exist are created.
    """
    summary = text.summary(summary, "summary")
    names = text.names(names, "concepts")
    if not names:
        raise InvalidText("concepts: name at least one concept that the episode is about")
    base = f"{graph.context.date}/{names[0]}"
    taken = {node.name for node in graph.named(lambda name: name.startswith(base))}
    linked = ensure(graph, names, "concepts")
    episode = graph.create_node(
        schema.EPISODE,
        name=_free_name(base, taken.union(names)),
        summary=summary,
        valence=0.0,
        arousal_level=schema.AROUSAL_EPISODE,
        accessed_at=graph.context.now_ms,
    )
    for concept in linked:
        graph.create_edge(concept, episode, schema.EVOKES, weight=schema.INITIAL_WEIGHT)
    return {"episode_id": episode.name, "linked_concepts": names, "valence": 0.0}


def _free_name(base: str, taken: set[str]) -> str:
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name
