"""Build the calls of the owner of memories, and of the worker."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core import limits, text
from conceptgraph_core.jobs.schema import BATCH, MAX_BATCH, WORKER
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.rules import EXPIRED, STATES
from conceptgraph_core.retrieval.schema import checked_limit

from . import text_lookups
from .call import Call, checked
from .lookups import BEYOND, Range, Union, following
from .memories import SEEN, ids, latest, mine, observed, resting


@checked
def listed(
    scope: str,
    states: Sequence[str] = (),
    limit: int = schema.LISTED,
    tags: Sequence[str] = (),
) -> Call:
    """Return the owner's call for all memories in *states* that have any of *tags*; none: any."""
    most = text.integer(limit, "limit", 1, schema.MAX_ROWS)
    wanted = list(dict.fromkeys(schema.checked_states(states, "states")))
    tagged = schema.checked_names(tags, "tags")
    # No index has tags, so the call reads all memories in all states.
    found = latest(scope, STATES, None) if tagged else _in_states(scope, wanted, most)
    return Call(procedures.LIST, (wanted, most, tagged), found)


def _in_states(scope: str, wanted: Sequence[str], most: int) -> Union:
    """Look up candidates for the latest *most* memories in *wanted* states, or in any.

    The current state depends on the time and no index has it, so all visible memories are read.
    """
    if not wanted or wanted == [EXPIRED]:
        return latest(scope, wanted or STATES, most)
    seen = latest(scope, SEEN, None)
    gone = latest(scope, [EXPIRED], most).parts if EXPIRED in wanted else ()
    return Union((*seen.parts, *gone))


@checked
def expired(
    scope: str,
    query: str | None = None,
    limit: int = schema.FOUND,
    *,
    source_filter: str | None = None,
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    forgotten: bool = False,
) -> Call:
    """Return the call for expired memories that match *query*; without a query, all of them.

    With *forgotten*, forgotten memories too.
    """
    Wanted.of(source_filter, types, tags)
    checked_limit(limit)
    arguments = (query, limit, source_filter, list(types), list(tags), forgotten)
    if query is None:
        return Call(procedures.EXPIRED, arguments, latest(scope, [EXPIRED], schema.MAX_COUNTED))
    text.summary(query, "query")
    return Call(
        procedures.EXPIRED,
        arguments,
        text_lookups.of_question(query, scope, scope),
        text_lookups.context(),
    )


@checked
def show(memory_id: str) -> Call:
    """Return the owner's call for all of a memory, forgotten or not; it accesses nothing."""
    return Call(procedures.SHOW, (memory_id,), ids(memory_id))


@checked
def unindexed(scope: str) -> Call:
    """Return the call that counts the memories missing from the text index."""
    return Call(procedures.UNINDEXED, (), text_lookups.of_unindexed(schema.KIND, scope))


@checked
def restore(memory_id: str) -> Call:
    return Call(procedures.RESTORE, (memory_id,), resting(memory_id))


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


@checked
def decay_batch(
    scope: str,
    limit: int = BATCH,
    after: str | None = None,
    dry_run: bool = False,
    holder: str | None = None,
) -> Call:
    """Return the call that recomputes the next *limit* memories after the id *after*.

    *holder* is the worker that runs it, if any.
    """
    most = text.integer(limit, "limit", 1, MAX_BATCH)
    batch = Range((schema.MEMORY,), "id", following(after), BEYOND, mine(scope), most)
    found = Union((batch, *_of(holder)))
    return Call(procedures.DECAY_BATCH, (most, after, dry_run, holder), found)


@checked
def next_scope(after: str | None = None) -> Call:
    """Return the call for the first scope after *after* that has memories."""
    first = Range((schema.MEMORY,), "user_id", following(after), BEYOND, (), 1)
    return Call(procedures.SCOPES, (after, 1), first)


@checked
def worker_status() -> Call:
    return Call(procedures.WORKER_STATUS, (), _worker())


@checked
def worker_lease(holder: str, lease_ms: int) -> Call:
    """Return the call that takes the lease for *holder*, or releases it (0)."""
    return Call(procedures.WORKER_LEASE, (text.name(holder, "holder"), lease_ms), _worker())


@checked
def worker_pause(paused: bool) -> Call:
    return Call(procedures.WORKER_PAUSE, (paused,), _worker())


@checked
def worker_report(holder: str, done: Mapping[str, Any]) -> Call:
    return Call(procedures.WORKER_REPORT, (text.name(holder, "holder"), dict(done)), _worker())


@checked
def record_backup(file: str, left_out: int) -> Call:
    return Call(procedures.RECORD_BACKUP, (file, left_out), _worker())


@checked
def last_backup() -> Call:
    return Call(procedures.LAST_BACKUP, (), _worker())


def _worker() -> Range:
    """Look up the worker and its jobs."""
    return Range((WORKER,), "name", "", BEYOND)


def _of(holder: str | None) -> tuple[Range, ...]:
    return () if holder is None else (_worker(),)
