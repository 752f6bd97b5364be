"""Check a database before it is used, and name the remedy if a check fails.

Create its constraints and indexes, those of vectors for the embedding recorded in the store.
"""

import logging
import re
import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from neo4j.exceptions import ClientError

from conceptgraph_core import __version__
from conceptgraph_core.embeddings.schema import EMBEDDING, TEXTS
from conceptgraph_core.graph.cypher.name_search import list_properties, write_unfolded
from conceptgraph_core.graph.cypher.nearest import index_name
from conceptgraph_core.graph.layers import SHARED, Index, Layer, TextIndex, VectorIndex
from conceptgraph_core.transfer.procedures import INDEX, VERSION
from conceptgraph_core.transfer.registry import MODEL, Model

from ... import calls
from ...errors import Misdeployed, one_line
from . import probes
from .probes import Run, find_taken_key, is_conflict, list_loaded

logger = logging.getLogger(__name__)

# The advice where values do not fit a constraint.
MEND = "concept-graph-mcp check names them; rename or remove all but one"
# The first for versions whose plain form covers the whole instance, the second for older ones.
_STORAGE_INFO = ("SHOW STORAGE INFO ON CURRENT DATABASE", "SHOW STORAGE INFO")
_ID = "database_uuid"
# The second is that of the whole process, which older versions tell alone.
_MEMORY = ("tenant_memory_tracked", "memory_res")

# Part of what Memgraph says of any constraint that existing or new values do not meet.
_VIOLATED = "violat"
_SHOWN = 10
_BATCH = 10_000
_ANALYTICAL = (
    "Memgraph is in the analytical storage mode, in which no call is all or nothing;"
    " run STORAGE MODE IN_MEMORY_TRANSACTIONAL; there"
)


async def check(run: Run, location: str, model: Model = MODEL) -> str | None:
    """Check the modules, then make the constraints and indexes. Raises Misdeployed.

    Returns why nothing can be written safely, if a constraint cannot be made. An index or a form of
    a name that the graph refuses, because of what it holds, is left out with a warning.
    """
    await check_modules(run, location)
    await check_edge_properties(run, location)
    refused = await ensure_constraints(run, model.stored)
    await ensure_indexes(run, model.stored)
    await ensure_name_forms(run, model.layers)
    return refused


async def identity(run: Run, location: str) -> str:
    """Return the database's own UUID, which its data keep wherever they are moved.

    Memgraph before 3.5, or without the privilege, returns none; then its address stands for it.
    """
    try:
        return str(uuid.UUID((await _storage(run))[_ID]))
    except (KeyError, ValueError):
        return str(uuid.uuid5(uuid.NAMESPACE_URL, location))


async def memory(run: Run) -> str | None:
    """Return the memory that the database takes, "64.12MiB"; None if it is not told."""
    said = await _storage(run)
    return next((said[name] for name in _MEMORY if isinstance(said.get(name), str)), None)


async def _storage(run: Run) -> dict[str, Any]:
    """Return what the database says of its storage; nothing without the privilege."""
    for statement in _STORAGE_INFO:
        try:
            rows = await run(statement, {}, False)
            return {row["storage info"]: row["value"] for row in rows}
        except ClientError:
            continue
    return {}


async def check_modules(run: Run, location: str) -> None:
    """Raise Misdeployed unless our modules are loaded there, whole and in our version."""
    known = await list_loaded(run)
    missing = [procedure.name for procedure in calls.ALL if procedure.name not in known]
    if len(missing) == len(calls.ALL):
        raise Misdeployed(
            f"{location}: the query modules are not loaded; run concept-graph-mcp install-modules"
            " DIR with a directory of --query-modules-directory, then CALL mg.load_all()"
        )
    deployed = "unknown"
    if VERSION.name not in missing:
        deployed = (
            await run("CALL conceptgraph.version() YIELD version RETURN version", {}, False)
        )[0]["version"]
    if missing or deployed != __version__:
        wrong = f"have version {deployed}, this server {__version__}"
        remedy = "run concept-graph-mcp install-modules DIR there, then CALL mg.load_all()"
        if deployed == __version__:
            # Modules of another build, such as an older checkout.
            wrong = f"lack {missing[0]}, which this server calls"
        elif _numbers(deployed) > _numbers(__version__):
            remedy = "upgrade concept-graph-mcp here"
        raise Misdeployed(f"{location}: the query modules {wrong}; {remedy}")


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


