"""Build calls for the vectors of texts.

Read the store's embedding, find missing vectors, set them.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from conceptgraph_core.embeddings.schema import HOLD, PARTS, embedded_kinds, held, remembered
from conceptgraph_core.everyday import procedures as everyday
from conceptgraph_core.graph.primitives import Equal, Union, Vectored
from conceptgraph_core.memories import procedures as memories
from conceptgraph_core.procedures import NOTHING
from conceptgraph_core.registry import MODEL, Model
from conceptgraph_core.transfer import procedures
from conceptgraph_core.transfer.places import placed, places

from .call import Call, checked
from .transfer import of_model

# The position of a walk over nodes without a vector: the last key of each kind.
Reached = Mapping[str, tuple[Any, ...]]

# The procedures that keep memories one by one; the job `embed` handles bulk writes.
KEEPING = frozenset({memories.CREATE.name, everyday.REMEMBER.name})

# Vectors in one transaction.
CLEARED_AT_ONCE = 1_000


@checked
def chosen(model: Model = MODEL) -> Call:
    return Call(of_model(procedures.EMBEDDING, model), (), remembered())


@checked
def choose(name: str, dimension: int, again: bool, model: Model = MODEL) -> Call:
    """Return the call that chooses an embedding; *again* is repeated until it returns `chosen`."""
    there = [
        Vectored(kind.label, index.vector, True, CLEARED_AT_ONCE)
        for kind, index in embedded_kinds(model.layers)
    ]
    holds = Equal((HOLD,), ("part",), tuple((one,) for one in range(PARTS)))
    lookup = Union((remembered(), holds, *(there if again else ())))
    return Call(of_model(procedures.EMBEDDING_CHOOSE, model), (name, dimension, again), lookup)


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
    parts = [
        Vectored(kind.label, index.vector, False, limit, kind.key, after.get(kind.kind))
        for kind, index in embedded_kinds(model.layers)
        if kinds is None or kind.kind in kinds
    ]
    return Call(of_model(procedures.EMBEDDING_LACKING, model), (), Union(tuple(parts)))


def newest_lacking(user_id: str, limit: int, model: Model = MODEL) -> Call:
    """Return the call for nodes of *user_id* without a vector, the newest *limit* of each kind."""
    parts = [
        Vectored(
            kind.label,
            index.vector,
            False,
            limit,
            where=((kind.scope, user_id),),
            newest=index.newest,
        )
        for kind, index in embedded_kinds(model.layers)
        if index.newest is not None and kind.scope is not None
    ]
    return Call(of_model(procedures.EMBEDDING_LACKING, model), (), Union(tuple(parts)))


@checked
def embed(name: str, rows: Sequence[Mapping[str, Any]], model: Model = MODEL) -> Call:
    """Return the call that stores the vectors in *rows*, rows of `lacking` with vectors."""
    kinds = {kind.kind: kind for kind, _ in embedded_kinds(model.layers)}
    records = [
        {"kind": row["kind"], **dict(zip(kinds[row["kind"]].key, row["key"], strict=True))}
        for row in rows
    ]
    wanted = dict.fromkeys(place for one in records for place in places(model.layers, one))
    lookup = Union((remembered(), held(name), placed(list(wanted), model.layers)))
    return Call(of_model(procedures.EMBEDDING_SET, model), (name, list(rows)), lookup)
