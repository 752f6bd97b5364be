"""Run the job `lapses`: remove the values of programs whose time is over."""

from typing import Any

from .. import calls
from ..session import Session
from .job import MAX_TOLD, Job, JobRun

Row = dict[str, Any]
_MINUTE_MS = 60_000


async def run(turn: JobRun) -> None:
    async for session in turn.scopes():
        if turn.dry_run:
            rows = await _list_lapsed(session, MAX_TOLD)
            turn.tell({"lapsed": len(rows)})
            turn.would(map(_change, rows), user_id=session.user_id)
            continue
        while rows := await _list_lapsed(session, turn.batch):
            await turn.go_on()
            steps = [{"do": "remove", "path": row["path"], "lapsed": True} for row in rows]
            removed = await session.run(calls.memories.items(session.user_id, steps))
            await turn.report(lapsed=len(removed))
            if not removed:
                break  # All of them were used or put anew meanwhile.


async def _list_lapsed(session: Session, limit: int) -> list[Row]:
    step = {"do": "find", "lapsed": True, "limit": limit}
    return await session.run(calls.memories.items(session.user_id, [step]))


def _change(row: Row) -> Row:
    return {
        "memory_id": row["id"],
        "text": row["text"],
        "from": "lapsed",
        "to": "removed for good",
        "why": f"{row['path']} was to last {row['lapses_after'] / _MINUTE_MS:g} minutes unused",
    }


JOB = Job(
    "lapses",
    "permanently delete values of programs whose time is over",
    {"minute": 40},
    run,
)
