"""Declare the verbs of the owner of memories, and of the worker."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core import limits, text
from conceptgraph_core.graph.primitives import BEYOND, Lookup, Range, Union, following
from conceptgraph_core.jobs.schema import BATCH, MAX_BATCH, WORKER
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.fade import EXPIRED, STATES
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.retrieval.schema import checked_limit

from . import text_lookups
from .call import Call, checked
from .memories import SEEN, ids, latest, mine, observed, of_memory, resting
from .verb import verb, verb_of_user


@verb_of_user(procedures.LIST)
def listed(
    scope: str,
    states: Sequence[str] = (),
    limit: int = schema.LISTED,
    tags: Sequence[str] = (),
) -> Lookup:
    """List, for the owner, all memories in *states* that have any of *tags*; none: any."""
    most = text.integer(limit, "limit", 1, schema.MAX_ROWS)
    wanted = list(dict.fromkeys(schema.checked_states(states, "states")))
    if schema.checked_names(tags, "tags"):
        # No index has tags, so the call reads all memories in all states.
        return latest(scope, STATES, None)
    return _in_states(scope, wanted, most)


def _in_states(scope: str, wanted: Sequence[str], most: int) -> Union:
    """Look up candidates for the latest *most* memories in *wanted* states, or in any.

    The current state depends on the time and no index has it, so all visible memories are read.
    """
    if not wanted or wanted == [EXPIRED]:
        return latest(scope, wanted or STATES, most)
    seen = latest(scope, SEEN, None)
    gone = latest(scope, [EXPIRED], most).parts if EXPIRED in wanted else ()
    return Union((*seen.parts, *gone))


@verb_of_user(procedures.EXPIRED, is_worded=True)
def expired(
    scope: str,
    query: str | None = None,
    limit: int = schema.FOUND,
    source_filter: str | None = None,
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    forgotten: bool = False,
) -> Lookup:
    """Find expired memories, or without *query* list them; with *forgotten*, forgotten ones too."""
    Wanted.of(source_filter, types, tags)
    checked_limit(limit)
    if query is None:
        return latest(scope, [EXPIRED], schema.MAX_COUNTED)
    text.summary(query, "query")
    return text_lookups.of_question(query, scope, scope)


# All of a memory, for the owner, forgotten or not; it accesses nothing.
show = verb(procedures.SHOW)(of_memory)
restore = verb(procedures.RESTORE, beside=("field",))(resting)


@verb_of_user(procedures.UNINDEXED)
def unindexed(scope: str) -> Lookup:
    """Count the memories missing from the text index."""
    return text_lookups.of_unindexed(schema.KIND, scope)


@checked
def purgeable(scope: str, retention_ms: int, now_ms: int, limit: int = BATCH) -> Call:
    """Return the call for the memories that `purge` would remove now; it writes nothing."""
    text.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    most = text.integer(limit, "limit", 1, MAX_BATCH)
    first, beyond = -limits.MAX_TIME_MS, now_ms - retention_ms + 1
    deleted = Range((schema.MEMORY,), "deleted_at", first, beyond, mine(scope), most, "id")
    return Call(procedures.PURGE, (retention_ms, [], most, True, None), deleted)


@checked
def purge(
    scope: str, retention_ms: int, memory_ids: Sequence[str], holder: str | None = None
) -> Call:
    """Return the call that permanently removes those of *memory_ids* that are `purgeable`.

    *holder* is the worker that runs it, if any.
    """
    removed = text_lookups.of_removals(schema.KIND, memory_ids, scope)
    arguments = (retention_ms, list(memory_ids), len(memory_ids) or 1, False, holder)
    found = observed(*memory_ids) if memory_ids else ids()
    return Call(procedures.PURGE, arguments, Union((found, *removed, *_of(holder))))


@verb_of_user(procedures.DECAY_BATCH)
def decay_batch(
    scope: str,
    limit: int = BATCH,
    after: str | None = None,
    dry_run: bool = False,
    holder: str | None = None,
) -> Lookup:
    """Recompute the next *limit* memories after the id *after*; *holder* is the worker, if any."""
    most = text.integer(limit, "limit", 1, MAX_BATCH)
    batch = Range((schema.MEMORY,), "id", following(after), BEYOND, mine(scope), most)
    return Union((batch, *_of(holder)))


@checked
def next_scope(after: str | None = None) -> Call:
    """Return the call for the first scope after *after* that has memories."""
    first = Range((schema.MEMORY,), "user_id", following(after), BEYOND, (), 1)
    return Call(procedures.SCOPES, (after, 1), first)


def _worker() -> Lookup:
    """Look up the worker and its jobs."""
    return Range((WORKER,), "name", "", BEYOND)


worker_status = verb(procedures.WORKER_STATUS)(_worker)
last_backup = verb(procedures.LAST_BACKUP)(_worker)


@verb(procedures.WORKER_LEASE)
def worker_lease(holder: str, lease_ms: int) -> Lookup:
    """Take the lease for *holder*, or release it (0)."""
    text.name(holder, "holder")
    return _worker()


@verb(procedures.WORKER_PAUSE)
def worker_pause(paused: bool) -> Lookup:
    """Stop all jobs, or let them run again."""
    return _worker()


@verb(procedures.WORKER_REPORT)
def worker_report(holder: str, done: Mapping[str, Any]) -> Lookup:
    """Add what a job has *done* to its counters."""
    text.name(holder, "holder")
    return _worker()


@verb(procedures.RECORD_BACKUP)
def record_backup(file: str) -> Lookup:
    """Store when the last backup was made."""
    return _worker()


def _of(holder: str | None) -> tuple[Lookup, ...]:
    return () if holder is None else (_worker(),)
