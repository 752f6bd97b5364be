"""Failing over by hand, step by step as the page says, while clients write."""

import os
import re
from collections.abc import Callable, Iterator, Mapping

import anyio
import pytest
from memgraph_process import VARIABLE, MemgraphProcess, eventually, free_port
from neo4j.exceptions import ClientError
from tests.markdown import ROOT, blocks

from concept_graph_mcp import calls
from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.hosts.memgraph.store import BoltStore

pytestmark = pytest.mark.skipif(VARIABLE not in os.environ, reason=f"needs {VARIABLE}")

PAGE = ROOT / "docs/operate/failover.md"
OLD, NEW, OTHER = "main.example", "replica-1.example", "replica-2.example"
NOW_MS = 1_750_000_000_000
WRITERS, ENOUGH = 4, 100
CONTENTS = "MATCH (m:Memory) RETURN m.content AS content"
COUNT = "MATCH (n) RETURN count(n) AS nodes"


@pytest.fixture
def servers(tmp_path) -> Iterator[Mapping[str, MemgraphProcess]]:
    """The servers of the page, by their names there, each as on a machine of its own."""
    made = {
        name: MemgraphProcess(tmp_path / name, host=f"127.0.0.{number}")
        for number, name in enumerate((OLD, NEW, OTHER), 1)
    }
    yield made
    for one in made.values():
        one.kill()


@pytest.fixture
def follow(servers) -> Callable[[str], None]:
    """Runs the statements under a heading of the page, on the servers that it names."""
    ports = {name: free_port() for name in servers}

    def follow(heading: str) -> None:
        for block in blocks(PAGE):
            if block.heading == heading:
                for name in block.marker.removeprefix("not run: on ").split(", "):
                    servers[name].rows(told(block.text, name))

    def told(statement: str, at: str) -> str:
        def address(match: re.Match[str]) -> str:
            return f"{servers[match[1]].host}:{ports[match[1]]}"

        here = re.sub(r"([a-z0-9-]+\.example):10000", address, statement)
        return here.replace("PORT 10000", f"PORT {ports[at]}")

    return follow


async def opened(uri: str) -> BoltStore:
    store = BoltStore(uri, "", "")
    await store.open()
    return store


async def write(store: BoltStore, writer: int, acknowledged: list[str]) -> None:
    """Store one text after the other until the server is gone."""
    number = 0
    while True:
        number += 1
        text = f"Writer {writer} has written number {number}"
        try:
            rows = await store.call(calls.memories.create("default", text), {"now_ms": NOW_MS})
        except StoreError:
            return
        assert getattr(rows, "advice", None) is None
        acknowledged.append(text)


async def killed_under_writes(server: MemgraphProcess) -> list[str]:
    """Kill *server* while clients write; return what was acknowledged."""
    acknowledged: list[str] = []
    store = await opened(server.uri)
    async with anyio.create_task_group() as tasks:
        for writer in range(WRITERS):
            tasks.start_soon(write, store, writer, acknowledged)
        while len(acknowledged) < ENOUGH:
            await anyio.sleep(0.05)
        server.kill()
    await store.close()
    return acknowledged


@pytest.mark.slow
def test_failing_over_loses_nothing_that_was_acknowledged(servers, follow, portal):
    old, new, other = servers[OLD], servers[NEW], servers[OTHER]
    follow("Fail over by hand")
    acknowledged = portal.call(killed_under_writes, old)
    follow("The main is lost")
    for server in (new, other):
        kept = {row["content"] for row in server.rows(CONTENTS)}
        assert not set(acknowledged) - kept
    store = portal.call(opened, new.uri)
    rows = portal.call(store.call, calls.memories.create("default", "After"), {"now_ms": NOW_MS})
    assert not hasattr(rows, "advice")
    portal.call(store.close)
    assert {"content": "After"} in other.rows(CONTENTS)

    old.start()
    # It starts as a main: its Bolt port must be closed to clients.
    with pytest.raises(ClientError, match="still committed"):
        old.rows("CREATE (:Memory {content: 'Stray'})")
    with pytest.raises(ClientError, match="Error: 3"):
        follow("The old main comes back")
    new.rows("DROP REPLICA old")
    old.kill()
    old.empty()
    old.start()
    follow("The old main comes back")
    new.await_replicas()
    counts = [server.rows(COUNT) for server in servers.values()]
    assert counts[1:] == counts[:-1]
    assert {"content": "Stray"} not in old.rows(CONTENTS)


@pytest.mark.slow
def test_an_old_main_that_nobody_wrote_to_comes_back_with_its_data(servers, follow):
    follow("Fail over by hand")
    old, new = servers[OLD], servers[NEW]
    old.rows("CREATE (:Memory {content: 'Before'})")
    old.kill()
    follow("The main is lost")
    new.rows("CREATE (:Memory {content: 'After'})")
    old.start()
    follow("The old main comes back")
    new.await_replicas()
    eventually(lambda: len(old.rows(CONTENTS)) == 2)
    assert old.rows(CONTENTS) == [{"content": "Before"}, {"content": "After"}]
