"""What the page should show, reckoned here from the rules."""

import math


def decayed_radius(radius: float, elapsed_ms: float, tau_ms: float = 86_400_000) -> float:
    """Return the size of a node some time later: 2.5 + 10.5 · √arousal, as the page draws it."""
    arousal = ((radius - 2.5) / 10.5) ** 2
    return 2.5 + 10.5 * math.sqrt(arousal * math.exp(-elapsed_ms / tau_ms))
