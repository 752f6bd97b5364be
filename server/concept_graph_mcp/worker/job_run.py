"""One run of a job, as the job sees it: whose turn it is, whether to go on, what came of it."""

import dataclasses
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from conceptgraph_core.jobs import schema

from .. import calls
from ..calls import Call
from ..session import Session
from ..settings import Settings

Row = dict[str, Any]

# Is told what a run has done so far, whenever it has done more.
Telling = Callable[[Mapping[str, int]], None]
# Of what a dry run would change, so much is kept to be shown.
MAX_TOLD = 10_000


class Stopped(Exception):
    """The run must end between two batches: it was told to, or another worker has taken over."""


class JobRun:
    """One run of *job*, by *holder*, who has the lease; in a dry run by nobody, who needs none.

    What it did is in `counts`; what a dry run would change, and why, in `changes`: rows with any of
    user_id, memory_id, text, from, to, score and why. `batch` is how many go in one transaction.
    """

    def __init__(
        self,
        job: str,
        session: Session,
        settings: Settings,
        holder: str | None,
        *,
        batch: int = schema.BATCH,
        stopping: Callable[[], bool] = lambda: False,
        telling: Telling = lambda _: None,
    ) -> None:
        self.job = job
        self.session = session
        self.settings = settings
        self.holder = holder
        self.batch = batch
        self.counts: Counter[str] = Counter()
        self.changes: list[Row] = []
        self._stopping = stopping
        self._telling = telling

    @property
    def dry_run(self) -> bool:
        return self.holder is None

    async def scopes(
        self, following: Callable[[str | None], Call] = calls.memory_admin.next_scope
    ) -> AsyncIterator[Session]:
        """Iterate over sessions, one for each user whose memories are to be looked at.

        These are the users that the settings name, or all who have any: found one after the other
        by index, as many as there are; *following* names the one after another.
        """
        if self.settings.decay_users:
            for user in self.settings.decay_users:
                yield self.of_user(user)
            return
        after = None
        while rows := await self.session.run(following(after)):
            after = rows[0]["user_id"]
            yield self.of_user(after)

    def of_user(self, user: str) -> Session:
        return dataclasses.replace(self.session, user_id=user)

    async def go_on(self) -> None:
        """Say between two batches that the work goes on. Raises Stopped, StoreError."""
        self.check()
        if self.holder is not None:
            call = calls.memory_admin.worker_lease(self.holder, schema.LEASE_MS)
            [row] = await self.session.run(call)
            if not row["acquired"]:
                raise Stopped(why_not(row))

    def check(self) -> None:
        """Raise Stopped if the process was told to end: enough where the batch keeps the lease."""
        if self._stopping():
            raise Stopped("told to end")

    async def report(self, **counts: int) -> None:
        """Count what a batch did that is not counted in its own transaction; keep the lease."""
        self.tell(counts)
        if self.holder is not None:
            others = {name: counts.pop(name) for name in counts.keys() - {*schema.COUNTERS}}
            done = {"job": self.job, "counts": others, **counts}
            await self.session.run(calls.memory_admin.worker_report(self.holder, done))

    def tell(self, counts: Mapping[str, int]) -> None:
        """Add to what this run did, which the store knows already."""
        self.counts.update(counts)
        self._telling(self.counts)

    def would(self, changes: Iterable[Mapping[str, Any]], **also: Any) -> None:
        """Keep what a dry run would change, each row with *also*; no more than MAX_TOLD rows."""
        room = MAX_TOLD - len(self.changes)
        self.changes += [{**also, **row} for row in islice(changes, room)]


def why_not(status: Mapping[str, Any]) -> str:
    """Return why nobody, or not this one, may work, from a row of the worker's status."""
    if status["paused"]:
        return "work is paused"
    # Nobody: another took over and is done, or what is restored knows of no worker.
    return f"{status['holder']} works" if status["holder"] else "its lease has ended"
