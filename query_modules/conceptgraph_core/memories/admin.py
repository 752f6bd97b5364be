"""Give the owner of a scope, and the worker, access to all memories, forgotten ones included."""

from collections.abc import Sequence
from typing import Any

from .. import limits, text
from ..entities.node import Graph as Entities
from ..entities.observation import hiding
from ..graph.primitives import BEYOND, Range, following
from ..jobs import worker
from ..jobs.schema import BATCH, EVERY, MAX_BATCH, PURGE
from ..jobs.worker import Work
from ..retrieval import documents, searching
from ..retrieval.indexer import Writer
from . import crud, fade, lifecycle, lookups, resting, schema, standing
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


def restore(graph: AllMemories, memory_id: str) -> Row:
    """Restore a forgotten or expired memory in full; counts an access.

    Returns memory_id, restored (False if it was never hidden), state and decay_score. Raises
    NotFound.
    """
    graph.pull(lookups.resting(memory_id))
    return show_again(graph, graph.existing(memory_id))


def show_again(graph: AllMemories, node: Node) -> Row:
    """Restore *node* as `restore` does, once all is looked up."""
    restored = node.is_deleted
    if restored:
        metadata = dict(node.get("metadata"))
        metadata.pop(schema.FORGOTTEN, None)
        graph.update(node, deleted_at=None, metadata=metadata)
        lifecycle.access(graph, node)
        resting.settle(graph, [node, *standing.settle(graph, node)])
    return {
        "memory_id": node.memory_id,
        "restored": restored,
        "state": graph.state(node),
        "decay_score": round(node.get("decay_score"), schema.DECIMALS),
    }


def purge(
    graph: AllMemories,
    retention_ms: int,
    memory_ids: Sequence[str] = (),
    limit: int | None = BATCH,
    dry_run: bool = False,
    holder: str | None = None,
) -> list[Row]:
    """Remove for ever the memories deleted over *retention_ms* ago, or those of *memory_ids*.

    The longest deleted first, at most *limit* of them, with what was hidden with them (see
    `resting`). Returns memory_id, deleted_at and text of each. With *holder*, see `decay.batch`.
    """
    window = text.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    most = text.integer(BATCH if limit is None else limit, "limit", 1, MAX_BATCH)
    only = frozenset(memory_ids)
    latest = graph.context.now_ms - window
    work = () if dry_run or holder is None else (EVERY,)
    if only:
        graph.pull(lookups.ids(*memory_ids), *work)
    else:
        span, where = (-limits.MAX_TIME_MS, latest + 1), lookups.mine(graph.context.user_id)
        graph.pull(Range((schema.MEMORY,), "deleted_at", *span, where, most, "id"), *work)
    gone = []
    for node in graph.nodes():
        deleted_at = node.get("deleted_at")
        if deleted_at is None or deleted_at > latest or (only and node.memory_id not in only):
            continue
        gone.append((deleted_at, node.memory_id, node))
    gone = sorted(gone, key=lambda one: one[:2])[:most]
    told = [{"memory_id": one, "deleted_at": at, "text": node.text} for at, one, node in gone]
    if not dry_run:
        if holder is not None:
            worker.count_batch(graph.another(Work), holder, PURGE, {"purged": len(gone)})
        expect_removal(graph, [one for _, one, _ in gone])
        remove(graph, [node for _, _, node in gone])
    return told


def expect_removal(graph: AllMemories, memory_ids: Sequence[str]) -> None:
    """Look up what it takes to hide and `remove` these memories."""
    if memory_ids:
        indexed = documents.removed(schema.KIND, memory_ids, graph.context.user_id)
        graph.pull(lookups.resting_all(lookups.ids(*memory_ids)), *indexed)


def hide_and_remove(graph: AllMemories, nodes: Sequence[Node]) -> None:
    """Remove *nodes*, forgotten or not, with all that rests on them."""
    crud.hide_all(graph, [one for one in nodes if not one.is_forgotten], {})
    remove(graph, nodes)


def remove(graph: AllMemories, nodes: Sequence[Node]) -> None:
    """Remove *nodes* for ever, with the hidden mentions that rest on them."""
    writer = Writer(graph)
    # Memgraph refuses to read a node that is gone, so all are looked up before.
    observed = resting.find_mentions(graph, nodes)
    for node in nodes:
        writer.remove(schema.KIND, node)
        graph.delete_node(node)
    writer.finish()
    hiding.remove(graph.another(Entities), observed)


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