async def check_edge_properties(run: Run, location: str) -> None:
    """Raise Misdeployed if the server keeps no properties on edges: relations have weights."""
    try:
        rows = await run("SHOW CONFIG", {}, False)
    except ClientError:
        return  # The user may lack the privilege.
    settings = {row["name"].replace("_", "-"): row["current_value"] for row in rows}
    if settings.get("storage-properties-on-edges", "true") == "false":
        raise Misdeployed(
            f"{location}: relations need weights; start Memgraph with"
            " --storage-properties-on-edges=true"
        )


async def ensure_constraints(run: Run, layers: Sequence[Layer]) -> str | None:
    """Create the missing unique constraints; return which values are in their way, if any are.

    A label without the constraint of its scope may have nodes made by hand without one; they become
    shared. Raises Misdeployed for a graph of a version before 0.3.0, whose names were unique.
    """
    rows = await run("SHOW CONSTRAINT INFO", {}, False)
    existing = {
        (row["label"], frozenset(list_properties(row["properties"])))
        for row in rows
        if row["constraint type"] == "unique"
    }
    refused = []
    for index in _indexes(layers):
        is_there = (index.label, frozenset(index.properties)) in existing
        if is_there and not index.unique:
            raise Misdeployed("the graph is of a version before 0.3.0; open it with 0.3.0 first")
        if not index.unique or is_there:
            continue
        refused.append(await _constrain(run, index))
    told = "; ".join(filter(None, refused))
    return f"{told}; {MEND}" if told else None


async def _constrain(run: Run, index: Index) -> str | None:
    """Make the unique constraint of *index*; return why that cannot be done, if it cannot."""
    names = ", ".join(index.properties)
    try:
        if index.scope is not None:
            await _share(run, index)
        if collisions := await _collisions(run, index):
            return f":{index.label}({names}) must be unique, but several nodes share: {collisions}"
        keys = ", ".join(f"n.{name}" for name in index.properties)
        await _create(run, f"CREATE CONSTRAINT ON (n:{index.label}) ASSERT {keys} IS UNIQUE")
    except ClientError as error:
        if _VIOLATED not in (error.message or ""):
            raise
        return f":{index.label}({names}) cannot be made unique: {one_line(error.message)}"
    return None


async def _share(run: Run, index: Index) -> None:
    """Give the nodes of a label that have no scope the shared one."""
    lacking = (
        f"MATCH (n:{index.label}) WHERE n.{index.properties[-1]} IS NOT NULL"
        f" AND n.{index.scope} IS NULL WITH n LIMIT {_BATCH}"
    )
    while (await run(f"{lacking} SET n.{index.scope} = '' RETURN count(n) AS nodes", {}, True))[0][
        "nodes"
    ]:
        pass


async def ensure_indexes(run: Run, layers: Sequence[Layer]) -> None:
    """Create the label-property indexes that are missing."""
    rows = await run("SHOW INDEX INFO", {}, False)
    existing = {(row["label"], tuple(list_properties(row["property"]))) for row in rows}
    # A unique constraint is no index in Memgraph, so unique properties are indexed as well.
    for index in _indexes(layers):
        if (index.label, index.properties) not in existing:
            of = ", ".join(index.properties)
            try:
                await _create(run, f"CREATE INDEX ON :{index.label}({of})")
            except ClientError as error:
                if is_conflict(error):
                    raise
                # Without it the same is found, only more slowly.
                logger.warning("no index on :%s(%s): %s", index.label, of, one_line(error.message))


def of_searches(layers: Sequence[Layer]) -> list[Index]:
    """Return the indexes that rankings and text searches read."""
    ranked = [Index(one.label, (one.time,)) for layer in layers for one in layer.rankings]
    texts = [Index(one.label, (one.other,)) for layer in layers for one in layer.texts]
    return ranked + texts


