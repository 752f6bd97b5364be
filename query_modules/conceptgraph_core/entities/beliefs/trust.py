"""How far an entity is to be trusted, and when it counts as one of its own (seed 004)."""

from dataclasses import dataclass

from ..schema import MIXED, MODEL, USER

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
    """What counts of an entity, or of several taken together.

    `sessions` are those in which the user mentioned it, `intensity` is in [0, 1]. `edges` are the
    connections that the user ever reinforced, active or not: trust does not fall because nobody
    spoke of it lately. `active` are those that are active, by whomever: what joins it today.
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
    """Return what trust is the product of: mentions, echo, emotion, density.

    Seed 004's formula: (user mentions + 0.1 · model's) · (0.5 if the model's are more than three
    times the user's + 1, else 1) · (1 + intensity / 2) · min(edges / 10, 1).
    """
    echo_ratio = said.model / (said.user + 1)
    return {
        "mentions": said.user + said.model * MODEL_WORTH,
        "echo": ECHO_PENALTY if echo_ratio > ECHO_RATIO else 1.0,
        "emotion": 1 + said.intensity * BOOST,
        "density": min(said.edges / FULL_DENSITY, 1.0),
    }


def trust(said: Said) -> float:
    """Return seed 004's trust: 0 or more, without an upper bound."""
    product = 1.0
    for part in parts(said).values():
        product *= part
    return product


def promotion(said: Said) -> str | None:
    """Return why a provisional entity becomes a distinct one; None if it does not.

    Two sessions of the user's mentions, or an intensity above 0.7, or five edges (seed 004); and
    always one mention by the user, for else the model's echo would promote.
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
    """Return the origin of a node with so many mentions by each, and the user's share of them."""
    if not user:
        return MODEL, 0.0
    return (MIXED if model else USER), user / (user + model)
