"""Edges between entities: four axes that stay apart, and how each moves (seed 004).

`weight` follows the moving average alone. Strength, trust and recency are computed from the counts
of reinforcements and the last activation whenever an edge is read; nothing writes them.
"""

import math
from collections.abc import Container, Sequence
from typing import Final

from ..dates import DAY_MS
from . import schema

# Seed 004: what an edge starts with; of a semantic or a same-as one this is times its similarity.
DEFAULT_WEIGHTS: Final = {
    schema.CO_OCCURRENCE: 0.3,
    schema.SEMANTIC: 0.5,
    schema.TEMPORAL: 0.4,
    schema.CAUSAL: 0.6,
    schema.SAME_AS: 1.0,
    schema.CONTRADICTS: 0.5,
}
# In days; what has none never fades.
TAU_DAYS: Final = {
    schema.CO_OCCURRENCE: 14.0,
    schema.SEMANTIC: 90.0,
    schema.TEMPORAL: 30.0,
    schema.CAUSAL: 60.0,
    schema.SAME_AS: math.inf,
    schema.CONTRADICTS: 30.0,
}

MODEL_WORTH: Final = 0.1
# Beyond so many edges a node gains less by each further co-occurrence, and loses centrality.
CROWDED: Final = 20
# What is below this in the daily run is switched off.
MIN_WEIGHT: Final = 0.1


def ema(edge_type: str, weight: float, target: float, days: float) -> float:
    """Return *weight* moved towards *target*: w·(1 − a) + target·a, a = 1 − e^(−days/tau).

    Target 1 at a reinforcement, 0 in the daily run. A time before the last one moves nothing.
    """
    alpha = 1 - math.exp(-max(days, 0.0) / TAU_DAYS[edge_type])
    return weight * (1 - alpha) + target * alpha


def reinforced(edge_type: str, weight: float, faded_days: float, idle_days: float) -> float:
    """Return *weight* after a reinforcement: w·e^(−faded/tau) + 1 − e^(−min(idle, tau)/tau), or 1.

    *faded_days* have passed since the weight was settled, *idle_days* since the last reinforcement.
    They are two clocks: a night settles the fading, and is no reinforcement. Up to tau the gain is
    that of the moving average; beyond it, it stays, or rare mentions would weigh more than frequent
    ones.
    """
    gain = ema(edge_type, 0.0, 1.0, min(idle_days, TAU_DAYS[edge_type]))
    return min(ema(edge_type, weight, 0.0, faded_days) + gain, 1.0)


def strength(by_user: float, by_model: float) -> float:
    """Return how often it was reinforced, in [0, 1): 1 − 0.5^(user's + 0.1 · the model's)."""
    return 1 - math.pow(0.5, by_user + MODEL_WORTH * by_model)


def trust(by_user: float, by_model: float) -> float:
    """Return the user's share of reinforcements, in [0, 1): user / (user + model + 1)."""
    return by_user / (by_user + by_model + 1)


def recency(edge_type: str, last_activated: int, now_ms: int) -> float:
    """Return e^(−days since the last activation / tau), in (0, 1]."""
    return math.exp(-max(days_between(last_activated, now_ms), 0.0) / TAU_DAYS[edge_type])


def days_between(earlier_ms: int, later_ms: int) -> float:
    return (later_ms - earlier_ms) / DAY_MS


def crowding(degree: int) -> float:
    """Return by what a reinforcement through co-occurrence is divided: ln(degree)/ln(20) beyond 20.

    Else what is known well attracts ever more (seed 004, anti-centrality pressure).
    """
    return math.log(degree) / math.log(CROWDED) if degree > CROWDED else 1.0


def pressed(centrality: float, degree: int) -> float:
    """Return *centrality* after the weekly pressure: times 1 − ln(degree)/10 beyond 20 edges."""
    return centrality * (1 - math.log(degree) / 10) if degree > CROWDED else centrality


def moods_differ(valences: Sequence[float]) -> bool:
    """Tell whether the sessions that reinforced a causal relation felt different.

    Their mean valences must have a (population) standard deviation of at least 0.2: the same mood
    again and again proves nothing.
    """
    if not valences:
        return False
    mean = math.fsum(valences) / len(valences)
    variance = math.fsum((one - mean) ** 2 for one in valences) / len(valences)
    # Rounded, for 0.2 is no binary fraction.
    return round(math.sqrt(variance), 9) >= schema.CAUSAL_MOODS_APART


def key(edge_type: str, source_id: str, target_id: str) -> str:
    """Return an edge as a session notes that it observed it."""
    return f"{edge_type}\t{source_id}\t{target_id}"


def of_key(written: str, edge_type: str, known: Container[str]) -> tuple[str, str] | None:
    """Return the two ids that `key` wrote of an edge of that type, if *known* has both.

    What was imported may have a tab in its id, and a hand may have noted what is no edge at all.
    """
    first, *parts = written.split("\t")
    if first != edge_type:
        return None
    for place in range(1, len(parts)):
        source_id, target_id = "\t".join(parts[:place]), "\t".join(parts[place:])
        if source_id in known and target_id in known:
            return source_id, target_id
    return None
