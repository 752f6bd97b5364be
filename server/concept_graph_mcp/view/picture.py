"""Build a picture's nodes and edges from the rows of `neighbourhood` and of a recall."""

import math
from typing import Any

from conceptgraph_core.concepts import schema

from .. import calls
from ..errors import StoreError
from ..session import Session
from .looks import looks

# The most nodes that can be drawn clearly.
MOST_NODES = 5_000
# A recall's picture has its strongest propositions and this many nodes, chosen from so many.
_PROPOSITIONS = 30
_AROUND = 30
_CHOSEN_FROM = 1_000
RESULT_KEY = "concept-graph-mcp/picture"


# Changes with every access, so after a later arousal the earlier value is unknown.
_CHANGING = ("valence", "arousal_level", "accessed_at")


def node(row: dict[str, Any], until_ms: int | None = None) -> dict[str, Any]:
    """Return a row of `neighbourhood`, with None for numbers set by hand that JSON lacks.

    When looking back to *until_ms*, also None for values that are known for a later time only.
    """
    relations = [
        {key: _finite(value) for key, value in relation.items()} for relation in row["relations"]
    ]
    shown = {key: _finite(value) for key, value in row.items()} | {"relations": relations}
    if until_ms is not None and row["accessed_at"] > until_ms:
        shown |= dict.fromkeys(_CHANGING)
    return shown


def proposition(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a recall with the four factors of its score and the ids of its ends."""
    return {
        "text": row["text"],
        "score": _finite(row["score"]),
        "arousal": _finite(row["arousal"]),
        "hop": schema.HOP_DECAY ** (row["hop"] - 1),
        "direction": schema.REVERSE_PENALTY if row["reverse"] else 1.0,
        "weight": _finite(row["weight"]),
        "valence": _finite(row["valence"]),
        "hops": row["hop"],
        "reverse": row["reverse"],
        "type": schema.RELATION_NAMES[row["relation"].type],
        "from": row["relation"].source,
        "to": row["relation"].target,
    }


async def of_recall(
    session: Session, seeds: list[str], max_hop: int, rows: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """Return the data for drawing a recall that returned *rows*, as a result's `_meta`.

    None if they cannot be read: the recall has happened, and its text is what matters.
    """
    propositions = [proposition(row) for row in rows[:_PROPOSITIONS]]
    try:
        around = await session.run(
            calls.concepts.neighbourhood(seeds, max_hop, _CHOSEN_FROM, session.concept_scope)
        )
    except StoreError:
        return None
    needed = _choose_needed(around, {one[end] for one in propositions for end in ("from", "to")})
    nodes = [node(row) for row in around if row["id"] in needed]
    return meta(session, nodes, propositions)


def meta(
    session: Session, nodes: list[dict[str, Any]], propositions: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the `_meta` of a result whose picture has *nodes* and *propositions*."""
    drawn = {
        "now_ms": session.clock.now_ms(),
        "tau_ms": session.tau_ms,
        "looks": looks(),
        "nodes": nodes,
        "propositions": propositions,
    }
    return {RESULT_KEY: drawn}


def _choose_needed(around: list[dict[str, Any]], ends: set[int]) -> set[int]:
    """Return the ids of *ends*, of a path from the seeds to each, and of the nearest nodes."""
    hops = {row["id"]: row["hop"] for row in around}
    nearer: dict[int, int] = {}
    for row in around:
        for relation in row["relations"]:
            for one, other in (
                (relation["from"], relation["to"]),
                (relation["to"], relation["from"]),
            ):
                if hops[other] == hops[one] - 1:
                    nearer.setdefault(one, other)
    needed = {row["id"] for row in around[:_AROUND]}
    for end in ends:
        step: int | None = end
        while step is not None and step not in needed:
            needed.add(step)
            step = nearer.get(step)
    return needed


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
