"""Define a job of the worker."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..settings import Settings
from .job_run import JobRun

_DAYS = {"sun": "Sunday"}


@dataclass(frozen=True, slots=True)
class Job:
    """A scheduled job that works in batches of one transaction each.

    `schedule` says when, in the zone of TZ: the fields of a cron line, as APScheduler's CronTrigger
    takes them (`{"hour": 2, "minute": 0}`). `run` goes through its batches and calls the turn's
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
