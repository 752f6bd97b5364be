"""A store that cannot be written answers what it can, and says that no access was counted."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import anyio
import pytest
from memgraph_process import VARIABLE, MemgraphProcess, eventually
from tests.server.command_line import ok

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Full, Unwritable
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.tools import toolsets

NOW_MS = 1_750_000_000_000
GRAPH = [
    {"kind": "relation", "from": "apple", "to": "fruit", "type": "is-a"},
    {"kind": "memory", "id": "tea", "user_id": "default", "content": "Daniele prefers tea"},
]


def session(store: Any) -> Session:
    return Session(store, 86_400_000, ZoneInfo("UTC"), Clock(NOW_MS))


async def asked(store: Any) -> tuple[Any, ...]:
    """Return what the tools answer that count what they return as accessed."""
    made = toolsets.tools(session(store), ("concept", "memory"), False)
    tools = {one.name: one.fn for one in made}
    return (
        await tools["memory_node_get"]("tea"),
        await tools["memory_context"]("What does Daniele prefer?"),
        await tools["recall_query"](["apple"], 2),
    )


@pytest.fixture
def store(tmp_path, portal) -> Iterator[EmbeddedStore]:
    made = EmbeddedStore(tmp_path / "memory.db")
    portal.call(made.call, calls.transfer.import_rows(GRAPH), {"now_ms": NOW_MS})
    yield made
    portal.call(made.close)


@contextmanager
def read_only(store: EmbeddedStore) -> Iterator[None]:
    store._open_host()._database.execute("PRAGMA query_only = ON")
    yield


@contextmanager
def full(store: EmbeddedStore) -> Iterator[None]:
    """Let no file grow, as on a disk that is full; what is written goes to the log's end."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    log = Path(f"{store.location}-wal")
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def records(portal: Any, store: Any) -> list[dict[str, Any]]:
    async def collect() -> list[dict[str, Any]]:
        return [record async for batch in store.stream() for record in batch]

    return portal.call(collect)


def check_answers(portal: Any, store: Any, reason: str) -> None:
    memory, context, recalled = portal.call(asked, store)
    for answer in (memory, context, recalled):
        assert answer["advice"].startswith("no access was counted: ")
        assert reason in answer["advice"]
        assert "\n" not in answer["advice"]
    assert memory["content"] == "Daniele prefers tea"
    assert memory["access_count"] == 0
    assert context["memory_ids"] == ["tea"]
    assert [one["text"] for one in recalled["propositions"]] == ["apple is-a fruit"]
    with pytest.raises(Unwritable):
        portal.call(session(store).run, calls.concepts.concept_upsert("pear"))


@pytest.mark.parametrize("unwritable", [read_only, full])
def test_a_file_that_cannot_be_written_is_read(store, portal, unwritable):
    before = records(portal, store)
    with unwritable(store):
        check_answers(portal, store, f"store {store.location}: ")
    assert records(portal, store) == before


def test_where_it_can_be_written_accesses_are_counted_and_nothing_is_said(store, portal):
    for answer in portal.call(asked, store):
        assert "advice" not in answer
    [memory] = [one for one in records(portal, store) if one["kind"] == "memory"]
    assert memory["access_count"] == 2


@pytest.fixture(params=["1m", "8m"])
def small_disk(tmp_path, request) -> Iterator[Path]:
    """A disk that a store fills: before its log is written into the file once, and after."""
    (disk := tmp_path / "disk").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill_disk(portal: Any, store: EmbeddedStore) -> None:
    """Store memories of several sizes until not even the smallest has room."""

    def fill_with(words: int) -> None:
        for number in range(10_000):
            content = f"{words} {number} " + f"secret{number} " * words
            row = {"kind": "memory", "user_id": "other", "content": content}
            call = calls.transfer.import_rows([row | {"id": f"{words} {number}"}])
            portal.call(store.call, call, {"now_ms": NOW_MS})

    for words in (400, 20, 1):
        with pytest.raises(Full, match="database or disk is full; nothing was written"):
            fill_with(words)


