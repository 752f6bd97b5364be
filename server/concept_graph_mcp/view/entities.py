"""Read entities, and part time into the days and months of a session's zone."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from conceptgraph_core.budgets import MAX_BUDGET
from conceptgraph_core.entities import schema

from .. import calls
from ..session import Session


def months(session: Session, count: int) -> list[int]:
    """Return the beginnings (unix ms) of the last *count* months and of the one to come."""
    now = session.local(session.clock.now_ms())
    last = now.year * 12 + now.month
    return [_begin(session, date(at // 12, at % 12 + 1, 1)) for at in range(last - count, last + 1)]


def days(session: Session, first: date, beyond: date) -> list[int]:
    """Return the beginnings (unix ms) of the days from *first* to *beyond*, both included."""
    count = (beyond - first).days + 1
    return [_begin(session, first + timedelta(days=number)) for number in range(count)]


def _begin(session: Session, day: date) -> int:
    begun = datetime(day.year, day.month, day.day, tzinfo=session.zone)
    return round(begun.timestamp() * 1000)


Row = dict[str, Any]

# The search score of an equal name, ignoring accents and apostrophes.
_SAME_NAME = 0.95
# Types that messages mention without meaning a person or a named thing.
_NOBODY = ("date", "number")
# The user's most mentioned entities are selected among this many recent ones.
_LATEST = 500
# The latest mentions and strongest edges of an entity that a picture reads.
_MENTIONS = 20
# The page of an entity shows so many months.
_MONTHS = 24
# Characters of messages searched for names.
_READ = 2_000


async def read(session: Session, entity_ids: Iterable[str], limit: int = _MENTIONS) -> list[Row]:
    """Return these entities as `get` does, each with at most *limit* facts, edges and mentions."""
    rows = []
    for one in dict.fromkeys(entity_ids):
        rows += await session.run(calls.entities.get(one, limit=limit))
    return rows


async def show_whole(session: Session, entity_id: str) -> Row:
    """Return the whole entity, as `get` does, and its mentions by month, as `presence` does.

    `months` has the bounds of these months, `history` the facts of now and of before. Raises
    Refused if the entity does not exist or is another user's.
    """
    bounds = months(session, _MONTHS)
    [row] = await session.run(calls.entities.get(entity_id, limit=schema.MAX_LIMIT))
    [counted] = await session.run(calls.entities.presence([entity_id], bounds))
    facts = await session.run(calls.entities.history(entity_id))
    return {**row, "months": bounds, "presence": counted, "history": facts}


async def find_called(session: Session, name: str, limit: int) -> list[Row]:
    """Return the entities with names like *name*, the closest first."""
    rows = await session.run(
        calls.entities.search(name, (), limit, include_inactive=True, user_id=session.user_id)
    )
    return [_offer_entity(row) for row in rows]


async def namesakes(session: Session, entity: Row) -> list[Row]:
    """Return the others that *entity*'s first name means too: `entity_id`, `label` and `kind`."""
    name = bare(entity["labels"][0])
    rows = await session.run(
        calls.entities.search(name, (), None, include_inactive=True, user_id=session.user_id)
    )
    return [
        {"entity_id": row["entity_id"], "label": row["label"], "kind": row["kind"]}
        for row in rows
        if row["score"] >= _SAME_NAME and row["entity_id"] != entity["entity_id"]
    ]


async def most_alike(session: Session, name: str) -> tuple[list[str], bool]:
    """Return the ids of the entities named most like *name*, and whether the name is equal.

    Several entities may share a name.
    """
    rows = await session.run(
        calls.entities.search(name, (), None, include_inactive=True, user_id=session.user_id)
    )
    best = max((row["score"] for row in rows), default=0.0)
    ids = [row["entity_id"] for row in rows if row["score"] == best]
    return ids, best >= _SAME_NAME


async def latest(session: Session, limit: int) -> list[Row]:
    """Return the entities mentioned last."""
    return [_offer_entity(row) for row in await list_latest(session, 2 * limit)][:limit]


async def most_mentioned(session: Session, limit: int) -> list[str]:
    """Return the ids of the recent entities with the most trust, which grows with mentions."""
    rows = [
        row
        for row in await list_latest(session, _LATEST)
        if row["is_active"] and row["kind"] not in _NOBODY
    ]
    rows.sort(key=lambda row: -row["trust"])
    return [row["entity_id"] for row in rows[:limit]]


async def named_in(session: Session, texts: list[str]) -> list[str]:
    """Return the ids of the entities named in *texts*, in order."""
    text = "\n".join(texts)[:_READ].strip()
    if not text:
        return []
    [row] = await session.run(calls.entities.context(text, MAX_BUDGET, session.user_id))
    ids = (one for source in row["sources"] for one in source["entity_ids"][:1])
    return list(dict.fromkeys(ids))


def bare(label: str) -> str:
    """Return *label* without the suffix that distinguishes namesakes."""
    return label.partition(" (")[0]


def _offer_entity(row: Row) -> Row:
    kind = row["kind"] or row["type"]
    told = {"kind": "entity", "name": row["entity_id"], "text": row["label"]}
    return told if kind == "entity" else told | {"aside": kind}


async def list_latest(session: Session, limit: int) -> list[Row]:
    """Return the entities activated last, without merged ones."""
    rows = await session.run(calls.entity_admin.listed((), limit))
    return [row for row in rows if row["merged_into"] is None]
