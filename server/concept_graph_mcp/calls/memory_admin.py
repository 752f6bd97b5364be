"""Declare the verbs of the owner of memories, and of the worker."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from conceptgraph_core import limits, text
from conceptgraph_core.arguments import Between, Most, OneOf
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.jobs.schema import BATCH, MAX_BATCH
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.fade import EXPIRED, STATES
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.lookups import latest
from conceptgraph_core.retrieval.schema import checked_limit

from .call import Call, checked
from .memories import of_memory
from .verb import verb, verb_of_user


@verb_of_user(procedures.LIST)
def listed(
    scope: str,
    states: Annotated[Sequence[Annotated[str, OneOf(STATES)]], "Only those in these states."] = (),
    limit: Annotated[int, Between(1, schema.MAX_ROWS), "At most this many."] = schema.LISTED,
    tags: Sequence[str] = (),
) -> None:
    """List, for the owner, all memories in *states* that have any of *tags*; none: any."""


@verb_of_user(procedures.EXPIRED, is_worded=True)
def expired(
    scope: str,
    query: str | None = None,
    limit: Annotated[Most, "At most this many."] = schema.FOUND,
    source_filter: str | None = None,
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    forgotten: bool = False,
) -> list[Lookup]:
    """Find expired memories, or without *query* list them; with *forgotten*, forgotten ones too."""
    Wanted.of(source_filter, types, tags)
    checked_limit(limit)
    if query is None:
        return [latest(scope, [EXPIRED], schema.MAX_COUNTED)]
    text.summary(query, "query")
    return []


# All of a memory, for the owner, forgotten or not; it accesses nothing.
show = verb(procedures.SHOW)(of_memory)
restore = verb(procedures.RESTORE)(of_memory)


@verb_of_user(procedures.UNINDEXED)
def unindexed(scope: str) -> None:
    """Count the memories missing from the text index."""


@checked
def purgeable(scope: str, retention_ms: int, now_ms: int, limit: int = BATCH) -> Call:
    """Return the call for the memories that `purge` would remove now; it writes nothing."""
    text.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    most = text.integer(limit, "limit", 1, MAX_BATCH)
    return Call(procedures.PURGE, (retention_ms, [], most, True, None))


@checked
def purge(
    scope: str, retention_ms: int, memory_ids: Sequence[str], holder: str | None = None
) -> Call:
    """Return the call that permanently removes those of *memory_ids* that are `purgeable`.

    *holder* is the worker that runs it, if any.
    """
    arguments = (retention_ms, list(memory_ids), len(memory_ids) or 1, False, holder)
    return Call(procedures.PURGE, arguments)


@verb_of_user(procedures.DECAY_BATCH)
def decay_batch(
    scope: str,
    limit: int = BATCH,
    after: str | None = None,
    dry_run: bool = False,
    holder: str | None = None,
) -> None:
    """Recompute the next *limit* memories after the id *after*; *holder* is the worker, if any."""


@checked
def next_scope(after: str | None = None) -> Call:
    """Return the call for the first scope after *after* that has memories."""
    return Call(procedures.SCOPES, (after, 1))


def _worker() -> None:
    """Take nothing."""


worker_status = verb(procedures.WORKER_STATUS)(_worker)
last_backup = verb(procedures.LAST_BACKUP)(_worker)


@verb(procedures.WORKER_LEASE)
def worker_lease(holder: str, lease_ms: int) -> None:
    """Take the lease for *holder*, or release it (0)."""
    text.name(holder, "holder")


@verb(procedures.WORKER_PAUSE)
def worker_pause(paused: bool) -> None:
    """Stop all jobs, or let them run again."""


@verb(procedures.WORKER_REPORT)
def worker_report(holder: str, done: Mapping[str, Any]) -> None:
    """Add what a job has *done* to its counters."""
    text.name(holder, "holder")


@verb(procedures.RECORD_BACKUP)
def record_backup(file: str) -> None:
    """Store when the last backup was made."""
