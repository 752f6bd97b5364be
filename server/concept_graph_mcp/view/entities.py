"""Draw entities: each component as one node, with its edges and its ledger.

Part time into the days and months of a session's zone.
"""

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
# The user's most mentioned entities are selected among this many recent ones; and this many times
# the limit are read by trust.
_LATEST = 500
_LOOKED_AT = 4
# The page of an entity shows so many months.
_MONTHS = 24
# Characters of messages searched for names.
_READ = 2_000

_FACTS = (
    "labels", "inferred", "identity_status", "origin", "trust", "trust_parts", "activation",
    "is_active", "facts", "conflicts", "mentions", "merges", "hop", "degree",
)  # fmt: skip


async def neighbourhood(
    session: Session, entity_ids: list[str], max_hop: int, limit: int
) -> list[Row]:
    """Return the components within *max_hop* of *entity_ids*, the strongest edges first.

    Raises Refused if an entity does not exist or is another user's.
    """

    call = calls.entities.neighbourhood(entity_ids, max_hop, min(limit, schema.MAX_LISTED))
    return [_node(row) for row in await session.run(call)]


async def show_whole(session: Session, entity_id: str) -> Row:
    """Return the whole entity, as `get` does, and its mentions by month, as `presence` does.

    `months` has the bounds of these months, `history` the facts of now and of before. Raises
    Refused, as `neighbourhood` does.
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
    """Return the ids of the recent entities that the user mentioned most.

    Dates and numbers are left out, because they are no good start for a picture.
    """
    rows = [
        row
        for row in await list_latest(session, _LATEST)
        if row["is_active"] and row["kind"] not in _NOBODY
    ]
    # Trust grows with mentions in several sessions; ties go to the latest.
    rows.sort(key=lambda row: -row["trust"])
    ids = [row["entity_id"] for row in rows[: _LOOKED_AT * limit]]
    if not ids:
        return []
    nodes = await neighbourhood(session, ids, 0, len(ids))
    nodes.sort(key=lambda node: -node["trust_parts"]["user_mentions"])
    return [node["name"] for node in nodes[:limit]]


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


def _node(told: Row) -> Row:
    """Return a component as a node: its arousal is its activation at the clock's time.

    `border` is its trust t, which has no upper bound, as t / (1 + t).
    """
    entity_id, trust = told["entity_id"], told["trust"]
    first, *others = told["labels"]
    return {
        "id": _id(entity_id),
        "kind": "entity",
        "name": entity_id,
        "text": f"{first} ({', '.join(others)})" if others else first,
        **{name: told[name] for name in _FACTS},
        # Splits and ends are left out: the page shows only merges, and offers to undo them.
        "merges": [one for one in told["merges"] if one["action"] == schema.MERGE_ACTION],
        # The page uses the key `kind` itself.
        "called": " ".join(one for one in (told["type"], told["kind"]) if one and one != "entity"),
        "border": trust / (1 + trust),
        "valence": None,
        "arousal_level": told["activation"],
        "fades": False,
        "relations": [_relation(tie) for tie in told["ties"]],
    }


def _relation(tie: Row) -> Row:
    return {
        "from": _id(tie["from"]),
        "to": _id(tie["to"]),
        "type": tie["type"],
        "weight": tie["strength"],
        "directed": tie["directed"],
    }


def _id(entity_id: str) -> str:
    # Nodes of concepts have numbers.
    return f"entity {entity_id}"
