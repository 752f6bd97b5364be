"""List the jobs, in the order in which due ones run."""

from collections.abc import Sequence

from ..settings import Settings
from . import embedding, entities, fading, groups
from .job import Job

JOBS: tuple[Job, ...] = (
    fading.DECAY,
    entities.IMMEDIATE,
    entities.DAILY,
    entities.WEEKLY,
    fading.LAPSES,
    fading.PURGE,
    embedding.JOB,
    groups.JOB,
)


def choose_configured(settings: Settings, jobs: Sequence[Job] = JOBS) -> list[Job]:
    """Return those of *jobs* whose settings are complete."""
    return [job for job in jobs if job.missing(settings) is None]
