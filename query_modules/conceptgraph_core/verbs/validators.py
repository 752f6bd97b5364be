"""Check the properties of nodes and edges: a check takes a value and the name of its field.

It returns the value to store, or raises an error that names the field.
"""

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any, Final

from ..texts import text
from . import limits
from .errors import InvalidText

Check = Callable[[Any, str], Any]


def unit(value: Any, field: str) -> float:
    """Return *value* as a float in [0, 1]. Raises InvalidNumber."""
    return text.number(value, field, 0.0, 1.0)


def valence(value: Any, field: str) -> float:
    """Return *value*, bad to good, as a float in [-1, 1]. Raises InvalidNumber."""
    return text.number(value, field, -1.0, 1.0)


def number(value: Any, field: str) -> float:
    """Return *value* as a float of any size. Raises InvalidNumber."""
    return text.number(value, field, -1e300, 1e300)


def amount(value: Any, field: str) -> float:
    """Return *value*, an amount, as a float. Raises InvalidNumber."""
    return text.number(value, field, 0.0, 1e300)


def count(value: Any, field: str) -> int:
    """Return *value*, a count. Raises InvalidNumber."""
    return text.integer(value, field, 0, limits.MAX_INTEGER)


def time(value: Any, field: str) -> int:
    """Return *value*, a time in unix ms. Raises InvalidNumber."""
    return text.integer(value, field, -limits.MAX_TIME_MS, limits.MAX_TIME_MS)


def dimension(value: Any, field: str) -> int:
    """Return *value* if it is a valid number of dimensions. Raises InvalidNumber."""
    return text.integer(value, field, 1, limits.MAX_DIMENSION)


def flag(value: Any, field: str) -> bool:
    """Return *value* if it is true or false. Raises InvalidText."""
    if not isinstance(value, bool):
        raise InvalidText(f"{field}: must be true or false")
    return value


def one_of(known: Sequence[str]) -> Check:
    """Return a check that accepts only the *known* texts. It raises InvalidText."""

    def check(value: Any, field: str) -> str:
        if value not in known or not isinstance(value, str):
            raise InvalidText(f"{field}: must be one of {', '.join(known)}")
        return value

    return check


def texts(value: Any, field: str) -> list[str]:
    """Return *value*, a list of texts. Raises InvalidText."""
    return [text.summary(one, field) for one in _check_list(value, field, "texts")]


def wordings(value: Any, field: str) -> tuple[str, ...]:
    """Return *value*, a list of other wordings of a question, each once. Raises InvalidText."""
    given = _check_list(value, field, "texts")
    if len(given) > limits.MAX_WORDINGS:
        raise InvalidText(
            f"{field}: {len(given):,} texts are too many; at most {limits.MAX_WORDINGS}"
        )
    return tuple(dict.fromkeys(text.name(one, field) for one in given))


def numbers(value: Any, field: str) -> list[float]:
    """Return *value*, a list of numbers, as floats. Raises InvalidText, InvalidNumber."""
    return [number(one, field) for one in _check_list(value, field, "numbers")]


def vector(value: Any, field: str) -> list[float]:
    """Return *value* as a list of floats, because a vector index takes no other numbers.

    Raises InvalidText, InvalidNumber.
    """
    given = _check_list(value, field, "numbers")
    if not 0 < len(given) <= limits.MAX_DIMENSION:
        raise InvalidText(f"{field}: must be a list of 1 to {limits.MAX_DIMENSION:,} numbers")
    most = limits.MAX_COMPONENT
    # Each call has some, and nearly all are of such numbers alone.
    is_plain = {*map(type, given)} == {float} and not isnan(sum(given))
    if is_plain and max(map(abs, given)) <= most:
        return list(given)
    return [text.number(one, field, -most, most) for one in given]


# Most properties are read far more often than written, so a value that a check would store as it is
# is accepted at sight. Vectors are not gone through number by number.
_ACCEPTS: Final[dict[Check, Callable[[Any], bool]]] = {
    text.name: lambda value: value.__class__ is str and value != "",
    text.existing_name: lambda value: value.__class__ is str and value != "",
    text.summary: lambda value: value.__class__ is str and value != "",
    # An accented letter may have been written as two characters.
    text.user: lambda value: value.__class__ is str and value != "" and value.isascii(),
    unit: lambda value: value.__class__ is float and 0.0 <= value <= 1.0,
    valence: lambda value: value.__class__ is float and -1.0 <= value <= 1.0,
    count: lambda value: value.__class__ is int and value >= 0,
    time: lambda value: (
        value.__class__ is int and -limits.MAX_TIME_MS <= value <= limits.MAX_TIME_MS
    ),
    flag: lambda value: value.__class__ is bool,
    vector: lambda value: bool(value.__class__ is list and value and value[0].__class__ is float),
}


def never(_: Any) -> bool:
    """Accept nothing at sight."""
    return False


def accepting(check: Check) -> Callable[[Any], bool]:
    """Return what tells at sight that a value in the graph is one that *check* let in."""
    return _ACCEPTS.get(check, never)


def _check_list(value: Any, field: str, things: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise InvalidText(f"{field}: must be a list of {things}")
    return value
