"""Run the worker as a service: jobs by the clock, until the process is asked to end."""

import logging
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio

from .. import logs
from ..errors import Misdeployed, StoreError, Unauthenticated, Unavailable
from .job import Job
from .lease_runner import DONE, STOPPED, LeaseRunner, Outcome, next_due_ms

logger = logging.getLogger("concept_graph_mcp.worker")


def tell(event: str, level: int = logging.INFO, /, **fields: Any) -> None:
    """Log *event*, a few words, with *fields*."""
    logs.tell(logger, event, level, **fields)


# Seconds after which a job is tried again when the store is away or another worker is running.
AGAIN_S = 60
_ENDING = (signal.SIGTERM, signal.SIGINT)


class Service:
    """Runs due jobs, one at a time; each problem is logged once."""

    def __init__(self, worker: LeaseRunner, metrics: Path | None = None) -> None:
        self._worker = worker
        self._metrics = metrics
        self._one_at_a_time = anyio.Lock()
        # The problem logged last, such as an unreachable store or a pause; not logged again.
        self._told = ""

    async def attempt(self, job: Job) -> bool:
        """Run *job* if it is due; return whether this attempt was the last.

        Raises Misdeployed, Unauthenticated: no later attempt can succeed.
        """
        async with self._one_at_a_time:
            if self._worker.told_to_end:
                # Jobs that waited for another one do not begin after a stop.
                return True
            try:
                outcome = await self._worker.run(job, if_due=True)
                await self._write_metrics()
            except (Misdeployed, Unauthenticated):
                raise
            except StoreError as error:
                # An unreachable store has several error messages.
                away = isinstance(error, Unavailable)
                fields = {"job": job.name, "error": str(error)}
                about = "away" if away else str(error)
                self._tell_once(logging.ERROR, "failed", about=about, **fields)
                return False
            return self._log(outcome)

    async def wait_until_idle(self) -> None:
        """Wait until no job is running."""
        async with self._one_at_a_time:
            return

    def _log(self, outcome: Outcome) -> bool:
        if outcome.what == STOPPED:
            # The job has not begun, or it ends between two batches.
            event = "waits" if outcome.counts is None else "stopped"
            self._tell_once(
                logging.INFO, event, about=outcome.why, job=outcome.job, why=outcome.why
            )
            return False
        if self._told:
            self._told = ""
            tell("works again")
        if outcome.what == DONE:
            counts = outcome.counts or {}
            tell("done", job=outcome.job, duration_ms=outcome.duration_ms, **counts)
        return True

    def _tell_once(self, level: int, event: str, *, about: str, **fields: str) -> None:
        if about != self._told:
            self._told = about
            tell(event, level, **fields)

    async def _write_metrics(self) -> None:
        if self._metrics is None:
            return
        from . import metrics

        try:
            metrics.write(self._metrics, await self._worker.status())
        except OSError as error:
            tell("no metrics", logging.WARNING, file=self._metrics, error=error.strerror)


async def serve(
    worker: LeaseRunner, jobs: Sequence[Job], metrics: Path | None, stop: Callable[[], None]
) -> None:
    """Run *jobs* until SIGTERM or SIGINT, which calls *stop* and waits for the current batch.

    Due jobs run at once. Raises Misdeployed, Unauthenticated.
    """
    service, zone = Service(worker, metrics), worker.session.zone
    failed: list[StoreError] = []
    ended = anyio.Event()

    async def attempt(job: Job) -> None:
        while not ended.is_set():
            try:
                done = await service.attempt(job)
            except (Misdeployed, Unauthenticated) as error:
                failed.append(error)
                ended.set()
                return
            now = time.time()
            due = next_due_ms(job, int(now * 1000), zone) / 1000
            due = due if done else min(due, now + AGAIN_S)
            # In steps, because a machine that is asleep waits no further.
            while (left := due - time.time()) > 0 and not ended.is_set():
                with anyio.move_on_after(min(left, AGAIN_S)):
                    await ended.wait()

    tell("started", holder=worker.holder, jobs=",".join(job.name for job in jobs))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_set_when_told, ended)
        for job in jobs:
            tasks.start_soon(attempt, job)
        await ended.wait()
        stop()
        await service.wait_until_idle()
        tasks.cancel_scope.cancel()
    tell("ended")
    if failed:
        raise failed[0]


async def _set_when_told(ended: anyio.Event) -> None:
    """Set *ended* at the first signal; a second signal has its default effect."""
    with anyio.open_signal_receiver(*_ENDING) as received:
        async for _ in received:
            ended.set()
            return
