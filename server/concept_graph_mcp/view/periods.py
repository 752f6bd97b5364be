"""Part time into the days and months of a session's zone."""

from datetime import date, datetime, timedelta

from ..session import Session


def months(session: Session, count: int) -> list[int]:
    """Return the beginnings (unix ms) of the last *count* months and of the one to come."""
    now = session.local(session.clock.now_ms())
    last = now.year * 12 + now.month
    return [_begin(session, date(at // 12, at % 12 + 1, 1)) for at in range(last - count, last + 1)]


def days(session: Session, first: date, beyond: date) -> list[int]:
    """Return the beginnings (unix ms) of the days from *first* to *beyond*, both included."""
    count = (beyond - first).days + 1
    return [_begin(session, first + timedelta(days=number)) for number in range(count)]


def _begin(session: Session, day: date) -> int:
    begun = datetime(day.year, day.month, day.day, tzinfo=session.zone)
    return round(begun.timestamp() * 1000)
