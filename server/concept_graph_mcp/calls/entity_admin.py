"""Build the calls of the owner of entities, and of the nightly runs over them."""

from collections.abc import Mapping, Sequence

from conceptgraph_core import limits, text, validators
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.entities import procedures, schema
from conceptgraph_core.jobs.schema import BATCH, MAX_BATCH

from .call import Call, checked
from .entity_lookups import with_any_id
from .lookups import BEYOND, Equal, Lookup, Ordered, Range, Union, Where, WithEdges, following

HOUR_MS = 3_600_000


@checked
def listed(
    statuses: Sequence[str] = (), limit: int = schema.LISTED, user_id: str = DEFAULT_USER
) -> Call:
    """Return the owner's call for all entities of *statuses*; of any status if there are none."""
    most = text.integer(limit, "limit", 1, schema.MAX_LISTED)
    known = validators.one_of(schema.IDENTITY_STATUSES)
    wanted = list(dict.fromkeys(known(one, "statuses") for one in statuses))
    mine = (("user_id", user_id),)
    latest = [
        Ordered(schema.ENTITY, "last_activated", most, where=(*mine, *of_status))
        for of_status in _statuses(wanted)
    ]
    return Call(procedures.LIST, (wanted, most), Union(tuple(latest)))


@checked
def listed_until(until_ms: int, limit: int, user_id: str = DEFAULT_USER) -> Call:
    """Return the owner's call for the entities that existed at *until_ms*.

    It reads a thousand of those activated last, and of those not activated since.
    """
    most = text.integer(limit, "limit", 1, schema.MAX_LISTED)
    mine = (("user_id", user_id),)
    latest = Ordered(schema.ENTITY, "last_activated", schema.MAX_LISTED, where=mine)
    until = (-limits.MAX_TIME_MS, until_ms + 1)
    rest = Range((schema.ENTITY,), "last_activated", *until, mine, schema.MAX_LISTED)
    return Call(procedures.LIST, ([], most), Union((latest, rest)))


@checked
def purgeable(scope: str, retention_ms: int, now_ms: int, limit: int = BATCH) -> Call:
    """Return the call for what `purge` would remove now; it writes nothing."""
    text.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    most = text.integer(limit, "limit", 1, MAX_BATCH)
    first, beyond = -limits.MAX_TIME_MS, now_ms - retention_ms + 1
    mine = (("user_id", scope),)
    parts = tuple(
        Range((label,), "forgotten_at", first, beyond, mine, most)
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
    latest = Ordered(schema.MERGE, "created_at", most, where=(("user_id", user_id),))
    return Call(procedures.MERGES, (None, most), latest)


@checked
def merge(merge_id: str) -> Call:
    """Return the owner's call for one entry of the ledger."""
    text.name(merge_id, "merge_id")
    return Call(procedures.MERGES, (merge_id, 1), Equal((schema.MERGE,), ("id",), ((merge_id,),)))


@checked
def daily(
    step: str,
    after: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
    user_id: str = DEFAULT_USER,
) -> Call:
    """Return the call for a step of the daily run on the next entities."""
    validators.one_of(schema.DAILY)(step, "step")
    found = _batch(after, limit, user_id)
    if step in (*schema.READING_LEAVING, *schema.READING_ALL):
        found = WithEdges(found, entering=step in schema.READING_ALL)
    return Call(procedures.CONSOLIDATE_DAILY, (step, after, limit, dry_run), found)


@checked
def weekly(
    step: str,
    after: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
    user_id: str = DEFAULT_USER,
) -> Call:
    """Return the call for a step of the weekly run on the next entities."""
    validators.one_of(schema.WEEKLY)(step, "step")
    whole = step == schema.COMMUNITIES
    found = WithEdges(_all(user_id)) if whole else _batch(after, limit, user_id)
    if step == schema.ARCHIVE:
        # Edges lead from mentions to their entity.
        found = WithEdges(found, leaving=False, entering=True)
    return Call(procedures.CONSOLIDATE_WEEKLY, (step, after, limit, dry_run), found)


@checked
def connections(
    after: str | None = None, limit: int | None = None, user_id: str = DEFAULT_USER
) -> Call:
    """Return the call for the next entities and the data of their outgoing edges that matter."""
    return Call(procedures.CONNECTIONS, (after, limit), WithEdges(_batch(after, limit, user_id)))


@checked
def settle_communities(communities: Mapping[str, str], user_id: str = DEFAULT_USER) -> Call:
    """Return the call that sets the communities of entities, by their ids."""
    keys = tuple((user_id, one) for one in communities)
    found = Equal((schema.ENTITY,), ("user_id", "id"), keys)
    return Call(procedures.SETTLE_COMMUNITIES, (dict(communities),), found)


@checked
def silent_sessions(
    now_ms: int, limit: int = schema.MAX_LIMIT, user_id: str = DEFAULT_USER
) -> Call:
    """Return the call for the sessions that had been silent for an hour at *now_ms*."""
    most = text.integer(limit, "limit", 1, MAX_BATCH)
    beyond = now_ms - HOUR_MS + 1
    where = (("user_id", user_id), ("is_open", True))
    found = Range((schema.SESSION,), "last_mention_at", -limits.MAX_TIME_MS, beyond, where, most)
    return Call(procedures.SILENT_SESSIONS, (HOUR_MS, most), found)


@checked
def next_scope(after: str | None = None) -> Call:
    """Return the call for the first user after *after* who has entities."""
    first = Range((schema.ENTITY,), "user_id", following(after), BEYOND, (), 1)
    return Call(procedures.SCOPES, (after, 1), first)


def _statuses(wanted: Sequence[str]) -> list[Where]:
    return [(("identity_status", one),) for one in wanted] if wanted else [()]


def _batch(after: str | None, limit: int | None, user_id: str) -> Lookup:
    most = text.integer(BATCH if limit is None else limit, "limit", 1, MAX_BATCH)
    return Range((schema.ENTITY,), "id", following(after), BEYOND, (("user_id", user_id),), most)


def _all(user_id: str) -> Lookup:
    return Range((schema.ENTITY,), "id", "", BEYOND, (("user_id", user_id),))
