"""Build the calls by which the worker reads texts and stores the neighbours of their words."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core.registry import indexed_kinds
from conceptgraph_core.retrieval import schema
from conceptgraph_core.transfer import procedures

from .call import Call

# The nodes that count texts, in one call: some hundred scopes.
_PARTS = 256 * schema.PARTS
LABELS = tuple(kind.label for kind in indexed_kinds())


def scopes(after: str | None = None) -> Call:
    """Return the call for the scopes after *after*, some hundred, and the state of their groups."""
    return Call(procedures.GROUP_SCOPES, (_PARTS, after))


def texts(scope: str, label: str, after: str | None, limit: int, parts: int) -> Call:
    """Return the call for the next *limit* texts, of which one thread of *parts* has its text."""
    return Call(procedures.GROUP_TEXTS, (scope, label, parts, after, limit))


def group(scope: str, near: Mapping[str, Sequence[Any]], after: str | None, limit: int) -> Call:
    """Return the call that sets the neighbours of the next *limit* terms after *after*."""
    return Call(procedures.GROUP_TERMS, (scope, near, after or "", limit))
