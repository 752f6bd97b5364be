"""Declare the verbs of the owner of entities, and of the nightly runs over them."""

from collections.abc import Mapping, Sequence

from conceptgraph_core import limits, text, validators
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.entities import procedures, schema
from conceptgraph_core.entities.lookups import mine, with_any_id
from conceptgraph_core.graph.primitives import (
    BEYOND,
    Equal,
    Lookup,
    Ordered,
    Range,
    Union,
    Where,
    WithEdges,
    following,
)
from conceptgraph_core.jobs.schema import BATCH, MAX_BATCH

from .call import Call, checked
from .verb import verb

HOUR_MS = 3_600_000


@verb(procedures.LIST)
def listed(
    statuses: Sequence[str] = (), limit: int = schema.LISTED, user_id: str = DEFAULT_USER
) -> Lookup:
    """List, for the owner, all entities of *statuses*; of any status if there are none."""
    most = text.integer(limit, "limit", 1, schema.MAX_LISTED)
    known = validators.one_of(schema.IDENTITY_STATUSES)
    wanted = dict.fromkeys(known(one, "statuses") for one in statuses)
    of_status: list[Where] = [(("identity_status", one),) for one in wanted] or [()]
    latest = [
        Ordered(schema.ENTITY, "last_activated", most, where=(*mine(user_id), *one))
        for one in of_status
    ]
    return Union(tuple(latest))


@checked
def listed_until(until_ms: int, limit: int, user_id: str = DEFAULT_USER) -> Call:
    """Return the owner's call for the entities that existed at *until_ms*.

    It reads a thousand of those activated last, and of those not activated since.
    """
    most = text.integer(limit, "limit", 1, schema.MAX_LISTED)
    latest = Ordered(schema.ENTITY, "last_activated", schema.MAX_LISTED, where=mine(user_id))
    until = (-limits.MAX_TIME_MS, until_ms + 1)
    rest = Range((schema.ENTITY,), "last_activated", *until, mine(user_id), schema.MAX_LISTED)
    return Call(procedures.LIST, ([], most), Union((latest, rest)))


@checked
def purgeable(scope: str, retention_ms: int, now_ms: int, limit: int = BATCH) -> Call:
    """Return the call for what `purge` would remove now; it writes nothing."""
    text.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    most = text.integer(limit, "limit", 1, MAX_BATCH)
    first, beyond = -limits.MAX_TIME_MS, now_ms - retention_ms + 1
    parts = tuple(
        Range((label,), "forgotten_at", first, beyond, mine(scope), most)
        for label in (schema.ENTITY, schema.FACT, schema.MENTION)
    )
    return Call(procedures.PURGE, (retention_ms, [], most, True), Union(parts))


@checked
def purge(retention_ms: int, ids: Sequence[str], dry_run: bool = False) -> Call:
    """Return the call that permanently removes those of *ids* that are `purgeable`."""
    found = Union(tuple(part for one in ids for part in with_any_id(one).parts))
    return Call(procedures.PURGE, (retention_ms, list(ids), len(ids) or 1, dry_run), found)


@checked
def merges(limit: int = schema.LISTED, user_id: str = DEFAULT_USER) -> Call:
    """Return the owner's call for the ledger, the latest merge first."""
    most = text.integer(limit, "limit", 1, schema.MAX_LISTED)
    latest = Ordered(schema.MERGE, "created_at", most, where=mine(user_id))
    return Call(procedures.MERGES, (None, most), latest)


@checked
def merge(merge_id: str) -> Call:
    """Return the owner's call for one entry of the ledger."""
    text.name(merge_id, "merge_id")
    return Call(procedures.MERGES, (merge_id, 1), Equal((schema.MERGE,), ("id",), ((merge_id,),)))


@verb(procedures.CONSOLIDATE_DAILY)
def daily(
    step: str,
    after: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
    user_id: str = DEFAULT_USER,
) -> Lookup:
    """Do a step of the daily run on the next entities."""
    validators.one_of(schema.DAILY)(step, "step")
    found = _batch(after, limit, user_id)
    if step in (*schema.READING_LEAVING, *schema.READING_ALL):
        return WithEdges(found, entering=step in schema.READING_ALL)
    return found


@verb(procedures.CONSOLIDATE_WEEKLY)
def weekly(
    step: str,
    after: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
    user_id: str = DEFAULT_USER,
) -> Lookup:
    """Do a step of the weekly run on the next entities."""
    validators.one_of(schema.WEEKLY)(step, "step")
    if step == schema.COMMUNITIES:
        return WithEdges(Range((schema.ENTITY,), "id", "", BEYOND, mine(user_id)))
    found = _batch(after, limit, user_id)
    # Edges lead from mentions to their entity.
    return WithEdges(found, leaving=False, entering=True) if step == schema.ARCHIVE else found


@verb(procedures.CONNECTIONS)
def connections(
    after: str | None = None, limit: int | None = None, user_id: str = DEFAULT_USER
) -> Lookup:
    """Return the next entities and the data of their outgoing edges that matter."""
    return WithEdges(_batch(after, limit, user_id))


@verb(procedures.SETTLE_COMMUNITIES)
def settle_communities(communities: Mapping[str, str], user_id: str = DEFAULT_USER) -> Lookup:
    """Set the communities of entities, by their ids."""
    keys = tuple((user_id, one) for one in communities)
    return Equal((schema.ENTITY,), ("user_id", "id"), keys)


@checked
def silent_sessions(
    now_ms: int, limit: int = schema.MAX_LIMIT, user_id: str = DEFAULT_USER
) -> Call:
    """Return the call for the sessions that had been silent for an hour at *now_ms*."""
    most = text.integer(limit, "limit", 1, MAX_BATCH)
    beyond = now_ms - HOUR_MS + 1
    where = (*mine(user_id), ("is_open", True))
    found = Range((schema.SESSION,), "last_mention_at", -limits.MAX_TIME_MS, beyond, where, most)
    return Call(procedures.SILENT_SESSIONS, (HOUR_MS, most), found)


@checked
def next_scope(after: str | None = None) -> Call:
    """Return the call for the first user after *after* who has entities."""
    first = Range((schema.ENTITY,), "user_id", following(after), BEYOND, (), 1)
    return Call(procedures.SCOPES, (after, 1), first)


def _batch(after: str | None, limit: int | None, user_id: str) -> Lookup:
    most = text.integer(BATCH if limit is None else limit, "limit", 1, MAX_BATCH)
    return Range((schema.ENTITY,), "id", following(after), BEYOND, mine(user_id), most)