@pytest.mark.slow
def test_on_a_full_disk_memories_and_users_can_be_removed(small_disk, portal):
    path = small_disk / "memory.db"
    store = EmbeddedStore(path)
    first = {"kind": "memory", "id": "first", "user_id": "other", "content": "a secret"}
    portal.call(store.call, calls.transfer.import_rows([*GRAPH, first]), {"now_ms": NOW_MS})
    for end, user in (("tea", "default"), ("first", "other")):
        fill_disk(portal, store)
        context = {"now_ms": NOW_MS, "user_id": user}
        [gone] = portal.call(store.call, calls.memories.forget(end), context)
        assert gone["memory_id"] == end
    fill_disk(portal, store)
    portal.call(store.close)

    told = ok(f"--embedded={path}", "users", "delete", "other", "--yes").stdout
    assert "Counted again: nothing is left." in told
    assert "So has the disk" not in told
    for file in small_disk.iterdir():
        assert b"secret" not in file.read_bytes()
    ok(f"--embedded={path}", "check")
    assert path.with_name("memory.db-spare").stat().st_size


def test_on_a_disk_that_others_filled_a_closed_store_is_read_and_forgets(small_disk, portal):
    path = small_disk / "memory.db"
    store = EmbeddedStore(path)
    portal.call(store.call, calls.transfer.import_rows(GRAPH), {"now_ms": NOW_MS})
    portal.call(store.close)
    with suppress(OSError), (small_disk / "other").open("wb", buffering=0) as other:
        while True:
            other.write(bytes(4_096))

    assert "prefers tea" in ok(f"--embedded={path}", "memories", "show", "tea").stdout
    ok(f"--embedded={path}", "forget", "tea")
    ok(f"--embedded={path}", "users", "delete", "default", "--yes")


@pytest.mark.slow
@pytest.mark.skipif(VARIABLE not in os.environ, reason=f"needs {VARIABLE}")
def test_a_replica_is_read(tmp_path, portal):
    main, replica = (MemgraphProcess(tmp_path / name) for name in ("main", "replica"))
    try:
        anyio.run(fill, main.uri)
        main.register(replica)
        main.await_replicas()
        store = portal.call(bolt, replica.uri)
        before = records(portal, store)
        assert len(before) == 4
        check_answers(portal, store, "Write queries are forbidden on the replica instance")
        assert records(portal, store) == before
        portal.call(store.close)
    finally:
        main.kill()
        replica.kill()


@pytest.mark.slow
@pytest.mark.skipif(VARIABLE not in os.environ, reason=f"needs {VARIABLE}")
def test_a_memgraph_without_memory_says_so(tmp_path, portal):
    # Its modules keep up to 110 MB for themselves after the call that is refused.
    server = MemgraphProcess(tmp_path / "server", "--memory-limit=200")
    try:
        anyio.run(fill, server.uri)
        store = portal.call(bolt, server.uri)
        big = {"kind": "memory", "user_id": "default", "type": "note"}
        rows = [big | {"id": str(n), "content": f"{n} " * 2_000} for n in range(5_000)]
        with pytest.raises(Unwritable, match="Memgraph is at its memory limit and wrote nothing"):
            portal.call(store.call, calls.transfer.import_rows(rows), {"now_ms": NOW_MS})

        def is_as_before() -> bool:
            # Memgraph frees what the refused write took later, and a read needs memory too.
            with suppress(Full):
                return len(records(portal, store)) == 4
            return False

        eventually(is_as_before)
        portal.call(store.close)
    finally:
        server.kill()


async def bolt(uri: str) -> BoltStore:
    return BoltStore(uri, "", "")


async def fill(uri: str) -> None:
    store = await bolt(uri)
    await store.call(calls.transfer.import_rows(GRAPH), {"now_ms": NOW_MS})
    await store.close()
