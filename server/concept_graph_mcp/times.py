"""Read and show times as people write them, and rows without nulls."""

from collections.abc import Mapping
from datetime import MAXYEAR, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from conceptgraph_core.texts import dates
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.arguments import Moment

from .calls.verb import Verb
from .errors import Refused


def without_none(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return *row* without null values: no result has a null."""
    return {key: value for key, value in row.items() if value is not None}


def iso(time_ms: int, zone: ZoneInfo) -> str:
    """Return a time (unix ms) in the form of results, "2025-06-15T17:06:40+02:00"."""
    return dates.moment(time_ms, zone).isoformat(timespec="seconds")


def time_of(value: str, field: str, zone: ZoneInfo) -> int:
    """Return the unix ms of an `as of` argument; for a date, the last one of that day.

    So facts that began on that day count, and facts of the next day do not. Raises Refused.
    """
    begun = time_given(value, field, zone, begins=True)
    return max(begun, time_given(value, field, zone) - 1)


def time_given(value: str, field: str, zone: ZoneInfo, begins: bool = False) -> int:
    """Return the unix ms of an ISO date or time; a date means the end of its day in *zone*.

    With *begins* a date means the beginning of its day. A time without an offset is in *zone*; the
    year 9999 means for ever. Raises Refused.
    """
    try:
        # A Python program may pass a date itself.
        value = value.isoformat() if isinstance(value, date) else value.strip()
        moment = datetime.fromisoformat(value)
        if moment.year == MAXYEAR:
            return limits.MAX_TIME_MS
        if _is_date(value) and not begins:
            moment += timedelta(days=1)
        return dates.unix_ms(moment, zone)
    except (AttributeError, ValueError, OverflowError):
        raise Refused(
            f"{field}: must be a date or a time such as 2026-01-31 or 2026-01-31T18:00"
        ) from None


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def find_moments(verb: Verb[Any]) -> dict[str, Moment]:
    """Return how each argument of *verb* that is a time is read."""
    return {
        one.name: found
        for one in verb.arguments
        for found in getattr(one.type, "__metadata__", ())
        if isinstance(found, Moment)
    }


def read_moments(
    given: Mapping[str, Any], moments: Mapping[str, Moment], zone: ZoneInfo, now_ms: int
) -> dict[str, int]:
    """Return those of *given* that are times, in unix ms. Raises Refused.

    A time may be said as at *now_ms* (unix ms), such as "yesterday" or "last Tuesday".
    """
    made = {}
    for name, moment in moments.items():
        if given.get(name) is None:
            continue
        text, begins = given[name], moment.begins
        at = _read_spoken(text, moment, zone, now_ms)
        if at is None:
            at = time_of(text, name, zone) if moment.last else time_given(text, name, zone, begins)
        made[name] = at + moment.after
    return made


def _read_spoken(text: Any, moment: Moment, zone: ZoneInfo, now_ms: int) -> int | None:
    """Return the time that *text* says in words of any language; None if it says another thing."""
    if not isinstance(text, str) or text.strip()[:4].isdecimal():
        return None
    # Imported here, because programs write times as dates.
    from conceptgraph_core.retrieval.periods import find_periods

    said = find_periods(text, now_ms, zone)
    if len(said.periods) != 1 or said.words:
        return None
    [period] = said.periods
    return period.from_ms if moment.begins else period.to_ms - int(moment.last)
