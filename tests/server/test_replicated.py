"""A main and two replicas: who answers a read, when, and what of it reaches the main."""

import json
import os
import signal
from collections.abc import Iterator
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import anyio
import pytest
from command_line import run
from memgraph_process import VARIABLE, MemgraphProcess, eventually

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.memgraph.replicated import ReplicatedStore
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.tools import toolsets

pytestmark = pytest.mark.skipif(VARIABLE not in os.environ, reason=f"needs {VARIABLE}")

NOW_MS = 1_750_000_000_000
TOOLSETS = ["concept", "memory", "entity", "everyday"]


class Servers(NamedTuple):
    main: MemgraphProcess
    one: MemgraphProcess
    two: MemgraphProcess


@pytest.fixture(scope="module", params=["SYNC", "ASYNC"])
def started(tmp_path_factory, request) -> Iterator[Servers]:
    """A main with two replicas in each mode, each as on a machine of its own."""
    folder = tmp_path_factory.mktemp("servers")
    made = [
        MemgraphProcess(folder / name, host=f"127.0.0.{number}")
        for number, name in enumerate(Servers._fields, 1)
    ]
    servers = Servers(*made)
    for one in servers[1:]:
        servers.main.register(one, request.param)
    yield servers
    for one in servers:
        one.kill()


@pytest.fixture
def servers(started) -> Iterator[Servers]:
    """The servers, empty; all of them run at the end, and the replicas have caught up."""
    started.main.rows("MATCH (n) DETACH DELETE n")
    yield started
    for one in started:
        one.restart()
    started.main.await_replicas()


@pytest.fixture
def store(servers, portal) -> Iterator[ReplicatedStore]:
    made = portal.call(replicated, servers)
    portal.call(made.open)
    servers.main.await_replicas()
    yield made
    portal.call(made.close)


async def replicated(servers: Servers) -> ReplicatedStore:
    return ReplicatedStore(servers.main.uri, [one.uri for one in servers[1:]], "", "")


@pytest.fixture
def answered(monkeypatch) -> list[tuple[str, str]]:
    """Requests that were answered: a location and a procedure."""
    made = []
    call = BoltStore.call

    async def told(self, asked, context):
        rows = await call(self, asked, context)
        made.append((self.location, asked.procedure.name))
        return rows

    monkeypatch.setattr(BoltStore, "call", told)
    return made


def tool(store: Any, portal: Any, name: str, user: str = "default", /, **arguments: Any) -> Any:
    """Call a tool over *store*, as a server does."""
    session = Session(store, 86_400_000, ZoneInfo("UTC"), Clock(NOW_MS), user, concepts="own")
    made = {one.name: one for one in toolsets.tools(session, TOOLSETS, False)}[name]
    return portal.call(made.run, arguments, None)


READING = {
    "recall": {"message": "What is Lena allergic to? Hazelnuts?"},
    "memory_context": {"query": "Lena's allergy"},
    "recall_query": {"seeds": ["hazelnuts"], "max_hop": 2},
    "entity_context": {"message": "What does Lena eat?"},
    "search": {"query": "Lena"},
    "about": {"name": "Lena"},
    "memory_node_search": {"query": "Lena"},
    "concept_search": {"keywords": ["hazel"]},
}


def remembered(store: Any, portal: Any) -> str:
    given = {"text": "Lena is allergic to hazelnuts", "about": ["Lena", "hazelnuts"]}
    memory_id: str = tool(store, portal, "remember", **given)["id"]
    tool(store, portal, "relate", **{"from": "hazelnuts", "to": "nougat", "type": "evokes"})
    return memory_id


@pytest.mark.slow
def test_replicas_answer_in_turn_and_the_main_only_counts(answered, store, servers, portal):
    memory_id = remembered(store, portal)
    tool(store, portal, "memory_node_get", memory_id=memory_id)
    replicas = {one.uri for one in servers[1:]}
    del answered[:]
    for name, arguments in (*READING.items(), ("memory_node_get", {"memory_id": memory_id})):
        for _ in range(2):
            assert "accesses" not in tool(store, portal, name, **arguments).get("advice", "")
    counted = f"MATCH (m:Memory {{id: '{memory_id}'}}) RETURN m.access_count AS count"
    eventually(lambda: servers.main.rows(counted) == [{"count": 7}])
    assert {uri for uri, name in answered if name != "everyday.access"} == replicas
    assert {uri for uri, name in answered if name == "everyday.access"} == {servers.main.uri}
    servers.main.await_replicas()
    assert [one.rows(counted) for one in servers[1:]] == [[{"count": 7}]] * 2


