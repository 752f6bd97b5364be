"""Recall written by hand over plain dicts: what it costs to do no more than the rules say."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from conceptgraph_core.concepts import schema
from conceptgraph_core.verbs import limits

TAU_MS = limits.DEFAULT_TAU_MS
Row = dict[str, Any]


class PlainGraph:
    """Concepts by name and their relations from both ends."""

    def __init__(self, records: Iterable[Row]) -> None:
        self.concepts: dict[str, Row] = {}
        self.outgoing: dict[str, list[tuple[str, str, float]]] = {}
        self.incoming: dict[str, list[tuple[str, str, float]]] = {}
        for record in records:
            if record["kind"] == "concept":
                self.concepts[record["name"]] = dict(record)
                continue
            source, target, weight = record["from"], record["to"], record["weight"]
            self.outgoing.setdefault(source, []).append((record["type"], target, weight))
            self.incoming.setdefault(target, []).append((record["type"], source, weight))

    def peek(self, seeds: Sequence[str], max_hop: int, now_ms: int) -> list[Row]:
        """Return the rows of `conceptgraph.peek`."""
        concepts = self.concepts
        best: dict[Any, Any] = {}
        frontier = [seed for seed in dict.fromkeys(seeds) if seed in concepts]
        seen = set(frontier)
        for hop in range(1, max_hop + 1):
            reached = []
            decay = 0.5 ** (hop - 1)
            for name in frontier:
                for reverse, relations in (
                    (False, self.outgoing.get(name, ())),
                    (True, self.incoming.get(name, ())),
                ):
                    for relation, other, weight in relations:
                        if other not in seen:
                            seen.add(other)
                            reached.append(other)
                        end = concepts[other]
                        age = max(0, now_ms - end["accessed_at"])
                        arousal = end["arousal_level"] * math.exp(-age / TAU_MS)
                        score = arousal * decay * weight
                        if reverse:
                            text = f"{other} {relation} {name}"
                            score *= 0.5
                        else:
                            text = f"{name} {relation} {other}"
                        old = best.get(text)
                        key = (-score, hop, reverse)
                        if old is None or key < old[0]:
                            best[text] = (key, end["valence"], arousal, weight)
            frontier = reached
        return rows(best)


def rows(best: dict[str, Any], limit: int = schema.DEFAULT_ROWS) -> list[Row]:
    """Return what was found, text by text, as recall's rows: the best score first."""
    ordered = sorted((found[0][0], text, found) for text, found in best.items())
    return [
        {
            "text": text,
            "score": round(-score, 6),
            "valence": valence,
            "hop": hop,
            "arousal": arousal,
            "weight": weight,
            "reverse": reverse,
            "total": len(ordered),
            "episode_id": None,
        }
        for score, text, ((_, hop, reverse), valence, arousal, weight) in ordered[:limit]
    ]
