"""Build calls for the vectors of texts, and for the neighbours of their words.

Read the store's embedding, find missing vectors, set them; read texts, and group their words.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from conceptgraph_core.embeddings.schema import remembered
from conceptgraph_core.everyday import procedures as everyday
from conceptgraph_core.memories import procedures as memories
from conceptgraph_core.retrieval.schema import PARTS
from conceptgraph_core.transfer import procedures
from conceptgraph_core.transfer.registry import MODEL, Model, indexed_kinds
from conceptgraph_core.verbs.procedures import NOTHING

from .call import Call
from .transfer import of_model

# The position of a walk over nodes without a vector: the last key of each kind.
Reached = Mapping[str, tuple[Any, ...]]

# The procedures that keep memories one by one; the job `embed` handles bulk writes.
KEEPING = frozenset({memories.CREATE.name, everyday.REMEMBER.name})
# The nodes that count texts, in one call: some hundred scopes.
_PARTS = 256 * PARTS
LABELS = tuple(kind.label for kind in indexed_kinds())


def chosen(model: Model = MODEL) -> Call:
    return Call(of_model(procedures.EMBEDDING, model), (), wanted=[remembered()])


def choose(name: str, dimension: int, again: bool, model: Model = MODEL) -> Call:
    """Return the call that chooses an embedding; *again* is repeated until it returns `chosen`."""
    return Call(of_model(procedures.EMBEDDING_CHOOSE, model), (name, dimension, again))


def reached(after: Reached, rows: Sequence[Mapping[str, Any]]) -> Reached:
    """Return the position of a walk that was at *after* and then returned *rows*."""
    return {**after, **{row["kind"]: tuple(row["key"]) for row in rows}}


def lacking(
    limit: int,
    after: Reached = NOTHING,
    model: Model = MODEL,
    kinds: Collection[str] | None = None,
) -> Call:
    """Return the call for nodes without a vector, *limit* of each kind, in the order of keys.

    It returns only nodes whose key follows the one that *after* has for their kind. It returns
    nodes of *kinds*, or of all.
    """
    told: dict[str, Any] = {"limit": limit}
    if after:
        told["after"] = {kind: list(key) for kind, key in after.items()}
    if kinds is not None:
        told["kinds"] = list(kinds)
    return Call(of_model(procedures.EMBEDDING_LACKING, model), (), context=told)


def newest_lacking(user_id: str, limit: int, model: Model = MODEL) -> Call:
    """Return the call for nodes of *user_id* without a vector, the newest *limit* of each kind."""
    told = {"limit": limit, "newest_of": user_id}
    return Call(of_model(procedures.EMBEDDING_LACKING, model), (), context=told)


def embed(name: str, rows: Sequence[Mapping[str, Any]], model: Model = MODEL) -> Call:
    """Return the call that stores the vectors in *rows*, rows of `lacking` with vectors."""
    return Call(of_model(procedures.EMBEDDING_SET, model), (name, list(rows)))


def group_scopes(after: str | None = None) -> Call:
    """Return the call for the scopes after *after*, some hundred, and the state of their groups."""
    return Call(procedures.GROUP_SCOPES, (_PARTS, after))


def group_texts(scope: str, label: str, after: str | None, limit: int, parts: int) -> Call:
    """Return the call for the next *limit* texts, of which one thread of *parts* has its text."""
    return Call(procedures.GROUP_TEXTS, (scope, label, parts, after, limit))


def group_terms(
    scope: str, near: Mapping[str, Sequence[Any]], after: str | None, limit: int
) -> Call:
    """Return the call that sets the neighbours of the next *limit* terms after *after*."""
    return Call(procedures.GROUP_TERMS, (scope, near, after or "", limit))
