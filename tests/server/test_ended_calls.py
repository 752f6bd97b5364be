"""Calls that are ended before they are done: they stop soon, and nothing of them is written."""

import asyncio
import itertools
import json
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import race
from embedded_files import CONTEXT, assert_sound, opened, run
from server_processes import END_S, StdioServer

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Ended
from concept_graph_mcp.hosts.sqlite import cancellation, procedure_host
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore

# More than are gone through between two looks at whether to go on.
LEAVES = 2_500
# Those of a file would become its owner's first.
SHARED = {"CONCEPT_GRAPH_CONCEPTS": "shared"}


@contextmanager
def ended_when(asked: Callable[[], bool]) -> Iterator[None]:
    """End the work done meanwhile as soon as *asked* returns True."""
    token = cancellation._must_end.set(asked)
    try:
        yield
    finally:
        cancellation._must_end.reset(token)


def records(host: Host) -> list[dict[str, Any]]:
    return race.in_order([record for batch in host.export(1_000) for record in batch])


def spokes(count: int, hub: str = "hub") -> list[dict[str, Any]]:
    return [
        {"kind": "relation", "from": hub, "to": f"leaf {number}", "type": "is-a"}
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("big") / "memory.db"
    with opened(path) as host:
        run(host, calls.transfer.import_rows(spokes(LEAVES)))
    return path


LONG = {
    "recall": calls.concepts.recall(["hub"], 1),
    "peek": calls.concepts.peek(["leaf 1"], 2),
    "stats": calls.transfer.stats(),
    "check": calls.transfer.check(),
    "rename": calls.concepts.rename("hub", "nave", False),
    "remove": calls.concepts.remove("hub", False),
    "import": calls.transfer.import_rows(spokes(LEAVES, "another")),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_every_procedure_that_goes_through_much_can_be_ended_and_leaves_no_trace(big, name):
    with opened(big) as host:
        before = records(host)
        asked = itertools.count()
        with (
            ended_when(lambda: next(asked) > 0),
            pytest.raises(Ended, match="nothing was"),
        ):
            run(host, LONG[name])
        assert records(host) == before
        # Also in what this process remembers, and for what it does next.
        assert len(run(host, calls.concepts.peek(["hub"], 1))) == 1_000
        run(host, calls.concepts.update_affect("leaf 7", 0))
    assert_sound(big)


def test_a_call_can_be_ended_until_the_moment_before_it_is_written(tmp_path):
    with opened(tmp_path / "memory.db") as host:
        asked: list[bool] = []
        with ended_when(lambda: bool(asked.append(True))):
            run(host, calls.concepts.concept_upsert("apple"))
        with ended_when(lambda: asked.pop() and not asked), pytest.raises(Ended):
            run(host, calls.concepts.concept_upsert("pear"))
        assert [record["name"] for record in records(host)] == ["apple"]


def test_a_statement_of_sqlites_own_can_be_ended(big):
    with opened(big) as host, ended_when(lambda: True), pytest.raises(Ended):
        run(host, calls.concepts.concept_search([f"{'x' * 20} {number}" for number in range(100)]))


@contextmanager
def busy(path: Path) -> Iterator[None]:
    """Let another process be writing to the store: whoever wants to write waits."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def test_a_call_that_waits_for_its_turn_to_write_can_be_ended(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("apple"))
        asked = itertools.count()
        with busy(path), ended_when(lambda: next(asked) > 3), pytest.raises(Ended):
            run(host, calls.concepts.concept_upsert("pear"))
        assert run(host, calls.concepts.concept_upsert("pear"))[0]["created"] is True


# Cancelled by whoever awaits it

WRITE_AND_WAIT = calls.Call(
    calls.Procedure(
        "waiting_procedures.write_and_wait", fields=(), writes=True, takes_context=False
    ),
    arguments=(),
)


@pytest.fixture(scope="module")
def callbacks() -> dict[str, Any]:
    """The procedures, and with them one that writes and then goes on until it is ended."""
    waiting = procedure_host.load_module("waiting_procedures").procedures.values()
    return dict(procedure_host.load_modules()) | {callback.name: callback for callback in waiting}


@pytest.fixture
def store(
    tmp_path: Path, callbacks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> EmbeddedStore:
    monkeypatch.setattr(procedure_host, "load_modules", lambda _names: callbacks)
    return EmbeddedStore(tmp_path / "memory.db")


async def upserted(store: EmbeddedStore, name: str) -> bool:
    return (await store.call(calls.concepts.concept_upsert(name), CONTEXT))[0]["created"]


async def under_way(store: EmbeddedStore, scope: anyio.CancelScope) -> asyncio.Task[None]:
    """Begin a call within *scope* that waits until it is ended; return when it has written."""
    import waiting_procedures

    async def main() -> None:
        with scope:
            await store.call(WRITE_AND_WAIT, CONTEXT)

    task = asyncio.ensure_future(main())
    while not waiting_procedures.waiting:
        assert not task.done()
        await anyio.lowlevel.checkpoint()
    return task


async def cancel_its_scope(
    store: EmbeddedStore, scope: anyio.CancelScope, task: asyncio.Task[None]
) -> None:
    scope.cancel()
    await task


async def cancel_its_task(
    store: EmbeddedStore, scope: anyio.CancelScope, task: asyncio.Task[None]
) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def close_its_store(
    store: EmbeddedStore, scope: anyio.CancelScope, task: asyncio.Task[None]
) -> None:
    await store.close()
    with pytest.raises(Ended):
        await task


@pytest.mark.parametrize("end", [cancel_its_scope, cancel_its_task, close_its_store])
def test_a_call_that_nobody_waits_for_is_ended_with_nothing_written(store, tmp_path, end):
    async def main() -> None:
        assert await upserted(store, "before")
        scope = anyio.CancelScope()
        await end(store, scope, await under_way(store, scope))
        # The next call finds the store as it was, and nobody in its way.
        assert not await upserted(store, "before")
        assert await upserted(store, "after")
        await store.close()

    anyio.run(main)
    with opened(tmp_path / "memory.db") as host:
        assert [record["name"] for record in records(host)] == ["after", "before"]


def test_calls_cancelled_while_they_wait_for_another_never_begin(store):
    async def main() -> None:
        scope = anyio.CancelScope()
        first = await under_way(store, scope)
        async with anyio.create_task_group() as second:
            for name in ("pear", "plum"):
                second.start_soon(upserted, store, name)
            await anyio.lowlevel.checkpoint()
            second.cancel_scope.cancel()
        scope.cancel()
        await first
        assert await upserted(store, "pear")
        await store.close()

    anyio.run(main)


# Ended by the client of a server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with opened(tmp_path / "memory.db") as host:
        run(host, calls.concepts.relation_add("apple", "fruit", "is-a"))
    return tmp_path / "memory.db"


def send_call(server: StdioServer, number: int, tool: str, **arguments: Any) -> None:
    call = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
    server.send(json.dumps(message).encode())


def names(path: Path) -> set[str]:
    with opened(path) as host:
        return {record["name"] for record in records(host) if "name" in record}


@pytest.mark.slow
def test_a_cancelled_request_ends_its_call(path):
    with StdioServer("--embedded", str(path), environment=SHARED) as server:
        server.initialize()
        # The store is open from now on.
        server.call("concept_search", keywords=[])
        with busy(path):
            send_call(server, 100, "concept_upsert", concept="pear")
            cancelled = {"requestId": 100, "reason": "no longer wanted"}
            message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
            server.send(json.dumps(message).encode())
            # Which would wait for the other to be done, longer than this test does.
            server.deadline_s = END_S
            found = server.call("concept_search", keywords=["apple"], limit=1)
            assert found["structuredContent"]["concepts"] == ["apple"]
        assert server.call("concept_upsert", concept="plum")["structuredContent"]["created"]
        code, out, err = server.end()
    assert (code, out, err) == (0, b"", b"")
    assert names(path) == {"apple", "fruit", "plum"}


def closed_stdin(server: StdioServer) -> None:
    assert server.process.stdin is not None
    server.process.stdin.close()


ENDS: dict[str, Callable[[StdioServer], None]] = {
    "closed stdin": closed_stdin,
    "SIGTERM": lambda server: server.process.send_signal(signal.SIGTERM),
    "SIGINT": lambda server: server.process.send_signal(signal.SIGINT),
}


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
def test_the_end_of_a_server_ends_its_call(path, end):
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        # The store is open from now on.
        server.call("concept_search", keywords=[])
        with busy(path):
            send_call(server, 100, "concept_upsert", concept="pear")
            # Answered, so the other one has begun; it is only the connection's.
            server.request("ping", {})
            ENDS[end](server)
            # Sooner than the call would have ended by itself.
            server.process.wait(END_S)
    assert names(path) == {"apple", "fruit"}
    assert_sound(path)
