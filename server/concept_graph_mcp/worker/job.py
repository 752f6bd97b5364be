"""What a job of the worker is."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..settings import Settings
from .job_run import JobRun


@dataclass(frozen=True, slots=True)
class Job:
    """Something to be done at times, in batches that are a transaction each.

    `schedule` is when, in the zone of TZ: the fields of a cron line, as APScheduler's CronTrigger
    takes them (`{"hour": 2, "minute": 0}`). `run` goes through its batches: it calls the turn's
    `go_on` between two of them, changes nothing in a dry run but says what it `would`, and repeated
    at the same time finds nothing left to do: so a run that was killed is completed by the next.
    `missing` says what must be set for it to be run at all, or None.
    """

    name: str
    does: str
    schedule: Mapping[str, Any]
    run: Callable[[JobRun], Awaitable[None]]
    missing: Callable[[Settings], str | None] = lambda _: None

    @property
    def when(self) -> str:
        """When it is due, as a person says it."""
        hour, minute = self.schedule.get("hour"), self.schedule["minute"]
        if hour is None:
            return f"hourly, minute {minute}"
        return f"{self.schedule.get('day_of_week', 'daily')} {hour:02}:{minute:02}"
