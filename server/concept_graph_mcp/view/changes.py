"""Change what a user keeps, as its owner: each change is of the same verbs as an agent's.

A change returns `undo`, the change that takes it back, or None. It is refused if what it changes
has changed since it was shown.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from conceptgraph_core.entities.schema import USER
from conceptgraph_core.memories import schema as memories

from .. import answers, calls
from ..errors import Refused
from ..session import Session

Row = dict[str, Any]
# The fields of a request with their types, and the change.
Change = tuple[Mapping[str, type], Callable[[Session, Row], Awaitable[Row]]]

_TAKEN_BACK: Final = "taken back"


def _undone_by(change: str, **given: Any) -> Row:
    return {"undo": {"change": change, "given": given}}


async def _revise(session: Session, given: Row) -> Row:
    memory_id = given["memory_id"]
    call = calls.memories.revise(session.user_id, memory_id, given["seen"], given["changes"])
    [row] = await session.run(call)
    latest = versions(row["metadata"])[-1]
    return _undone_by("unrevise", memory_id=memory_id, at=latest["at"])


async def _unrevise(session: Session, given: Row) -> Row:
    """Set the fields of a memory back to what they were before the revision of that time."""
    memory_id, at = given["memory_id"], given["at"]
    [now] = await session.run(calls.memories.show(memory_id))
    earlier = next((one for one in versions(now["metadata"]) if one["at"] == at), None)
    if earlier is None:
        raise Refused("at: no change of that time can be taken back")
    fields = [one for one in earlier["fields"] if one in ("content", "summary", "importance")]
    seen = {field: now[field] for field in fields}
    changes = {field: earlier.get(field, "") for field in fields}
    await session.run(calls.memories.revise(session.user_id, memory_id, seen, changes, at))
    return {"undo": None}


async def _forget(session: Session, given: Row) -> Row:
    given = {**given, "reason": given["reason"] or None}
    await session.run(session.call(calls.everyday.forget, **given))
    return _undone_by("restore", id=given["id"])


async def _restore(session: Session, given: Row) -> Row:
    [row] = await session.run(session.call(calls.everyday.restore, **given))
    return (
        _undone_by("forget", id=given["id"], reason=_TAKEN_BACK)
        if row["restored"]
        else {"undo": None}
    )


async def _end_fact(session: Session, given: Row) -> Row:
    """End a fact: it is so no longer."""
    value = given["value"]
    call = calls.entities.fact(
        given["entity_id"], given["predicate"], ends=given["id"], speaker=USER, text=value
    )
    await session.run(call)
    return _undone_by("begin_fact", **given)


async def _begin_fact(session: Session, given: Row) -> Row:
    """State an ended fact anew, and leave its end out."""
    value, since = given["value"], given.get("since")
    call = calls.entities.fact(
        *(given["entity_id"], given["predicate"], value, None, since), speaker=USER, text=value
    )
    await session.run(call)
    forgotten = {"id": given["id"], "reason": _TAKEN_BACK}
    await session.run(session.call(calls.everyday.forget, **forgotten))
    return {"undo": None}


async def _end_memory(session: Session, given: Row) -> Row:
    """Note that a memory is so no longer, in its place."""
    [now] = await session.run(calls.memories.show(given["id"]))
    text = f"No longer so: {now['content']}"
    row, _ = await answers.remember(session, text, replaces=given["id"])
    return _undone_by("forget", id=row["id"], reason=_TAKEN_BACK)


async def _answer(session: Session, given: Row) -> Row:
    pair = given["one_id"], given["other_id"]
    [row] = await session.run(calls.entities.answer(*pair, given["same"], given["reason"]))
    return _undone_by("unmerge", merge_id=row["merge_id"], reason=_TAKEN_BACK)


async def _unmerge(session: Session, given: Row) -> Row:
    await session.run(calls.entities.unmerge(given["merge_id"], given["reason"]))
    return {"undo": None}


_FACT: Final = {"id": str, "entity_id": str, "predicate": str, "value": str}
CHANGES: Mapping[str, Change] = {
    "revise": ({"memory_id": str, "seen": dict, "changes": dict}, _revise),
    "unrevise": ({"memory_id": str, "at": int}, _unrevise),
    "forget": ({"id": str, "reason": str}, _forget),
    "restore": ({"id": str}, _restore),
    "end_fact": (_FACT, _end_fact),
    "begin_fact": (_FACT, _begin_fact),
    "end_memory": ({"id": str}, _end_memory),
    "answer": ({"one_id": str, "other_id": str, "same": bool, "reason": str}, _answer),
    "unmerge": ({"merge_id": str, "reason": str}, _unmerge),
}


def versions(metadata: Mapping[str, Any]) -> list[Row]:
    """Return the earlier versions of a memory, the latest last."""
    known = metadata.get(memories.REVISIONS)
    return [dict(one) for one in known] if isinstance(known, (list, tuple)) else []
