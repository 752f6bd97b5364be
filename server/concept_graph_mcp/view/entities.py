"""Entities as a picture has them: each component as one node, with its ties and its ledger."""

from typing import Any

from conceptgraph_core.entities import schema

from .. import calls
from ..session import Session

Row = dict[str, Any]

_FACTS = (
    "labels", "inferred", "identity_status", "origin", "trust", "trust_parts", "activation",
    "is_active", "facts", "conflicts", "mentions", "merges", "hop", "degree",
)  # fmt: skip


async def neighbourhood(
    session: Session, entity_ids: list[str], max_hop: int, limit: int
) -> list[Row]:
    """Return the components within *max_hop* of those entities, the strongest ties first.

    Raises Refused of what is not there, or is somebody else's.
    """

    call = calls.entities.neighbourhood(entity_ids, max_hop, min(limit, schema.MAX_LISTED))
    return [_node(row) for row in await session.run(call)]


async def called(session: Session, name: str, limit: int) -> list[Row]:
    """Return the entities that are called like *name*, the closest first."""
    rows = await session.run(
        calls.entities.search(name, (), limit, include_inactive=True, user_id=session.user_id)
    )
    return [{"kind": "entity", "name": row["entity_id"], "text": row["label"]} for row in rows]


async def most_alike(session: Session, name: str) -> list[str]:
    """Return the ids of those whose name is most like *name*: several may be called the same."""
    rows = await session.run(
        calls.entities.search(name, (), None, include_inactive=True, user_id=session.user_id)
    )
    best = max((row["score"] for row in rows), default=0.0)
    return [row["entity_id"] for row in rows if row["score"] == best]


async def latest(session: Session, limit: int) -> list[Row]:
    """Return the entities that were mentioned last."""
    call = calls.entity_admin.listed((), 2 * limit, session.user_id)
    if session.until_ms is not None:
        call = calls.entity_admin.listed_until(session.until_ms, 2 * limit, session.user_id)
    rows = await session.run(call)
    return [
        {"kind": "entity", "name": row["entity_id"], "text": row["label"]}
        for row in rows
        if row["merged_into"] is None
    ][:limit]


async def unmerge(session: Session, merge_id: str, reason: str) -> list[str]:
    """Take a merge back; return the ids of the two that are apart again."""
    [row] = await session.run(calls.entities.unmerge(merge_id, reason))
    return [one["entity_id"] for one in row["separate"]]


def _node(told: Row) -> Row:
    """Return a component as a node: its arousal is its activation, as of the clock's time.

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
        # A split or an end is told by `explain`; the page says of each that one counts as another.
        "merges": [one for one in told["merges"] if one["action"] == schema.MERGE_ACTION],
        # `kind` is the page's own.
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
    # The concepts' nodes have numbers.
    return f"entity {entity_id}"
