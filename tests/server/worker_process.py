"""A worker in a process of its own: one run of `decay` at a time that it is told.

    python worker_process.py LOCATION NOW_MS HOLDER BATCH

LOCATION is the path of a file or a bolt:// URI. What came of the run is printed as a line.
"""

import asyncio
import json
import sys
from pathlib import Path

from concept_graph_mcp import settings
from concept_graph_mcp.hosts.store import Store
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker import fading
from concept_graph_mcp.worker.lease_runner import LeaseRunner


async def main(location: str, now_ms: str, holder: str, batch: str) -> None:
    store = opened(location)
    configured = settings.read({"TZ": "UTC"})
    session = Session.of(store, configured, Clock(int(now_ms)))
    outcome = await LeaseRunner(session, configured, int(batch), holder=holder).run(fading.DECAY)
    await store.close()
    print(json.dumps({"what": outcome.what, "why": outcome.why}), flush=True)  # noqa: T201


def opened(location: str) -> Store:
    if "://" in location:
        from concept_graph_mcp.hosts.memgraph.store import BoltStore

        return BoltStore(location, "", "")
    from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore

    return EmbeddedStore(Path(location))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
