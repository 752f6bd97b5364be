"""Ask a server about its setup: the statements of the checks, and the forms of the answers."""

from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Any

import anyio
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


async def create_snapshot(run: Run) -> None:
    """Have the database write a snapshot of all that there is. Raises ClientError."""
    until = monotonic() + _PATIENCE_S
    while True:
        try:
            await run("CREATE SNAPSHOT", {}, True)
            return
        except ClientError as error:
            # Some versions raise an error if nothing has changed since the last snapshot.
            if "since the last snapshot" in str(error):
                return
            # A snapshot in progress may have begun before the latest changes.
            if _ALREADY not in str(error) or monotonic() >= until:
                raise
        await anyio.sleep(_PAUSE_S)
