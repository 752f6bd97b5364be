"""Change a memory as its owner, keep what it was before, and take a change back."""

from collections.abc import Mapping
from typing import Any, Final

from ..errors import InvalidText, NotAllowed, Stale
from . import crud, schema
from .view import Graph, Node

Row = dict[str, Any]

_FIELDS: Final = ("content", "summary", "importance")


def revise(
    graph: Graph,
    memory_id: str,
    seen: Mapping[str, Any],
    changes: Mapping[str, Any],
    takes_back: int | None = None,
) -> Row:
    """Change content, summary or importance of a memory that is as *seen*; counts no access.

    Both maps have these fields; an empty summary removes it. *seen* has what each field of
    *changes* was when its owner saw it, so that nobody overwrites what they have not seen. The
    last 10 earlier versions stay in the metadata: {at, fields} and the values before. The latest is
    removed if the change *takes_back* the one made then (unix ms). Returns the fields of `get`.
    Raises NotFound, Stale, InvalidText, InvalidNumber, and NotAllowed if another was the latest.
    """
    node = graph.existing(memory_id)
    for field in (*changes, *seen):
        if field not in _FIELDS:
            raise InvalidText(f"changes: only {', '.join(_FIELDS)} can be changed")
    now = {field: _value(node, field) for field in changes}
    if not changes or any(_plain(seen.get(field)) != _plain(now[field]) for field in changes):
        raise Stale("memory: it has changed since it was shown; look at it again")
    if takes_back is None and all(_plain(changes[one]) == _plain(now[one]) for one in changes):
        return crud.read_whole(graph, node)
    known = _revisions(node)
    if takes_back is None:
        before = {field: one for field, one in now.items() if one is not None}
        known.append({"at": graph.context.now_ms, "fields": [*changes], **before})
    elif not known or known.pop().get("at") != takes_back:
        raise NotAllowed("takes_back: the latest change was another; this one is taken back")
    given = dict(changes)
    if "summary" in given:
        given["summary"] = given["summary"] or ""
    crud.update(graph, node.memory_id, **given)
    metadata = {key: one for key, one in node.get("metadata").items() if key != schema.REVISIONS}
    kept = {schema.REVISIONS: known[-schema.MAX_REVISIONS :]} if known else {}
    graph.update(node, metadata=metadata | kept)
    return crud.read_whole(graph, node)


def _value(node: Node, field: str) -> Any:
    if field == "importance":
        return node.fading.importance
    return node.content if field == "content" else node.get(field)


def _plain(value: Any) -> Any:
    """Return *value* with an absent summary as an empty one, and each number as a float."""
    return "" if value is None else float(value) if isinstance(value, int) else value


def _revisions(node: Node) -> list[Row]:
    known = node.get("metadata").get(schema.REVISIONS)
    rows = known if isinstance(known, (list, tuple)) else ()
    return [
        dict(one)
        for one in rows
        if isinstance(one, Mapping) and isinstance(one.get("fields"), (list, tuple))
    ]
