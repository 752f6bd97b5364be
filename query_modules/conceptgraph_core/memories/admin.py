"""Give the owner of a scope, and the worker, access to all memories, forgotten ones included."""

from collections.abc import Sequence
from typing import Any

from .. import text
from ..graph.primitives import BEYOND, Range, following
from ..retrieval import searching
from . import crud, fade, lifecycle, lookups, schema, standing
from .filters import Wanted
from .view import AllMemories, Node

Row = dict[str, Any]


def list_memories(
    graph: AllMemories,
    states: Sequence[str] = (),
    limit: int | None = schema.LISTED,
    tags: Sequence[str] = (),
) -> list[Row]:
    """List the memories in *states* (none: in any), those accessed last first, then by id.

    With *tags*, a memory needs any of them. A row has the brief of one, decay_score, access_count,
    accessed_at, deleted_at, preserved and contradicted_by. Each copy of a text has a row of its
    own.
    """
    wanted = Wanted.of(tags=tags, states=states)
    most = text.integer(schema.LISTED if limit is None else limit, "limit", 1, schema.MAX_ROWS)
    graph.pull(lookups.listed(graph.context.user_id, wanted, most))
    nodes = [node for node in graph.nodes() if wanted.admits(graph, node)]
    nodes.sort(key=lambda node: (-node.last, node.memory_id))
    shown = nodes[:most]
    against = standing.find_contradicting(graph, shown)
    return [_list_memory(graph, node) | standing.mark(graph, node, against) for node in shown]


def _list_memory(graph: AllMemories, node: Node) -> Row:
    fading, now_ms = node.fading, graph.context.now_ms
    return graph.brief(node) | {
        "decay_score": round(graph.score(node), schema.DECIMALS),
        "access_count": fading.access_count,
        "accessed_at": node.get("accessed_at"),
        "deleted_at": node.get("deleted_at"),
        "forgotten": node.is_forgotten,
        "preserved": fade.is_preserved(fading.tags, fading.preserved_until, now_ms),
    }


def show(graph: AllMemories, memory_id: str) -> Row:
    """Return a memory in full, forgotten or not; counts no access. Raises NotFound.

    A row is that of `get`, with deleted_at and embedding_dimension. A visible memory also has its
    next state (next_state, next_state_at).
    """
    node = graph.existing(memory_id)
    row = crud.read_whole(graph, node)
    row |= {name: node.get(name) for name in ("deleted_at", "embedding_dimension")}
    if node.is_deleted:
        return row | {"next_state": None, "next_state_at": None}
    now = lifecycle.status_of(graph, node)
    return row | {name: now[name] for name in ("next_state", "next_state_at")}


def count_unindexed(graph: AllMemories) -> Row:
    """Count the memories of the scope, forgotten ones too, without index entries: {memories}."""
    return {"memories": searching.count_unindexed(graph, schema.KIND, graph.context.user_id)}


def scopes(
    graph: AllMemories, after: str | None = None, limit: int | None = schema.MAX_ROWS
) -> list[Row]:
    """Return the scopes that have memories, by name, starting after *after*."""
    most = text.integer(schema.MAX_ROWS if limit is None else limit, "limit", 1, schema.MAX_ROWS)
    begin = after or ""
    found = set()
    if most == 1:
        graph.pull(Range((schema.MEMORY,), "user_id", following(after), BEYOND, (), 1))
    for vertex in graph.vertices():
        if schema.MEMORY in [label.name for label in vertex.labels]:
            user_id = vertex.properties.get("user_id")
            if isinstance(user_id, str) and user_id > begin:
                found.add(user_id)
    return [{"user_id": user_id} for user_id in sorted(found)[:most]]
