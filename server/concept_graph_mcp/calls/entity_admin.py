"""Declare the verbs of the owner of entities, and of the nightly runs over them."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from conceptgraph_core import limits, text, validators
from conceptgraph_core.arguments import INNER, Between, OneOf
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.entities import lookups, procedures, schema
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.jobs.schema import BATCH, MAX_BATCH

from .call import Call, checked
from .verb import verb

HOUR_MS = 3_600_000
Listed = Annotated[int, Between(1, schema.MAX_LISTED), "At most this many."]


@verb(procedures.LIST)
def listed(
    statuses: Annotated[
        Sequence[Annotated[str, OneOf(schema.IDENTITY_STATUSES)]],
        "Only those of this status; may be given again.",
    ] = (),
    limit: Listed = schema.LISTED,
) -> None:
    """List, for the owner, all entities of *statuses*; of any status if there are none."""


@checked
def purgeable(scope: str, retention_ms: int, now_ms: int, limit: int = BATCH) -> Call:
    """Return the call for what `purge` would remove now; it writes nothing."""
    text.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    most = text.integer(limit, "limit", 1, MAX_BATCH)
    return Call(procedures.PURGE, (retention_ms, [], most, True))


@checked
def purge(retention_ms: int, ids: Sequence[str], dry_run: bool = False) -> Call:
    """Return the call that permanently removes those of *ids* that are `purgeable`."""
    return Call(procedures.PURGE, (retention_ms, list(ids), len(ids) or 1, dry_run))


@verb(procedures.MERGES)
def merges(
    merge_id: Annotated[str | None, INNER] = None, limit: Listed = schema.LISTED
) -> list[Lookup]:
    """List, for the owner, the entries of the ledger, the latest first, or one of them."""
    return [] if merge_id is None else [lookups.of_merge(merge_id)]


def merge(merge_id: str) -> Call:
    """Return the owner's call for one entry of the ledger."""
    return merges(merge_id, 1)


@verb(procedures.CONSOLIDATE_DAILY)
def daily(
    step: str,
    after: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
    user_id: str = DEFAULT_USER,
) -> list[Lookup]:
    """Do a step of the daily run on the next entities."""
    validators.one_of(schema.DAILY)(step, "step")
    return _batch(step, after, limit, user_id)


@verb(procedures.CONSOLIDATE_WEEKLY)
def weekly(
    step: str,
    after: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
    user_id: str = DEFAULT_USER,
) -> list[Lookup]:
    """Do a step of the weekly run on the next entities."""
    validators.one_of(schema.WEEKLY)(step, "step")
    return [] if step == schema.COMMUNITIES else _batch(step, after, limit, user_id)


@verb(procedures.CONNECTIONS)
def connections(
    after: str | None = None, limit: int | None = None, user_id: str = DEFAULT_USER
) -> list[Lookup]:
    """Return the next entities and the data of their outgoing edges that matter."""
    return _batch(schema.COMMUNITIES, after, limit, user_id)


@verb(procedures.SETTLE_COMMUNITIES)
def settle_communities(communities: Mapping[str, str]) -> None:
    """Set the communities of entities, by their ids."""


@checked
def silent_sessions(limit: int = schema.MAX_LIMIT) -> Call:
    """Return the call for the sessions that had been silent for an hour."""
    return Call(procedures.SILENT_SESSIONS, (HOUR_MS, text.integer(limit, "limit", 1, MAX_BATCH)))


@checked
def next_scope(after: str | None = None) -> Call:
    """Return the call for the first user after *after* who has entities."""
    return Call(procedures.SCOPES, (after, 1))


def _batch(step: str, after: str | None, limit: int | None, user_id: str) -> list[Lookup]:
    most = text.integer(BATCH if limit is None else limit, "limit", 1, MAX_BATCH)
    return [lookups.batch(step, after, most, user_id)]
