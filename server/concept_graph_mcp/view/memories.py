"""Memories as a picture has them: each with its links, as of the clock's time; no access."""

from typing import Any

from conceptgraph_core.memories import schema

from .. import calls
from ..session import Session
from .walking import Row, Seen, around

# Each is looked at one by one, so a picture has no more of them, and of each so many links.
MOST_NODES = 150
_LINKS = 200
_FACTS = (
    "summary", "source", "type", "tags", "state", "decay_score", "importance", "confidence",
    "access_count", "created_at", "accessed_at", "preserved", "next_state", "next_state_at",
)  # fmt: skip
_STANDS = ("state", "next_state", "next_state_at")


async def neighbourhood(
    session: Session, memory_ids: list[str], max_hop: int, limit: int
) -> list[Row]:
    """Return the memories within *max_hop* of those, the strongest links first.

    Raises Refused of what is not there, is forgotten, or is somebody else's.
    """

    async def look(memory_id: str) -> Seen:
        # First, for it refuses what is out of sight.
        links = await session.run(
            calls.memory_links.connected(memory_id, min_weight=0.0, limit=_LINKS)
        )
        [told] = await session.run(calls.upkeep.show(memory_id))
        following_at = told["next_state_at"]
        if following_at is not None and following_at <= session.clock.now_ms():
            # No worker was here yet; the picture is of how it stands at its time.
            [status] = await session.run(calls.memories.decay_status(memory_id))
            told |= {name: status[name] for name in _STANDS}
        return Seen(_node(told, links), [link["memory_id"] for link in links])

    return await around(look, memory_ids, max_hop, min(limit, MOST_NODES))


async def latest(session: Session, limit: int) -> list[Row]:
    """Return the memories created or accessed last: `name`, `text` and `state`."""
    rows = await session.run(calls.memories.recent(session.user_id, limit))
    return [
        {"kind": "memory", "name": row["memory_id"], "text": row["text"], "state": row["state"]}
        for row in rows
    ]


async def found(session: Session, text: str, limit: int) -> list[dict[str, Any]]:
    """Return what *text* belongs to by its words, explained; the best first."""
    call = calls.remembering.search(session.user_id, text, limit, explained=True)
    return await session.run(call)


def _node(told: dict[str, Any], links: list[dict[str, Any]]) -> Row:
    """Return a memory as a node: its arousal is how present it is, which only the server reckons.

    `degree` counts the memories that it is linked to.
    """
    memory_id, score = told["memory_id"], told["decay_score"]
    return {
        "id": _id(memory_id),
        "kind": "memory",
        "name": memory_id,
        "text": (told["summary"] or told["content"])[: schema.BRIEF_CHARACTERS],
        "content": told["content"],
        **{name: told[name] for name in _FACTS},
        "valence": None,
        "arousal_level": score,
        "fades": False,
        "degree": links[0]["total"] if links else 0,
        "relations": [_relation(memory_id, link) for link in links],
    }


def _relation(memory_id: str, link: dict[str, Any]) -> Row:
    ends = _id(memory_id), _id(link["memory_id"])
    source, target = ends if link["direction"] == schema.OUTGOING else ends[::-1]
    return {"from": source, "to": target, "type": link["relation"], "weight": link["strength"]}


def _id(memory_id: str) -> str:
    # The other layers' nodes have numbers.
    return f"memory {memory_id}"
