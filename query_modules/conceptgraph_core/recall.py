"""Recall: what some seeds bring to mind, by spreading out along the relations (seed 000).

score = arousal · 0.5^(hop − 1) · (0.5 against the edge's direction) · weight, the weight counting
between concepts only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import affect, schema, text
from .graph import Graph, Node


@dataclass(slots=True)
class Proposition:
    """One line of a recall and the reading of an edge that gave its best score."""

    text: str
    score: float
    other: Node
    hop: int
    arousal: float
    weight: float
    reverse: bool
    edge: Any


@dataclass(frozen=True, slots=True)
class _Walk:
    propositions: list[Proposition]
    reached: list[tuple[Node, int, float]]  # each node but the seeds: distance, arousal before


def recall(
    graph: Graph, seeds: Sequence[Any], max_hop: int, limit: int | None
) -> list[dict[str, Any]]:
    """Return the rows of `peek`, then raise the arousal of every node reached, never a seed's."""
    walk = _walk(graph, seeds, max_hop)
    rows = _rows(graph, walk.propositions, limit)
    for node, distance, before in walk.reached:
        level = schema.HOP_DECAY ** (distance - 1)
        if level - before >= schema.MIN_AROUSAL_GAIN:
            graph.update(node, arousal_level=level, accessed_at=graph.context.now_ms)
    return rows


def peek(
    graph: Graph, seeds: Sequence[Any], max_hop: int, limit: int | None
) -> list[dict[str, Any]]:
    """Return what *seeds* (names or nodes; unknown ones are skipped) bring to mind, strongest first.

    A row has text, score (rounded to 6 decimals; the order is that of the unrounded score, then of
    the text), valence of the end that was reached, the score's parts hop, arousal, weight and
    reverse, the relation itself, and the total number of rows before *limit* cut them (None: 1,000).
    Raises InvalidNumber for max_hop outside 0…10 or a limit below 1.
    """
    return _rows(graph, _walk(graph, seeds, max_hop).propositions, limit)


def _walk(graph: Graph, seeds: Sequence[Any], max_hop: int) -> _Walk:
    text.integer(max_hop, "max_hop", 0, schema.MAX_HOP)
    frontier = _seed_nodes(graph, seeds)
    distance = {node.id: 0 for node in frontier}
    arousal: dict[int, float] = {}
    best: dict[str, Proposition] = {}
    reached: list[tuple[Node, int, float]] = []
    for node in frontier:
        arousal[node.id] = affect.current(graph, node)
    for hop in range(1, max_hop + 1):
        reached_now: list[Node] = []
        for node in frontier:
            graph.check_abort()
            for edge, edge_type, other, outgoing in graph.edges(node):
                if other.id not in distance:
                    distance[other.id] = hop
                    arousal[other.id] = affect.current(graph, other)
                    reached.append((other, hop, arousal[other.id]))
                    reached_now.append(other)
                _keep_best(
                    best, _read(graph, node, edge, edge_type, other, outgoing, hop, arousal[other.id])
                )
        frontier = reached_now
    return _Walk(list(best.values()), reached)


def _read(
    graph: Graph, node: Node, edge: Any, edge_type: str, other: Node, outgoing: bool, hop: int,
    arousal: float,
) -> Proposition:
    """Return what *edge* says when it is read from *node* at *hop*."""
    between_concepts = not (node.is_episode or other.is_episode)
    weight = graph.weight(edge) if between_concepts else 1.0
    direction = 1.0 if outgoing else schema.REVERSE_PENALTY
    source, target = (node, other) if outgoing else (other, node)
    return Proposition(
        text=f"{source.text} {schema.RELATION_NAMES[edge_type]} {target.text}",
        score=arousal * schema.HOP_DECAY ** (hop - 1) * direction * weight,
        other=other,
        hop=hop,
        arousal=arousal,
        weight=weight,
        reverse=not outgoing,
        edge=edge,
    )


def _keep_best(best: dict[str, Proposition], new: Proposition) -> None:
    old = best.get(new.text)
    if old is None or (-new.score, new.hop, new.reverse, new.other.name) < (
        -old.score, old.hop, old.reverse, old.other.name
    ):
        best[new.text] = new


def _seed_nodes(graph: Graph, seeds: Sequence[Any]) -> list[Node]:
    """Return the nodes of *seeds*, each once."""
    names, nodes = graph.split(seeds)
    names = [text.existing_name(name, "seeds") for name in names]
    for named in graph.find(names).values() if names else ():
        nodes.extend(named)
    return list({node.id: node for node in nodes}.values())


def _rows(
    graph: Graph, propositions: list[Proposition], limit: int | None
) -> list[dict[str, Any]]:
    most = schema.DEFAULT_ROWS if limit is None else text.integer(limit, "limit", 1, 2**31)
    propositions.sort(key=lambda found: (-found.score, found.text))
    return [
        {
            "text": found.text,
            "score": round(found.score, schema.SCORE_DECIMALS),
            "valence": found.other.valence,
            "hop": found.hop,
            "arousal": found.arousal,
            "weight": found.weight,
            "reverse": found.reverse,
            "relation": graph.relation(found.edge),
            "total": len(propositions),
        }
        for found in propositions[:most]
    ]
