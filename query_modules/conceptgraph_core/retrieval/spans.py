"""Days, weeks, months and years of the calendar, and those that lie so far back."""

from datetime import date, timedelta
from typing import NamedTuple

from . import calendar_words as words


class Days(NamedTuple):
    """From `first` up to, not including, `end`."""

    first: date
    end: date


def ago(today: date, unit: str, count: int) -> Days | None:
    """The day, or the calendar week, weekend, month or year, *count* before that of *today*.

    None if that is no date any more.
    """
    try:
        return _ago(today, unit, count)
    except (OverflowError, ValueError):
        return None


def _ago(today: date, unit: str, count: int) -> Days:
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


def _first_of(months: int) -> date:
    """The first day of the month with that number, counted from January of the year 0."""
    return date(months // 12, months % 12 + 1, 1)


def from_day(first: date, count: int) -> Days:
    """*count* days."""
    return Days(first, first + timedelta(days=count))


def of_year(year: int) -> Days | None:
    """A year."""
    return ago(date(year, 1, 1), words.YEAR, 0)


def of_month(year: int, month: int) -> Days | None:
    """A month; None if there is none of that number."""
    return ago(date(year, month, 1), words.MONTH, 0) if 1 <= month <= 12 else None


def of_day(year: int, month: int, day: int) -> Days | None:
    """A day; None if there is none of that date."""
    try:
        return from_day(date(year, month, day), 1)
    except (OverflowError, ValueError):
        return None


def latest_day(today: date, month: int, day: int) -> Days | None:
    """The latest day of that date that is not after *today*."""
    # The 29th of February was at most eight years ago.
    for year in range(today.year, max(0, today.year - 9), -1):
        found = of_day(year, month, day)
        if found is not None and found.first <= today:
            return found
    return None


def latest_weekday(today: date, weekday: int, back: int = 0) -> Days | None:
    """The latest day of the week that is not after *back* days before *today*; Monday is 0.

    None if that is no date any more.
    """
    try:
        latest = today - timedelta(days=back)
        return from_day(latest - timedelta(days=(latest.weekday() - weekday) % 7), 1)
    except OverflowError:
        return None
