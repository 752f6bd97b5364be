"""Record the worker in the store: its lease, its pauses, and its runs."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ..graph import adapter
from ..graph.adapter import Node
from ..texts import text
from ..verbs import limits
from ..verbs.errors import NotAllowed
from . import schema

Row = dict[str, Any]
_LAST = ("started_at", "finished_at", "duration_ms", "last_error")
# The longest lease; each batch renews it.
MAX_LEASE_MS = 86_400_000


class Work(adapter.Graph[Node]):
    """One call's view of the worker and its jobs."""

    layer = schema.LAYER

    @cached_property
    def kept(self) -> dict[str, Node]:
        """The worker and each of its jobs, by name."""
        self.pull(schema.EVERY)
        named = ((node.raw.get_property("name"), node) for node in self.nodes())
        return {name: node for name, node in named if isinstance(name, str)}

    def made(self, name: str = schema.WORKER_NAME) -> Node:
        """Return the node of the worker or of a job; create it at the first use."""
        if name not in self.kept:
            self.kept[name] = self.create_node(schema.WORKER, name=name)
        return self.kept[name]


def status(graph: Work) -> Row:
    """Return the state of the worker.

    * paused, holder and lease_until (None: no worker holds the lease).
    * started_at, finished_at, duration_ms and last_error of the last run; the counters of all.
    * jobs, by name: the same for each job's own runs under `job`, and `counts` of its own numbers.
    """
    return _row(graph)


def lease(graph: Work, holder: str, lease_ms: int) -> Row:
    """Lease the work to *holder* for *lease_ms* from now; 0 gives the lease back.

    Refused while another worker's lease lasts, and while work is paused. Returns acquired and the
    fields of `status`.
    """
    who = text.name(holder, "holder")
    length = text.integer(lease_ms, "lease_ms", 0, MAX_LEASE_MS)
    node = graph.made()
    now_ms = graph.context.now_ms
    get = node.raw.get_property
    others = get("holder") not in {None, who} and _lasts(get("lease_until"), now_ms)
    acquired = not others and (length == 0 or not get("paused"))
    if length == 0 and not others:
        graph.update(node, holder=None, lease_until=None)
    elif acquired:
        graph.update(node, holder=who, lease_until=now_ms + length)
    return {"acquired": acquired} | _row(graph)


def pause(graph: Work, paused: bool) -> Row:
    """Pause the work, or let it continue. Returns the fields of `status`."""
    graph.update(graph.made(), paused=bool(paused))
    return _row(graph)


def count_batch(graph: Work, holder: str, job: str, counts: Mapping[str, int]) -> None:
    """Count a batch of *job*, in the batch's own transaction, if *holder* still has the lease.

    So the batch and its count are both stored, or neither, and the lease is renewed for its full
    length. Raises NotAllowed while work is paused, or if another worker has taken over.
    """
    node = graph.made()
    get = node.raw.get_property
    if get("paused"):
        raise NotAllowed("worker: work is paused")
    if get("holder") != text.name(holder, "holder"):
        raise NotAllowed("worker: the lease is somebody else's, or nobody's")
    graph.update(node, lease_until=graph.context.now_ms + schema.LEASE_MS)
    _add(graph, node, counts)
    _add(graph, graph.made(job), counts)


def report(graph: Work, holder: str, done: dict[str, Any]) -> Row:
    """Add a report of *holder* to the record: counters, and the times of a run.

    `done` has increments of counters, and the values started_at, finished_at (unix ms), duration_ms
    and last_error ("" for none) of the last run. With `job` it counts for that job as well, and
    `counts` has that job's own numbers. Returns the fields of `status`.
    """
    text.name(holder, "holder")
    nodes = [graph.made()]
    if done.get("job") is not None:
        nodes.append(graph.made(_job(done["job"])))
    for node in nodes:
        _add(graph, node, done)
        _stand(graph, node, done)
    if len(nodes) > 1 and done.get("counts"):
        known = dict(nodes[1].raw.get_property("counts") or {})
        for name, value in done["counts"].items():
            known[text.name(name, "counts")] = _sum(known.get(name), value, name)
        graph.update(nodes[1], counts=known)
    return _row(graph)


def record_backup(graph: Work, file: str) -> Row:
    """Record that a backup was written to *file* and read back, as of now.

    Returns the fields of `last_backup`.
    """
    said = {"file": text.summary(file, "file"), "finished_at": graph.context.now_ms}
    graph.update(graph.made(schema.BACKUP), **said)
    return last_backup(graph)[0]


def last_backup(graph: Work) -> list[Row]:
    """Return file and finished_at (unix ms) of the last recorded backup, if any."""
    node = graph.kept.get(schema.BACKUP)
    if node is None or not node.raw.get_property("file"):
        return []
    get = node.raw.get_property
    return [{"file": get("file"), "finished_at": get("finished_at")}]


def _job(value: Any) -> str:
    name = text.name(value, "job")
    if name in schema.NO_JOBS:
        raise NotAllowed(f"job: must not be {name!r}, which names no job")
    return name


def _add(graph: Work, node: Node, more: Mapping[str, Any]) -> None:
    changes = {
        name: _sum(node.raw.get_property(name), more[name], name)
        for name in schema.COUNTERS
        if name in more
    }
    graph.update(node, **changes)


def _sum(known: Any, more: Any, name: str) -> int:
    return (known or 0) + text.integer(more, name, 0, limits.MAX_INTEGER // 2)


def _stand(graph: Work, node: Node, done: Mapping[str, Any]) -> None:
    changes: Row = {
        name: text.integer(done[name], name, 0, limits.MAX_TIME_MS)
        for name in ("started_at", "finished_at", "duration_ms")
        if done.get(name) is not None
    }
    if "last_error" in done:
        changes["last_error"] = done["last_error"] or None
    graph.update(node, **changes)


def _row(graph: Work) -> Row:
    node = graph.kept.get(schema.WORKER_NAME)
    jobs = sorted(graph.kept.keys() - schema.NO_JOBS)
    until = None if node is None else node.raw.get_property("lease_until")
    works = _lasts(until, graph.context.now_ms)
    return {
        "paused": node is not None and bool(node.raw.get_property("paused")),
        "holder": node.raw.get_property("holder") if node is not None and works else None,
        "lease_until": until if works else None,
        **_report_done(node),
        "jobs": [
            {"job": name, **_report_done(one), "counts": one.raw.get_property("counts") or {}}
            for name, one in ((name, graph.kept[name]) for name in jobs)
        ],
    }


def _lasts(until: int | None, now_ms: int) -> bool:
    """Tell whether a lease lasts; not if a clock that was days ahead granted it."""
    return until is not None and now_ms < until <= now_ms + MAX_LEASE_MS


def _report_done(node: Node | None) -> Row:
    get = (lambda _: None) if node is None else node.raw.get_property
    return {name: get(name) for name in _LAST} | {name: get(name) or 0 for name in schema.COUNTERS}
