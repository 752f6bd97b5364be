"""Read the words of a question from left to right for the periods that they name.

They are dates (2023-05-07, 7th of May), or are counted from the day of the question (last
week, on Friday, in May).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import groupby
from typing import Any, Final, NamedTuple

from .calendar import (
    DAY,
    MONTH,
    WEEKEND,
    YEAR,
    Calendar,
    Days,
    count_around,
    count_back,
    find_day,
    find_weekday,
    of_day,
    of_month,
    of_season,
    of_year,
    seasons,
)

# So many words may stand before the one that names a time: "over the next couple of weeks".
_LONGEST: Final = 6
# The words between a number and the rest of a date may not have these between them.
_ENDS: Final = frozenset(".?!;:()")


class Token(NamedTuple):
    """A case-folded run of letters, or a number, with the characters before it as `gap`."""

    text: str
    number: int | None
    gap: str

    @property
    def year(self) -> int | None:
        return self.number if self.number is not None and 1000 <= self.number < 3000 else None


class Read(NamedTuple):
    """The days that the tokens from `start` to before `end` name; `weekday`, if they name one.

    `is_vague`: they name a time to come without saying which.
    """

    days: Days
    start: int
    end: int
    weekday: int | None = None
    is_vague: bool = False


_NOTHING: Final = Token("", None, "")


def tokens(text: str) -> list[Token]:
    """Return the runs of letters and of digits in *text*."""
    found: list[Token] = []
    gap = ""
    for kind, run in groupby(text, key=_kind):
        piece = "".join(run)
        if kind == "gap":
            gap = piece
            continue
        # No number of a date has more digits than a year.
        number = int(piece) if kind == "digits" and len(piece) <= 4 else None
        found.append(Token(piece, number, gap))
        gap = ""
    return found


# Cached, because a question repeats few characters.
@lru_cache(1_024)
def _kind(character: str) -> str:
    if character.isdecimal():
        return "digits"
    return "letters" if character.isalpha() else "gap"


Found = tuple[Days, int, int | None] | None
"""The days that a pattern found, the number of its tokens, and the weekday that it names."""
Pattern = Callable[["Reader", int], Found]


class Reader:
    """Reads tokens from left to right; a pattern returns what begins at a token, if it does.

    With *is_ahead*, a day without a year is the coming one, else the latest.
    """

    def __init__(
        self, found: list[Token], today: date, calendar: Calendar, *, is_ahead: bool = False
    ) -> None:
        self._tokens = found
        self._calendar = calendar
        self.today = today
        self.is_ahead = is_ahead

    def periods(self, patterns: Sequence[Pattern]) -> Iterator[Read]:
        at, named = 0, self._find_names()
        while at < len(self._tokens):
            token = self._tokens[at]
            found = None
            if named[at] and (token.number is not None or token.text in self._calendar.starts):
                found = next(filter(None, (pattern(self, at) for pattern in patterns)), None)
            if found is None:
                at += 1
                continue
            days, length, weekday = found
            yield Read(days, at, at + length, weekday, bool(self.match("soon", at)[1]))
            at += length

    def _find_names(self) -> list[bool]:
        """Return for each token whether one that may name a time stands at most `_LONGEST` on."""
        named, distance = [], _LONGEST + 1
        for token in reversed(self._tokens):
            names = token.number is not None or token.text in self._calendar.naming
            distance = 0 if names else distance + 1
            named.append(distance <= _LONGEST)
        return named[::-1]

    def token(self, at: int) -> Token:
        return self._tokens[at] if 0 <= at < len(self._tokens) else _NOTHING

    def match(self, kind: str, at: int) -> tuple[Any, int]:
        """Return the value and the length of the longest phrase of *kind* at *at*; 0: none."""
        for words, value in self._calendar.phrases(kind, self.token(at).text):
            others = (self.token(at + offset) for offset in range(1, len(words)))
            if all(
                one.text == word and _ENDS.isdisjoint(one.gap)
                for one, word in zip(others, words[1:], strict=True)
            ):
                return value, len(words)
        return None, 0

    def goes_on(self, at: int) -> bool:
        """Return whether the token at *at* is in one sentence with the one before it."""
        return _ENDS.isdisjoint(self.token(at).gap) and bool(self.token(at).text)

    def follows(self, kind: str, at: int) -> bool:
        """Return whether a phrase of *kind* ends before *at*."""
        return any(self.match(kind, at - length)[1] == length for length in (1, 2))

    def number(self, at: int) -> tuple[int | None, int]:
        token = self.token(at)
        return (token.number, 1) if token.number is not None else self.match("number", at)


def read(days: Days | None, length: int, weekday: int | None = None) -> Found:
    return None if days is None else (days, length, weekday)


def _add_words(found: Found, length: int) -> Found:
    """Return what was *found* behind a word or more, *length* tokens, with these."""
    return None if found is None else (found[0], found[1] + length, found[2])


def _read_iso(reader: Reader, at: int) -> Found:
    """2023-05-07, 2023-05."""
    a, b, c = (reader.token(at + offset) for offset in range(3))
    if a.year is None or b.number is None or b.gap != "-" or len(b.text) != 2:
        return None
    if c.number is not None and c.gap == "-":
        return read(of_day(a.year, b.number, c.number), 3)
    return read(of_month(a.year, b.number), 2)


def _read_dotted(reader: Reader, at: int) -> Found:
    """7.5.2023."""
    a, b, c = (reader.token(at + offset) for offset in range(3))
    if a.number is None or b.number is None or c.year is None or b.gap + c.gap != "..":
        return None
    return read(of_day(c.year, b.number, a.number), 3)


def _read_day_of_month(reader: Reader, at: int) -> Found:
    """7 May 2023, 7th of May, 7. Mai, 7 de mayo de 2023."""
    day, month_at = reader.token(at).number, at + 1
    if day is None or day > 31:
        return None
    for skipped in ("ordinal", "of"):
        month_at += reader.match(skipped, month_at)[1]
    month, length = reader.match("month", month_at)
    if month is None:
        return None
    end = month_at + length
    return _make_date(reader, at, end, month, day)


def _read_month_and_day(reader: Reader, at: int) -> Found:
    """May 2023; May 7th, 2023; May 7."""
    month, length = reader.match("month", at)
    then = reader.token(at + length)
    if month is None or then.number is None:
        return None
    if then.year is not None:
        return read(of_month(then.year, month), length + 1)
    end = at + length + 1
    return _make_date(reader, at, end + reader.match("ordinal", end)[1], month, then.number)


def _make_date(reader: Reader, at: int, end: int, month: int, day: int) -> Found:
    """Return that day, of the year that stands at *end*, if one does."""
    year_at = end + reader.match("of", end)[1]
    year = reader.token(year_at).year
    if year is not None:
        return read(of_day(year, month, day), year_at + 1 - at)
    return read(find_day(reader.today, month, day, is_ahead=reader.is_ahead), end - at)


def _read_ordinal(reader: Reader, at: int) -> Found:
    """On the 23rd, am 23.: at the end, as "on the 2nd floor" is no day."""
    length = reader.match("on", at)[1]
    day = reader.token(at + length).number
    if not length or day is None or not 1 <= day <= 31:
        return None
    end = at + length + 1
    ordinal, then = reader.match("ordinal", end)[1], reader.token(end)
    if ordinal:
        is_day = not reader.goes_on(end + ordinal)
    else:
        is_dotted = then.gap.startswith(".") and then.number is None
        is_day = not then.text or (is_dotted and not reader.match("month", end)[1])
    if not is_day:
        return None
    end += ordinal
    step = 1 if reader.is_ahead else -1
    first = 12 * reader.today.year + reader.today.month - 1
    for month in range(first, first + 12 * step, step):
        found = of_day(month // 12, month % 12 + 1, day)
        if found is not None and (found.first - reader.today).days * step >= 0:
            return read(found, end - at)
    return None


# "The next few days" are so many.
_FEW: Final = 7


def _in_month(reader: Reader, at: int) -> Found:
    """In May, in the summer of 2024, in 2022: "may", "march" and "fall" are verbs too."""
    for before, kind in (("in", "month"), ("in season", "season"), ("in year", "year")):
        length = reader.match(before, at)[1]
        if not length or not reader.goes_on(at + length):
            continue
        after = _last_after(reader, at + length)
        if after is not None:
            return _add_words(after, length)
        if kind == "year":
            year = reader.token(at + length).year
            return None if year is None else read(of_year(year), length + 1)
        value, size = reader.match(kind, at + length)
        if size:
            dated = _month_or_season_of_year(reader, at + length)
            if dated is not None:
                return _add_words(dated, length)
            return read(_CHOOSING[kind](reader, value, None), length + size)
    return None


def _month_or_season_of_year(reader: Reader, at: int) -> Found:
    """Summer 2024, mayo de 2024."""
    for kind in ("month", "season"):
        value, length = reader.match(kind, at)
        year_at = at + length + reader.match("of", at + length)[1]
        year = reader.token(year_at).year
        if length and year is not None:
            found = of_month if kind == "month" else of_season
            return read(found(year, value), year_at + 1 - at)
    return None


def _weekday(reader: Reader, weekday: int, back: int | None) -> Days | None:
    ahead = reader.is_ahead if back is None else back < 0
    if back == 0:
        # "This Friday" is the coming one, unless it was.
        ahead = reader.is_ahead or reader.today.weekday() < weekday
    weeks = 7 * (abs(back) - 1) if back else 0
    if ahead:
        days = find_weekday(reader.today, weekday, weeks, is_ahead=True)
        if back == -1 and reader.today.weekday() < weekday:
            # To some next Friday is that of this week, to others that of the next: see `periods`.
            later = find_weekday(reader.today, weekday, 7, is_ahead=True)
            return None if days is None or later is None else Days(days.first, later.end)
        return days
    return find_weekday(reader.today, weekday, 1 + weeks if back else 0, is_ahead=False)


def _named_month(reader: Reader, month: int, back: int | None) -> Days | None:
    ahead = reader.is_ahead if back is None else back < 0
    distance = (reader.today.month - month) % 12
    if back == 0:
        return of_month(reader.today.year, month)
    if ahead:
        distance = -((month - reader.today.month) % 12) or (-12 if back else 0)
    elif not distance and back:
        distance = 12
    return count_back(reader.today, MONTH, distance)


def _season(reader: Reader, name: str, back: int | None) -> Days | None:
    every, today = seasons(reader.today, name), reader.today
    ended = [one for one in every if one.end <= today]
    begun = [one for one in every if one.first <= today]
    to_come = [one for one in every if one.first > today]
    if back is None:
        if reader.is_ahead:
            return next((one for one in every if one.end > today), None)
        return begun[-1] if begun else None
    if back < 0:
        return to_come[0] if to_come else None
    if back == 0:
        return next((one for one in every if one.first.year == today.year), None)
    return ended[-back] if len(ended) >= back else None


def _unit(reader: Reader, unit: str, back: int | None) -> Days | None:
    if back is None and unit != WEEKEND:
        return None
    if unit == DAY:
        # "The last days" names no single day.
        return None
    if back is None:
        back = 0 if reader.is_ahead or reader.today.weekday() >= 5 else 1
    days = count_back(reader.today, unit, back)
    if unit == WEEKEND and back == -1:
        # To some the next weekend is the coming one, to others the one after that.
        this = count_back(reader.today, unit, 0)
        return None if days is None or this is None else Days(this.first, days.end)
    return days


# Each returns the weekday, month, season or unit that is so far back: 1 the last, -1 the next, 0
# this, and None the latest, or the coming one where the text speaks of what is ahead.
_CHOOSING: Final[Mapping[str, Callable[[Reader, Any, int | None], Days | None]]] = {
    "unit": _unit,
    "weekday": _weekday,
    "short weekday": _weekday,
    "season": _season,
    "month": _named_month,
}


_BESIDE: Final = (("before last", 2), ("last", 1), ("after next", -2), ("next", -1), ("this", 0))


def _last(reader: Reader, at: int) -> Found:
    """Last week, next Friday, this summer, this morning, letzten Mai, the weekend before last."""
    for beside, back in _BESIDE:
        length = reader.match(beside, at)[1]
        if not length or not reader.goes_on(at + length):
            continue
        if back == 0 and reader.match("verb", at + length)[1]:
            return None  # This may be.
        if back == 0 and (size := reader.match("part", at + length)[1]):
            return read(count_back(reader.today, DAY, 0), length + size)
        for kind in _CHOOSING:
            value, size = reader.match(kind, at + length)
            if not size:
                continue
            # "This Friday", but "the last Friday".
            found = _CHOOSING[kind](reader, value, back)
            return read(found, length + size, value if "weekday" in kind else None)
    return None


def _last_after(reader: Reader, at: int) -> Found:
    """La semana pasada, l'été dernier, terça que vem, the weekend before last."""
    for kind in _CHOOSING:
        value, size = reader.match(kind, at)
        if not size or not reader.goes_on(at + size):
            continue
        for beside, back in _BESIDE:
            length = reader.match(f"{beside} after", at + size)[1]
            if length:
                found = _CHOOSING[kind](reader, value, back)
                return read(found, size + length, value if "weekday" in kind else None)
    return None


