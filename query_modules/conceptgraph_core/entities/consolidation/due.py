"""Find pending work: users who have entities, and sessions that fell silent."""

from typing import Any, Final

from ... import limits
from ... import text as texts
from ...jobs.schema import MAX_BATCH
from .. import schema
from ..node import Graph

Row = dict[str, Any]

HOUR_MS: Final = 3_600_000


def scopes(graph: Graph, after: str | None = None, limit: int | None = None) -> list[Row]:
    """Return the users who have entities, by name, starting after *after*."""
    given = schema.MAX_LIMIT if limit is None else limit
    most = texts.integer(given, "limit", 1, MAX_BATCH)
    found = set()
    for vertex in graph.vertices():
        if schema.ENTITY in [label.name for label in vertex.labels]:
            user_id = vertex.properties.get("user_id")
            if isinstance(user_id, str) and user_id > (after or ""):
                found.add(user_id)
    return [{"user_id": user_id} for user_id in sorted(found)[:most]]


def silent(graph: Graph, silent_ms: int = HOUR_MS, limit: int | None = None) -> list[Row]:
    """Return the sessions that nobody ended and that have been silent for *silent_ms*.

    The longest silence comes first. A row has session_id and last_mention_at (unix ms).
    """
    longest = graph.now_ms - texts.integer(silent_ms, "silent_ms", 0, limits.MAX_TIME_MS)
    given = schema.MAX_LIMIT if limit is None else limit
    most = texts.integer(given, "limit", 1, MAX_BATCH)
    found = [
        (node.get("last_mention_at"), node.key)
        for node in graph.of(schema.SESSION)
        if node.get("is_open") and node.get("last_mention_at") <= longest
    ]
    return [{"session_id": key, "last_mention_at": at} for at, key in sorted(found)[:most]]
