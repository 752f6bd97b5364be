"""Read times that are counted from the day of a question: last week, on Friday, in May."""

from collections.abc import Callable
from typing import Any, Final

from . import date_patterns, spans
from .calendar_words import DAY, MONTH, WEEKEND, YEAR
from .period_reader import Found, Pattern, Reader, read
from .spans import Days

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
            return after[0], after[1] + length, after[2]
        if kind == "year":
            year = reader.token(at + length).year
            return None if year is None else read(spans.of_year(year), length + 1)
        value, size = reader.match(kind, at + length)
        if size:
            of_year = _month_or_season_of_year(reader, at + length)
            if of_year is not None:
                return of_year[0], of_year[1] + length, None
            return read(_choose_days(reader, kind, value, None), length + size)
    return None


def _month_or_season_of_year(reader: Reader, at: int) -> Found:
    """Summer 2024, mayo de 2024."""
    for kind in ("month", "season"):
        value, length = reader.match(kind, at)
        year_at = at + length + reader.match("of", at + length)[1]
        year = reader.token(year_at).year
        if length and year is not None:
            found = spans.of_month if kind == "month" else spans.of_season
            return read(found(year, value), year_at + 1 - at)
    return None


def _choose_days(reader: Reader, kind: str, value: Any, back: int | None) -> Days | None:
    """Return the weekday, month, season or unit that is *back*: 1 the last, -1 the next, 0 this.

    None: the latest, or the coming one where the text speaks of what is ahead.
    """
    choose: dict[str, Callable[[Reader, Any, int | None], Days | None]] = {
        "weekday": _weekday,
        "month": _named_month,
        "season": _season,
        "unit": _unit,
    }
    return choose[kind](reader, value, back)


def _weekday(reader: Reader, weekday: int, back: int | None) -> Days | None:
    ahead = reader.is_ahead if back is None else back < 0
    if back == 0:
        # "This Friday" is the coming one, unless it was.
        ahead = reader.is_ahead or reader.today.weekday() < weekday
    weeks = 7 * (abs(back) - 1) if back else 0
    if ahead:
        days = spans.coming_weekday(reader.today, weekday, weeks)
        if back == -1 and reader.today.weekday() < weekday:
            # To some next Friday is that of this week, to others that of the next: see `periods`.
            later = spans.coming_weekday(reader.today, weekday, 7)
            return None if days is None or later is None else Days(days.first, later.end)
        return days
    return spans.latest_weekday(reader.today, weekday, back=1 + weeks if back else 0)


def _named_month(reader: Reader, month: int, back: int | None) -> Days | None:
    ahead = reader.is_ahead if back is None else back < 0
    distance = (reader.today.month - month) % 12
    if back == 0:
        return spans.of_month(reader.today.year, month)
    if ahead:
        distance = -((month - reader.today.month) % 12) or (-12 if back else 0)
    elif not distance and back:
        distance = 12
    return spans.count_back(reader.today, MONTH, distance)


def _season(reader: Reader, name: str, back: int | None) -> Days | None:
    every, today = spans.seasons(reader.today, name), reader.today
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
    days = spans.count_back(reader.today, unit, back)
    if unit == WEEKEND and back == -1:
        # To some the next weekend is the coming one, to others the one after that.
        this = spans.count_back(reader.today, unit, 0)
        return None if days is None or this is None else Days(this.first, days.end)
    return days


_BESIDE: Final = (("before last", 2), ("last", 1), ("after next", -2), ("next", -1), ("this", 0))
_KINDS: Final = ("unit", "weekday", "short weekday", "season", "month")


def _last(reader: Reader, at: int) -> Found:
    """Last week, next Friday, this summer, this morning, letzten Mai, the weekend before last."""
    for beside, back in _BESIDE:
        length = reader.match(beside, at)[1]
        if not length or not reader.goes_on(at + length):
            continue
        if back == 0 and reader.match("verb", at + length)[1]:
            return None  # This may be.
        if back == 0 and (size := reader.match("part", at + length)[1]):
            return read(spans.count_back(reader.today, DAY, 0), length + size)
        for kind in _KINDS:
            value, size = reader.match(kind, at + length)
            if not size:
                continue
            # "This Friday", but "the last Friday".
            found = _find_beside(reader, kind, value, back)
            return read(found, length + size, value if "weekday" in kind else None)
    return None


def _last_after(reader: Reader, at: int) -> Found:
    """La semana pasada, l'été dernier, terça que vem, the weekend before last."""
    for kind in _KINDS:
        value, size = reader.match(kind, at)
        if not size or not reader.goes_on(at + size):
            continue
        for beside, back in _BESIDE:
            length = reader.match(f"{beside} after", at + size)[1]
            if length:
                found = _find_beside(reader, kind, value, back)
                return read(found, size + length, value if "weekday" in kind else None)
    return None


def _find_beside(reader: Reader, kind: str, value: Any, back: int) -> Days | None:
    return _choose_days(reader, kind.removeprefix("short "), value, back)


def _day_word(reader: Reader, at: int) -> Found:
    """Yesterday, the day after tomorrow, heute Morgen, demain soir; but not "guten Morgen"."""
    count, length = reader.match("day", at)
    if not length or reader.follows("no day after", at):
        return None
    length += reader.match("part", at + length)[1]
    return read(spans.count_back(reader.today, DAY, -count), length)


def _read_on(reader: Reader, at: int) -> Found:
    """On Friday, am Wochenende; Friday, but not every Friday."""
    length = reader.match("on", at)[1]
    after = _last_after(reader, at + length) if length else None
    if after is not None:
        return after[0], after[1] + length, after[2]
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
        return read(spans.count_back(reader.today, unit, count), end + after - at)
    if ahead or from_now:
        return read(spans.count_back(reader.today, unit, -count), end + from_now - at)
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
        days = spans.count_around(reader.today, unit, sign * number)
        return read(days, first + length + size + few + unit_size)
    return None


def _soon(reader: Reader, at: int) -> Found:
    """Coming up: within a year."""
    length = reader.match("soon", at)[1]
    return read(spans.count_around(reader.today, YEAR, 1), length) if length else None


PATTERNS: Final[tuple[Pattern, ...]] = (
    *date_patterns.PATTERNS,
    _read_counted,
    _read_several,
    _day_word,
    _last,
    _last_after,
    date_patterns.ordinal,
    _month_or_season_of_year,
    _read_on,
    _in_month,
    _soon,
)
