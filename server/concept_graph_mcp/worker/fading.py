"""Run the jobs by which memories fade (`decay`), and what is over goes (`lapses`, `purge`)."""

from typing import Any, Final

from conceptgraph_core.dates import DAY_MS
from conceptgraph_core.jobs.schema import MAX_BATCH

from .. import calls
from ..session import Session
from ..settings import RETENTION_VARIABLE, Settings
from .job import MAX_TOLD, Job, JobRun

Row = dict[str, Any]
_MINUTE_MS = 60_000
_ASKED: Final = "question_id"


async def run_decay(turn: JobRun) -> None:
    async for session in turn.scopes():
        await _fade(turn, session)


async def _fade(turn: JobRun, session: Session) -> None:
    after = None
    while True:
        turn.check()
        call = calls.memories.decay_batch(
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
    # A user without memories may have kept questions.
    async for session in turn.scopes(calls.transfer.next_user):
        if turn.dry_run:
            await _tell_purgeable(turn, session, window)
        else:
            await _purge_user(turn, session, window)


async def _purge_user(turn: JobRun, session: Session, window: int) -> None:
    user, now_ms = session.user_id, session.clock.now_ms
    asked = session.call(calls.everyday.purge_questions, retention_ms=window)
    while purged := (await session.run(asked))[0]["purged"]:
        await turn.report(purged=purged)
    while rows := await session.run(calls.memories.purgeable(user, window, now_ms(), turn.batch)):
        turn.check()
        ids = [row["memory_id"] for row in rows]
        removed = await session.run(calls.memories.purge(user, window, ids, turn.holder))
        turn.tell({"purged": len(removed)})
        if not removed:
            break  # All of them were restored meanwhile.
    while rows := await session.run(calls.entities.purgeable(user, window, now_ms(), turn.batch)):
        others = await session.run(calls.entities.purge(window, [row["id"] for row in rows]))
        await turn.report(purged=len(others))
        if not others:
            return


async def _tell_purgeable(turn: JobRun, session: Session, window: int) -> None:
    now_ms = session.clock.now_ms()
    given = session.user_id, window, now_ms, MAX_BATCH
    kept = await session.run(calls.memories.purgeable(*given))
    others = await session.run(calls.entities.purgeable(*given))
    asked = await session.run(session.call(calls.everyday.questions, limit=MAX_BATCH))
    old = [row for row in asked if row["asked_at"] <= now_ms - window]
    turn.tell({"purged": len(kept) + len(others) + len(old)})
    rows = [("memory_id", row["memory_id"], row["deleted_at"], row["text"]) for row in kept]
    rows += [(f"{row['kind']}_id", row["id"], row["forgotten_at"], row["text"]) for row in others]
    rows += [(_ASKED, row["id"], row["asked_at"], row["message"]) for row in old]
    turn.would((_show_purged(row, now_ms, window) for row in rows), user_id=session.user_id)


def _show_purged(row: tuple[str, str, int, str], now_ms: int, window: int) -> Row:
    field, key, at, text = row
    ago = (now_ms - at) / DAY_MS
    was, before = ("asked", "kept") if field == _ASKED else ("deleted", "expired")
    return {
        field: key,
        "text": text,
        "from": before,
        "to": "removed for good",
        "why": f"it was {was} {ago:.1f} days ago, {window / DAY_MS:g} or more",
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
