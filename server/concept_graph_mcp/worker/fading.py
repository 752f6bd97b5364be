"""Run the jobs by which memories fade (`decay`), and what is over goes (`lapses`, `purge`)."""

from typing import Any

from conceptgraph_core.dates import DAY_MS
from conceptgraph_core.jobs.schema import MAX_BATCH

from .. import calls
from ..session import Session
from ..settings import RETENTION_VARIABLE, Settings
from .job import MAX_TOLD, Job, JobRun

Row = dict[str, Any]
_MINUTE_MS = 60_000


async def run_decay(turn: JobRun) -> None:
    async for session in turn.scopes():
        await _fade(turn, session)


async def _fade(turn: JobRun, session: Session) -> None:
    after = None
    while True:
        turn.check()
        call = calls.memory_admin.decay_batch(
            session.user_id, turn.batch, after, turn.dry_run, turn.holder
        )
        [row] = await session.run(call)
        turn.tell({name: row[name] for name in ("processed", "transitioned", "errors")})
        if turn.dry_run:
            turn.would(row["changes"], user_id=session.user_id)
        after = row["last"]
        if after is None:
            return


DECAY = Job("decay", "let memories fade", {"minute": 0}, run_decay)


async def run_lapses(turn: JobRun) -> None:
    async for session in turn.scopes():
        if turn.dry_run:
            rows = await _list_lapsed(session, MAX_TOLD)
            turn.tell({"lapsed": len(rows)})
            turn.would(map(_show_lapsed, rows), user_id=session.user_id)
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


def _show_lapsed(row: Row) -> Row:
    return {
        "memory_id": row["id"],
        "text": row["text"],
        "from": "lapsed",
        "to": "removed for good",
        "why": f"{row['path']} was to last {row['lapses_after'] / _MINUTE_MS:g} minutes unused",
    }


LAPSES = Job(
    "lapses",
    "permanently delete values of programs whose time is over",
    {"minute": 40},
    run_lapses,
)


async def run_purge(turn: JobRun) -> None:
    window = turn.settings.retention_ms
    if window is None:
        return
    async for session in turn.scopes():
        if turn.dry_run:
            await _tell_purgeable(turn, session, window)
        else:
            await _purge_user(turn, session, window)


async def _purge_user(turn: JobRun, session: Session, window: int) -> None:
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


async def _tell_purgeable(turn: JobRun, session: Session, window: int) -> None:
    now_ms = session.clock.now_ms()
    given = session.user_id, window, now_ms, MAX_BATCH
    kept = await session.run(calls.memory_admin.purgeable(*given))
    others = await session.run(calls.entity_admin.purgeable(*given))
    turn.tell({"purged": len(kept) + len(others)})
    rows = [("memory_id", row["memory_id"], row["deleted_at"], row["text"]) for row in kept]
    rows += [(f"{row['kind']}_id", row["id"], row["forgotten_at"], row["text"]) for row in others]
    turn.would((_show_purged(row, now_ms, window) for row in rows), user_id=session.user_id)


def _show_purged(row: tuple[str, str, int, str], now_ms: int, window: int) -> Row:
    field, key, at, text = row
    ago = (now_ms - at) / DAY_MS
    return {
        field: key,
        "text": text,
        "from": "expired",
        "to": "removed for good",
        "why": f"it was deleted {ago:.1f} days ago, {window / DAY_MS:g} or more",
    }


def _name_missing(settings: Settings) -> str | None:
    if settings.retention_ms is None:
        return f"{RETENTION_VARIABLE} or --retention: is not set; nothing is ever removed"
    return None


PURGE = Job(
    "purge",
    "permanently delete what was forgotten longer ago than --retention",
    {"hour": 4, "minute": 30},
    run_purge,
    _name_missing,
)
