"""Warn if no worker runs on Memgraph: without one nothing decays or is consolidated."""

from collections.abc import Mapping
from typing import Any, Final

from conceptgraph_core.texts.dates import DAY_MS

from . import calls
from .errors import StoreError
from .session import Session

# After two days the nightly jobs have been missed twice.
OVERDUE_MS: Final = 2 * DAY_MS
# The job that servers run themselves, without a worker.
OWN: Final = "embed"
START: Final = "run concept-graph-mcp worker as a service"


async def advice(session: Session) -> str | None:
    """Return a warning if no job has run for two days; None if all is well.

    The server of a store file runs the jobs itself.
    """
    if "://" not in session.store.location:
        return None
    [status] = await session.run(calls.memories.worker_status())
    last = last_run(status)
    if last is None:
        return f"no job has ever run on this store; {START}"
    days = (session.clock.now_ms() - last) // DAY_MS
    return f"no job has run for {days} days; {START}" if days * DAY_MS >= OVERDUE_MS else None


class Daily:
    """Gives the same warning with the first call of a day; a store without an answer is ignored.

    A user of somebody else's server can do nothing about it, and gets none.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked_on = ""

    async def advice(self) -> str | None:
        if not self._session.is_owner:
            return None
        today = self._session.date(self._session.clock.now_ms())
        if self._asked_on == today:
            return None
        self._asked_on = today
        try:
            return await advice(self._session)
        except StoreError:
            return None


def last_run(status: Mapping[str, Any]) -> int | None:
    """Return the end of a worker's last job (unix ms), from a row of the worker's status."""
    return max(
        (job["finished_at"] for job in status["jobs"] if job["finished_at"] and job["job"] != OWN),
        default=None,
    )
