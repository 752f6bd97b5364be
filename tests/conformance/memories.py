"""Memories and links as tests make them: imported, to set ids, dates and strengths."""

from typing import Any

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call

MADE_MS = 1_749_000_000_000


def node(memory_id: str, user: str = "default", **given: Any) -> dict[str, Any]:
    """Return an import record of a memory, made in the order of the ids if nothing else is said."""
    record = {
        "kind": "memory",
        "id": memory_id,
        "user_id": user,
        "content": f"About {memory_id}",
        "created_at": MADE_MS,
        "accessed_at": MADE_MS,
    }
    return record | given


def edge(source: str, target: str, type_: str = "relates_to", **given: Any) -> dict[str, Any]:
    """Return an import record of a link."""
    return {"kind": "link", "from": source, "to": target, "type": type_} | given


def link(memory: Any, source: str, target: str, *given: Any, user: str = "default") -> dict:
    return memory.run(calls.memories.link(source, target, *given), user_id=user)[0]


def connected(memory: Any, memory_id: str, *given: Any, user: str = "default") -> list[dict]:
    return memory.run(calls.memories.connected(memory_id, *given), user_id=user)


def explore(memory: Any, start_id: str, *given: Any, user: str = "default") -> list[dict]:
    return memory.run(calls.memories.explore(start_id, *given), user_id=user)


def traverse(memory: Any, start_id: str, user: str = "default", **given: Any) -> list[dict]:
    return memory.run(calls.memories.traverse(user, start_id, **given), user_id=user)


def links(memory: Any) -> list[dict[str, Any]]:
    """Return the export records of all links."""
    return [record for record in memory.records() if record["kind"] == "link"]


def texts_embedded(memory: Any, call: Call, user: str = "default") -> list[str]:
    """Make *call*, and return the texts whose vectors it asks for."""
    asked: list[str] = []

    async def embed(text: str) -> dict[str, Any]:
        asked.append(text)
        return {"vector": []}

    context = {**call.context, "embeds": True}
    memory.run(call._replace(context=context, embed=embed), user_id=user)
    return asked
