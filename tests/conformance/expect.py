"""What conformance tests expect alike: how a refusal shows, and the arousal formula."""

import math

from concept_graph_mcp.errors import Refused
from conceptgraph_core.verbs.errors import ConceptGraphError

# Texts are refused at the door, everything else by the procedure.
REFUSALS = (Refused, ConceptGraphError)


class ProbeFailed(Exception):
    """A probe procedure failed; the message is the host's."""


MINUTE_MS = 60_000
DAY_MS = 86_400_000
WEEK_MS = 7 * DAY_MS


def decayed(level: float, elapsed_ms: float, tau_ms: float = DAY_MS) -> float:
    """Return what is left of an arousal after some time."""
    return level * math.exp(-elapsed_ms / tau_ms)


def concept(name: str, valence: float = 0.0, level: float = 0.25, at: int = 0) -> dict:
    """Return an import record of a concept."""
    return {
        "kind": "concept",
        "name": name,
        "valence": valence,
        "arousal_level": level,
        "accessed_at": at,
    }


def relation(source: str, target: str, relation_type: str = "is-a", weight: float = 0.25) -> dict:
    """Return an import record of a relation."""
    return {
        "kind": "relation",
        "from": source,
        "to": target,
        "type": relation_type,
        "weight": weight,
    }
