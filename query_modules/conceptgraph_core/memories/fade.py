"""Compute the score of a memory, its state and when that ends, and the strength of links.

The formulas and the reasons of their numbers are in docs/design.md. Times are unix ms, rates are
per day; no function here reads a clock or a graph.
"""

import math
from collections.abc import Collection
from typing import Final, NamedTuple

from ..texts.dates import DAY_MS
from ..verbs.decaying import RULES, Rules
from ..verbs.limits import MAX_TIME_MS

ACTIVE: Final = "active"
DORMANT: Final = "dormant"
ARCHIVED: Final = "archived"
EXPIRED: Final = "expired"
# From the highest score to the lowest; expired memories are hidden.
STATES: Final = (ACTIVE, DORMANT, ARCHIVED, EXPIRED)

PRESERVING_TAGS: Final = (
    *("permanent", "important", "bookmark", "favorite", "pinned", "preserved"),
)

# Messages of an old history start at most so close to being archived.
_NOT_YET: Final = 0.99
# Links halve in a week, and not below a tenth. Each further day of use adds a week to the
# half-life, up to a bound, or a link that is used every week would fade in between.
LINK_HALF_LIFE_MS: Final = 7 * DAY_MS
LINK_FLOOR: Final = 0.1
MAX_LINK_DAYS: Final = 12
# The importance at which a memory fades at the base rate.
_USUAL: Final = 0.7


def thresholds(rules: Rules) -> tuple[tuple[str, float], ...]:
    """Return each state with its least score, the highest first.

    If nothing expires (`decaying.lasting`), archived takes any score.
    """
    return (
        (ACTIVE, rules.active),
        (DORMANT, rules.dormant),
        (ARCHIVED, rules.archived),
        (EXPIRED, 0.0),
    )


class Fading(NamedTuple):
    """The inputs of a memory's score; `rate` is its own, or None, `degree` its number of links.

    `accessed_at` is the time from which it fades: an import may set a later one (`fades_from`).
    """

    importance: float
    confidence: float
    access_count: int
    accessed_at: int
    rate: float | None = None
    degree: int = 0
    tags: tuple[str, ...] = ()
    preserved_until: int | None = None


def decay_score(one: Fading, now_ms: int, rules: Rules = RULES) -> float:
    """Return clamp((importance · e^(−rate · days) + boosts) · confidence, 0, 1).

    Preservation is ignored. An access in the future counts as now.
    """
    days = max(0, now_ms - one.accessed_at) / DAY_MS
    fresh = one.importance * math.exp(-_rate(one, rules) * days)
    return min(1.0, max(0.0, (fresh + _boosts(one, rules)) * one.confidence))


def state_of(score: float, rules: Rules = RULES) -> str:
    """Return the state for *score*."""
    # The bounds of `thresholds`; without a list, because every row of a call needs this.
    if score >= rules.active:
        return ACTIVE
    if score >= rules.dormant:
        return DORMANT
    return ARCHIVED if score >= rules.archived else EXPIRED


def is_preserved(tags: Collection[str], preserved_until: int | None, now_ms: int) -> bool:
    """Tell whether one of the six tags preserves a memory, in any case, or a time to come."""
    if preserved_until is not None and now_ms < preserved_until:
        return True
    return bool(tags) and any(tag.casefold() in PRESERVING_TAGS for tag in tags)


def now(one: Fading, now_ms: int, rules: Rules = RULES) -> tuple[float, str]:
    """Return the score and the state at *now_ms*: a preserved memory is active and has 1.0."""
    if is_preserved(one.tags, one.preserved_until, now_ms):
        return 1.0, ACTIVE
    score = decay_score(one, now_ms, rules)
    return score, state_of(score, rules)


