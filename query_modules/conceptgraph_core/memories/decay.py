"""Apply decay: bring scores and states of memories up to date, a batch at a time."""

from typing import Any

from .. import text
from ..dates import DAY_MS
from ..errors import ConceptGraphError
from ..graph.primitives import BEYOND, Range, following
from ..jobs import worker
from ..jobs.schema import BATCH, DECAY, EVERY, MAX_BATCH
from ..jobs.worker import Work
from . import fade, lifecycle, schema
from .lookups import mine
from .view import AllMemories, Node

Row = dict[str, Any]


def batch(
    graph: AllMemories,
    limit: int | None = BATCH,
    after: str | None = None,
    dry_run: bool = False,
    holder: str | None = None,
) -> Row:
    """Apply decay to the next memories of a scope: those whose ids come after *after*.

    An expired memory returns if nothing expires any more, because another rule had expired it.
    Returns processed, transitioned and errors (counts); changes, a list of {memory_id, text, from,
    to, score, why} or {memory_id, error}; and last, the *after* of the next call, None at the end.
    Repeated at the same time it changes nothing. A worker passes its name as *holder*: the batch
    needs the lease, and is counted. Raises NotAllowed.
    """
    most = text.integer(BATCH if limit is None else limit, "limit", 1, MAX_BATCH)
    begin = after or ""
    where = mine(graph.context.user_id)
    work = () if dry_run or holder is None else (EVERY,)
    graph.pull(Range((schema.MEMORY,), "id", following(after), BEYOND, where, most), *work)
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


def _let_pass(graph: AllMemories, node: Node, made: Row, dry_run: bool) -> None:
    made["processed"] += 1
    try:
        score, state = graph.presence(node, may_expire=True)
        known = node.stored_state
        if state != known:
            made["changes"].append(_change(graph, node, score, state))
            made["transitioned"] += 1
        if dry_run:
            return
        if state == known == fade.ARCHIVED and lifecycle.is_loose(node):
            # An import brings archived content uncompressed.
            graph.update(node, content=lifecycle.stored_content(node.content, state))
        if state != known or abs(score - node.score) >= schema.MIN_SCORE_CHANGE:
            lifecycle.become(graph, node, score, state)
    except ConceptGraphError as error:
        made["errors"] += 1
        made["changes"].append({"memory_id": node.memory_id, "error": str(error)})


def _change(graph: AllMemories, node: Node, score: float, state: str) -> Row:
    return {
        "memory_id": node.memory_id,
        "text": node.text,
        "from": node.stored_state,
        "to": state,
        "score": round(score, schema.DECIMALS),
        "why": _explain(graph, node, score, state),
    }


def _explain(graph: AllMemories, node: Node, score: float, state: str) -> str:
    """Return why *node* changes to *state*, as a text for people."""
    fading, now_ms = node.fading, graph.context.now_ms
    if fade.is_preserved(fading.tags, fading.preserved_until, now_ms):
        return "it is preserved"
    if node.is_deleted:
        return "nothing expires without a retention window"
    days = max(0, now_ms - fading.accessed_at) / DAY_MS
    least = dict(fade.thresholds(graph.context.decay))
    since = f"{days:.1f} days after its last access, {fading.access_count} in all"
    if fade.STATES.index(state) < fade.STATES.index(node.stored_state):
        return f"its score is {score:.3g}, {least[state]:g} or more, {since}"
    above = fade.STATES[fade.STATES.index(state) - 1]
    return f"its score is {score:.3g}, below {least[above]:g}, {since}"
