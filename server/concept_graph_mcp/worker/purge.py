"""Run the job `purge`: remove memories deleted longer ago than the retention period."""

from typing import Any

from conceptgraph_core.dates import DAY_MS
from conceptgraph_core.jobs.schema import MAX_BATCH

from .. import calls
from ..session import Session
from ..settings import RETENTION_VARIABLE, Settings
from .job import Job, JobRun

Row = dict[str, Any]


async def run(turn: JobRun) -> None:
    window = turn.settings.retention_ms
    if window is None:
        return
    async for session in turn.scopes():
        if turn.dry_run:
            await _tell(turn, session, window)
        else:
            await _remove(turn, session, window)


async def _remove(turn: JobRun, session: Session, window: int) -> None:
    user, now_ms = session.user_id, session.clock.now_ms
    while rows := await session.run(
        calls.memory_admin.purgeable(user, window, now_ms(), turn.batch)
    ):
        turn.check()
        ids = [row["memory_id"] for row in rows]
        removed = await session.run(calls.memory_admin.purge(user, window, ids, turn.holder))
        turn.tell({"purged": len(removed)})
        if not removed:
            return  # All of them were restored meanwhile.


async def _tell(turn: JobRun, session: Session, window: int) -> None:
    now_ms = session.clock.now_ms()
    call = calls.memory_admin.purgeable(session.user_id, window, now_ms, MAX_BATCH)
    rows = await session.run(call)
    turn.tell({"purged": len(rows)})
    turn.would((_change(row, now_ms, window) for row in rows), user_id=session.user_id)


def _change(row: Row, now_ms: int, window: int) -> Row:
    ago = (now_ms - row["deleted_at"]) / DAY_MS
    return {
        "memory_id": row["memory_id"],
        "text": row["text"],
        "from": "expired",
        "to": "removed for good",
        "why": f"it was deleted {ago:.1f} days ago, {window / DAY_MS:g} or more",
    }


def _missing(settings: Settings) -> str | None:
    if settings.retention_ms is None:
        return f"{RETENTION_VARIABLE} or --retention: is not set; nothing is ever removed"
    return None


JOB = Job(
    "purge",
    "permanently delete what was forgotten longer ago than --retention",
    {"hour": 4, "minute": 30},
    run,
    _missing,
)
