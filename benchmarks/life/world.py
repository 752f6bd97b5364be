"""The store that lives are lived in, on either host, and its simulated clock."""

import os
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio

from concept_graph_mcp import settings
from concept_graph_mcp.hosts.lazy import connect
from concept_graph_mcp.hosts.store import KeptStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker.job import Job
from concept_graph_mcp.worker.lease_runner import LeaseRunner, Outcome

from .histories import ZONE, Row
from .person import Person

ROOT = Path(__file__).parents[2]


@dataclass
class World:
    """One store. Commands are run beside it, as an owner runs them beside a server."""

    store: KeptStore
    folder: Path
    environment: dict[str, str]
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self._settings = settings.read(self.environment)
        self._worker = LeaseRunner(self.session("default"), self._settings)

    def session(self, user: str) -> Session:
        return replace(Session.of(self.store, self._settings, self.clock), user_id=user)

    def person(self, user: str) -> Person:
        return Person(self.session(user))

    async def work(self, job: Job) -> Outcome:
        """Let the worker do *job* now."""
        return await self._worker.run(job)

    async def rehearse(self, job: Job) -> Outcome:
        return await self._worker.rehearse(job)

    async def command(self, *arguments: str, user: str = "default") -> str:
        """Run the program with *arguments* at this time, and return what it prints."""
        environment = {**os.environ, **self.environment, "CONCEPT_GRAPH_USER": user}
        paths = str(ROOT), os.environ.get("PYTHONPATH", "")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        at = str(self.clock.now_ms())
        line = [sys.executable, "-m", "benchmarks.life.command", at, *arguments]
        done = await anyio.run_process(line, env=environment, cwd=self.folder, check=False)
        told = (done.stdout + done.stderr).decode()
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: {told}")
        return told

    async def records(self) -> dict[str, list[Row]]:
        """Return all that is stored, by the kind of record."""
        found: dict[str, list[Row]] = defaultdict(list)
        async for batch in self.store.stream():
            for record in batch:
                found[record["kind"]].append(record)
        return found


@asynccontextmanager
async def opened(
    folder: Path, uri: str | None, name: str, languages: str = "en,de", **settings_: str
) -> AsyncIterator[World]:
    """An empty world: a file in *folder*, or the Memgraph at *uri*, which is emptied."""
    own = folder / name
    own.mkdir(parents=True)
    spoken = {"CONCEPT_GRAPH_LANGUAGES": languages}
    environment = {"TZ": ZONE.key, **spoken, **settings_}
    # Calls in this process read them there.
    os.environ.update(spoken)
    if uri is None:
        environment["CONCEPT_GRAPH_EMBEDDED"] = str(own / "life.db")
    else:
        environment["MEMGRAPH_URI"] = uri
    store = connect(settings.read(environment), creates=True)
    try:
        await store.open()
        if uri is not None:
            await store.restore(None)
        yield World(store, own, environment)
    finally:
        await store.close()


def mine(records: list[dict[str, Any]], user: str) -> list[Row]:
    return [one for one in records if one.get("user_id") == user]
