"""Update a memory after an access, a preservation or time: its score, state and history.

The worker lets time pass for all memories, in batches.
"""

from collections.abc import Sequence
from typing import Any, Final

from ..graph.primitives import BEYOND, Range, following
from ..jobs import worker
from ..jobs.schema import BATCH, DECAY, EVERY, MAX_BATCH
from ..jobs.worker import Work
from ..texts import text
from ..texts.dates import DAY_MS
from ..verbs import limits
from ..verbs.errors import ConceptGraphError, InvalidNumber, InvalidText
from . import fade, schema
from .lookups import mine
from .view import AllMemories, Graph, Node

Row = dict[str, Any]
# The tag that preserves a memory by default.
_PRESERVED: Final = "preserved"


def touch(graph: Graph, memory_ids: Sequence[str]) -> list[Row]:
    """Count an access of each of the memories, each once; raises NotFound for a missing one.

    Returns for each memory_id, access_count, state and decay_score.
    """
    rows = []
    for node in graph.existing_all(memory_ids):
        access(graph, node)
        rows.append(
            {
                "memory_id": node.memory_id,
                "access_count": node.get("access_count"),
                "state": node.stored_state,
                "decay_score": round(node.get("decay_score"), schema.DECIMALS),
            }
        )
    return rows


def access(graph: AllMemories, node: Node) -> None:
    """Count an access of *node* now; an archived one gets its full content back."""
    count = min(int(node.get("access_count")) + 1, limits.MAX_INTEGER)
    times = {"created_at": node.get("created_at"), "accessed_at": graph.context.now_ms}
    latest = schema.latest(times)
    graph.update(node, access_count=count, accessed_at=times["accessed_at"], latest=latest)
    settle(graph, node)


def preserve(
    graph: Graph,
    memory_id: str,
    tag: str | None = _PRESERVED,
    until: int | None = None,
) -> Row:
    """Keep a memory from fading: by *tag*, or without one until a time (unix ms) has passed.

    Returns the fields of `status`. Raises InvalidText for a tag that does not preserve,
    InvalidNumber for a time that has passed, NotFound.
    """
    node = graph.existing(memory_id)
    if until is not None:
        until = text.integer(until, "until", -limits.MAX_TIME_MS, limits.MAX_TIME_MS)
        if until <= graph.context.now_ms:
            raise InvalidNumber("until: must be a time that is yet to come")
        graph.update(node, preserved_until=until)
    else:
        chosen = _PRESERVED if tag is None else tag
        if not isinstance(chosen, str) or chosen.casefold() not in fade.PRESERVING_TAGS:
            raise InvalidText(f"tag: must be one of {', '.join(fade.PRESERVING_TAGS)}")
        tags = [*node.get("tags"), chosen.casefold()]
        graph.update(node, tags=schema.checked_names(tags, "tags"))
    settle(graph, node)
    return status_of(graph, node)


def status(graph: Graph, memory_id: str) -> Row:
    """Return the current score and state of a memory, and its next state. Raises NotFound.

    A row has state, decay_score, last_decay_update, next_state and next_state_at (None if nothing
    will ever change), preserved and preserved_until (None once it has passed); times in unix ms.
    """
    return status_of(graph, graph.existing(memory_id))


def status_of(graph: AllMemories, node: Node) -> Row:
    now_ms, decay = graph.context.now_ms, graph.context.decay
    fading = graph.fading(node)
    score, state = graph.presence(node, may_expire=True)
    following = fade.next_state(fading, now_ms, decay)
    if state == fade.EXPIRED:
        # The next run of the worker lets it expire.
        state, following = fade.ARCHIVED, (fade.EXPIRED, now_ms)
    to_come = fading.preserved_until is not None and fading.preserved_until > now_ms
    return {
        "state": state,
        "decay_score": round(score, schema.DECIMALS),
        "last_decay_update": node.get("last_decay_update"),
        "next_state": None if following is None else following[0],
        "next_state_at": None if following is None else following[1],
        "preserved": fade.is_preserved(fading.tags, fading.preserved_until, now_ms),
        "preserved_until": fading.preserved_until if to_come else None,
    }


def settle(graph: AllMemories, node: Node) -> None:
    """Give *node* its current score and state, after a caller changed it.

    Only the worker lets a memory expire: this archives it at worst.
    """
    become(graph, node, *graph.presence(node))


def become(graph: AllMemories, node: Node, score: float, state: str) -> None:
    """Give *node* the score and the state that `AllMemories.presence` returned.

    An archived one is compressed if that saves space. An expired one is marked as deleted, so that
    only its owner sees it.
    """
    now_ms = graph.context.now_ms
    changes: Row = {"decay_score": score, "last_decay_update": now_ms}
    if state != node.stored_state:
        changes |= transition(node, state, now_ms, score)
    graph.update(node, **changes)


def transition(node: Node, state: str, now_ms: int, score: float) -> Row:
    """Return the properties that change when *node* changes to *state*."""
    score = round(score, schema.DECIMALS)
    entry = {"from": node.stored_state, "to": state, "at": now_ms, "score": score}
    metadata = dict(node.get("metadata"))
    known = metadata.get(schema.HISTORY)
    history = [*(known if isinstance(known, (list, tuple)) else ()), entry]
    metadata[schema.HISTORY] = history[-schema.MAX_HISTORY :]
    return {
        "state": state,
        "metadata": metadata,
        "content": stored_content(node.content, state),
        "deleted_at": now_ms if state == fade.EXPIRED else None,
    }


def stored_content(content: str, state: str) -> str:
    """Return *content* in the stored form for *state*."""
    faded = state in {fade.ARCHIVED, fade.EXPIRED}
    return schema.archive_content(content) if faded else schema.store_content(content)


def is_loose(node: Node) -> bool:
    """Tell whether *node* is archived, and compressing its content would save space."""
    raw = node.raw.get_property("content")
    if node.stored_state != fade.ARCHIVED or not isinstance(raw, str) or schema.is_packed(raw):
        return False
    return len(raw) >= schema.WORTHWHILE and schema.is_packed(schema.archive_content(raw))


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
    most = text.limit(limit, BATCH, MAX_BATCH)
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
        if state == known == fade.ARCHIVED and is_loose(node):
            # An import brings archived content uncompressed.
            graph.update(node, content=stored_content(node.content, state))
        if state != known or abs(score - node.score) >= schema.MIN_SCORE_CHANGE:
            become(graph, node, score, state)
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
