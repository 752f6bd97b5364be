"""Create the database's vector indexes for the embedding recorded in the store."""

import logging
from collections.abc import Sequence
from contextlib import suppress

from neo4j.exceptions import ClientError

from conceptgraph_core.cypher.nearest import index_name
from conceptgraph_core.embeddings.schema import EMBEDDING, TEXTS
from conceptgraph_core.layers import Layer, VectorIndex

from . import probes
from .failures import is_conflict
from .probes import Run, list_loaded

logger = logging.getLogger(__name__)

_NEEDED = {
    "vector_search.search",
    "vector_search.show_index_info",
    "vector_search.cosine_similarity",
}
# The initial capacity; an index grows by itself.
_CAPACITY = 1_024


async def has_search(run: Run) -> bool:
    """Return whether the server's module for vector search is loaded."""
    return await list_loaded(run) >= _NEEDED


async def fit(run: Run, layers: Sequence[Layer]) -> None:
    """Create the vector indexes, and drop those whose dimension differs from the store's.

    If one cannot be created, vectors are compared without it: as exactly, but more slowly.
    """
    [row] = await run(
        "CALL vector_search.show_index_info() YIELD index_name, dimension"
        " WITH collect([index_name, dimension]) AS shown"
        f" OPTIONAL MATCH (n:{EMBEDDING}) WHERE n.use = $use"
        " RETURN shown, collect(n.dimension) AS remembered",
        {"use": TEXTS},
        False,
    )
    # Another value, written by hand, is the dimension of no vector.
    dimension = next((one for one in row["remembered"] if type(one) is int and one > 0), None)
    existing = dict(row["shown"])
    for index in _of_texts(layers):
        name = index_name(index.label, index.vector)
        if existing.get(name) == dimension:
            continue
        try:
            if name in existing:
                await _drop(run, name)
            if dimension is not None:
                await _make(run, index, dimension)
        except ClientError as error:
            if is_conflict(error):
                raise
            logger.warning("the vector index %s cannot be made: %s", name, error.message)


async def drop_others(run: Run, layers: Sequence[Layer], dimension: int | None) -> None:
    """Drop the vector indexes with a dimension other than *dimension*, whose vectors they refuse.

    `fit` creates them again. Until then vectors are compared without them.
    """
    rows = await run(
        "CALL vector_search.show_index_info() YIELD index_name, dimension"
        " WITH index_name, dimension WHERE dimension <> $dimension RETURN index_name",
        {"dimension": dimension},
        False,
    )
    ours = {index_name(index.label, index.vector) for index in _of_texts(layers)}
    for name in ours & {row["index_name"] for row in rows}:
        await _drop(run, name)


def _of_texts(layers: Sequence[Layer]) -> list[VectorIndex]:
    return [index for layer in layers for index in layer.vectors if index.texts]


async def _drop(run: Run, name: str) -> None:
    """Drop the vector index *name*.

    Memgraph (3.12.0) cannot start again from a log in which nodes with vectors are deleted and then
    the index is dropped. A snapshot lets it begin after the deletions.
    """
    await probes.create_snapshot(run)
    await run(f"DROP VECTOR INDEX {name}", {}, True)


async def _make(run: Run, index: VectorIndex, dimension: int) -> None:
    statement = (
        f"CREATE VECTOR INDEX {index_name(index.label, index.vector)}"
        f" ON :{index.label}({index.vector})"
        f' WITH CONFIG {{"dimension": {dimension}, "capacity": {_CAPACITY}, "metric": "cos"}}'
    )
    # Deleted vectors of another dimension may still wait for garbage collection, and be refused.
    with suppress(ClientError):
        await run("FREE MEMORY", {}, True)
    await run(statement, {}, True)
