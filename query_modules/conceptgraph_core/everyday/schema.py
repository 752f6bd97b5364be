"""The bounds and the words of the everyday procedures. Imports nothing of Memgraph."""

from typing import Final, NamedTuple

from ..dates import DAY_MS

DEFAULT_BUDGET: Final = 1_200

# Of a token budget, who and what may take so much, and what comes to mind.
WHO_SHARE: Final = 0.4
MIND_SHARE: Final = 0.15
MOST_WHO: Final = 6
MOST_MIND: Final = 5
# Hop by hop: what has more relations, as a named concept or next to one, brings nothing to mind.
MOST_RELATIONS: Final = (1_000, 40)

DEFAULT_LIMIT: Final = 10
MAX_LIMIT: Final = 100
# Of one memory, so many names.
MOST_ABOUT: Final = 10
# What the sessions are called that memories are observed in.
SESSION: Final = "remembered"
IDENTIFIED: Final = "identified"

MEMORY: Final = "memory"
EPISODE: Final = "episode"
ENTITY: Final = "entity"
CONCEPT: Final = "concept"
KINDS: Final = (MEMORY, EPISODE, ENTITY)

# A text whose best match covers less of what is asked for is no answer (see `recalling`).
LEAST_COVERED: Final = 0.45
LEAST_COVERED_NAMED: Final = 0.2

# The tag of a memory that is of use for a while only, and how long `recall` shows it.
DAYS_TAG: Final = "for days"
DAYS_MS: Final = 14 * DAY_MS


class Keep(NamedTuple):
    """How long something matters, as importance (which sets the rate it fades at) and tags."""

    importance: float
    tags: tuple[str, ...] = ()


DEFAULT_KEEP: Final = "normal"
KEEP: Final = {
    "days": Keep(0.3, (DAYS_TAG,)),
    "normal": Keep(0.7),
    "years": Keep(0.9),
    "always": Keep(0.9, ("preserved",)),
}

SAME: Final = "same"
DIFFERENT: Final = "different"
ASKED: Final = "asked"
