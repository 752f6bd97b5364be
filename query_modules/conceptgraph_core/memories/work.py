"""The worker as the store knows it: who works, whether they may, and what was done."""

from typing import Any

from .. import limits, text
from ..graph import adapter
from ..graph.adapter import Node
from . import schema

Row = dict[str, Any]
# A lease is renewed at every batch.
MAX_LEASE_MS = 86_400_000


class Work(adapter.Graph[Node]):
    """One call's view of the worker."""

    layer = schema.WORK

    def worker(self) -> Node | None:
        return next((node for node in self.nodes() if node.label == schema.WORKER), None)

    def made(self) -> Node:
        """Return the worker's node, made if this is the first that is heard of it."""
        return self.worker() or self.create_node(schema.WORKER, name=schema.WORKER_NAME)


def status(graph: Work) -> Row:
    """Return what is known of the worker.

    That is paused, holder and lease_until of who works (None: nobody), started_at, finished_at,
    duration_ms and last_error of the last run, and for all runs together the counters.
    """
    return _row(graph, graph.worker())


def lease(graph: Work, holder: str, lease_ms: int) -> Row:
    """Let *holder* be the one who works for *lease_ms* from now; 0 gives it back.

    Refused while somebody else's lease lasts, and while work is paused. Returns acquired and what
    `status` does.
    """
    who = text.name(holder, "holder")
    length = text.integer(lease_ms, "lease_ms", 0, MAX_LEASE_MS)
    node = graph.made()
    now_ms = graph.context.now_ms
    get = node.raw.get_property
    others = get("holder") not in {None, who} and (get("lease_until") or 0) > now_ms
    acquired = not others and (length == 0 or not get("paused"))
    if length == 0 and not others:
        graph.update(node, holder=None, lease_until=None)
    elif acquired:
        graph.update(node, holder=who, lease_until=now_ms + length)
    return {"acquired": acquired} | _row(graph, node)


def pause(graph: Work, paused: bool) -> Row:
    """Let nobody work, or let work go on. Returns what `status` does."""
    node = graph.made()
    graph.update(node, paused=bool(paused))
    return _row(graph, node)


def report(graph: Work, holder: str, done: dict[str, Any]) -> Row:
    """Add what *holder* has done to what is known: counters, and the times of a run.

    `done` has any of the counters, to be added, and started_at, finished_at (unix ms), duration_ms
    and last_error ("" for none), which stand for the last run. Returns what `status` does.
    """
    text.name(holder, "holder")
    node = graph.made()
    changes: Row = {}
    for name in schema.COUNTERS:
        if name in done:
            more = text.integer(done[name], name, 0, limits.MAX_INTEGER // 2)
            changes[name] = (node.raw.get_property(name) or 0) + more
    for name in ("started_at", "finished_at", "duration_ms"):
        if done.get(name) is not None:
            changes[name] = text.integer(done[name], name, 0, limits.MAX_TIME_MS)
    if "last_error" in done:
        changes["last_error"] = done["last_error"] or None
    graph.update(node, **changes)
    return _row(graph, node)


def _row(graph: Work, node: Node | None) -> Row:
    def get(name: str) -> Any:
        return None if node is None else node.raw.get_property(name)

    until = get("lease_until")
    works = until is not None and until > graph.context.now_ms
    return {
        "paused": bool(get("paused")),
        "holder": get("holder") if works else None,
        "lease_until": until if works else None,
        **{name: get(name) for name in ("started_at", "finished_at", "duration_ms", "last_error")},
        **{name: get(name) or 0 for name in schema.COUNTERS},
    }
