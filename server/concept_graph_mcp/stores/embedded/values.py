"""What may be a value: conversion into the store's form and back, and the procedure types.

The same rules and messages as Memgraph's: strict about int and float, lists given as tuples.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

Wrap = Callable[[Any], Any]

# What is stored as JSON is written in one way; it was copied, and has no circles.
encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode

SCALARS = frozenset({str, int, float, bool, type(None)})
_INT64 = 2**63


class Column(tuple[Any, ...]):
    """Scalars that the store itself hands to a procedure, thousands of them: taken as they are."""

    __slots__ = ()


def to_stored(value: Any) -> Any:
    """Return *value* as the store keeps it: immutable where Python allows, lists as tuples.

    Raises ValueError for what no property can hold, OverflowError beyond 64 bits. A string with a
    NUL, which Memgraph would cut without a word, and temporal values are refused.
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
        return tuple(to_stored(item) for item in value)
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("Dictionary keys must be strings")
        return {key: to_stored(item) for key, item in value.items()}
    if isinstance(value, (date, datetime, time, timedelta)):
        raise ValueError("Temporal values are not supported by the embedded store; use integers")
    raise ValueError("Unsupported PyObject conversion")


def all_stored(given: Sequence[Any]) -> Sequence[Any]:
    """Return what `to_stored` returns of each of *given*, most often whole numbers."""
    if set(map(type, given)) == {int} and min(given) >= -_INT64 and max(given) < _INT64:
        return given
    return [to_stored(one) for one in given]


def listed(ids: Iterable[int]) -> str:
    """Return *ids* as a JSON array, which so few are sooner than the encoder begins."""
    return f"[{','.join(map(str, ids))}]"


def to_python(value: Any, wrap: Wrap) -> Any:
    """Return a fresh copy of *value* as a procedure gets it, graph elements put through *wrap*."""
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


class CypherType:
    """A type of an argument or a result field: its name in messages and what satisfies it.

    `quick` are classes whose instances all satisfy it, so that most values need no closer look.
    """

    __slots__ = ("accepts", "name", "quick")

    def __init__(
        self, name: str, accepts: Callable[[Any], bool], quick: frozenset[type] = frozenset()
    ) -> None:
        self.name = name
        self.accepts = accepts
        self.quick = quick


def exactly(name: str, *classes: type) -> CypherType:
    """Return the type of the values whose class is one of *classes*: a bool is no int here."""
    allowed = frozenset(classes)
    return CypherType(name, lambda value: value.__class__ in allowed, allowed)


def instance_of(name: str, *classes: type) -> CypherType:
    """Return the type of the instances of *classes*."""
    return CypherType(name, lambda value: isinstance(value, classes), frozenset(classes))


def nullable(inner: CypherType) -> CypherType:
    """Return the type that also accepts None."""
    accepts = inner.accepts
    is_list = inner.name.startswith("LIST OF ")
    name = inner.name.replace("LIST", "LIST?", 1) if is_list else inner.name + "?"
    return CypherType(
        name, lambda value: value is None or accepts(value), inner.quick | {type(None)}
    )


def list_of(inner: CypherType) -> CypherType:
    """Return the type of lists and tuples all of whose elements are of the type *inner*."""
    accepts = inner.accepts
    return CypherType(
        f"LIST OF {inner.name}",
        lambda value: isinstance(value, (list, tuple)) and all(map(accepts, value)),
    )
