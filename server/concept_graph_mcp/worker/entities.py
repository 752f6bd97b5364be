"""The jobs on entities: sessions that fell silent are ended, and what the nights do.

A step goes through the entities of a user by their ids, a batch a transaction, and finds nothing to
do where that was done; so a run that was killed is completed by the next.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from conceptgraph_core.entities import schema
from conceptgraph_core.work.schema import MAX_BATCH

from .. import calls
from ..calls import Call
from ..session import Session
from .job import Job
from .turn import Turn

# What takes a step of a run: step, after, limit, dry_run, user_id.
Taking = Callable[[str, str | None, int, bool, str], Call]


async def scopes(turn: Turn) -> AsyncIterator[Session]:
    """Iterate over sessions, one for each user who has entities, or of those that are named."""
    if turn.settings.decay_users:
        for user in turn.settings.decay_users:
            yield turn.of_user(user)
        return
    after = None
    while rows := await turn.session.run(calls.entities_upkeep.next_scope(after)):
        after = rows[0]["user_id"]
        yield turn.of_user(after)


async def end_silent(turn: Turn) -> None:
    """End the sessions in which nothing was said for an hour."""
    async for session in scopes(turn):
        while rows := await _silent(turn, session):
            if turn.dry_run:
                turn.tell({"processed": len(rows)})
                told = (_ended(row["session_id"]) for row in rows)
                turn.would(told, user_id=session.user_id)
                break
            for row in rows:
                await session.run(calls.entities.end_session(row["session_id"], session.user_id))
            await turn.report(processed=len(rows))
            await turn.go_on()


async def _silent(turn: Turn, session: Session) -> list[dict[str, str]]:
    most = MAX_BATCH if turn.dry_run else turn.batch
    now_ms = session.clock.now_ms()
    return await session.run(calls.entities_upkeep.silent_sessions(now_ms, most, session.user_id))


def _ended(session_id: str) -> dict[str, str]:
    why = "nothing was said in it for an hour"
    return {"text": session_id, "from": "open", "to": "ended", "why": why}


def _night(steps: Sequence[str], taking: Taking) -> Callable[[Turn], Awaitable[None]]:
    async def run(turn: Turn) -> None:
        async for session in scopes(turn):
            for step in steps:
                await _take(turn, session, step, taking)

    return run


async def _take(turn: Turn, session: Session, step: str, taking: Taking) -> None:
    after = None
    while True:
        call = taking(step, after, turn.batch, turn.dry_run, session.user_id)
        [row] = await session.run(call)
        if turn.dry_run:
            turn.check()
            turn.tell({step: row["changed"]})
            turn.would(row["changes"], user_id=session.user_id)
        else:
            await turn.report(**{"processed": row["processed"], step: row["changed"]})
            await turn.go_on()
        after = row["last"]
        if after is None:
            return


IMMEDIATE = Job(
    "immediate", "end conversations that fell silent", {"minute": "5-59/10"}, end_silent
)
DAILY = Job(
    "daily",
    "let what joins entities fade, and join what is alike",
    {"hour": 2, "minute": 0},
    _night(schema.DAILY, calls.entities_upkeep.daily),
)
WEEKLY = Job(
    "weekly",
    "merge entities softly, and set aside what is forgotten",
    {"day_of_week": "sun", "hour": 3, "minute": 0},
    _night(schema.WEEKLY, calls.entities_upkeep.weekly),
)
