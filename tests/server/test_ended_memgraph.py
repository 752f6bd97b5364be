"""Calls that are ended before they are done, on Memgraph: the query ends there, too."""

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import anyio
import endless_recall
import neo4j
import pytest
from memgraph_process import eventually
from server_processes import StdioServer

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Ended
from concept_graph_mcp.hosts.memgraph import pulling
from concept_graph_mcp.hosts.memgraph.store import BoltStore

CONTEXT = {"now_ms": 1_750_000_000_000, "tau_ms": 86_400_000, "date": "20250615"}
ENDLESS = (
    "CREATE (:Concept {name: 'half-way'}) WITH 1 AS one"
    " UNWIND range(1, 100001) AS a UNWIND range(1, 100001) AS b UNWIND range(1, 1000) AS c"
    " RETURN count(*) AS count"
)
# As long as the server of such recalls tries to end one.
ENDS_WITHIN_S = 2 * endless_recall.PATIENCE_S
ENDLESS_RECALL = (sys.executable, endless_recall.__file__)
Rows = list[dict[str, Any]]


@pytest.fixture
def database(empty_memgraph: str) -> Iterator[Callable[..., Rows]]:
    """The Memgraph itself: runs Cypher and returns rows."""
    with neo4j.GraphDatabase.driver(empty_memgraph) as driver:

        def run(statement: str, **parameters: Any) -> Rows:
            with driver.session() as session:
                return [dict(record) for record in session.run(statement, parameters)]

        yield run


def under_way(database: Callable[..., Rows], text: str) -> bool:
    """Tell whether a query with *text* in it runs in the database."""
    rows = database("SHOW TRANSACTIONS")
    return any(text in query for row in rows for query in row["query"])


async def begin(store: BoltStore, scope: anyio.CancelScope) -> asyncio.Task[None]:
    """Begin a query within *scope* that writes and then does not end by itself."""

    async def main() -> None:
        with scope:
            await store.rows(ENDLESS, {}, True)

    return asyncio.ensure_future(main())


async def cancel_its_scope(
    store: BoltStore, scope: anyio.CancelScope, task: asyncio.Task[None]
) -> None:
    scope.cancel()
    await task


async def cancel_its_task(
    store: BoltStore, scope: anyio.CancelScope, task: asyncio.Task[None]
) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def close_its_store(
    store: BoltStore, scope: anyio.CancelScope, task: asyncio.Task[None]
) -> None:
    await store.close()
    with pytest.raises((neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError)):
        await task


@pytest.mark.parametrize("end", [cancel_its_scope, cancel_its_task, close_its_store])
def test_a_query_that_nobody_waits_for_is_ended_in_the_database(empty_memgraph, database, end):
    async def main() -> None:
        store = BoltStore(empty_memgraph, "", "")
        await store.open()
        scope = anyio.CancelScope()
        task = await begin(store, scope)
        while not await asyncio.to_thread(under_way, database, "100001"):
            assert not task.done()
        await end(store, scope, task)
        await store.close()

    asyncio.run(main())
    eventually(lambda: not under_way(database, "100001"))
    assert database("MATCH (n) RETURN n.name AS name") == []


@pytest.mark.slow
def test_a_query_cancelled_as_soon_as_it_is_sent_is_ended_in_the_database(empty_memgraph, database):
    async def main() -> None:
        store = BoltStore(empty_memgraph, "", "")
        await store.open()
        for steps in range(12):
            task = await begin(store, anyio.CancelScope())
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await store.close()

    asyncio.run(main())
    eventually(lambda: not under_way(database, "100001"))
    assert database("MATCH (n) RETURN n.name AS name") == []


