"""Compute calendar days, weeks, months, seasons and years, also counted from a day."""

from datetime import date, timedelta
from typing import Final, NamedTuple

from . import calendar_words as words


class Days(NamedTuple):
    """From `first` up to, not including, `end`."""

    first: date
    end: date


def count_back(today: date, unit: str, count: int) -> Days | None:
    """Return the calendar day, week, weekend, month or year that is *count* before today's.

    Return None if that is before the first date of Python.
    """
    try:
        return _count_back(today, unit, count)
    except (OverflowError, ValueError):
        return None


def _count_back(today: date, unit: str, count: int) -> Days:
    if unit == words.DAY:
        return from_day(today - timedelta(days=count), 1)
    if unit in {words.WEEK, words.WEEKEND}:
        monday = today - timedelta(days=today.weekday() + 7 * count)
        saturday = monday + timedelta(days=5)
        return from_day(monday, 7) if unit == words.WEEK else from_day(saturday, 2)
    if unit == words.MONTH:
        months = 12 * today.year + today.month - 1 - count
        return Days(_first_of(months), _first_of(months + 1))
    return Days(date(today.year - count, 1, 1), date(today.year - count + 1, 1, 1))


def in_year(days: Days, year: int) -> Days:
    """Return *days*, whole months, as they are in another *year*."""
    first = 12 * year + days.first.month - 1
    count = 12 * (days.end.year - days.first.year) + days.end.month - days.first.month
    return Days(_first_of(first), _first_of(first + count))


def _first_of(months: int) -> date:
    """Return the first day of the month with that number; January of the year 0 is 0."""
    return date(months // 12, months % 12 + 1, 1)


def from_day(first: date, count: int) -> Days:
    """Return *count* days from *first* on."""
    return Days(first, first + timedelta(days=count))


def of_year(year: int) -> Days | None:
    """Return the days of a year."""
    return count_back(date(year, 1, 1), words.YEAR, 0)


def of_month(year: int, month: int) -> Days | None:
    """Return the days of a month; None if the number is no month."""
    return count_back(date(year, month, 1), words.MONTH, 0) if 1 <= month <= 12 else None


def of_day(year: int, month: int, day: int) -> Days | None:
    """Return a day; None if the date does not exist."""
    try:
        return from_day(date(year, month, day), 1)
    except (OverflowError, ValueError):
        return None


def latest_day(today: date, month: int, day: int) -> Days | None:
    """Return the latest day with that date that is not after *today*."""
    # The last 29 February is at most eight years back.
    for year in range(today.year, max(0, today.year - 9), -1):
        found = of_day(year, month, day)
        if found is not None and found.first <= today:
            return found
    return None


def latest_weekday(today: date, weekday: int, back: int = 0) -> Days | None:
    """Return the latest such weekday (Monday is 0) up to *back* days before *today*.

    Return None if that is before the first date of Python.
    """
    try:
        latest = today - timedelta(days=back)
        return from_day(latest - timedelta(days=(latest.weekday() - weekday) % 7), 1)
    except OverflowError:
        return None


def coming_day(today: date, month: int, day: int) -> Days | None:
    """Return the first day with that date that is not before *today*."""
    for year in range(today.year, min(9999, today.year + 9)):
        found = of_day(year, month, day)
        if found is not None and found.first >= today:
            return found
    return None


def coming_weekday(today: date, weekday: int, ahead: int = 0) -> Days | None:
    """Return the first such weekday (Monday is 0) later than *ahead* days after *today*.

    Return None after the last date of Python.
    """
    try:
        after = today + timedelta(days=ahead)
        return from_day(after + timedelta(days=(weekday - after.weekday() - 1) % 7 + 1), 1)
    except OverflowError:
        return None


def count_around(today: date, unit: str, count: int) -> Days | None:
    """Return the *count* units from *today* on, today included; with a negative one, up to it."""
    try:
        days = count * {words.WEEK: 7, words.MONTH: 30, words.YEAR: 365}.get(unit, 1)
        first, last = sorted((today, today + timedelta(days=days)))
        return Days(first, last + timedelta(days=1))
    except OverflowError:
        return None


_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def of_season(year: int, name: str) -> Days | None:
    """Return a season of the northern calendar; winter begins in December of *year*."""
    try:
        first = 12 * year + _SEASONS[name] - 1
        return Days(_first_of(first), _first_of(first + 3))
    except ValueError:
        return None


def seasons(today: date, name: str) -> list[Days]:
    """Return the seasons of that name around *today*, the earliest first."""
    found = (of_season(today.year + offset, name) for offset in range(-3, 3))
    return [one for one in found if one is not None]
