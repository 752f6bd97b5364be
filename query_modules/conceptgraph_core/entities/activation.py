"""Compute the activation of an entity: a mention raises it, and it fades with a tau of 14 days."""

import math
from typing import Final

from ..dates import DAY_MS
from .schema import MODEL, USER

TAU_MS: Final = 14 * DAY_MS
RAISED_TO: Final = {USER: 1.0, MODEL: 0.5}


def now(strength: float, last_activated: int, now_ms: int) -> float:
    """Return what a *strength* of *last_activated* has faded to at *now_ms*, in [0, 1]."""
    return strength * math.exp(-max(now_ms - last_activated, 0) / TAU_MS)


def mentioned(strength: float, last_activated: int, origin: str, now_ms: int) -> tuple[float, int]:
    """Return the strength after a mention, and its time: at least 1 by a user, 0.5 by a model.

    A mention that is reported late has faded since it was made.
    """
    latest = max(last_activated, now_ms)
    kept = now(strength, last_activated, latest)
    return max(kept, now(RAISED_TO[origin], now_ms, latest)), latest
