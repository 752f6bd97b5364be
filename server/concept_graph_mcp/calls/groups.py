"""Build the calls by which the worker reads texts and stores the neighbours of their words."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core.graph.primitives import BEYOND, Range, Union, following
from conceptgraph_core.registry import indexed_kinds
from conceptgraph_core.retrieval import documents, schema
from conceptgraph_core.transfer import procedures

from .call import Call, checked

# The nodes that count texts, in one call: some hundred scopes.
_PARTS = 256 * schema.PARTS
LABELS = tuple(kind.label for kind in indexed_kinds())


@checked
def scopes(after: str | None = None) -> Call:
    """Return the call for the scopes after *after*, some hundred, and the state of their groups."""
    # The shared scope is empty.
    first = "\x01" if after == "" else following(after)
    parts = Range((schema.CORPUS,), "scope", first, BEYOND, (), _PARTS)
    return Call(procedures.GROUP_SCOPES, (_PARTS,), parts)


@checked
def texts(scope: str, label: str, after: str | None, limit: int, parts: int) -> Call:
    """Return the call for the next *limit* texts, of which one thread of *parts* has its text."""
    where = (("scope", scope), ("label", label))
    found = Range((schema.TEXT,), "key", following(after), BEYOND, where, limit)
    return Call(procedures.GROUP_TEXTS, (scope, label, parts), found)


@checked
def group(scope: str, near: Mapping[str, Sequence[Any]], after: str | None, limit: int) -> Call:
    """Return the call that sets the neighbours of the next *limit* terms after *after*."""
    terms = Range((schema.TERM,), "name", following(after), BEYOND, (("scope", scope),), limit)
    parts = documents.equal(documents.corpus(scope))
    return Call(procedures.GROUP_TERMS, (scope, near, after or "", limit), Union((terms, *parts)))