def _indexes(layers: Sequence[Layer]) -> list[Index]:
    return [index for layer in layers for index in layer.indexes] + of_searches(layers)


async def _collisions(run: Run, index: Index) -> str:
    keys = [f"n.{name}" for name in index.properties]
    given = " AND ".join(f"{key} IS NOT NULL" for key in keys)
    value = keys[0] if len(keys) == 1 else f"[{', '.join(keys)}]"
    rows = await run(
        f"MATCH (n:{index.label}) WHERE {given}"
        f" WITH {value} AS value, count(*) AS nodes WHERE nodes > 1"
        f" RETURN value, nodes LIMIT {_SHOWN + 1}",
        {},
        False,
    )
    # Cypher cannot order values of several types.
    rows.sort(key=lambda row: repr(row["value"]))
    named = [f"{_show_value(row['value'], index)} ({row['nodes']} nodes)" for row in rows[:_SHOWN]]
    return ", ".join(named) + (" and more" if len(rows) > _SHOWN else "")


def _show_value(value: Any, index: Index) -> str:
    """Return what several nodes share, without the scope of what all users share."""
    return repr(value[-1] if index.scope is not None and value[0] == SHARED else value)


async def _create(run: Run, statement: str) -> None:
    try:
        await run(statement, {}, True)
    except ClientError as error:
        # The analytical mode has no constraints, and does not roll back a failed call.
        if "analytical storage mode" in str(error):
            raise Misdeployed(_ANALYTICAL) from None
        # Some versions raise an error for an index that exists, others do not.
        if "already exists" not in str(error):
            raise


# Nodes in one transaction that adds forms, and in all those of one connection: less than a second's
# work. Searches read the rest one by one until `index` gives them their forms.
_FOLDED_AT_ONCE = 10_000
_MOST_FOLDED = 20_000


async def ensure_name_forms(run: Run, layers: Sequence[Layer]) -> None:
    """Add the search forms to some of the nodes that lack them."""
    for index in (index for layer in layers for index in layer.texts):
        try:
            await _fold(run, index)
        except ClientError as error:
            # A replica cannot be written; its searches are right too, only slower. They are, too,
            # where a constraint refuses the forms.
            if is_conflict(error) and find_taken_key(error) is None:
                raise
            if find_taken_key(error):
                logger.warning("some names lack their search forms: %s", one_line(error.message))


async def _fold(run: Run, index: TextIndex) -> None:
    without = f"{write_unfolded(index)} WITH n LIMIT {_FOLDED_AT_ONCE}"
    fill = (
        f"{without} WITH collect(n) AS found CALL {INDEX.name}(false, null,"
        " {found: found}) YIELD indexed RETURN indexed"
    )
    for _ in range(0, _MOST_FOLDED, _FOLDED_AT_ONCE):
        if not (await run(f"{without} RETURN count(n) AS nodes", {}, False))[0]["nodes"]:
            return
        if not (await run(fill, {}, True))[0]["indexed"]:
            return  # The rest have a name that is no text.
    if (await run(f"{without} RETURN count(n) AS nodes", {}, False))[0]["nodes"]:
        logger.warning("many names lack their search forms; run concept-graph-mcp index")


_NEEDED = {
    "vector_search.search",
    "vector_search.show_index_info",
    "vector_search.cosine_similarity",
}
# The initial capacity; an index grows by itself.
_CAPACITY = 1_024


async def has_vector_search(run: Run) -> bool:
    """Return whether the server's module for vector search is loaded."""
    return await list_loaded(run) >= _NEEDED


async def fit_vector_indexes(run: Run, layers: Sequence[Layer]) -> None:
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


async def drop_other_vector_indexes(
    run: Run, layers: Sequence[Layer], dimension: int | None
) -> None:
    """Drop the vector indexes with a dimension other than *dimension*, whose vectors they refuse.

    `fit_vector_indexes` creates them again. Until then vectors are compared without them.
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
