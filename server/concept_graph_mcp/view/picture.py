"""Build a picture's nodes and edges from the rows of `neighbourhood` and of a recall."""

import math
from typing import Any

from conceptgraph_core.concepts import schema

# The most nodes that can be drawn clearly.
MOST_NODES = 5_000

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


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
