"""How present an entity is: raised by every mention, fading with a time constant of 14 days."""

import math
from typing import Final

from .schema import MODEL, USER

TAU_MS: Final = 14 * 86_400_000
RAISED_TO: Final = {USER: 1.0, MODEL: 0.5}


def now(strength: float, last_activated: int, now_ms: int) -> float:
    """Return what is left at *now_ms* of a *strength* as of *last_activated*, in [0, 1]."""
    return strength * math.exp(-max(now_ms - last_activated, 0) / TAU_MS)


def mentioned(strength: float, last_activated: int, origin: str, now_ms: int) -> float:
    """Return the strength as of *now_ms* after a mention: at least 1 by a user, 0.5 by a model."""
    return max(now(strength, last_activated, now_ms), RAISED_TO[origin])
