"""The nights over entities in a process of their own, which may be killed at a call that writes.

    python night_process.py LOCATION NOW_MS [AT WHEN]

LOCATION is the path of a file or a bolt:// URI. At the AT-th call that writes, the process kills
itself: `before` the store hears of it, `within` (all of it is written but nothing committed; of a
Memgraph: once it was sent, wherever that has come by then), or `after` it was answered. One that is
not killed prints how many such calls there were.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from worker_process import opened

from concept_graph_mcp import settings
from concept_graph_mcp.calls import Call
from concept_graph_mcp.hosts.sqlite.database import Database
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker import fading
from concept_graph_mcp.worker.lease_runner import LeaseRunner

# Steps of the event loop: more than it takes until a call was sent.
_SENT = 40


class Dying:
    """A store whose process kills itself at the *at*-th call that writes; 0: at none."""

    def __init__(self, store: Any, at: int, when: str) -> None:
        self.location = store.location
        self.writes = 0
        self._store, self._at, self._when = store, at, when

    async def call(self, call: Call, context: Any) -> Any:
        self.writes += call.procedure.writes
        if self.writes != self._at or not call.procedure.writes:
            return await self._store.call(call, context)
        if self._when == "within" and isinstance(self.location, Path):
            Database.commit = lambda _: _die()  # type: ignore[assignment, method-assign]
        if self._when != "before":
            answer = asyncio.ensure_future(self._store.call(call, context))
            for _ in range(_SENT):
                await asyncio.sleep(0)
            if self._when == "after" or isinstance(self.location, Path):
                await answer
        return _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def main(location: str, now_ms: str, at: str = "0", when: str = "before") -> None:
    store = opened(location)
    configured = settings.read({"TZ": "UTC"})
    dying = Dying(store, int(at), when)
    session = Session.of(dying, configured, Clock(int(now_ms)))
    for job in (fading.IMMEDIATE, fading.DAILY, fading.WEEKLY):
        await LeaseRunner(session, configured, 3, holder="the only one").run(job)
    await store.close()
    print(dying.writes, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
