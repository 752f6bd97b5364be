"""Run the job `purge`: remove what was deleted longer ago than the retention period."""

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
            break  # All of them were restored meanwhile.
    while rows := await session.run(
        calls.entity_admin.purgeable(user, window, now_ms(), turn.batch)
    ):
        others = await session.run(calls.entity_admin.purge(window, [row["id"] for row in rows]))
        await turn.report(purged=len(others))
        if not others:
            return


async def _tell(turn: JobRun, session: Session, window: int) -> None:
    now_ms = session.clock.now_ms()
    given = session.user_id, window, now_ms, MAX_BATCH
    kept = await session.run(calls.memory_admin.purgeable(*given))
    others = await session.run(calls.entity_admin.purgeable(*given))
    turn.tell({"purged": len(kept) + len(others)})
    rows = [("memory_id", row["memory_id"], row["deleted_at"], row["text"]) for row in kept]
    rows += [(f"{row['kind']}_id", row["id"], row["forgotten_at"], row["text"]) for row in others]
    turn.would((_change(row, now_ms, window) for row in rows), user_id=session.user_id)


def _change(row: tuple[str, str, int, str], now_ms: int, window: int) -> Row:
    field, key, at, text = row
    ago = (now_ms - at) / DAY_MS
    return {
        field: key,
        "text": text,
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
