"""Run the job `decay`: recompute the states of memories, user by user, in batches."""

from .. import calls
from ..session import Session
from .job import Job, JobRun


async def run(turn: JobRun) -> None:
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


JOB = Job("decay", "let memories fade", {"minute": 0}, run)
