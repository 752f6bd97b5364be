"""The numbers of decay, as an owner may set them.

They are apart from the rules themselves, because the context of every call has them.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ..texts import text
from .errors import InvalidNumber

# The default comes from the host's environment.
DECAY_VARIABLE: Final = "CONCEPT_GRAPH_DECAY"
# Memories expire only if it is set; its value is the time until expired ones are removed.
RETENTION_VARIABLE: Final = "CONCEPT_GRAPH_RETENTION_DAYS"

_MOST: Final = 1_000.0


class Rules(NamedTuple):
    """The numbers of the score of a memory (docs/design.md): rates, boosts, bounds of states."""

    base_rate: float = 0.01
    access_boost: float = 0.1
    degree_boost: float = 0.0
    active: float = 0.5
    dormant: float = 0.1
    archived: float = 0.01

    @property
    def lasts(self) -> bool:
        """Whether nothing expires."""
        return self.archived == 0.0


RULES: Final = Rules()
NAMES: Final = Rules._fields


def rules(given: Mapping[str, Any]) -> Rules:
    """Return the rules with the numbers that *given* changes. Raises InvalidNumber."""
    unknown = [name for name in given if name not in NAMES]
    if unknown:
        raise InvalidNumber(f"decay: unknown number {unknown[0]!r}; known are {', '.join(NAMES)}")
    made = Rules(**{name: text.number(value, name, 0.0, _MOST) for name, value in given.items()})
    if not 1 >= made.active > made.dormant > made.archived > 0:
        raise InvalidNumber("decay: must be 1 >= active > dormant > archived > 0")
    return made


def lasting(made: Rules) -> Rules:
    """Return *made* without expiry: an archived memory stays archived, however low its score."""
    return made._replace(archived=0.0)


def parse_rates(value: str) -> dict[str, float]:
    """Return the numbers that a text such as "base_rate=0.02,degree_boost=0.05" sets.

    Raises InvalidNumber.
    """
    given: dict[str, float] = {}
    for part in value.split(","):
        name, _, number = part.partition("=")
        if part.strip():
            try:
                given[name.strip()] = float(number)
            except ValueError:
                raise InvalidNumber(f"decay: {part.strip()!r} is not like base_rate=0.02") from None
    rules(given)
    return given
