"""List the jobs, and run those due on a store file in the server that has it open.

Users who start a server with `--embedded` start no worker beside it. Without a worker nothing
decays, nothing is consolidated and new texts have no vector. So the server runs the due jobs
itself, under the lease that every worker takes: of several servers on one file one works at a time.
A server of a database makes the vectors alone, for the database cannot.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

import anyio

from .. import user_files
from ..errors import one_line
from ..hosts.per_user import UserFiles
from ..session import Session
from ..settings import Settings
from . import embedding, fading, groups
from .job import Job
from .lease_runner import STOPPED, LeaseRunner, is_due, next_due_ms

JOBS: tuple[Job, ...] = (
    fading.DECAY,
    fading.IMMEDIATE,
    fading.DAILY,
    fading.WEEKLY,
    fading.LAPSES,
    fading.PURGE,
    embedding.JOB,
    groups.JOB,
)


def choose_configured(settings: Settings, jobs: Sequence[Job] = JOBS) -> list[Job]:
    """Return those of *jobs* whose settings are complete."""
    return [job for job in jobs if job.missing(settings) is None]


logger = logging.getLogger(__name__)

EVERY_S = 60.0
# Calls wait for the current batch, which must be short: a tenth of a worker's batch.
BATCH = 50
# To look for texts without a vector takes at most one in so many seconds.
_LOOKING_SHARE = 500
# Seconds for which an ending server waits for the current batch.
PATIENCE_S = 2.0


class _EveryMinute(ABC):
    """Runs what is due every minute, until `end`."""

    def __init__(self) -> None:
        self._ending = False
        self._idle = anyio.Event()
        self._idle.set()

    @abstractmethod
    async def run_due(self) -> object:
        """Run the jobs that are due now."""

    async def run(self) -> None:
        """Run due jobs every minute, until `end`."""
        while not self._ending:
            self._idle = anyio.Event()
            try:
                await self.run_due()
            finally:
                self._idle.set()
            await anyio.sleep(EVERY_S)

    def stop(self) -> None:
        """Let no batch begin after the current one."""
        self._ending = True

    async def end(self) -> None:
        """Wait for the current batch; no other one begins after it."""
        self.stop()
        with anyio.move_on_after(PATIENCE_S):
            await self._idle.wait()


class Along(_EveryMinute):
    """Runs the jobs of *settings* on the store of *session* whenever they are due."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self._file = settings.embedded
        self._logged = ""
        # A database has a worker beside it for all other jobs.
        jobs = JOBS if self._file is not None else (embedding.JOB,)
        self._jobs: Sequence[Job] = choose_configured(settings, jobs)
        self._looks_at_s = 0.0
        self._worker = LeaseRunner(session, settings, BATCH, lambda: self._ending)

    async def run_due(self) -> list[str]:
        """Run the jobs that are due now, and return their names.

        Paused jobs, and jobs that another worker runs, are skipped. A job that fails is logged once
        and tried again a minute later.
        """
        ran: list[str] = []
        # Only a call that writes creates the file.
        if self._file is not None and not self._file.exists():
            return ran
        try:
            for job in self._jobs:
                status = await self._worker.status()
                now_ms, zone = self._worker.session.clock.now_ms(), self._worker.session.zone
                if self._ending:
                    continue
                due = is_due(job, status, now_ms, zone)
                if not due and not (job is embedding.JOB and await self.is_behind()):
                    continue
                outcome = await self._worker.run(job, if_due=due)
                if outcome.what == STOPPED:
                    break
                ran.append(job.name)
            self._logged = ""
        # Any exception: a job that fails must not end the server.
        except Exception as error:  # noqa: BLE001
            if str(error) != self._logged:
                self._logged = str(error)
                logger.warning("the due jobs could not be run: %s", one_line(error))
        return ran

    async def is_behind(self) -> bool:
        """Return whether texts lack vectors, such as those that another process has stored."""
        began = monotonic()
        if began < self._looks_at_s:
            return False
        found = await embedding.is_behind(self._worker.session)
        # In a large store this takes a while, and others wait for it.
        self._looks_at_s = began + max(EVERY_S, _LOOKING_SHARE * (monotonic() - began))
        return found


class VectorsAlong(Along):
    """Embeds the texts that lack a vector, for a program that runs no other job."""

    async def run_due(self) -> list[str]:
        """Embed what lacks a vector now, and return the names of the jobs that ran."""
        try:
            if (self._file is None or self._file.exists()) and await self.is_behind():
                await self._worker.run(embedding.JOB)
                return [embedding.JOB.name]
        # Any exception: the program has not asked for it.
        except Exception as error:  # noqa: BLE001
            logger.debug("texts have no vectors yet: %s", one_line(error))
        return []


class AlongEach(_EveryMinute):
    """Runs the jobs of *settings* on the file of each user of *files*, one file after the other.

    A file is opened at the times of the jobs only, whether or not its user calls. A file that fails
    is logged, and left until then.
    """

    def __init__(self, session: Session, settings: Settings, files: UserFiles) -> None:
        super().__init__()
        self._session = session
        self._settings = settings
        self._files = files
        self._jobs = choose_configured(settings)
        self._now: Along | None = None
        # When the next job is due on each file (unix ms).
        self._due_ms: dict[Path, int] = {}

    async def run_due(self) -> int:
        """Run the jobs that are due now; return on how many files."""
        now_ms, zone = self._session.clock.now_ms(), self._session.zone
        try:
            there = user_files.files(self._files.directory)
        except OSError as error:
            logger.warning("the due jobs could not be run: %s", error)
            return 0
        due = [file for file in there if self._due_ms.get(file, 0) <= now_ms]
        for file in due:
            if self._ending:
                break
            session = replace(self._session, store=self._files.of(file))
            self._now = Along(session, replace(self._settings, embedded=file))
            await self._now.run_due()
            self._due_ms[file] = min(next_due_ms(job, now_ms, zone) for job in self._jobs)
        return len(due)

    def stop(self) -> None:
        super().stop()
        if self._now is not None:
            self._now.stop()
