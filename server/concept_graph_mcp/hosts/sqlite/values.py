"""Convert values into the store's form and back, and define the procedure types.

The rules and messages are Memgraph's: strict about int and float, lists as tuples.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from conceptgraph_core.graph.primitives import Nearest

Wrap = Callable[[Any], Any]

# One encoder for all stored JSON; values were copied, so they have no circular references.
encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode

SCALARS = frozenset({str, int, float, bool, type(None)})
_INT64 = 2**63


class Column(tuple[Any, ...]):
    """Scalars that the store passes to a procedure by the thousand, without conversion."""

    __slots__ = ()


def to_stored(value: Any) -> Any:
    """Return *value* in its stored form: immutable if Python allows, lists as tuples.

    Raises ValueError for values that no property can hold, OverflowError beyond 64 bits. Temporal
    values are refused, and so are strings with a NUL, which Memgraph would silently cut.
    """
    if value.__class__ is int and -_INT64 <= value < _INT64:
        return value
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("A string with a NUL character cannot be stored")
        if not value.isascii():
            value.encode()
        return value
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, int):
        if not -_INT64 <= value < _INT64:
            raise OverflowError("Python integer is out of range")
        return value
    if isinstance(value, (list, tuple)):
        return tuple(map(to_stored, value))
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("Dictionary keys must be strings")
        return {key: to_stored(item) for key, item in value.items()}
    if isinstance(value, (date, datetime, time, timedelta)):
        raise ValueError("Temporal values are not supported by the embedded store; use integers")
    raise ValueError("Unsupported PyObject conversion")


def all_stored(given: Sequence[Any]) -> Sequence[Any]:
    """Return `to_stored` of each of *given*, most often integers."""
    if set(map(type, given)) == {int} and min(given) >= -_INT64 and max(given) < _INT64:
        return given
    return [to_stored(one) for one in given]


def write_ids(ids: Iterable[int]) -> str:
    """Return *ids* as a JSON array, faster than the encoder for short lists."""
    return f"[{','.join(map(str, ids))}]"


def to_python(value: Any, wrap: Wrap) -> Any:
    """Return a new copy of *value* for a procedure, with graph elements converted by *wrap*."""
    if value.__class__ in SCALARS:
        if value.__class__ is int and not -_INT64 <= value < _INT64:
            raise OverflowError("Python integer is out of range")
        return value
    if value.__class__ is Column:
        return value
    if isinstance(value, (list, tuple)):
        return tuple([to_python(item, wrap) for item in value])
    if isinstance(value, dict):
        return {key: to_python(item, wrap) for key, item in value.items()}
    return wrap(value)


class CypherType(NamedTuple):
    """The type of an argument or a result field: its name in messages, and its test."""

    name: str
    accepts: Callable[[Any], bool]


def exactly(name: str, *classes: type) -> CypherType:
    """Return the type of values whose class is exactly one of *classes*: a bool is no int here."""
    return CypherType(name, lambda value: value.__class__ in classes)


def instance_of(name: str, *classes: type) -> CypherType:
    """Return the type of the instances of *classes*."""
    return CypherType(name, lambda value: isinstance(value, classes))


def nullable(inner: CypherType) -> CypherType:
    """Return the type that also accepts None."""
    accepts = inner.accepts
    is_list = inner.name.startswith("LIST OF ")
    name = inner.name.replace("LIST", "LIST?", 1) if is_list else inner.name + "?"
    return CypherType(name, lambda value: value is None or accepts(value))


def list_of(inner: CypherType) -> CypherType:
    """Return the type of lists and tuples whose elements are all of the type *inner*."""
    accepts = inner.accepts
    return CypherType(
        f"LIST OF {inner.name}",
        lambda value: isinstance(value, (list, tuple)) and all(map(accepts, value)),
    )


Condition = Callable[[Any], bool]


def make_conditions(lookup: Nearest) -> dict[str, Condition]:
    """Return the condition on each property that *lookup* filters by.

    Values must be hashable, as `read_values` returns them.
    """
    asked: dict[str, list[Condition]] = {}
    for name, value in lookup.where:
        asked.setdefault(name, []).append((value,).__contains__)
    for name, values in lookup.among:
        asked.setdefault(name, []).append(values.__contains__)
    for name, values in lookup.having:
        asked.setdefault(name, []).append(_has_one_of(values))
    return {name: _hold_all(parts) for name, parts in asked.items()}


def read_values(properties: str, names: list[str]) -> list[Any]:
    """Return the values of *names* in stored *properties*; lists as tuples."""
    if not names:
        return []
    known = json.loads(properties)
    return [_key(known.get(name)) for name in names]


def _key(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_key, value))
    # No filter takes a map.
    return json.dumps(value) if isinstance(value, dict) else value


def _has_one_of(values: tuple[Any, ...]) -> Condition:
    return lambda value: isinstance(value, tuple) and not set(values).isdisjoint(value)


def _hold_all(parts: list[Condition]) -> Condition:
    return lambda value: all(part(value) for part in parts)