def _day_word(reader: Reader, at: int) -> Found:
    """Yesterday, the day after tomorrow, heute Morgen, demain soir; but not "guten Morgen"."""
    count, length = reader.match("day", at)
    if not length or reader.follows("no day after", at):
        return None
    length += reader.match("part", at + length)[1]
    return read(count_back(reader.today, DAY, -count), length)


def _read_on(reader: Reader, at: int) -> Found:
    """On Friday, am Wochenende; Friday, but not every Friday."""
    length = reader.match("on", at)[1]
    after = _last_after(reader, at + length) if length else None
    if after is not None:
        return _add_words(after, length)
    weekday, size = reader.match("weekday", at + length)
    if size:
        if not length and reader.follows("no day after", at):
            return None
        end = at + length + size
        end += reader.match("part", end)[1]
        return read(_weekday(reader, weekday, None), end - at, weekday)
    unit, size = reader.match("unit", at + length)
    if not length or unit != WEEKEND:
        return None
    return read(_unit(reader, unit, None), length + size)


def _read_counted(reader: Reader, at: int) -> Found:
    """Three days ago, hace un mes, vor drei Tagen; in three weeks, daqui a dois dias."""
    before = reader.match("ago before", at)[1]
    ahead = 0 if before else reader.match("ahead before", at)[1]
    count, size = reader.number(at + before + ahead)
    unit_at = at + before + ahead + size
    unit_at += reader.match("of", unit_at)[1]  # a couple of
    unit, length = reader.match("unit", unit_at)
    end = unit_at + length
    after = reader.match("ago after", end)[1]
    from_now = reader.match("ahead after", end)[1]
    if not size or not count or not length:
        return None
    if before or after:
        return read(count_back(reader.today, unit, count), end + after - at)
    if ahead or from_now:
        return read(count_back(reader.today, unit, -count), end + from_now - at)
    return None


