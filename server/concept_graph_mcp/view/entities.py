"""Entities as a picture has them: each component as one node, with its ties and its ledger."""

from typing import Any

from conceptgraph_core.entities import schema

from .. import calls
from ..session import Session
from .walking import Row, Seen, around

# Each is looked at one by one, so a picture has no more of them, and of each so many ties.
MOST_NODES = 150
_ROWS = 100
_MENTIONS = 8
_MERGES = 10
_FACTS = (
    "labels", "inferred", "identity_status", "origin", "trust", "trust_parts", "activation",
    "is_active", "facts", "conflicts", "merges",
)  # fmt: skip
_UNDIRECTED = tuple(name.lower() for name in schema.UNDIRECTED)
_SAME_AS = schema.SAME_AS.lower()


async def neighbourhood(
    session: Session, entity_ids: list[str], max_hop: int, limit: int
) -> list[Row]:
    """Return the components within *max_hop* of those entities, the strongest ties first.

    Raises Refused of what is not there, or is somebody else's.
    """

    async def look(entity_id: str) -> Seen:
        [told] = await session.run(calls.entities.get(entity_id, limit=_ROWS))
        ties = [tie for tie in told["edges"] if _is_drawn(tie)]
        ledger = told["merges"][-_MERGES:]
        told["merges"] = [await _entry(session, one["merge_id"]) for one in ledger]
        return Seen(_node(told, ties), [tie["entity_id"] for tie in ties])

    return await around(look, entity_ids, max_hop, min(limit, MOST_NODES))


async def called(session: Session, name: str, limit: int) -> list[Row]:
    """Return the entities that are called like *name*, the closest first."""
    rows = await session.run(
        calls.entities.search(name, (), limit, include_inactive=True, user_id=session.user_id)
    )
    return [{"kind": "entity", "name": row["entity_id"], "text": row["label"]} for row in rows]


async def latest(session: Session, limit: int) -> list[Row]:
    """Return the entities that were mentioned last."""
    rows = await session.run(calls.entities_upkeep.listed((), 2 * limit, session.user_id))
    return [
        {"kind": "entity", "name": row["entity_id"], "text": row["label"]}
        for row in rows
        if row["merged_into"] is None
    ][:limit]


async def unmerge(session: Session, merge_id: str, reason: str) -> list[str]:
    """Take a merge back; return the ids of the two that are apart again."""
    [row] = await session.run(calls.entities.unmerge(merge_id, reason))
    return [one["entity_id"] for one in row["separate"]]


async def _entry(session: Session, merge_id: str) -> Row:
    """Return an entry of the ledger, with what the two were called."""
    [entry] = await session.run(calls.entities_upkeep.merge(merge_id))
    return entry


def _is_drawn(tie: Row) -> bool:
    """Tell whether a tie holds; of the thought that two are the same, whether it is still one."""
    return bool(tie["is_active"]) and tie.get("status") != schema.REJECTED


def _node(told: dict[str, Any], ties: list[Row]) -> Row:
    """Return a component as a node: its arousal is its activation, as of the clock's time.

    `border` is its trust t, which has no upper bound, as t / (1 + t).
    """
    entity_id, trust = told["entity_id"], told["trust"]
    first, *others = told["labels"]
    relations = {
        (one["from"], one["type"], one["to"]): one for one in reversed(_relations(entity_id, ties))
    }
    return {
        "id": _id(entity_id),
        "kind": "entity",
        "name": entity_id,
        "text": f"{first} ({', '.join(others)})" if others else first,
        **{name: told[name] for name in _FACTS},
        # `kind` is the page's own.
        "called": " ".join(one for one in (told["type"], told["kind"]) if one and one != "entity"),
        "mentions": told["mentions"][:_MENTIONS],
        "border": trust / (1 + trust),
        "valence": None,
        "arousal_level": told["activation"],
        "fades": False,
        "degree": len(relations),
        "relations": list(relations.values()),
    }


def _relations(entity_id: str, ties: list[Row]) -> list[Row]:
    rows = []
    for tie in ties:
        ends = _id(entity_id), _id(tie["entity_id"])
        # The same from either end, or it would be drawn twice.
        source, target = sorted(ends) if tie["type"] in _UNDIRECTED else ends
        if tie.get("direction") == "from":
            source, target = target, source
        # The line is as thick as the tie is strong; so is doubt who is who, as alike as they are.
        weight = tie["weight"] if tie["type"] == _SAME_AS else tie["strength"]
        rows.append(
            {"from": source, "to": target, "type": tie["type"], "weight": weight}
            | {"directed": tie["type"] not in _UNDIRECTED}
        )
    return rows


def _id(entity_id: str) -> str:
    # The concepts' nodes have numbers.
    return f"entity {entity_id}"
