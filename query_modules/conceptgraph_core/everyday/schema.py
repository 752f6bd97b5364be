"""The bounds and the words of the everyday procedures. Imports nothing of Memgraph."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from ..texts.dates import DAY_MS
from ..verbs.errors import InvalidText

DEFAULT_BUDGET: Final = 1_200

# The largest shares of a token budget: for who and what, and for what comes to mind.
WHO_SHARE: Final = 0.4
MIND_SHARE: Final = 0.15
MOST_WHO: Final = 6
# "My kids" and "the family" are many.
MOST_OF_A_GROUP: Final = 10
# A message on the user gets so many texts about the user, or so many on one matter, cut to so many
# characters.
MOST_OWN: Final = 8
MOST_OF_A_MATTER: Final = 3
# Among them so many rules, and texts that are kept always, about others.
MOST_BESIDE: Final = 3
LONGEST_OWN: Final = 300
MOST_MIND: Final = 5
# So many texts stand beside the name where a message asks only who somebody is.
MOST_SAID_OF_WHO: Final = 3
# By hop, the most relations of a named concept, or of its neighbour, that still evokes others.
MOST_RELATIONS: Final = (1_000, 40)

DEFAULT_LIMIT: Final = 10
# The prefix of the sessions in which memories are observed.
SESSION: Final = "remembered"
IDENTIFIED: Final = "identified"

MEMORY: Final = "memory"
EPISODE: Final = "episode"
ENTITY: Final = "entity"
CONCEPT: Final = "concept"
KINDS: Final = (MEMORY, EPISODE, ENTITY)

# A profile has so many tokens, sources included, and in each part so many lines of so many
# characters.
PROFILE_BUDGET: Final = 300
PROFILE_MOST: Final = 6
PROFILE_LONGEST: Final = 200
# The look-up reads so many memories about the user, and of those without a key, of older versions.
OWN_LOOKED_UP: Final = 200
# So many days are "this week".
DAYS_AHEAD: Final = 7

# The tag of a memory that matters only for a while, and the time that `recall` shows it.
DAYS_TAG: Final = "for days"
DAYS_MS: Final = 14 * DAY_MS
# The most days, rows, and episodes read of a stretch of time.
MOST_DAYS: Final = 400
MOST_LISTED: Final = 1_000
# Changes of state and edits are looked for in so many memories of each state, the latest ones.
MOST_OF_A_STATE: Final = 500
MOST_EPISODES: Final = 50_000


class Keep(NamedTuple):
    """The importance (which sets the rate of fading) and the tags of a duration."""

    importance: float
    tags: tuple[str, ...] = ()


DEFAULT_KEEP: Final = "normal"
KEEP: Final = {
    "days": Keep(0.3, (DAYS_TAG,)),
    "normal": Keep(0.7),
    "years": Keep(0.9),
    "always": Keep(0.9, ("preserved",)),
}
ALWAYS_TAGS: Final = frozenset(KEEP["always"].tags)
KEEP_TAGS: Final = frozenset(tag for one in KEEP.values() for tag in one.tags)

SAME: Final = "same"
DIFFERENT: Final = "different"
ASKED: Final = "asked"


def date_of(value: str, field: str) -> date:
    """Return the date that a text such as "20260131" means. Raises InvalidText."""
    try:
        if len(value) == 8 and value.isascii() and value.isdigit():
            return date(int(value[:4]), int(value[4:6]), int(value[6:]))
    except ValueError:
        pass
    raise InvalidText(f'{field}: must be a date such as "20260131"')


def find_day_after(first: str, bounds: Sequence[int]) -> str:
    """Return the date after the last of the days of *bounds*, of which *first* is the first."""
    return f"{date_of(first, 'first') + timedelta(days=max(1, len(bounds) - 1)):%Y%m%d}"
