"""What an access, a preservation and time make of a memory: its score, its state, its history."""

from typing import Any

from . import packing, rules, schema
from .node import Kept, Node


def access(graph: Kept, node: Node) -> None:
    """Count an access of *node* now; what was archived is whole again."""
    count = int(node.value("access_count")) + 1
    graph.update(node, access_count=count, accessed_at=graph.context.now_ms)
    settle(graph, node)


def settle(graph: Kept, node: Node) -> str | None:
    """Give *node* the score and the state that it has now; return the state it left, if another.

    What becomes archived is compressed where that saves space, what expires is deleted: nobody but
    its owner sees it from then on, and nothing of it is lost.
    """
    now_ms = graph.context.now_ms
    score, state = rules.now(node.fading, now_ms)
    before = node.state
    changes: dict[str, Any] = {"decay_score": score, "last_decay_update": now_ms}
    if state != before:
        changes |= transition(node, state, now_ms, score)
    graph.update(node, **changes)
    return before if state != before else None


def transition(node: Node, state: str, now_ms: int, score: float, **more: Any) -> dict[str, Any]:
    """Return the properties that change when *node* goes over into *state*."""
    entry = {"from": node.state, "to": state, "at": now_ms, "score": score, **more}
    metadata = dict(node.value("metadata"))
    known = metadata.get(schema.HISTORY)
    history = [*(known if isinstance(known, (list, tuple)) else ()), entry]
    metadata[schema.HISTORY] = history[-schema.MAX_HISTORY :]
    return {
        "state": state,
        "metadata": metadata,
        "content": stored_content(node.content, state),
        "deleted_at": now_ms if state == rules.EXPIRED else None,
    }


def stored_content(content: str, state: str) -> str:
    """Return *content* as a memory in *state* has it."""
    faded = state in {rules.ARCHIVED, rules.EXPIRED}
    return packing.archived(content) if faded else packing.stored(content)
