"""The days, weeks, months and years that a question names, seen from the day it is asked on."""

import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from ..dates import DAY_MS
from . import calendar_words as words
from . import spans
from .spans import Days

# People mention a day within a few days of it, and a month within a week of it.
REACH_OF_DAYS: Final = 3
REACH_OF_MONTHS: Final = 7


class Period(NamedTuple):
    """[from_ms, to_ms) in unix milliseconds; texts up to *reach* days away count too."""

    from_ms: int
    to_ms: int
    reach: int

    def holds(self, said_at: int) -> bool:
        """Return whether *said_at* lies in the period or within its reach."""
        reach_ms = self.reach * DAY_MS
        return self.from_ms - reach_ms <= said_at < self.to_ms + reach_ms


class _Token(NamedTuple):
    """A case-folded run of letters, or a number, with the characters before it as `gap`."""

    text: str
    number: int | None
    gap: str

    @property
    def year(self) -> int | None:
        return self.number if self.number is not None and 1000 <= self.number < 3000 else None


_NOTHING: Final = _Token("", None, "")


def periods(text: str, asked_at: int, zone: tzinfo = UTC) -> tuple[Period, ...]:
    """Return the periods that *text* names: English, German or Japanese.

    ISO dates, month and year, "yesterday", "last week", "three days ago" and the like; a date
    without a year is the latest that is not after the day of *asked_at* (unix ms) in *zone*.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    try:
        today = datetime.fromtimestamp(asked_at / 1000, zone).date()
    except (OverflowError, ValueError):
        return ()
    found = [*_Reader(_tokens(folded), today).periods(), *_japanese(folded, today)]
    return tuple(_period(days, zone) for days in dict.fromkeys(found))


def _period(days: Days, zone: tzinfo) -> Period:
    first, end = (datetime.combine(day, time.min, zone) for day in days)
    is_long = days.end - days.first > timedelta(days=7)
    reach = REACH_OF_MONTHS if is_long else REACH_OF_DAYS
    return Period(int(first.timestamp() * 1000), int(end.timestamp() * 1000), reach)


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    gap = ""
    for kind, run in groupby(text, key=_kind):
        piece = "".join(run)
        if kind == "gap":
            gap = piece
            continue
        # No number of a date has more digits than a year.
        number = int(piece) if kind == "digits" and len(piece) <= 4 else None
        found.append(_Token(piece, number, gap))
        gap = ""
    return found


# Cached, because a question repeats few characters.
@lru_cache(1_024)
def _kind(character: str) -> str:
    if character.isdecimal():
        return "digits"
    return "letters" if character.isalpha() else "gap"


class _Reader:
    """Reads tokens from left to right; each of `_PATTERNS` returns its days and its length."""

    def __init__(self, tokens: list[_Token], today: date) -> None:
        self._tokens = tokens
        self.today = today

    def periods(self) -> Iterator[Days]:
        at = 0
        while at < len(self._tokens):
            token = self._tokens[at]
            if token.number is None and token.text not in _STARTS:
                at += 1
                continue
            for pattern in _PATTERNS:
                found = pattern(self, at)
                if found is not None:
                    days, length = found
                    yield days
                    at += length
                    break
            else:
                at += 1

    def token(self, at: int) -> _Token:
        return self._tokens[at] if 0 <= at < len(self._tokens) else _NOTHING

    def number(self, at: int) -> int | None:
        token = self.token(at)
        return token.number if token.number is not None else words.NUMBERS.get(token.text)


_Found = tuple[Days, int] | None
"""The days that a pattern found, and the number of its tokens."""


def _found(days: Days | None, length: int) -> _Found:
    return None if days is None else (days, length)


def _iso(reader: _Reader, at: int) -> _Found:
    """2023-05-07, 2023-05."""
    a, b, c = (reader.token(at + offset) for offset in range(3))
    if a.year is None or b.number is None or b.gap != "-" or len(b.text) != 2:
        return None
    if c.number is not None and c.gap == "-":
        return _found(spans.of_day(a.year, b.number, c.number), 3)
    return _found(spans.of_month(a.year, b.number), 2)


def _dotted(reader: _Reader, at: int) -> _Found:
    """7.5.2023."""
    a, b, c = (reader.token(at + offset) for offset in range(3))
    if a.number is None or b.number is None or c.year is None or b.gap + c.gap != "..":
        return None
    return _found(spans.of_day(c.year, b.number, a.number), 3)


def _japanese_date(reader: _Reader, at: int) -> _Found:
    """2023年5月7日, 2023年5月, 2023年."""
    a, b, c, d, e, f = (reader.token(at + offset) for offset in range(6))
    if a.year is None or not b.text.startswith(words.JAPANESE_YEAR):
        return None
    if c.number is None or not d.text.startswith(words.JAPANESE_MONTH):
        return _found(spans.of_year(a.year), 2)
    if e.number is None or not f.text.startswith(words.JAPANESE_DAY):
        return _found(spans.of_month(a.year, c.number), 4)
    return _found(spans.of_day(a.year, c.number, e.number), 6)


def _japanese_day(reader: _Reader, at: int) -> _Found:
    """5月7日; 3日前, 2週間前."""
    a, b, c, d = (reader.token(at + offset) for offset in range(4))
    if a.number is None or b.gap:
        return None
    for ending, unit in words.JAPANESE_AGO:
        if b.text.startswith(ending):
            return _found(spans.ago(reader.today, unit, a.number), 2)
    if c.number is None or d.text[:1] != words.JAPANESE_DAY or b.text != words.JAPANESE_MONTH:
        return None
    return _found(spans.latest_day(reader.today, a.number, c.number), 4)


def _day_of_month(reader: _Reader, at: int) -> _Found:
    """7 May 2023, 7th of May, 7. Mai."""
    day, month_at = reader.token(at).number, at + 1
    if day is None or day > 31:
        return None
    for skipped in (words.ORDINALS, words.OF):
        month_at += reader.token(month_at).text in skipped
    month = words.MONTHS.get(reader.token(month_at).text)
    if month is None:
        return None
    length = month_at + 1 - at
    year = reader.token(month_at + 1).year
    if year is not None:
        return _found(spans.of_day(year, month, day), length + 1)
    return _found(spans.latest_day(reader.today, month, day), length)


def _month_and_day(reader: _Reader, at: int) -> _Found:
    """May 2023; May 7th, 2023; May 7."""
    month, then = words.MONTHS.get(reader.token(at).text), reader.token(at + 1)
    if month is None or then.number is None:
        return None
    if then.year is not None:
        return _found(spans.of_month(then.year, month), 2)
    length = 3 if reader.token(at + 2).text in words.ORDINALS else 2
    year = reader.token(at + length).year
    if year is not None:
        return _found(spans.of_day(year, month, then.number), length + 1)
    return _found(spans.latest_day(reader.today, month, then.number), length)


def _in_month(reader: _Reader, at: int) -> _Found:
    """In May, last May."""
    month, before = words.MONTHS.get(reader.token(at).text), reader.token(at - 1).text
    # "may" and "march" are verbs too.
    if month is None or before not in words.IN | words.LAST | words.THIS | words.OF:
        return None
    back = (reader.today.month - month) % 12
    if not back and before in words.LAST:
        back = 12
    return _found(spans.ago(reader.today, words.MONTH, back), 1)


def _day_word(reader: _Reader, at: int) -> _Found:
    """Yesterday, the day before yesterday, today."""
    count = words.DAYS_AGO.get(reader.token(at).text)
    if count is None:
        return None
    if [reader.token(at - 2).text, reader.token(at - 1).text] == ["day", "before"]:
        count += 1
    return _found(spans.ago(reader.today, words.DAY, count), 1)


def _last(reader: _Reader, at: int) -> _Found:
    """Last week, last night, last Friday."""
    if reader.token(at).text not in words.LAST:
        return None
    then = reader.token(at + 1).text
    if then in words.NIGHT:
        return _found(spans.ago(reader.today, words.DAY, 1), 2)
    weekday = words.WEEKDAYS.get(then)
    if weekday is not None:
        return _found(spans.latest_weekday(reader.today, weekday, back=1), 2)
    unit = words.UNITS.get(then)
    # "The last days" names no single day.
    return _found(spans.ago(reader.today, unit, 1), 2) if unit and unit != words.DAY else None


def _this(reader: _Reader, at: int) -> _Found:
    """This week, this morning; on Friday."""
    token, then = reader.token(at).text, reader.token(at + 1).text
    weekday = words.WEEKDAYS.get(then)
    if token in words.ON and weekday is not None:
        return _found(spans.latest_weekday(reader.today, weekday), 2)
    unit = words.DAY if then in words.PARTS_OF_A_DAY else words.UNITS.get(then)
    return _found(spans.ago(reader.today, unit, 0), 2) if unit and token in words.THIS else None


def _counted(reader: _Reader, at: int) -> _Found:
    """Three days ago, a week ago; vor drei Tagen, vor einem Monat."""
    if reader.token(at).text in words.BEFORE:
        count, unit = reader.number(at + 1), words.UNITS.get(reader.token(at + 2).text)
        return _found(spans.ago(reader.today, unit, count), 3) if unit and count else None
    count, unit_at = reader.number(at), at + 1
    unit_at += reader.token(unit_at).text in words.OF  # a couple of
    unit = words.UNITS.get(reader.token(unit_at).text)
    if not count or unit is None or reader.token(unit_at + 1).text not in words.AGO:
        return None
    return _found(spans.ago(reader.today, unit, count), unit_at + 2 - at)


def _in_year(reader: _Reader, at: int) -> _Found:
    """In 2022, im Jahr 2022."""
    year = reader.token(at).year
    if year is None or reader.token(at - 1).text not in words.IN:
        return None
    return _found(spans.of_year(year), 1)


_PATTERNS: Final[tuple[Callable[[_Reader, int], _Found], ...]] = (
    _iso,
    _dotted,
    _japanese_date,
    _japanese_day,
    _day_of_month,
    _month_and_day,
    _in_month,
    _day_word,
    _last,
    _this,
    _counted,
    _in_year,
)


# The words that a period can begin with, besides numbers.
_STARTS: Final = frozenset().union(
    *(words.MONTHS, words.DAYS_AGO, words.LAST, words.THIS, words.ON, words.BEFORE, words.NUMBERS)
)


def _japanese(text: str, today: date) -> Iterator[Days]:
    for word, unit, count in words.JAPANESE:
        if word in text:
            text = text.replace(word, "")
            days = spans.ago(today, unit, count)
            if days is not None:
                yield days
