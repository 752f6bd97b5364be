"""The days, weeks, months and years that a question names, seen from the day it is asked on."""

import unicodedata
from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from ..texts.dates import DAY_MS
from .calendar import Days, in_year, likely, tense
from .period_patterns import PATTERNS, Read, Reader, tokens

# People mention a day within a few days of it, and a month within a week of it.
REACH_OF_DAYS: Final = 3
REACH_OF_MONTHS: Final = 7
# A weekday belongs to the week or to the date that stands at most so many words from it.
_NEAR: Final = 3
_REMEMBERED: Final = 32


class Period(NamedTuple):
    """[from_ms, to_ms) in unix milliseconds; texts up to *reach* days away count too."""

    from_ms: int
    to_ms: int
    reach: int

    def holds(self, said_at: int) -> bool:
        """Return whether *said_at* lies in the period or within its reach."""
        reach_ms = self.reach * DAY_MS
        return self.from_ms - reach_ms <= said_at < self.to_ms + reach_ms


class Named(NamedTuple):
    """The periods that a text names, and its other words.

    `is_past`: it speaks of the past. `is_ahead`: it speaks of what is or will be. `languages`: it
    may be of any of these.
    """

    periods: tuple[Period, ...]
    words: tuple[str, ...]
    is_past: bool
    is_ahead: bool
    languages: tuple[str, ...]


def periods(text: str, asked_at: int, zone: tzinfo = UTC) -> tuple[Period, ...]:
    """Return the periods that *text* names, in English, German, French, Portuguese or Spanish.

    ISO dates, month and year, "yesterday", "next week", "last summer", "three days ago" and the
    like. A date without a year is the latest that is not after the day of *asked_at* (unix ms) in
    *zone*, but the coming one where the text speaks of what is or will be.
    """
    return find_periods(text, asked_at, zone).periods


def find_periods(text: str, asked_at: int, zone: tzinfo = UTC) -> Named:
    """Return the periods that *text* names, as `periods` does, and the rest of it."""
    try:
        today = datetime.fromtimestamp(asked_at / 1000, zone).date()
    except (OverflowError, ValueError):
        today = None
    days, named = _find_named(text, today)
    found = []
    for one in days:
        first, end = (datetime.combine(day, time.min, zone).timestamp() * 1000 for day in one)
        is_long = one.end - one.first > timedelta(days=7)
        reach = REACH_OF_MONTHS if is_long else REACH_OF_DAYS
        found.append(Period(int(first), int(end), reach))
    return named._replace(periods=tuple(found))


# So many words and numbers of a text are read for periods.
_MOST_READ: Final = 1_000


# A call asks for those of its message three times, in two forms of its zone.
@lru_cache(_REMEMBERED)
def _find_named(text: str, today: date | None) -> tuple[Collection[Days], Named]:
    """Return the days that *text* names, and what it names without its periods."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    said = tokens(folded)
    words = [token.text for token in said]
    spoken = likely(words)
    is_past, is_ahead = tense(spoken, words)
    languages = tuple(one.language for one in spoken)
    if today is None:
        return (), Named((), tuple(words), is_past, is_ahead, languages)
    read = [
        one
        for calendar in spoken
        for one in _join_read(
            list(Reader(said[:_MOST_READ], today, calendar, is_ahead=is_ahead).periods(PATTERNS))
        )
    ]
    if any(not one.is_vague for one in read):
        read = [one for one in read if not one.is_vague]
    used = {at for one in read for at in range(one.start, one.end)}
    days: dict[Days, None] = {}
    for one in _keep_whole(read):
        first, end = one.days
        day = timedelta(days=1)
        # A weekday that may be either of two is each by itself.
        is_either = one.weekday is not None and end - first == 8 * day
        both = (Days(first, first + day), Days(end - day, end))
        days |= dict.fromkeys(both if is_either else (one.days,))
    rest = tuple(word for at, word in enumerate(words) if at not in used)
    return days, Named((), rest, is_past, is_ahead, languages)


def _join_read(read: list[Read]) -> list[Read]:
    """Return what was *read*, a weekday beside a week or a date joined with that."""
    made: list[Read] = []
    for one in read:
        before = made[-1] if made else None
        if before is not None and one.start - before.end <= _NEAR:
            pairs = ((before, one), (one, before))
            found = (join(*pair) for join in (_of_week, _of_year) for pair in pairs)
            both = next(filter(None, found), None)
            first, end = one.days
            is_day = one.weekday is None and end - first == timedelta(days=1)
            if both is None and is_day and before.weekday == first.weekday():
                # Tuesday, 7 July
                both = one
            if both is not None:
                made[-1] = both._replace(start=before.start, end=one.end)
                continue
        made.append(one)
    return made


def _of_week(one: Read, week: Read) -> Read | None:
    """Return the day of *week* that has the weekday *one*."""
    first, end = week.days
    if one.weekday is None or week.weekday is not None or end - first != timedelta(days=7):
        return None
    day = first + timedelta(days=(one.weekday - first.weekday()) % 7)
    return one._replace(days=Days(day, day + timedelta(days=1)))


def _of_year(one: Read, year: Read) -> Read | None:
    """Return the month or the season *one* of *year*: im Mai letzten Jahres."""
    first, end = year.days
    days = one.days
    if (end.year - first.year, first.day, first.month, end.day, end.month) != (1, 1, 1, 1, 1):
        return None
    if days.first.day != 1 or days.end.day != 1 or days == year.days:
        return None
    return one._replace(days=in_year(days, first.year))


def _keep_whole(read: list[Read]) -> list[Read]:
    """Return what was *read* without what another language read as a part of it."""
    ends: dict[int, int] = {}
    for one in read:
        ends[one.start] = max(one.end, ends.get(one.start, 0))
    # Start -> the furthest end of what starts before.
    starts = sorted(ends)
    furthest = dict(
        zip(starts, accumulate((ends[at] for at in starts), max, initial=0), strict=False)
    )
    return [one for one in read if furthest[one.start] < one.end == ends[one.start]]
