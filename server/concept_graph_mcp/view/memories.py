"""Read what a user keeps, without an access.

Change what a user keeps, as its owner: each change is one call, and can be taken back.

The page asks before it sends one. A change of something that has changed since the page showed it
is refused, so a request that arrives twice changes nothing more.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from conceptgraph_core.memories import schema as memories

from .. import calls
from ..calls import Call
from ..errors import Refused
from ..session import Session

Row = dict[str, Any]
# The fields of a request with their types, and the change.
Change = tuple[Mapping[str, type], Callable[[Session, Row], Awaitable[Row]]]


async def _revise(session: Session, given: Row) -> Row:
    call = calls.memories.revise(
        session.user_id, given["memory_id"], given["seen"], given["changes"]
    )
    [row] = await session.run(call)
    return {"memory_id": row["memory_id"]}


async def _unrevise(session: Session, given: Row) -> Row:
    """Set the fields of a memory back to what they were before the revision of that time."""
    memory_id, at = given["memory_id"], given["at"]
    [now] = await session.run(calls.memory_admin.show(memory_id))
    earlier = next((one for one in versions(now["metadata"]) if one["at"] == at), None)
    if earlier is None:
        raise Refused("at: no change of that time can be taken back")
    fields = [one for one in earlier["fields"] if one in ("content", "summary", "importance")]
    seen = {field: now[field] for field in fields}
    changes = {field: earlier.get(field, "") for field in fields}
    call = calls.memories.revise(session.user_id, memory_id, seen, changes, at)
    [row] = await session.run(call)
    return {"memory_id": row["memory_id"]}


async def _forget(session: Session, given: Row) -> Row:
    return await _run_for_one(session, calls.everyday.forget(given["id"], given["reason"] or None))


async def _restore(session: Session, given: Row) -> Row:
    return await _run_for_one(session, calls.everyday.restore(given["id"]))


async def _merge(session: Session, given: Row) -> Row:
    words = given["reason"], "user_correction"
    call = calls.entities.merge(given["source_id"], given["target_id"], *words)
    return await _run_for_one(session, _as_owner(call))


async def _split(session: Session, given: Row) -> Row:
    entity_id, mentions = given["entity_id"], given["mention_ids"]
    call = calls.entities.split(entity_id, mentions, None, said=None, reason=given["reason"])
    return await _run_for_one(session, _as_owner(call))


async def _answer(session: Session, given: Row) -> Row:
    pair = given["one_id"], given["other_id"]
    return await _run_for_one(session, calls.entities.answer(*pair, given["same"], given["reason"]))


async def _unmerge(session: Session, given: Row) -> Row:
    row = await _run_for_one(session, calls.entities.unmerge(given["merge_id"], given["reason"]))
    return {"entities": [one["entity_id"] for one in row["separate"]]}


CHANGES: Mapping[str, Change] = {
    "revise": ({"memory_id": str, "seen": dict, "changes": dict}, _revise),
    "unrevise": ({"memory_id": str, "at": int}, _unrevise),
    "forget": ({"id": str, "reason": str}, _forget),
    "restore": ({"id": str}, _restore),
    "merge": ({"source_id": str, "target_id": str, "reason": str}, _merge),
    "split": ({"entity_id": str, "mention_ids": list, "reason": str}, _split),
    "answer": ({"one_id": str, "other_id": str, "same": bool, "reason": str}, _answer),
    "unmerge": ({"merge_id": str, "reason": str}, _unmerge),
}


async def questions(session: Session) -> list[Row]:
    """Return the open questions whether two entities are the same, each with both in full."""
    return await session.run(calls.entities.questions(user_id=session.user_id))


async def list_hidden(session: Session) -> list[Row]:
    """Return the memories that were forgotten or have expired, those hidden last first."""
    rows = await session.run(calls.memory_admin.listed(session.user_id, ["expired"]))
    return sorted(rows, key=lambda row: -(row["deleted_at"] or 0))


def versions(metadata: Mapping[str, Any]) -> list[Row]:
    """Return the earlier versions of a memory, the latest last."""
    known = metadata.get(memories.REVISIONS)
    return [dict(one) for one in known] if isinstance(known, (list, tuple)) else []


def _as_owner(call: Call) -> Call:
    """Return *call* as the owner's, who decides identities without quoting anybody."""
    return call._replace(context={**call.context, "owner": True})


async def _run_for_one(session: Session, call: Call) -> Row:
    [row] = await session.run(call)
    return row


async def show(session: Session, memory_id: str) -> Row:
    """Return one memory with its earlier versions, without an access."""
    [row] = await session.run(calls.memory_admin.show(memory_id))
    return {**row, "metadata": None, "revisions": versions(row["metadata"])}


async def latest(session: Session, limit: int) -> list[Row]:
    """Return the memories created or accessed last: `name`, `text`, `speaker` and `state`."""
    call = calls.memories.recent(session.user_id, limit)
    rows = await session.run(call)
    shown = ("text", "speaker", "state")
    return [
        {"kind": "memory", "name": row["memory_id"], **{name: row[name] for name in shown}}
        for row in rows
    ]