def next_state(one: Fading, now_ms: int, rules: Rules = RULES) -> tuple[str, int] | None:
    """Return the next state if nothing happens, and its time.

    None if it never changes, or only after the last date.
    """
    state = now(one, now_ms, rules)[1]
    until = one.preserved_until
    if is_preserved(one.tags, until, now_ms):
        if until is None or is_preserved(one.tags, None, now_ms):
            return None
        then = now(one, until, rules)[1]
        return (then, until) if then != state else _decayed_from(one, state, until, rules)
    return _decayed_from(one, state, now_ms, rules)


def fading_since(said_at: int, one: Fading, now_ms: int, rules: Rules = RULES) -> int:
    """Return the access time of a text that was said at *said_at* and is stored now as *one*.

    A recent text fades from then on. An older one counts as younger than it is, in the same order,
    and so is never archived yet. Otherwise an old history would expire in the first night. And if
    all of it began now, all of it would expire in one night.
    """
    age = max(0, now_ms - said_at)
    if _rate(one, rules) <= 0:
        return now_ms - age
    kept = max(1.0, one.importance * one.confidence / rules.dormant)
    most = _NOT_YET * math.log(kept) / _rate(one, rules) * DAY_MS
    if most == math.inf:
        return now_ms - age
    return now_ms - math.floor(most * -math.expm1(-age / most)) if most >= 1 else now_ms


def link_strength(strength: float, last_strengthened: int, days: int, now_ms: int) -> float:
    """Return the strength of a link that was strengthened on so many *days*, at least a tenth.

    It halves in 7 · (1 + days) days. A link that began below a tenth stays as it is.
    """
    age = now_ms - last_strengthened
    if age <= 0 or strength <= LINK_FLOOR:
        return strength
    left = strength * math.pow(0.5, age / (LINK_HALF_LIFE_MS * (1 + days)))
    return left if left > LINK_FLOOR else LINK_FLOOR


def link_days(days: int, last_strengthened: int, now_ms: int) -> int:
    """Return the number of days with a strengthening, this one included; a day is one of UTC."""
    later = now_ms // DAY_MS > last_strengthened // DAY_MS
    return min(MAX_LINK_DAYS, days + 1) if later else days


def _rate(one: Fading, rules: Rules) -> float:
    """Return the rate of *one* per day: the more important, the slower."""
    if one.rate is not None:
        return one.rate
    return rules.base_rate * (1.0 - one.importance) / (1.0 - _USUAL)


def _boosts(one: Fading, rules: Rules) -> float:
    accesses = math.log1p(one.access_count) * rules.access_boost
    return accesses + math.log1p(one.degree) * rules.degree_boost


def _decayed_from(one: Fading, state: str, from_ms: int, rules: Rules) -> tuple[str, int] | None:
    """Return the state that follows *state* by the formula, and its first ms."""
    least = dict(thresholds(rules))[state]
    lasting = _boosts(one, rules) * one.confidence
    fading = one.importance * one.confidence
    rate = _rate(one, rules)
    # The score falls below *least* when fading · e^(−rate · days) is less than the rest.
    missing = least - lasting
    if state == EXPIRED or missing <= 0 or rate <= 0 or fading <= 0:
        return None
    nearly = one.accessed_at + max(0.0, math.log(fading / missing) / rate * DAY_MS)
    if nearly > MAX_TIME_MS:
        return None
    at = _first_below(one, least, max(math.floor(nearly), from_ms), from_ms, rules)
    if at > MAX_TIME_MS:
        return None
    return state_of(decay_score(one, at, rules), rules), at


def _first_below(one: Fading, least: float, nearly: int, from_ms: int, rules: Rules) -> int:
    """Return the first ms from *from_ms* on with a score below *least*, near *nearly*.

    The closed form is right to a few milliseconds; the formula itself decides. A slow decay leaves
    the score the same float for hours, so the steps of this search grow.
    """
    low, high, step = nearly, nearly, 1
    while decay_score(one, high, rules) >= least:
        low, high, step = high, high + step, 2 * step
    while low > from_ms and decay_score(one, low, rules) < least:
        low, high, step = max(from_ms, low - step), low, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        if decay_score(one, middle, rules) < least:
            high = middle
        else:
            low = middle
    return high
