"""Run jobs under the lease, which only one worker has, and report them to the store."""

import hashlib
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from pathlib import Path
from time import perf_counter
from typing import Any

from conceptgraph_core.jobs import schema
from conceptgraph_core.texts.dates import DAY_MS

from .. import calls
from ..errors import Refused, StoreError
from ..session import Session
from ..settings import Settings
from .job import Job, JobRun, Row, Stopped, Telling, why_not

DONE = "done"
NOT_DUE = "not due"
STOPPED = "stopped"
FAILED = "failed"
_MINUTE = timedelta(minutes=1)
_WEEKDAYS = {"sun": 6}


def _name_holder(process: int) -> str:
    """Return a name for a runner in *process*, by which others tell whether that still lives.

    Containers may share a host's name, and the first process of each has the same number.
    """
    life = _read_life(process) or ("", "")
    return ":".join((socket.gethostname(), str(process), *life, secrets.token_hex(3)))


def _is_dead(holder: str | None) -> bool:
    """Tell whether *holder* was a process of this machine, since its start, that has ended."""
    host, process, place, began, *_ = [*(holder or "").split(":"), *[""] * 4]
    here = _read_life(os.getpid())
    if here is None or (host, place) != (socket.gethostname(), here[0]) or not process.isdigit():
        return False
    life = _read_life(int(process))
    return life is None or life[1] != began


def _read_life(process: int) -> tuple[str, str] | None:
    """Return where *process* runs, this start of the machine and its container, and when it began.

    None if it has ended, or where the system does not tell.
    """
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        start = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = Path("/proc/self/ns/pid").readlink()
    except OSError:
        return None
    # The name of the program, in brackets, may have spaces.
    state, *fields = stat.rpartition(")")[2].split()
    place = hashlib.sha256(f"{start} {space}".encode()).hexdigest()[:12]
    return None if state in "ZX" else (place, fields[18])


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an attempt to run a job: DONE, NOT_DUE, or STOPPED and why."""

    job: str
    what: str
    why: str = ""
    counts: dict[str, int] | None = None
    changes: tuple[Row, ...] = ()
    duration_ms: int = 0


class LeaseRunner:
    """Runs jobs on the store of *session*, at the time of its clock, one after the other.

    Without *stopping* a run goes on to its end; else until *stopping* returns True between batches.
    """

    def __init__(
        self,
        session: Session,
        settings: Settings,
        batch: int = schema.BATCH,
        stopping: Callable[[], bool] = lambda: False,
        holder: str | None = None,
    ) -> None:
        self.session = session
        self.holder = holder or _name_holder(os.getpid())
        self._settings = settings
        self._batch = batch
        self._stopping = stopping
        # Called with the counts while a job runs.
        self.telling: Telling = lambda _: None

    @property
    def told_to_end(self) -> bool:
        return self._stopping()

    async def status(self) -> Row:
        [row] = await self.session.run(calls.memories.worker_status())
        return row

    async def rehearse(self, job: Job) -> Outcome:
        """Return the outcome of a run of *job* now, without changes. Raises StoreError."""
        began = perf_counter()
        turn = self._turn(job, holder=None)
        await job.run(turn)
        return self._outcome(turn, DONE, began)

    async def run(self, job: Job, if_due: bool = False) -> Outcome:
        """Run *job* if no other worker is running; with *if_due*, only if it is due.

        Raises StoreError, after recording the failure in the store if the store can be reached.
        """
        started_at = self.session.clock.now_ms()
        lease = calls.memories.worker_lease(self.holder, schema.LEASE_MS)
        [row] = await self.session.run(lease)
        if not row["acquired"] and _is_dead(row["holder"]):
            await self.session.run(calls.memories.worker_lease(row["holder"], 0))
            [row] = await self.session.run(lease)
        if not row["acquired"]:
            return Outcome(job.name, STOPPED, why_not(row))
        try:
            if if_due and not is_due(job, row, started_at, self.session.zone):
                return Outcome(job.name, NOT_DUE)
            return await self._run(job, started_at)
        finally:
            # If the store cannot be reached, the lease ends by itself.
            with suppress(StoreError):
                await self.session.run(calls.memories.worker_lease(self.holder, 0))

    async def _run(self, job: Job, started_at: int) -> Outcome:
        began = perf_counter()
        turn = self._turn(job, self.holder)
        try:
            await job.run(turn)
        except Stopped as stopped:
            return self._outcome(turn, STOPPED, began, str(stopped))
        except StoreError as error:
            why = await self._taken_away(error)
            if why:
                return self._outcome(turn, STOPPED, began, why)
            await self._report(job, {"errors": 1, "last_error": str(error)}, quietly=True)
            raise
        outcome = self._outcome(turn, DONE, began)
        finished = self.session.clock.now_ms()
        times = {
            "started_at": started_at,
            "finished_at": finished,
            "duration_ms": outcome.duration_ms,
        }
        await self._report(job, {"runs": 1, "last_error": "", **times})
        return outcome

    async def _taken_away(self, error: StoreError) -> str:
        """Return why *error* means the loss of the lease, or "" if it is a failure."""
        if not isinstance(error, Refused):
            return ""
        row = await self.status()
        return why_not(row) if row["paused"] or row["holder"] != self.holder else ""

    async def _report(self, job: Job, done: Row, quietly: bool = False) -> None:
        try:
            call = calls.memories.worker_report(self.holder, {"job": job.name, **done})
            await self.session.run(call)
        except StoreError:
            # The caller raises the error itself.
            if not quietly:
                raise

    def _turn(self, job: Job, holder: str | None) -> JobRun:
        return JobRun(
            job.name,
            self.session,
            self._settings,
            holder,
            batch=self._batch,
            stopping=self._stopping,
            telling=self.telling,
        )

    def _outcome(self, turn: JobRun, what: str, began: float, why: str = "") -> Outcome:
        took = int((perf_counter() - began) * 1_000)
        return Outcome(turn.job, what, why, dict(turn.counts), tuple(turn.changes), took)


def is_due(job: Job, status: Row, now_ms: int, zone: tzinfo) -> bool:
    """Return whether a time of *job* has come since its last finished run began.

    A run that began more than a day in the future had a wrong clock, and is ignored.
    """
    known: list[Any] = [one for one in status["jobs"] if one["job"] == job.name]
    started_at = known[0]["started_at"] if known else None
    if started_at is None or started_at > now_ms + DAY_MS:
        return True
    return next_due_ms(job, started_at, zone) <= now_ms


def next_due_ms(job: Job, after_ms: int, zone: tzinfo) -> int:
    """Return the next time of *job* after *after_ms* (unix ms)."""
    after = datetime.fromtimestamp(after_ms / 1000, UTC)
    hour, minute = job.schedule.get("hour"), str(job.schedule.get("minute", 0))
    if hour is None:
        _, _, step = minute.partition("/")
        due = after.replace(second=0, microsecond=0) + _MINUTE
        # The hour that comes twice has each of its minutes twice.
        while due.astimezone(zone).minute % int(step or 60) != (0 if step else int(minute)):
            due += _MINUTE
        return int(due.timestamp() * 1000)
    weekday = _WEEKDAYS.get(job.schedule.get("day_of_week", ""))
    day = after.astimezone(zone).date()
    while True:
        # A time that a day leaves out comes as much later as its clock springs.
        due_ms = int(datetime.combine(day, time(hour, int(minute)), zone).timestamp() * 1000)
        if due_ms > after_ms and weekday in {None, day.weekday()}:
            return due_ms
        day += timedelta(days=1)
