"""What the owner of a scope does, and the worker for them: all memories, forgotten ones too."""

from collections.abc import Sequence
from typing import Any

from .. import limits, text
from ..dates import DAY_MS
from ..errors import ConceptGraphError
from ..jobs import worker
from ..jobs.schema import BATCH, DECAY, MAX_BATCH, PURGE
from ..jobs.worker import Work
from ..retrieval import searching
from ..retrieval.indexer import Writer
from . import crud, lifecycle, rules, schema, standing
from .filters import Wanted
from .view import Kept, Node

Row = dict[str, Any]


def listed(
    graph: Kept,
    states: Sequence[str] = (),
    limit: int | None = schema.LISTED,
    tags: Sequence[str] = (),
) -> list[Row]:
    """Return the memories in *states* (none: in any), those accessed last first, then by id.

    With *tags* only those that have any of them.

    A row has the brief of one, decay_score, access_count, accessed_at, deleted_at, preserved and
    contradicted_by. Here each copy of a text has a row of its own.
    """
    wanted = Wanted.of(None, (), tags, states)
    most = text.integer(schema.LISTED if limit is None else limit, "limit", 1, schema.MAX_ROWS)
    nodes = [node for node in graph.nodes() if wanted.admits(graph, node)]
    nodes.sort(key=lambda node: (-node.last, node.memory_id))
    shown = nodes[:most]
    against = standing.against(graph, shown)
    return [_listed(graph, node) | standing.mark(graph, node, against) for node in shown]


def _listed(graph: Kept, node: Node) -> Row:
    fading, now_ms = node.fading, graph.context.now_ms
    return graph.brief(node) | {
        "decay_score": round(graph.score(node), schema.DECIMALS),
        "access_count": fading.access_count,
        "accessed_at": fading.accessed_at,
        "deleted_at": node.value("deleted_at"),
        "forgotten": node.is_forgotten,
        "preserved": rules.is_preserved(fading.tags, fading.preserved_until, now_ms),
    }


def show(graph: Kept, memory_id: str) -> Row:
    """Return all of a memory, whether it was forgotten or not; no access. Raises NotFound.

    That is what `get` returns, with deleted_at and embedding_dimension, and what comes next
    (next_state, next_state_at) unless it is out of sight.
    """
    node = graph.existing(memory_id)
    row = crud.whole(graph, node)
    row |= {name: node.value(name) for name in ("deleted_at", "embedding_dimension")}
    if node.is_deleted:
        return row | {"next_state": None, "next_state_at": None}
    now = lifecycle.status_of(graph, node)
    return row | {name: now[name] for name in ("next_state", "next_state_at")}


def unindexed(graph: Kept) -> Row:
    """Return how many memories of the scope, forgotten ones too, no words find: {memories}."""
    return {"memories": searching.unindexed(graph, schema.KIND, graph.context.user_id)}


def restore(graph: Kept, memory_id: str) -> Row:
    """Bring a memory back that was forgotten or has expired, whole; that is an access.

    Returns memory_id, restored (False if it was there all the time), state and decay_score. Raises
    NotFound.
    """
    node = graph.existing(memory_id)
    restored = node.is_deleted
    if restored:
        metadata = dict(node.value("metadata"))
        metadata.pop(schema.FORGOTTEN, None)
        graph.update(node, deleted_at=None, metadata=metadata)
        lifecycle.access(graph, node)
    return {
        "memory_id": node.memory_id,
        "restored": restored,
        "state": graph.state(node),
        "decay_score": round(node.value("decay_score"), schema.DECIMALS),
    }


def purge(
    graph: Kept,
    retention_ms: int,
    memory_ids: Sequence[str] = (),
    limit: int | None = BATCH,
    dry_run: bool = False,
    holder: str | None = None,
) -> list[Row]:
    """Remove for ever what was deleted longer than *retention_ms* ago, of *memory_ids* if given.

    The longest deleted first, at most *limit* of them. Returns memory_id, deleted_at and text of
    each. With *holder*, see `decay_batch`.
    """
    window = text.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    most = text.integer(BATCH if limit is None else limit, "limit", 1, MAX_BATCH)
    only = frozenset(memory_ids)
    latest = graph.context.now_ms - window
    gone = []
    for node in graph.nodes():
        deleted_at = node.value("deleted_at")
        if deleted_at is None or deleted_at > latest or (only and node.memory_id not in only):
            continue
        gone.append((deleted_at, node.memory_id, node))
    gone = sorted(gone, key=lambda one: one[:2])[:most]
    told = [{"memory_id": one, "deleted_at": at, "text": node.text} for at, one, node in gone]
    if not dry_run:
        if holder is not None:
            worker.count_batch(graph.another(Work), holder, PURGE, {"purged": len(gone)})
        _remove(graph, [node for _, _, node in gone])
    return told