def _read_several(reader: Reader, at: int) -> Found:
    """The last three weeks, the next few days, los próximos días, les trois prochains jours."""
    count, first = reader.number(at)
    for beside, sign in (("last", -1), ("next", 1)):
        length = reader.match(beside, at + first)[1]
        if not length or not reader.goes_on(at + first + length):
            continue
        then = at + first + length
        number, size = (count, 0) if first else reader.number(then)
        few = 0 if size or first else reader.match("few", then)[1]
        unit, unit_size = reader.match("unit", then + size + few)
        is_several = few or (sign > 0 and reader.match("days", then)[1])
        if number is None and is_several and unit:
            number = _FEW if unit == DAY else 3
        if not unit_size or not number:
            continue
        days = count_around(reader.today, unit, sign * number)
        return read(days, first + length + size + few + unit_size)
    return None


def _soon(reader: Reader, at: int) -> Found:
    """Coming up: within a year."""
    length = reader.match("soon", at)[1]
    return read(count_around(reader.today, YEAR, 1), length) if length else None


PATTERNS: Final[tuple[Pattern, ...]] = (
    _read_iso,
    _read_dotted,
    _read_day_of_month,
    _read_month_and_day,
    _read_counted,
    _read_several,
    _day_word,
    _last,
    _last_after,
    _read_ordinal,
    _month_or_season_of_year,
    _read_on,
    _in_month,
    _soon,
)
