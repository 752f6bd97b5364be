"""Define types and conversions for the arguments and results of all toolsets."""

from collections.abc import Mapping
from datetime import MAXYEAR, UTC, date, datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field, Strict

from conceptgraph_core import dates, limits

from ..errors import Refused

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _whole(value: Any) -> Any:
    """Accept 2.0 as 2, as JSON Schema does; a bool or a text is still no integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def clamped(low: int, high: int) -> BeforeValidator:
    """Replace any 64-bit integer by the nearest one from *low* to *high*."""

    def clamp(value: Any) -> Any:
        whole = _whole(value)
        if isinstance(whole, bool) or not isinstance(whole, int) or abs(whole) > limits.MAX_INTEGER:
            return whole
        return min(high, max(low, whole))

    return BeforeValidator(clamp)


Text = Annotated[str, Strict()]
Whole = Annotated[int, Strict()]
# Placed after the range in every annotation, otherwise the schema lacks the range.
WHOLE = BeforeValidator(_whole)


Asker = Annotated[
    Text | None,
    Field(description="The speaker who asks: texts by this name count 1.5 times. None: the user."),
]
AskedAt = Annotated[
    Text | None,
    Field(description="When, if not now (ISO): no later text is found; age counts from then."),
]


def asking(asker: str | None, asked_at: str | None, zone: ZoneInfo) -> dict[str, Any]:
    """Return *asker* and the unix ms of *asked_at*, as calls take them. Raises Refused.

    A date means the end of its day.
    """
    at = None if asked_at is None else time_of(asked_at, "asked_at", zone)
    return {"asker": asker, "asked_at": at}


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
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
        return (moment.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)
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
