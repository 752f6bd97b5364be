"""Define a job of the worker.

Represent one run of a job: its user, whether to go on, and its results.
"""

import dataclasses
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from conceptgraph_core.jobs import schema

from .. import calls
from ..calls import Call
from ..session import Session
from ..settings import Settings

Row = dict[str, Any]

# Called with a run's counts so far, whenever they have grown.
Telling = Callable[[Mapping[str, int]], None]
# At most this many changes of a dry run are kept for printing.
MAX_TOLD = 10_000


class Stopped(Exception):
    """The run must end between two batches: the process was stopped, or the lease is lost."""


class JobRun:
    """One run of *job* by *holder*, who has the lease; a dry run needs no lease and has no holder.

    `counts` are its results. `changes` are the changes of a dry run with their reasons: rows with
    any of user_id, memory_id, text, from, to, score and why. `batch` is the size of one
    transaction.
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
        self, following: Callable[[str | None], Call] = calls.memories.next_scope
    ) -> AsyncIterator[Session]:
        """Iterate over sessions, one for each user whose memories are to be processed.

        These are the users in the settings, or else all users with memories. *following* returns
        the next user after a given one, read by index.
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
        """Renew the lease between two batches. Raises Stopped, StoreError."""
        self.check()
        if self.holder is not None:
            call = calls.memories.worker_lease(self.holder, schema.LEASE_MS)
            [row] = await self.session.run(call)
            if not row["acquired"]:
                raise Stopped(why_not(row))

    def check(self) -> None:
        """Raise Stopped if the process was asked to end.

        For batches that renew the lease themselves.
        """
        if self._stopping():
            raise Stopped("told to end")

    async def report(self, **counts: int) -> None:
        """Add *counts* that a batch did not store in its own transaction; renew the lease."""
        self.tell(counts)
        if self.holder is not None:
            others = {name: counts.pop(name) for name in counts.keys() - {*schema.COUNTERS}}
            done = {"job": self.job, "counts": others, **counts}
            await self.session.run(calls.memories.worker_report(self.holder, done))

    def tell(self, counts: Mapping[str, int]) -> None:
        """Add to the results of this run; the store has counted them already."""
        self.counts.update(counts)
        self._telling(self.counts)

    def would(self, changes: Iterable[Mapping[str, Any]], **also: Any) -> None:
        """Record the changes of a dry run, each row with *also*; at most MAX_TOLD rows."""
        room = MAX_TOLD - len(self.changes)
        self.changes += [{**also, **row} for row in islice(changes, room)]


def why_not(status: Mapping[str, Any]) -> str:
    """Return why no worker, or not this one, may run, from a row of the worker's status."""
    if status["paused"]:
        return "work is paused"
    # No holder: another worker took over and has finished, or a restored backup has no lease.
    return f"{status['holder']} works" if status["holder"] else "its lease has ended"


_DAYS = {"sun": "Sunday"}


@dataclass(frozen=True, slots=True)
class Job:
    """A scheduled job that works in batches of one transaction each.

    `schedule` says when, in the zone of TZ: `hour` and `minute`, of each hour without `hour`;
    `day_of_week`; "*/10" for every ten minutes. `run` goes through its batches and calls the turn's
    `go_on` between two of them. In a dry run it changes nothing and reports the changes to `would`.
    Repeated at the same time it finds nothing left to do, so the next run completes a killed one.
    `missing` returns the setting that the job lacks, or None.
    """

    name: str
    does: str
    schedule: Mapping[str, Any]
    run: Callable[[JobRun], Awaitable[None]]
    missing: Callable[[Settings], str | None] = lambda _: None

    @property
    def in_words(self) -> str:
        """Return the schedule in words, after "it runs"."""
        hour, minute = self.schedule.get("hour"), self.schedule["minute"]
        _, _, step = str(minute).partition("/")
        if step:
            return f"every {step} minutes"
        if hour is None:
            return f"{minute} minutes past every hour" if minute else "every hour"
        day = _DAYS[self.schedule["day_of_week"]] if "day_of_week" in self.schedule else "day"
        return f"every {day} at {hour:02}:{minute:02}"
