"""A process that kills itself at the *at*-th statement of SQL; one with 0 prints how many it made.

    python dying_process.py FILE AT OPERATION ROUND

It writes, does what OPERATION says, and writes again. A line is printed once a write was
acknowledged: {"text": …}, {"entity": …}, {"embedded": …}, or {"restored": true}. OPERATION is
`worker`, `embed`, `observe`, or `restore`, which needs a backup at FILE.backup.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from concept_graph_mcp import calls, settings
from concept_graph_mcp.hosts.sqlite import opening
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker import fading
from concept_graph_mcp.worker.lease_runner import LeaseRunner

DAY_MS = 86_400_000
NOW_MS = 1_750_000_000_000
WRITES = 10
USER = "default"
MODEL, VECTOR = "toy", [1.0, 0.5, 0.25]


class Life:
    """The writes of one process on its *store*."""

    def __init__(self, store: EmbeddedStore, number: str) -> None:
        self.store, self.number = store, number
        # Each round is a day later, so that the jobs of the worker are due.
        self.now_ms = NOW_MS + int(number) * DAY_MS

    async def call(self, call: calls.Call) -> list[dict[str, Any]]:
        context = {"now_ms": self.now_ms, "tau_ms": DAY_MS, "user_id": USER, "date": "20250615"}
        return await self.store.call(call, context)

    async def write(self, when: str) -> None:
        for place in range(WRITES):
            text = f"{when} {self.number}: Greta has seen number {place} of the boats"
            await self.call(calls.memories.create(USER, text))
            tell("text", text)

    async def work(self) -> None:
        configured = settings.read({"TZ": "UTC"})
        session = Session.of(self.store, configured, Clock(self.now_ms))
        for job in (fading.DECAY, fading.IMMEDIATE, fading.DAILY, fading.WEEKLY):
            await LeaseRunner(session, configured, 3, holder="the only one").run(job)

    async def embed(self) -> None:
        while not (await self.call(calls.embedding.choose(MODEL, len(VECTOR), False)))[0]["chosen"]:
            pass
        for _ in range(3):
            rows = await self.call(calls.embedding.lacking(5))
            vectors = [{**row, "vector": VECTOR} for row in rows]
            await self.call(calls.embedding.embed(MODEL, vectors))
            for row in rows:
                tell("embedded", row["key"][-1])

    async def observe(self) -> None:
        for place in range(WRITES):
            name = f"Zora{self.number}x{place}"
            seen = [{"label": name, "type": "entity"}]
            message = f"{name} came with Greta"
            await self.call(
                calls.entities.observe(f"s{self.number}", f"m{place}", "user", message, seen)
            )
            tell("entity", name)
        await self.call(calls.entities.end_session(f"s{self.number}"))

    async def restore(self) -> None:
        await self.store.restore(Path(f"{self.store.location}.backup"))
        tell("restored", True)


def tell(what: str, value: Any) -> None:
    print(json.dumps({what: value}), flush=True)  # noqa: T201


def die_at(at: int) -> Callable[[], int]:
    """Have the process kill itself at its *at*-th statement; return what counts them."""
    made = 0
    connect = opening._connection

    def counted(_: str) -> None:
        nonlocal made
        made += 1
        if made == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(uri: str) -> Any:
        connection = connect(uri)
        connection.set_trace_callback(counted)
        return connection

    opening._connection = watched
    return lambda: made


async def main(location: str, at: str, operation: str, number: str) -> None:
    count = die_at(int(at))
    store = EmbeddedStore(Path(location))
    await store.open()
    life = Life(store, number)
    await life.write("before")
    done = {"worker": life.work, "embed": life.embed, "observe": life.observe}
    await (done | {"restore": life.restore})[operation]()
    await life.write("after")
    await store.close()
    tell("statements", count())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
