"""Ask a server about its setup: the statements of the checks, and the forms of the answers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import tenacity
from neo4j.exceptions import ClientError

from .failures import is_conflict

Rows = list[dict[str, Any]]
# A statement, its parameters, and whether it writes.
Run = Callable[[str, Mapping[str, Any], bool], Awaitable[Rows]]


def once(run: Run) -> Run:
    """Return a *run* that remembers answers until something is written."""
    answers: dict[str, Rows] = {}

    async def ask(statement: str, parameters: Mapping[str, Any], writes: bool) -> Rows:
        if writes:
            answers.clear()
        if writes or parameters:
            return await run(statement, parameters, writes)
        if statement not in answers:
            answers[statement] = await run(statement, parameters, writes)
        return answers[statement]

    return ask


async def replicas(run: Run) -> Rows:
    """Return the replicas that are registered with the server; none if it is no main."""
    try:
        return await run("SHOW REPLICAS", {}, False)
    except ClientError as error:
        if is_conflict(error):
            raise
        return []


async def is_replica(run: Run) -> bool:
    """Return whether the server says that it is a replica."""
    try:
        rows = await run("SHOW REPLICATION ROLE", {}, False)
    except ClientError as error:
        if is_conflict(error):
            raise
        return False
    return any("replica" in row.values() for row in rows)


async def list_loaded(run: Run) -> set[str]:
    """Return the names of the procedures and functions that the server has."""
    parts = (f"CALL mg.{kind}() YIELD name RETURN name" for kind in ("procedures", "functions"))
    return {row["name"] for row in await run(" UNION ALL ".join(parts), {}, False)}


_PAUSE_S = 0.2
_PATIENCE_S = 60.0
_ALREADY = "already in progress"


@tenacity.retry(
    # A snapshot in progress may have begun before the latest changes.
    retry=tenacity.retry_if_exception(lambda error: _ALREADY in str(error)),
    wait=tenacity.wait_fixed(_PAUSE_S),
    stop=tenacity.stop_after_delay(_PATIENCE_S),
    reraise=True,
)
async def create_snapshot(run: Run) -> None:
    """Have the database write a snapshot of all that there is. Raises ClientError."""
    try:
        await run("CREATE SNAPSHOT", {}, True)
    except ClientError as error:
        # Some versions raise an error if nothing has changed since the last snapshot.
        if "since the last snapshot" not in str(error):
            raise
