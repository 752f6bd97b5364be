"""Compute the weight of an edge, its strength, trust and recency; and the activation of an entity.

`weight` is stored and follows a moving average. The other three are computed from the counts of
reinforcements and the last activation at each read. One number could not say why it is 0.7.
"""

import math
from collections.abc import Container, Sequence
from typing import Final

from ..texts.dates import DAY_MS
from . import schema
from .schema import MODEL, USER

# The starting weights (set; docs/design.md, Weight of an edge); of a semantic or a same-as edge,
# the factor of its similarity.
DEFAULT_WEIGHTS: Final = {
    schema.CO_OCCURRENCE: 0.3,
    schema.SEMANTIC: 0.5,
    schema.TEMPORAL: 0.4,
    schema.CAUSAL: 0.6,
    schema.SAME_AS: 1.0,
    schema.CONTRADICTS: 0.5,
}
# In days; an edge without one never fades.
TAU_DAYS: Final = {
    schema.CO_OCCURRENCE: 14.0,
    schema.SEMANTIC: 90.0,
    schema.TEMPORAL: 30.0,
    schema.CAUSAL: 60.0,
    schema.SAME_AS: math.inf,
    schema.CONTRADICTS: 30.0,
}

# The activation of an entity fades with this, and a mention raises it to one of these.
TAU_MS: Final = 14 * DAY_MS
RAISED_TO: Final = {USER: 1.0, MODEL: 0.5}
MODEL_WORTH: Final = 0.1
# Above so many edges a node gains less by each further co-occurrence, and loses centrality.
CROWDED: Final = 20
# The daily run switches off edges below this weight.
MIN_WEIGHT: Final = 0.1


def ema(edge_type: str, weight: float, target: float, days: float) -> float:
    """Move *weight* towards *target*: w·(1 − a) + target·a, a = 1 − e^(−days/tau).

    The target is 1 at a reinforcement, 0 in the daily run. Negative days move nothing.
    """
    alpha = 1 - math.exp(-max(days, 0.0) / TAU_DAYS[edge_type])
    return weight * (1 - alpha) + target * alpha


def reinforced(edge_type: str, weight: float, faded_days: float, idle_days: float) -> float:
    """Return *weight* after a reinforcement: w·e^(−faded/tau) + 1 − e^(−min(idle, tau)/tau), or 1.

    *faded_days* have passed since the weight was stored, *idle_days* since the last reinforcement.
    The two clocks differ, because a nightly run stores the faded weight and reinforces nothing. The
    gain grows up to tau and then stays, or rare mentions would weigh more than frequent ones.
    """
    gain = ema(edge_type, 0.0, 1.0, min(idle_days, TAU_DAYS[edge_type]))
    return min(ema(edge_type, weight, 0.0, faded_days) + gain, 1.0)


def strength(by_user: float, by_model: float) -> float:
    """Return the strength of reinforcements, in [0, 1): 1 − 0.5^(user's + 0.1 · the model's)."""
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
    """Return the divisor of a reinforcement by co-occurrence: ln(degree)/ln(20) beyond 20.

    Without it, well-connected entities would attract ever more edges.
    """
    return math.log(degree) / math.log(CROWDED) if degree > CROWDED else 1.0


def pressed(centrality: float, degree: int) -> float:
    """Return *centrality* after the weekly pressure: times 1 − ln(degree)/10 beyond 20 edges."""
    return centrality * (1 - math.log(degree) / 10) if degree > CROWDED else centrality


def moods_differ(valences: Sequence[float]) -> bool:
    """Tell whether the sessions that reinforced a causal relation felt different.

    Their mean valences must have a (population) standard deviation of at least 0.2: the same mood
    again and again proves no cause.
    """
    if not valences:
        return False
    mean = math.fsum(valences) / len(valences)
    variance = math.fsum((one - mean) ** 2 for one in valences) / len(valences)
    # Rounded, because 0.2 is no binary fraction.
    return round(math.sqrt(variance), 9) >= schema.CAUSAL_MOODS_APART


def key(edge_type: str, source_id: str, target_id: str) -> str:
    """Return the note by which a session remembers that it observed an edge."""
    return f"{edge_type}\t{source_id}\t{target_id}"


def of_key(written: str, edge_type: str, known: Container[str]) -> tuple[str, str] | None:
    """Return the two ids that `key` wrote for an edge of that type, if *known* has both.

    An imported id may contain a tab, and Cypher written by hand may have left a note of no edge.
    """
    first, *parts = written.split("\t")
    if first != edge_type:
        return None
    for place in range(1, len(parts)):
        source_id, target_id = "\t".join(parts[:place]), "\t".join(parts[place:])
        if source_id in known and target_id in known:
            return source_id, target_id
    return None


def faded(strength: float, last_activated: int, now_ms: int) -> float:
    """Return what a *strength* of *last_activated* has faded to at *now_ms*, in [0, 1]."""
    return strength * math.exp(-max(now_ms - last_activated, 0) / TAU_MS)


def raised(strength: float, last_activated: int, origin: str, now_ms: int) -> tuple[float, int]:
    """Return the strength after a mention, and its time: at least 1 by a user, 0.5 by a model.

    A mention that is reported late has faded since it was made.
    """
    latest = max(last_activated, now_ms)
    kept = faded(strength, last_activated, latest)
    return max(kept, faded(RAISED_TO[origin], now_ms, latest)), latest