def test_a_call_that_the_database_ends_says_so_and_is_not_made_again(
    empty_memgraph, database, monkeypatch
):
    async def main() -> None:
        store = BoltStore(empty_memgraph, "", "")
        await store.open()
        task = asyncio.ensure_future(store.call(calls.concepts.recall(["apple"], 2), CONTEXT))
        while not await asyncio.to_thread(under_way, database, "conceptgraph.recall"):
            assert not task.done()
        await asyncio.to_thread(terminate, database)
        with pytest.raises(Ended, match="the database ended the call; nothing was written"):
            await task
        await store.close()

    make_graph(database)
    monkeypatch.setattr(pulling, "calling", endless_recall.written)
    asyncio.run(main())
    assert aroused(database) == 0.25


def make_graph(database: Callable[..., Rows]) -> None:
    """Make a graph in which a recall of apple arouses fruit."""
    database(
        "CREATE (:Concept {name: 'apple', arousal_level: 0.25, accessed_at: 0})"
        "-[:IS_A {weight: 0.25}]->(:Concept {name: 'fruit', arousal_level: 0.25, accessed_at: 0})"
    )


def aroused(database: Callable[..., Rows]) -> float:
    (row,) = database("MATCH (n:Concept {name: 'fruit'}) RETURN n.arousal_level AS level")
    return float(row["level"])


def terminate(database: Callable[..., Rows]) -> None:
    for row in database("SHOW TRANSACTIONS"):
        if any("conceptgraph.recall" in query for query in row["query"]):
            database(f"TERMINATE TRANSACTIONS '{row['transaction_id']}'")


# Ended by the client of a server


def cancelled(server: StdioServer) -> None:
    parameters = {"requestId": 100, "reason": "no longer wanted"}
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": parameters}
    server.send(json.dumps(message).encode())


def closed_stdin(server: StdioServer) -> None:
    assert server.process.stdin is not None
    server.process.stdin.close()


ENDS: dict[str, Callable[[StdioServer], None]] = {
    "cancelled": cancelled,
    "closed stdin": closed_stdin,
    "SIGTERM": lambda server: server.process.send_signal(signal.SIGTERM),
    "SIGINT": lambda server: server.process.send_signal(signal.SIGINT),
}


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
def test_a_call_that_a_server_ends_is_ended_in_the_database(empty_memgraph, database, end):
    make_graph(database)
    with StdioServer(
        environment={"MEMGRAPH_URI": empty_memgraph}, program=ENDLESS_RECALL
    ) as server:
        server.initialize()
        call = {"name": "recall_query", "arguments": {"seeds": ["apple"], "max_hop": 2}}
        message = {"jsonrpc": "2.0", "id": 100, "method": "tools/call", "params": call}
        server.send(json.dumps(message).encode())
        eventually(lambda: under_way(database, "conceptgraph.recall"))
        ENDS[end](server)
        if end != "cancelled":
            server.process.wait(ENDS_WITHIN_S)
        eventually(lambda: not under_way(database, "conceptgraph.recall"))
        assert aroused(database) == 0.25


@pytest.mark.slow
def test_a_backup_and_a_restore_may_take_longer_than_the_database_gives_a_query(
    database: Callable[..., Rows], empty_memgraph: str, portal: Any, tmp_path: Path
) -> None:
    def give(seconds: int) -> None:
        database(f"SET DATABASE SETTING 'query.timeout' TO '{seconds}'")

    async def main() -> None:
        store = BoltStore(empty_memgraph, "", "")
        rows = [{"kind": "concept", "name": name} for name in ("apple", "fruit")]
        await store.call(calls.transfer.import_rows(rows), CONTEXT)
        file, read = tmp_path / "backup.jsonl.gz", []
        await store.backup(file)
        try:
            give(1)
            async with aclosing(store.stream(1)) as batches:
                async for records in batches:
                    read += records
                    await anyio.sleep(1.5 / len(read))
            async with store.replacing(file):
                await anyio.sleep(1.5)
        finally:
            give(600)
        assert [record["name"] for record in read] == ["apple", "fruit"]
        await store.close()

    portal.call(main)
    assert database("MATCH (n:Concept) RETURN count(n) AS count") == [{"count": 2}]
