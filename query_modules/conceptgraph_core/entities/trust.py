"""Compute the trust of an entity, and decide when a provisional one becomes distinct.

The formulas and the reasons of their numbers are in docs/design.md, Trust.
"""

from dataclasses import dataclass

from .schema import MIXED, MODEL, USER

MODEL_WORTH = 0.1
ECHO_RATIO = 3
ECHO_PENALTY = 0.5
BOOST = 0.5
FULL_DENSITY = 10

PROMOTING_SESSIONS = 2
PROMOTING_INTENSITY = 0.7
PROMOTING_EDGES = 5


@dataclass(frozen=True, slots=True)
class Said:
    """The counts that trust is computed from, of one entity or of several merged ones.

    `sessions` are those in which the user mentioned it, `intensity` is in [0, 1]. `edges` are the
    connections that the user ever reinforced, active or not, so that trust does not fall in a
    silence. `active` are the connections that are active now, by the user or a model.
    """

    user: int
    model: int
    sessions: int
    intensity: float
    edges: int
    active: int = 0

    def __add__(self, other: "Said") -> "Said":
        return Said(
            self.user + other.user,
            self.model + other.model,
            self.sessions + other.sessions,
            max(self.intensity, other.intensity),
            self.edges + other.edges,
            self.active + other.active,
        )


def parts(said: Said) -> dict[str, float]:
    """Return the factors of trust: mentions, echo, emotion, density.

    The echo factor halves the trust of an entity that a model repeats more than three times as
    often as the user: a model that repeats its own summary must not promote an invention.
    """
    echo_ratio = said.model / (said.user + 1)
    return {
        "mentions": said.user + said.model * MODEL_WORTH,
        "echo": ECHO_PENALTY if echo_ratio > ECHO_RATIO else 1.0,
        "emotion": 1 + said.intensity * BOOST,
        "density": min(said.edges / FULL_DENSITY, 1.0),
    }


def trust(said: Said) -> float:
    """Return the trust, the product of `parts`: 0 or more, without an upper bound."""
    product = 1.0
    for part in parts(said).values():
        product *= part
    return product


def promotion(said: Said) -> str | None:
    """Return why a provisional entity becomes a distinct one; None if it does not.

    It does after two sessions with user mentions, with an intensity above 0.7, or with five edges.
    The user must have mentioned it once, or a model's echo would promote it.
    """
    if said.user == 0:
        return None
    if said.sessions >= PROMOTING_SESSIONS:
        return f"the user mentioned it in {said.sessions} sessions"
    if said.intensity > PROMOTING_INTENSITY:
        return f"the user felt strongly about it ({said.intensity:.2f})"
    if said.edges >= PROMOTING_EDGES:
        return f"it has {said.edges} connections, and the user mentioned it"
    return None


def origin(user: int, model: int) -> tuple[str, float]:
    """Return the origin of a node with these numbers of mentions, and the user's share of them."""
    if not user:
        return MODEL, 0.0
    return (MIXED if model else USER), user / (user + model)
