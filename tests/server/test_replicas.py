"""A main and its replicas: what is written while a replica is missing is written once."""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
from memgraph_process import VARIABLE, MemgraphProcess

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Unavailable
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.tools import toolsets

pytestmark = pytest.mark.skipif(VARIABLE not in os.environ, reason=f"needs {VARIABLE}")

NOW_MS = 1_750_000_000_000
LACKING = "written, but not to every replica; do not write it again: "


class Servers(NamedTuple):
    main: MemgraphProcess
    replica: MemgraphProcess


@pytest.fixture(scope="module")
def started(tmp_path_factory) -> Iterator[Servers]:
    """A main whose one replica is SYNC, for the tests of this file."""
    folder = tmp_path_factory.mktemp("servers")
    servers = Servers(*(MemgraphProcess(folder / name) for name in Servers._fields))
    servers.main.register(servers.replica)
    yield servers
    for one in servers:
        one.kill()


@pytest.fixture
def servers(started) -> Iterator[Servers]:
    """The same, without what the tests before it have written; the replica runs."""
    started.main.rows("MATCH (n) DETACH DELETE n")
    yield started
    started.replica.restart()
    started.main.await_replicas()


@pytest.fixture
def store(servers, portal) -> Iterator[BoltStore]:
    made = portal.call(bolt, servers.main.uri)
    portal.call(made.open)
    yield made
    portal.call(made.close)


async def bolt(uri: str) -> BoltStore:
    return BoltStore(uri, "", "")


def tool(store: Any, portal: Any, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool over *store*, as a server does."""
    session = Session(store, 86_400_000, ZoneInfo("UTC"), Clock(NOW_MS), concepts="own")
    made = {one.name: one for one in toolsets.tools(session, ["memory", "everyday"], False)}[name]
    answer: dict[str, Any] = portal.call(made.run, arguments, None)
    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "field", "arguments"),
    [
        ("memory_node_create", "memory_id", {"content": "Lena likes tea"}),
        ("remember", "id", {"text": "Lena likes tea", "about": ["Lena"]}),
    ],
)
def test_what_a_replica_lacks_is_told_with_its_id_and_is_stored_once(
    store, servers, portal, name, field, arguments
):
    assert "advice" not in tool(store, portal, "memory_node_create", content="It rains")
    servers.replica.kill()
    first = tool(store, portal, name, **arguments)
    assert first["advice"].startswith(LACKING)
    assert servers.replica.name in first["advice"]
    again = tool(store, portal, name, **arguments)
    assert (again[field], again["existing"]) == (first[field], True)
    [row] = servers.main.rows("MATCH (m:Memory {content: 'Lena likes tea'}) RETURN count(m) AS n")
    assert row["n"] == 1


@pytest.mark.slow
def test_a_replica_that_comes_back_has_it_and_no_warning_follows(store, servers, portal):
    servers.replica.kill()
    made = tool(store, portal, "memory_node_create", content="Lena likes tea")
    servers.replica.start()
    servers.main.await_replicas()
    query = f"MATCH (m:Memory {{id: '{made['memory_id']}'}}) RETURN m.content AS content"
    assert servers.replica.rows(query) == [{"content": "Lena likes tea"}]
    assert "advice" not in tool(store, portal, "memory_node_create", content="It rains")


@pytest.mark.slow
def test_a_server_that_started_before_its_first_replica_tells_of_a_missing_one(
    servers, portal, tmp_path
):
    main = MemgraphProcess(tmp_path / "main")
    other = MemgraphProcess(tmp_path / "other")
    store = portal.call(bolt, main.uri)
    try:
        portal.call(store.open)
        main.register(other)
        other.kill()
        context = {"now_ms": NOW_MS}
        # It knows of no replica yet, so the first answer is an error, without an id.
        with pytest.raises(Unavailable, match=LACKING):
            portal.call(store.call, calls.concepts.concept_upsert("tea"), context)
        rows = portal.call(store.call, calls.concepts.concept_upsert("pear"), context)
        assert rows == [{"concept_id": "pear", "created": True}]
        assert rows.advice.startswith(LACKING)
    finally:
        portal.call(store.close)
        main.kill()


@pytest.mark.slow
def test_a_recall_before_a_server_knows_of_a_missing_replica_is_answered(portal, tmp_path):
    main = MemgraphProcess(tmp_path / "main")
    other = MemgraphProcess(tmp_path / "other")
    store = portal.call(bolt, main.uri)
    try:
        tool(store, portal, "remember", text="Lena likes tea")
        main.register(other)
        other.kill()
        told = tool(store, portal, "recall", message="What does Lena like?")
        assert "Lena likes tea" in told["text"]
        assert LACKING in told["advice"]
        [row] = main.rows("MATCH (m:Memory) RETURN m.access_count AS count")
        assert row == {"count": 1}
    finally:
        portal.call(store.close)
        main.kill()
