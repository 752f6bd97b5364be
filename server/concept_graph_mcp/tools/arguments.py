"""Define types and conversions for the arguments and results of all toolsets."""

from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field, Strict

from conceptgraph_core import limits

from ..times import time_of


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
