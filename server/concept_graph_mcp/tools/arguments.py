"""Define types and conversions for the arguments and results of all toolsets."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Strict

from conceptgraph_core import limits


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
# Placed after the range in every annotation, otherwise the schema lacks the range.
WHOLE = BeforeValidator(_whole)
