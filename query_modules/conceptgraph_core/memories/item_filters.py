"""Filter values of programs, JSON objects, by their fields.

Imports nothing of Memgraph.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..errors import InvalidText

_ORDERING: Final = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS: Final = ("$eq", "$ne", *_ORDERING)


def passing(where: Mapping[str, Any] | str | None) -> Callable[[str], bool]:
    """Return the test whether a JSON object, as a text, has in each field what *where* says.

    *where* may be JSON too, whose integers have any size.
    That is the value of the field, or a map of operators, each with a value. A missing field is
    null. "$gt", "$gte", "$lt" and "$lte" hold between two numbers or two texts only. A map without
    operators holds for an object that has at least its fields. Raises InvalidText for an unknown
    operator.
    """
    # Not imported: a reload would drop it.
    json = __import__("json")
    wanted = dict(json.loads(where) if isinstance(where, str) else where or {})
    for one in wanted.values():
        _check(one)
    if not wanted:
        return lambda _: True

    def passes(value: str) -> bool:
        try:
            fields = json.loads(value)
        except ValueError:
            return False
        return isinstance(fields, Mapping) and all(
            holds(fields.get(name), one) for name, one in wanted.items()
        )

    return passes


def holds(value: Any, wanted: Any) -> bool:
    """Tell whether *value* is what is *wanted*, as `passing` says."""
    if not isinstance(wanted, Mapping):
        return _equal(value, wanted)
    if any(str(name).startswith("$") for name in wanted):
        return all(_compares(value, name, one) for name, one in wanted.items())
    return isinstance(value, Mapping) and all(
        holds(value.get(name), one) for name, one in wanted.items()
    )


def _compares(value: Any, name: str, wanted: Any) -> bool:
    if name == "$eq":
        return _equal(value, wanted)
    if name == "$ne":
        return not _equal(value, wanted)
    return (
        _find_order(value) is not None
        and _find_order(value) is _find_order(wanted)
        and bool(_ORDERING[name](value, wanted))
    )


def _equal(value: Any, wanted: Any) -> bool:
    """Tell whether both are equal; true is not 1, in JSON."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return len(value) == len(wanted) and all(map(_equal, value, wanted))
    return bool(value == wanted)


def _find_order(value: Any) -> type | None:
    """Return what *value* can be compared with, if it has an order."""
    if isinstance(value, bool):
        return None
    return float if isinstance(value, (int, float)) else str if isinstance(value, str) else None


def _check(wanted: Any) -> None:
    if not isinstance(wanted, Mapping):
        return
    named = [str(name) for name in wanted if str(name).startswith("$")]
    if named and (wrong := [str(name) for name in wanted if name not in OPERATORS]):
        raise InvalidText(f"filter: {wrong[0]} is no operator; they are {', '.join(OPERATORS)}")
    for one in wanted.values():
        _check(one)
