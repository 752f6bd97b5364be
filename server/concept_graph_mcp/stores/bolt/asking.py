"""Asking a server how it is set up: what its checks are given to ask by, and how it answers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Rows = list[dict[str, Any]]
# A statement, its parameters, and whether it writes.
Run = Callable[[str, Mapping[str, Any], bool], Awaitable[Rows]]


def listed(properties: Any) -> list[Any]:
    """Return the properties of a constraint or index; versions differ in whether one is a list."""
    if properties is None:
        return []
    return properties if isinstance(properties, list) else [properties]
