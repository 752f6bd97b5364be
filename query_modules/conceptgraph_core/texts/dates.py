"""Format times for people, and part time into periods.

Imports nothing of Memgraph: the shell formats the same times in its own zone.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from ..verbs import limits
from ..verbs.errors import InvalidNumber

DAY_MS: Final = 86_400_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# 0001-01-03T00:00:00Z: two days after the first date, so that every zone has a date for it.
_FIRST_MS: Final = -62_135_424_000_000


class Span(NamedTuple):
    """The times from *since* to before *until* (unix ms); None is no bound."""

    since: int | None = None
    until: int | None = None

    def holds(self, at: int | None) -> bool:
        """Tell whether *at* lies in the span; an unknown time lies in an unbounded one only."""
        if at is None:
            return self.since is None and self.until is None
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


ALWAYS: Final = Span()


def moment(time_ms: int, zone: tzinfo = UTC) -> datetime:
    """Return a time (unix ms) in *zone*; the nearest one if no calendar has it."""
    within = min(limits.MAX_TIME_MS, max(_FIRST_MS, time_ms))
    # Not fromtimestamp, which rejects times before 1970 on some platforms.
    return (_EPOCH + timedelta(milliseconds=within)).astimezone(zone)


def unix_ms(when: str | datetime, zone: tzinfo = UTC) -> int:
    """Return a time, ISO 8601 if it is text, in unix ms; in *zone* if it names none.

    Raises TypeError, ValueError, OverflowError.
    """
    at = when if isinstance(when, datetime) else datetime.fromisoformat(when)
    at = at if at.tzinfo is not None else at.replace(tzinfo=zone)
    return (at.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)


def day(time_ms: int, zone: tzinfo = UTC) -> str:
    """Return the date of a time in *zone*, "2025-06-15"; the nearest one if no calendar has it."""
    return moment(time_ms, zone).date().isoformat()


# The lines of a recall are written three times: to be measured, and for two zones.
@lru_cache(1_024)
def minute(time_ms: int, zone: tzinfo = UTC) -> str:
    """Return a time in *zone*, "2025-06-15 17:06"; the nearest one if no calendar has it."""
    return moment(time_ms, zone).isoformat(" ", "minutes")[:16]


def overlap(one: tuple[int, int | None], other: tuple[int, int | None]) -> bool:
    """Tell whether two (from, until) have a moment in common; until None is open."""
    (first, first_end), (second, second_end) = one, other
    return (second_end is None or first < second_end) and (first_end is None or second < first_end)


def periods(bounds: Sequence[int], field: str, most: int) -> list[int]:
    """Return *bounds* (unix ms), of 1 to *most* periods that follow one another.

    Raises InvalidNumber.
    """
    whole = all(isinstance(one, int) and abs(one) <= limits.MAX_TIME_MS for one in bounds)
    ascending = whole and all(one < other for one, other in pairwise(bounds))
    if not ascending or not 2 <= len(bounds) <= most + 1:
        raise InvalidNumber(f"{field}: must be 2 to {most + 1} ascending times in milliseconds")
    return list(bounds)


def period(bounds: Sequence[int], time_ms: int) -> int | None:
    """Return the number of the period of *bounds* that has *time_ms*, from 0; None: no period."""
    number = sum(one <= time_ms for one in bounds) - 1
    return number if 0 <= number < len(bounds) - 1 else None
