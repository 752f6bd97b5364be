"""The checks that a database must pass before it is served from, and what to do where it fails."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from neo4j.exceptions import ClientError

from conceptgraph_core import __version__
from conceptgraph_core.concepts import schema

from ... import calls
from ...errors import Misdeployed

Rows = list[dict[str, Any]]
Run = Callable[[str, Mapping[str, Any], bool], Awaitable[Rows]]

_SHOWN = 10


async def check(run: Run, location: str) -> None:
    """Check the modules, then make the constraints and indexes. Raises Misdeployed."""
    await check_modules(run, location)
    await check_edge_properties(run, location)
    await ensure_constraints(run)
    await ensure_indexes(run)


async def check_modules(run: Run, location: str) -> None:
    """Raise Misdeployed unless our modules are loaded there, whole and in our version."""
    rows = await run("CALL mg.procedures() YIELD name RETURN name", {}, False)
    loaded = {row["name"] for row in rows}
    missing = [procedure.name for procedure in calls.ALL if procedure.name not in loaded]
    if len(missing) == len(calls.ALL):
        raise Misdeployed(
            f"{location}: the query modules are not loaded; run concept-graph-mcp install-modules"
            " DIR with a directory of --query-modules-directory, then CALL mg.load_all()"
        )
    deployed = "unknown"
    if calls.VERSION.name not in missing:
        deployed = (
            await run("CALL conceptgraph.version() YIELD version RETURN version", {}, False)
        )[0]["version"]
    if missing or deployed != __version__:
        raise Misdeployed(
            f"{location}: the query modules have version {deployed}, this server {__version__};"
            " run concept-graph-mcp install-modules DIR there, then CALL mg.load_all()"
        )


async def check_edge_properties(run: Run, location: str) -> None:
    """Raise Misdeployed if the server keeps no properties on edges: relations have weights."""
    try:
        rows = await run("SHOW CONFIG", {}, False)
    except ClientError:
        return  # Not everybody may ask.
    settings = {row["name"].replace("_", "-"): row["current_value"] for row in rows}
    if settings.get("storage-properties-on-edges", "true") == "false":
        raise Misdeployed(
            f"{location}: relations need weights; start Memgraph with"
            " --storage-properties-on-edges=true"
        )


async def ensure_constraints(run: Run) -> None:
    """Create the unique constraints that are missing. Raises Misdeployed, naming what collides."""
    rows = await run("SHOW CONSTRAINT INFO", {}, False)
    existing = {
        (row["label"], _single(row["properties"]))
        for row in rows
        if row["constraint type"] == "unique"
    }
    for label, key in schema.UNIQUE:
        if (label, key) in existing:
            continue
        collisions = await _collisions(run, label, key)
        if collisions:
            raise Misdeployed(
                f":{label}({key}) must be unique, but several nodes share: {collisions};"
                " rename or remove all but one of each"
            )
        await _create(run, f"CREATE CONSTRAINT ON (n:{label}) ASSERT n.{key} IS UNIQUE")


async def ensure_indexes(run: Run) -> None:
    """Create the label-property indexes that are missing."""
    rows = await run("SHOW INDEX INFO", {}, False)
    existing = {(row["label"], _single(row["property"])) for row in rows}
    for label, key in schema.INDEXES:
        if (label, key) not in existing:
            await _create(run, f"CREATE INDEX ON :{label}({key})")


async def _collisions(run: Run, label: str, key: str) -> str:
    rows = await run(
        f"MATCH (n:{label}) WHERE n.{key} IS NOT NULL"
        f" WITH n.{key} AS value, count(*) AS nodes WHERE nodes > 1"
        f" RETURN value, nodes ORDER BY value LIMIT {_SHOWN + 1}",
        {},
        False,
    )
    named = [f"{row['value']!r} ({row['nodes']} nodes)" for row in rows[:_SHOWN]]
    return ", ".join(named) + (" and more" if len(rows) > _SHOWN else "")


async def _create(run: Run, statement: str) -> None:
    try:
        await run(statement, {}, True)
    except ClientError as error:
        # Some versions are silent about a second one, others are not.
        if "already exists" not in str(error):
            raise


def _single(properties: Any) -> Any:
    """Return the one property of a constraint or index; versions differ in whether it is a list."""
    if isinstance(properties, list):
        return properties[0] if len(properties) == 1 else tuple(properties)
    return properties
