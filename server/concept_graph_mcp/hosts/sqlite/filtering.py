"""Test the properties that a `Nearest` look-up filters by."""

import json
from collections.abc import Callable
from typing import Any

from ...calls.lookups import Nearest

Condition = Callable[[Any], bool]


def conditions(lookup: Nearest) -> dict[str, Condition]:
    """Return the condition on each property that *lookup* filters by.

    Values must be hashable, as `values_of` returns them.
    """
    asked: dict[str, list[Condition]] = {}
    for name, value in lookup.where:
        asked.setdefault(name, []).append(_is_one_of((value,)))
    for name, values in lookup.among:
        asked.setdefault(name, []).append(_is_one_of(values))
    for name, values in lookup.having:
        asked.setdefault(name, []).append(_has_one_of(values))
    return {name: _all(parts) for name, parts in asked.items()}


def values_of(properties: str, names: list[str]) -> list[Any]:
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


def _is_one_of(values: tuple[Any, ...]) -> Condition:
    return lambda value: value in values


def _has_one_of(values: tuple[Any, ...]) -> Condition:
    return lambda value: isinstance(value, tuple) and not set(values).isdisjoint(value)


def _all(parts: list[Condition]) -> Condition:
    return lambda value: all(part(value) for part in parts)
