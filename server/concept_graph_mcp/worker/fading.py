"""Run the jobs by which memories fade (`decay`), and what is over goes (`lapses`, `purge`).

Run those that consolidate entities, each night and each week.
"""

from collections import Counter
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from anyio import to_thread

from conceptgraph_core.entities import schema
from conceptgraph_core.entities.consolidation.propagation import Propagation
from conceptgraph_core.jobs.schema import MAX_BATCH
from conceptgraph_core.texts.dates import DAY_MS

from .. import calls
from ..calls import Call
from ..session import Clock, Session
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
    asked = session.call(calls.everyday.purge_questions, retention_ms=window)
    while purged := (await session.run(asked))[0]["purged"]:
        await turn.report(purged=purged)
    while rows := await session.run(calls.memories.purgeable(window, turn.batch)):
        turn.check()
        ids = [row["memory_id"] for row in rows]
        removed = await session.run(calls.memories.purge(window, ids, turn.holder))
        turn.tell({"purged": len(removed)})
        if not removed:
            break  # All of them were restored meanwhile.
    while rows := await session.run(calls.entities.purgeable(window, turn.batch)):
        others = await session.run(calls.entities.purge(window, [row["id"] for row in rows]))
        await turn.report(purged=len(others))
        if not others:
            return


async def _tell_purgeable(turn: JobRun, session: Session, window: int) -> None:
    now_ms = session.clock.now_ms()
    given = window, MAX_BATCH
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


# Makes the call for a step of a run: step, after, limit, dry_run, user_id.
Taking = Callable[[str, str | None, int, bool], Call]
# The changes planned by earlier steps of a rehearsal, in the form of a call's context.
Planned = dict[str, list[Any]]


def scopes(turn: JobRun) -> AsyncIterator[Session]:
    """Iterate over sessions: one for each user with entities, or for each of the users named."""
    return turn.scopes(calls.entities.next_scope)


async def end_silent(turn: JobRun) -> None:
    """End the sessions that have been silent for an hour, as of the end of that hour.

    The time of the run does not matter: reinforcements count from the end of the session.
    """
    async for session in scopes(turn):
        most = MAX_BATCH if turn.dry_run else turn.batch
        while rows := await session.run(calls.entities.silent_sessions(limit=most)):
            if turn.dry_run:
                turn.tell({"processed": len(rows)})
                what = {"from": "open", "to": "ended", "why": "nothing was said in it for an hour"}
                told = ({"text": row["session_id"], **what} for row in rows)
                turn.would(told, user_id=session.user_id)
                break
            for row in rows:
                then = Clock(row["last_mention_at"] + calls.entities.HOUR_MS)
                ending = calls.entities.end_session(row["session_id"], session.user_id)
                await replace(session, clock=then).run(ending)
            await turn.report(processed=len(rows))
            await turn.go_on()


def _night(
    together: Iterable[Sequence[str]], taking: Taking
) -> Callable[[JobRun], Awaitable[None]]:
    async def run(turn: JobRun) -> None:
        async for session in scopes(turn):
            # A rehearsal carries the changes planned by earlier steps over to later ones.
            planned: Planned = {}
            for steps in together:
                if steps == (schema.COMMUNITIES,):
                    await _find_communities(turn, session, planned)
                else:
                    await _take(turn, session, steps, taking, planned)

    return run


async def _take(
    turn: JobRun,
    session: Session,
    steps: Sequence[str],
    taking: Taking,
    planned: Planned,
) -> None:
    """Take *steps* through all entities, each batch through all steps."""
    after = None
    while True:
        lasts: list[str] = []
        counts: Counter[str] = Counter()
        for step in steps:
            call = taking(step, after, turn.batch, turn.dry_run)
            [row] = await session.run(_replace_plan(call, planned))
            counts.update({"processed": row["processed"], step: row["changed"]})
            lasts += [] if row["last"] is None else [row["last"]]
            if turn.dry_run:
                turn.would(row["changes"], user_id=session.user_id)
                _plan(planned, step, row["changes"])
        await _report_counts(turn, counts)
        if not lasts:
            return
        # New entities may cut a step's batch short; the next batch begins where that one ended.
        after = min(lasts)


def _replace_plan(call: Call, planned: Planned) -> Call:
    return call._replace(context={"planned": planned}) if planned else call


def _plan(planned: Planned, step: str, changes: Iterable[Mapping[str, Any]]) -> None:
    """Record the changes that a step would make."""
    if step not in planned.setdefault("steps", []):
        planned["steps"].append(step)
    if step == schema.SEMANTIC_STEP:
        made = [[row["entity_id"], row["other_id"], row["weight"]] for row in changes]
        planned.setdefault(step, []).extend(made)
    elif step == schema.MERGE_STEP:
        planned.setdefault(step, []).extend([row["entity_id"], row["other_id"]] for row in changes)


async def _find_communities(turn: JobRun, session: Session, planned: Planned) -> None:
    """Read all edges between entities, compute the communities here, and store the changes."""
    found = Propagation()
    after = None
    while True:
        call = calls.entities.connections(after, schema.CONNECTED)
        if not (rows := await session.run(_replace_plan(call, planned))):
            break
        found.add(rows)
        after = rows[-1]["entity_id"]
        await _report_counts(turn, {"processed": len(rows)})
    while await to_thread.run_sync(found.take_pass):
        await turn.go_on()
    changes = found.changes()
    while some := list(islice(changes, turn.batch)):
        if turn.dry_run:
            turn.would(some, user_id=session.user_id)
        else:
            communities = {row["entity_id"]: row["to"] for row in some}
            await session.run(calls.entities.settle_communities(communities))
        await _report_counts(turn, {schema.COMMUNITIES: len(some)})


async def _report_counts(turn: JobRun, counts: Mapping[str, int]) -> None:
    """Report *counts*, and go on unless the run must stop."""
    if turn.dry_run:
        turn.tell(counts)
        turn.check()
    else:
        await turn.report(**counts)
        await turn.go_on()


IMMEDIATE = Job(
    "immediate", "end conversations that fell silent", {"minute": "5-59/10"}, end_silent
)
DAILY = Job(
    "daily",
    "let edges between entities fade, and join entities that are alike",
    {"hour": 2, "minute": 0},
    _night(schema.DAILY_TOGETHER, calls.entities.daily),
)
WEEKLY = Job(
    "weekly",
    "merge entities softly, and set aside what is forgotten",
    {"day_of_week": "sun", "hour": 3, "minute": 0},
    _night([(step,) for step in schema.WEEKLY], calls.entities.weekly),
)