@pytest.mark.slow
def test_a_user_reads_what_they_have_just_written(store, portal):
    for number in range(50):
        text = f"Number {number} is written"
        memory_id = tool(store, portal, "memory_node_create", content=text)["memory_id"]
        assert tool(store, portal, "memory_node_get", memory_id=memory_id)["content"] == text


@pytest.mark.slow
def test_nobody_waits_for_a_replica_that_hangs_once_it_is_known_to_lag(
    answered, store, servers, portal
):
    memory_id = remembered(store, portal)
    if servers.main.rows("SHOW REPLICAS")[0]["sync_mode"] == "sync":
        pytest.skip("a write waits for it 30 seconds")
    servers.one.signal(signal.SIGSTOP)
    try:
        tool(store, portal, "memory_node_create", content="It rains")
        del answered[:]
        for _ in range(5):
            tool(store, portal, "memory_node_get", memory_id=memory_id)
        assert {uri for uri, name in answered if name == "memorygraph.peek"} == {servers.two.uri}
    finally:
        servers.one.signal(signal.SIGCONT)


@pytest.mark.slow
def test_a_replica_that_is_gone_is_left_out_and_read_again_when_it_is_back(
    answered, store, servers, portal
):
    memory_id = remembered(store, portal)

    def readers() -> set[str]:
        del answered[:]
        for _ in range(4):
            assert tool(store, portal, "memory_node_get", memory_id=memory_id)["content"]
        return {uri for uri, name in answered if name.startswith("memorygraph")}

    eventually(lambda: readers() == {one.uri for one in servers[1:]})
    servers.one.kill()
    assert readers() == {servers.two.uri}
    written = tool(store, portal, "memory_node_create", content="While one is away")
    assert tool(store, portal, "memory_node_get", memory_id=written["memory_id"])["content"]
    servers.two.kill()
    assert readers() == {servers.main.uri}
    servers.one.start()
    servers.two.start()
    # Whoever has written meanwhile never meets a replica without that.
    for _ in range(20):
        assert tool(store, portal, "memory_node_get", memory_id=written["memory_id"])["content"]
    eventually(lambda: readers() == {one.uri for one in servers[1:]})


@pytest.mark.slow
def test_reads_are_answered_without_the_main(store, servers, portal):
    memory_id = remembered(store, portal)
    servers.main.await_replicas()
    tool(store, portal, "memory_node_get", memory_id=memory_id)
    servers.main.kill()
    for name, arguments in READING.items():
        answer = tool(store, portal, name, **arguments)
        assert any(answer.values()), name

    def advised() -> bool:
        answer = tool(store, portal, "memory_node_get", memory_id=memory_id)
        return "counted when the main can be written again" in answer.get("advice", "")

    eventually(advised)
    with pytest.raises(Exception, match=r"cannot be reached|was lost"):
        tool(store, portal, "memory_node_create", content="It rains")
    # A write that fails may still have happened.
    answer = tool(store, portal, "memory_node_get", memory_id=memory_id)
    assert "may lack the latest writes" in answer["advice"]
    other = tool(store, portal, "search", "anna", query="Lena")
    assert "advice" not in other
    servers.main.start()
    eventually(lambda: not advised())
    counted = f"MATCH (m:Memory {{id: '{memory_id}'}}) RETURN m.access_count > 5 AS many"
    eventually(lambda: servers.main.rows(counted) == [{"many": True}])


def test_a_replica_says_that_it_cannot_be_written(servers, portal):
    async def asked(uri: str) -> str | None:
        store = BoltStore(uri, "", "")
        try:
            return await store.unwritable()
        finally:
            await store.close()

    assert portal.call(asked, servers.main.uri) is None
    assert "is a replica" in portal.call(asked, servers.one.uri)


