"""Draw memories: each with its links, at the clock's time, without an access."""

from typing import Any

from conceptgraph_core.memories import schema

from .. import calls
from ..session import Session
from . import tending

Row = dict[str, Any]

# Fields that the page takes unchanged from the procedure.
_FACTS = (
    "summary", "source", "speaker", "type", "tags", "state", "decay_score", "importance",
    "confidence", "access_count", "created_at", "accessed_at", "preserved", "next_state",
    "next_state_at", "hop", "degree",
)  # fmt: skip


async def neighbourhood(
    session: Session, memory_ids: list[str], max_hop: int, limit: int
) -> list[Row]:
    """Return the memories within *max_hop* of *memory_ids*, the strongest links first.

    Raises Refused if a memory does not exist, is forgotten, or is another user's.
    """
    most = min(limit, schema.MAX_NODES)
    call = calls.memory_links.neighbourhood(memory_ids, max_hop, most)
    return [_node(row) for row in await session.run(call)]


async def latest(session: Session, limit: int) -> list[Row]:
    """Return the memories created or accessed last: `name`, `text`, `speaker` and `state`."""
    call = calls.memories.recent(session.user_id, limit)
    if session.until_ms is not None:
        call = calls.memories.recent_until(session.user_id, limit, session.until_ms)
    rows = await session.run(call)
    shown = ("text", "speaker", "state")
    return [
        {"kind": "memory", "name": row["memory_id"], **{name: row[name] for name in shown}}
        for row in rows
    ]


async def find_memories(session: Session, text: str, limit: int) -> list[Row]:
    """Return the memories that match the words of *text*, explained; the best first."""
    call = calls.memory_search.search(
        session.user_id, text, limit, explained=True, concept_scope=session.concept_scope
    )
    return await session.run(call)


def _node(row: Row) -> Row:
    """Return a memory as a node; its arousal is its score, which only the server computes.

    `degree` counts the memories that it is linked to.
    """
    return {
        "id": _id(row["memory_id"]),
        "kind": "memory",
        "name": row["memory_id"],
        "text": (row["summary"] or row["content"])[: schema.BRIEF_CHARACTERS],
        "content": row["content"],
        **{name: row[name] for name in _FACTS},
        "together": [dict(one) for one in row["together"]],
        "revisions": tending.versions(row["metadata"]),
        "valence": None,
        "arousal_level": row["decay_score"],
        "fades": False,
        "relations": [
            {
                "from": _id(link["from"]),
                "to": _id(link["to"]),
                "type": link["type"],
                "weight": link["strength"],
            }
            for link in row["links"]
        ],
    }


def _id(memory_id: str) -> str:
    # Nodes of the other layers have numbers.
    return f"memory {memory_id}"
