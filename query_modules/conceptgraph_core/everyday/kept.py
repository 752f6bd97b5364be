"""Keep what recalls were asked, and which memories they showed, for the user to train on."""

from collections.abc import Sequence
from typing import Any

from ..graph import adapter
from ..graph.adapter import Node
from ..graph.primitives import BEYOND, Range, following
from ..jobs.schema import BATCH, KEPT, MAX_BATCH, QUESTION
from ..memories.schema import make_bound, make_id
from ..texts import text as texts
from ..verbs import limits, validators

Row = dict[str, Any]
_FIELDS = "id", "asked_at", "message", "also", "project", "shown"


class Questions(adapter.Graph[Node]):
    """One call's view of the user's kept questions."""

    layer = KEPT


def keep(
    graph: Questions, message: str, wordings: Sequence[str] = (), shown: Sequence[str] = ()
) -> Row:
    """Keep that the user was shown the memories *shown* (ids) for *message*; return its id.

    *wordings* are its other wordings, and the context's `project` is the one in which it was asked.
    Raises InvalidText.
    """
    context = graph.context
    values = {
        "asked_at": context.now_ms,
        "message": texts.summary(message, "message"),
        "also": list(validators.wordings(wordings, "wordings")),
        "project": context.project,
        "shown": [texts.name(one, "shown") for one in shown],
    }
    key = {"scope": context.user_id, "id": make_id(context.now_ms)}
    graph.create_node(QUESTION, **key, **{k: v for k, v in values.items() if v is not None})
    return {"id": key["id"]}


def list_kept(graph: Questions, after: str | None = None, limit: int | None = None) -> list[Row]:
    """Return the user's kept questions in the order of their ids, that of time, from *after* on.

    A row has id, asked_at (unix ms), message, also, project and shown, ids of memories.
    """
    nodes = _between(graph, following(after), BEYOND, limit)
    rows = [{name: node.raw.get_property(name) for name in _FIELDS} for node in nodes]
    return [{**row, "also": row["also"] or [], "shown": row["shown"] or []} for row in rows]


def forget(graph: Questions, id_: str) -> bool:
    """Remove the user's kept question of that id for ever; tell whether there was one."""
    found = graph.find(QUESTION, ("scope", "id"), [(graph.context.user_id, id_)])
    for node in found:
        graph.delete_node(node)
    return bool(found)


def purge(graph: Questions, retention_ms: int, limit: int | None = BATCH) -> Row:
    """Remove at most *limit* questions that were asked over *retention_ms* ago; return purged."""
    window = texts.integer(retention_ms, "retention_ms", 1, limits.MAX_TIME_MS)
    nodes = _between(graph, "", make_bound(graph.context.now_ms - window), limit)
    for node in nodes:
        graph.delete_node(node)
    return {"purged": len(nodes)}


def _between(graph: Questions, first: str, beyond: str, limit: int | None) -> list[Node]:
    """Return at most *limit* of the user's questions with ids from *first* to before *beyond*."""
    most = texts.limit(limit, BATCH, MAX_BATCH)
    user = graph.context.user_id
    graph.pull(Range((QUESTION,), "id", first, beyond, (("scope", user),), most))
    found = [
        (id_, node)
        for node in graph.nodes()
        if node.raw.get_property("scope") == user
        and isinstance(id_ := node.raw.get_property("id"), str)
        and first <= id_ < beyond
    ]
    return [node for _, node in sorted(found, key=lambda one: one[0])[:most]]