@pytest.mark.slow
def test_doctor_names_the_replicas_and_what_is_wrong_with_one(servers, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("MEMGRAPH_URI", servers.main.uri)
    monkeypatch.setenv("MEMGRAPH_READ_URI", ",".join(one.uri for one in servers[1:]))

    def replicas() -> list[tuple[str, bool]]:
        found = json.loads(run("doctor", "--json").stdout)["findings"]
        return [(one["state"], one["wrong"]) for one in found if one["what"] == "replica"]

    assert replicas() == [(one.uri, False) for one in servers[1:]]
    servers.two.kill()
    gone = f"Memgraph cannot be reached at {servers.two.uri}; is it running?"
    assert replicas() == [(servers.one.uri, False), (gone, True)]


@pytest.mark.slow
def test_a_server_starts_while_the_main_is_away(servers, portal):
    first = portal.call(replicated, servers)
    memory_id = remembered(first, portal)
    portal.call(first.close)
    servers.main.await_replicas()
    servers.main.kill()
    store = portal.call(replicated, servers)
    portal.call(store.open)
    assert tool(store, portal, "memory_node_get", memory_id=memory_id)["content"]
    portal.call(store.close)


@pytest.mark.slow
def test_what_is_read_last_is_counted_before_the_server_ends(servers, portal):
    store = portal.call(replicated, servers)
    memory_id = remembered(store, portal)
    servers.main.await_replicas()
    tool(store, portal, "memory_node_get", memory_id=memory_id)
    portal.call(store.close)
    [row] = servers.main.rows(f"MATCH (m:Memory {{id: '{memory_id}'}}) RETURN m.access_count AS n")
    assert row["n"] == 1


@pytest.mark.slow
def test_a_replica_that_the_main_dropped_is_not_read(answered, store, servers, portal):
    memory_id = remembered(store, portal)
    dropped = next(
        row for row in servers.main.rows("SHOW REPLICAS") if row["name"] == servers.one.name
    )
    mode = dropped["sync_mode"].upper()
    servers.main.rows(f"DROP REPLICA {servers.one.name}")

    def readers() -> set[str]:
        del answered[:]
        for _ in range(4):
            tool(store, portal, "memory_node_get", memory_id=memory_id)
        return {uri for uri, name in answered if name.startswith("memorygraph")}

    eventually(lambda: readers() == {servers.two.uri})
    servers.main.rows(
        f'REGISTER REPLICA {servers.one.name} {mode} TO "{dropped["socket_address"]}"'
    )


@pytest.mark.slow
def test_what_another_call_may_need_is_not_lost_with_an_access(store, portal):
    """An access of what is gone meanwhile counts nothing, and is no error."""
    memory_id = remembered(store, portal)
    portal.call(store.call, calls.memories.get(memory_id), {"now_ms": NOW_MS})
    tool(store, portal, "forget", id=memory_id)
    portal.call(anyio.sleep, 0.1)
    assert store._accesses.advice is None


@pytest.mark.slow
def test_replicas_find_by_vectors_also_after_they_were_killed(answered, store, servers, portal):
    """Each of three texts has a vector, and a query of none of their words finds the nearest."""
    context = {"now_ms": NOW_MS, "user_id": "default"}

    def made(call: calls.Call) -> Any:
        return portal.call(store.call, call, context)

    [chosen] = made(calls.embedding.choose("toy", 3, False))
    assert chosen["chosen"]
    portal.call(store.fit_vectors)
    vectors = {"Tea": [1.0, 0.1, 0.0], "Rain": [0.0, 1.0, 0.1], "Chess": [0.1, 0.0, 1.0]}

    def embed(text: str, vector: list[float]) -> None:
        made(calls.memories.create("default", text))
        rows = [row | {"vector": vector} for row in made(calls.embedding.lacking(1))]
        made(calls.embedding.embed("toy", rows))

    for text, vector in vectors.items():
        embed(text, vector)

    def nearest(vector: list[float]) -> str:
        row, *_ = made(calls.memories.search("default", "xyzzy", embedded=("toy", vector)))
        assert row["similarity"] > 0.9
        return str(row["text"])

    def readers() -> set[str]:
        del answered[:]
        for _ in range(4):
            assert [nearest(vector) for vector in vectors.values()] == [*vectors]
        return {uri for uri, _ in answered}

    replicas = {one.uri for one in servers[1:]}
    eventually(lambda: readers() == replicas)
    for one in servers[1:]:
        one.kill()
    embed("Opera", [0.6, 0.6, 0.6])
    assert readers() == {servers.main.uri}
    for one in servers[1:]:
        one.start()
    eventually(lambda: readers() == replicas)
    assert nearest([0.6, 0.6, 0.6]) == "Opera"
