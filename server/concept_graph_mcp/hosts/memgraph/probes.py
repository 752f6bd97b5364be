"""Ask a server about its setup, and classify the failures of calls."""

import re
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Any

import anyio
from neo4j.exceptions import AuthError, ClientError, Neo4jError, TransientError

from conceptgraph_core.graph import primitives
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.verbs import errors

from ...errors import Full, Misdeployed, Refused, StoreError, Unavailable, Unwritable, one_line

# Another caller may have taken the key meanwhile; or a node made by hand has it for good.
_TAKEN = re.compile(r"unique constraint violation on :(?P<key>\w+\([^)]*\))")
_CONFLICTS = ("SerializationError", "cannot be serialized", "unique constraint violation")
# Messages of failures that happened before anything was sent.
_UNSENT = (
    *("Couldn't connect", "Cannot resolve", "Failed to DNS resolve"),
    *("Unable to retrieve routing", "Failed to obtain"),
)
# Messages of a terminated query: by a user or a timeout, in Memgraph or in Python.
_ENDED = re.compile(r"\ATransaction was asked to abort|^(?:\w+\.)*AbortError\b", re.MULTILINE)
# Memgraph reports this as a conflict, but a retry would need as much memory again.
_TOO_LARGE = "Memory limit exceeded"
# A module gets one of the others, depending on which allocation fails: the last one where there
# was not even the memory to describe the exception.
_FULL = re.compile(
    rf"^{_TOO_LARGE}|^_mgp\.UnableToAllocateError|^MemoryError\b"
    r"|^\w+\.\w+: \(Python exception details unavailable\)",
    re.MULTILINE,
)
_WITHOUT_MEMORY = (
    "Memgraph is at its memory limit and wrote nothing; forget and purge memories, "
    "or raise --memory-limit"
)
# A write that reached the main, but not every replica; it must not be repeated.
_WRITTEN = "still committed"
_ON_REPLICA = "Write queries are forbidden on the replica instance"
_LACKING = f"{primitives.Lacking.__module__}.{primitives.Lacking.__name__}: "
# Every exception that the core declares, in any of its modules, is a refusal.
_CORE_ERROR = re.compile(r"conceptgraph_core\.(?:\w+\.)*(?P<kind>\w+): (?P<line>.*)")


def find_lacking(error: Neo4jError) -> tuple[Lookup, ...]:
    """Return the look-ups that a call lacks, if that is why it failed."""
    _, is_lacking, line = _last_line(error.message or "").partition(_LACKING)
    return primitives.decode(line) if is_lacking else ()


def is_conflict(error: BaseException) -> bool:
    """Return whether *error* is a write conflict or a name taken meanwhile: a retry may succeed."""
    if not isinstance(error, (ClientError, TransientError)) or is_ended(error):
        return False
    message = error.message or ""
    # A refusal quotes its arguments, which may contain any words.
    if _WRITTEN in message or _CORE_ERROR.match(_last_line(message)):
        return False
    if isinstance(error, TransientError):
        return not message.startswith(_TOO_LARGE)
    return any(part in message for part in _CONFLICTS)


def find_taken_key(error: BaseException) -> str | None:
    """Return which key another node has, if a constraint refused a write; None for other errors."""
    match = _TAKEN.search(getattr(error, "message", None) or "") if is_conflict(error) else None
    return match and f":{match['key']}"


def is_ended(error: BaseException) -> bool:
    """Return whether the query was terminated; Memgraph reports this as a conflict."""
    return isinstance(error, Neo4jError) and bool(_ENDED.search(error.message or ""))


def is_unauthenticated(error: BaseException) -> bool:
    """Return whether the credentials were rejected; the message differs between versions."""
    return isinstance(error, AuthError) or "Unauthenticated" in (getattr(error, "code", "") or "")


def unsent(error: BaseException) -> bool:
    """Return whether the connection was lost before the call was sent."""
    return str(error).startswith(_UNSENT) or isinstance(error, ConnectionRefusedError)


def find_unreplicated(error: BaseException | None) -> str | None:
    """Return the warning of a write that the main has and a replica lacks; None for other errors.

    The database reports it as an error, after it has committed.
    """
    if not isinstance(error, (ClientError, TransientError)):
        return None
    message = error.message or ""
    if _WRITTEN not in message or _CORE_ERROR.match(_last_line(message)):
        return None
    reason = one_line(message).partition(". ")[0].rstrip(".")
    return f"written, but not to every replica; do not write it again: {reason}"


def refusal(error: Neo4jError) -> StoreError:
    """Return the error of a failed statement as one line without its traceback."""
    message = error.message or ""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    last = _last_line(message) or "no message"
    if warning := find_unreplicated(error):
        return Unavailable(warning)
    core = _CORE_ERROR.match(last)
    if core:
        return Refused(core["line"], getattr(errors, core["kind"], errors.ConceptGraphError))
    if _ON_REPLICA in message or _FULL.search(message):
        return Unwritable(last) if _ON_REPLICA in message else Full(_WITHOUT_MEMORY)
    if "There is no procedure named" in message:
        return Misdeployed(f"{last} Run: concept-graph-mcp doctor")
    if len(lines) > 1:
        return StoreError(f"internal error: {last}")
    return Refused(last)


def _last_line(message: str) -> str:
    """Return the last line that is not blank: after a traceback it is the error's own message."""
    return next(
        (line for line in reversed([one.strip() for one in message.splitlines()]) if line), ""
    )


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