def _remove(graph: Kept, nodes: Sequence[Node]) -> None:
    writer = Writer(graph)
    for node in nodes:
        writer.remove(schema.KIND, node)
        graph.delete_node(node)
    writer.finish()


def decay_batch(
    graph: Kept,
    limit: int | None = BATCH,
    after: str | None = None,
    dry_run: bool = False,
    holder: str | None = None,
) -> Row:
    """Let time pass for the next memories of a scope: those whose ids come after *after*.

    What has expired comes back where nothing expires any more: it was let go under another rule.
    Returns processed, transitioned and errors, how many these were; changes, what changes its state
    and why, {memory_id, text, from, to, score, why} or {memory_id, error}; and last, to be given as
    *after* next time, None at the end. Repeated at the same time it changes nothing. A batch of a
    worker names it as *holder*: it is refused unless that has the lease, and counted with what it
    does. Raises NotAllowed.
    """
    most = text.integer(BATCH if limit is None else limit, "limit", 1, MAX_BATCH)
    begin = after or ""
    nodes = {node.memory_id: node for node in graph.nodes()}
    batch = sorted(memory_id for memory_id in nodes if memory_id > begin)[:most]
    made: Row = {"processed": 0, "transitioned": 0, "errors": 0, "changes": []}
    for node in (nodes[memory_id] for memory_id in batch):
        if not node.is_deleted or (graph.context.decay.lasts and node.is_expired):
            _let_pass(graph, node, made, dry_run)
    if holder is not None and not dry_run:
        counts = {name: made[name] for name in ("processed", "transitioned", "errors")}
        worker.count_batch(graph.another(Work), holder, DECAY, counts)
    return made | {"last": batch[-1] if len(batch) == most else None}


def _let_pass(graph: Kept, node: Node, made: Row, dry_run: bool) -> None:
    made["processed"] += 1
    try:
        score, state = graph.presence(node, may_expire=True)
        known = node.stored_state
        if state != known:
            made["changes"].append(_change(graph, node, score, state))
            made["transitioned"] += 1
        if dry_run:
            return
        if state == known == rules.ARCHIVED and lifecycle.is_loose(node):
            # An import brings what is archived as it was before.
            graph.update(node, content=lifecycle.stored_content(node.content, state))
        if state != known or abs(score - node.score) >= schema.MIN_SCORE_CHANGE:
            lifecycle.become(graph, node, score, state)
    except ConceptGraphError as error:
        made["errors"] += 1
        made["changes"].append({"memory_id": node.memory_id, "error": str(error)})


def _change(graph: Kept, node: Node, score: float, state: str) -> Row:
    return {
        "memory_id": node.memory_id,
        "text": node.text,
        "from": node.stored_state,
        "to": state,
        "score": round(score, schema.DECIMALS),
        "why": _why(graph, node, score, state),
    }


def _why(graph: Kept, node: Node, score: float, state: str) -> str:
    """Return why *node* goes over into *state*, as a person reads it."""
    fading, now_ms = node.fading, graph.context.now_ms
    if rules.is_preserved(fading.tags, fading.preserved_until, now_ms):
        return "it is preserved"
    if node.is_deleted:
        return "nothing expires without a retention window"
    days = max(0, now_ms - fading.accessed_at) / DAY_MS
    least = dict(rules.thresholds(graph.context.decay))
    since = f"{days:.1f} days after its last access, {fading.access_count} in all"
    if rules.STATES.index(state) < rules.STATES.index(node.stored_state):
        return f"its score is {score:.3g}, {least[state]:g} or more, {since}"
    above = rules.STATES[rules.STATES.index(state) - 1]
    return f"its score is {score:.3g}, below {least[above]:g}, {since}"


def scopes(graph: Kept, after: str | None = None, limit: int | None = schema.MAX_ROWS) -> list[Row]:
    """Return the scopes that have memories, by name, those that come after *after*."""
    most = text.integer(schema.MAX_ROWS if limit is None else limit, "limit", 1, schema.MAX_ROWS)
    begin = after or ""
    found = set()
    for vertex in graph.vertices():
        if schema.MEMORY in [label.name for label in vertex.labels]:
            user_id = vertex.properties.get("user_id")
            if isinstance(user_id, str) and user_id > begin:
                found.add(user_id)
    return [{"user_id": user_id} for user_id in sorted(found)[:most]]
