"""The Bolt store's start-up checks, and what a caller is told when the database comes and goes."""

import contextlib
import logging
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import anyio
import neo4j
import pytest
from mcp.client.client import Client
from server_processes import DEADLINE_S, StdioServer, workers
from tcp_proxy import Proxy, closed_port

from concept_graph_mcp import calls, serving
from concept_graph_mcp.errors import Misdeployed, StoreError, Unavailable, Unwritable
from concept_graph_mcp.hosts.memgraph import readiness
from concept_graph_mcp.hosts.memgraph import store as bolt
from concept_graph_mcp.session import Clock, Session
from conceptgraph_core.transfer.registry import LAYERS

CONTEXT = {"now_ms": 1_750_000_000_000, "tau_ms": 86_400_000, "date": "20250615"}
USER, PASSWORD = "guest-of-honour", "open-sesame-42"


class Bolt:
    """A Bolt store, called synchronously."""

    def __init__(self, portal: Any, uri: str, user: str = "", password: str = "") -> None:
        async def made() -> bolt.BoltStore:
            return bolt.BoltStore(uri, user, password)

        self._portal = portal
        self.store = portal.call(made)

    def open(self) -> None:
        self._portal.call(self.store.open)

    def run(self, call: calls.Call) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._portal.call(self.store.call, call, CONTEXT)
        return rows

    def run_soon(self, call: calls.Call) -> Any:
        """Start *call*; return its future."""
        return self._portal.start_task_soon(self.store.call, call, CONTEXT)

    def stream(self) -> list[dict[str, Any]]:
        async def collect() -> list[dict[str, Any]]:
            return [record async for batch in self.store.stream() for record in batch]

        records: list[dict[str, Any]] = self._portal.call(collect)
        return records

    def close(self) -> None:
        self._portal.call(self.store.close)


@pytest.fixture
def connect(portal: Any) -> Iterator[Callable[..., Bolt]]:
    """Makes Bolt stores and closes them at the end."""
    made: list[Bolt] = []

    def make(uri: str, user: str = "", password: str = "") -> Bolt:
        made.append(Bolt(portal, uri, user, password))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def database(empty_memgraph: str) -> Iterator[Callable[..., list[dict[str, Any]]]]:
    """Runs Cypher on the empty Memgraph; constraints and indexes are put back at the end."""
    with neo4j.GraphDatabase.driver(empty_memgraph) as driver, driver.session() as session:

        def run(statement: str, **parameters: Any) -> list[dict[str, Any]]:
            return session.run(statement, parameters).data()

        yield run
        run("MATCH (n) DETACH DELETE n")
        for label in ("Concept", "Episode"):
            for statement in (
                f"CREATE CONSTRAINT ON (n:{label}) ASSERT n.user_id, n.name IS UNIQUE",
                *(f"CREATE INDEX ON :{label}({of})" for of in ("user_id, name", "name")),
            ):
                with contextlib.suppress(neo4j.exceptions.ClientError):
                    run(statement)


@pytest.fixture
def bare(database: Callable[..., list[dict[str, Any]]]) -> Callable[..., list[dict[str, Any]]]:
    """Runs Cypher on a Memgraph that has no concepts, nor their constraints and indexes."""
    for label in ("Concept", "Episode"):
        for statement in (
            f"DROP CONSTRAINT ON (n:{label}) ASSERT n.user_id, n.name IS UNIQUE",
            f"DROP CONSTRAINT ON (n:{label}) ASSERT n.name IS UNIQUE",
            *(f"DROP INDEX ON :{label}({of})" for of in ("user_id, name", "name", *SEARCHED)),
        ):
            with contextlib.suppress(neo4j.exceptions.ClientError):
                database(statement)
    assert constraints(database) == set()
    return database


def constraints(run: Callable[..., list[dict[str, Any]]]) -> set[tuple[str, str]]:
    return {
        (row["label"], ", ".join(sorted(row["properties"], reverse=True)))
        for row in run("SHOW CONSTRAINT INFO")
        if row["constraint type"] == "unique" and row["label"] in ("Concept", "Episode")
    }


def indexes(run: Callable[..., list[dict[str, Any]]]) -> set[tuple[str, str]]:
    return {
        (row["label"], ", ".join(row["property"] or ""))
        for row in run("SHOW INDEX INFO")
        if row["label"] in ("Concept", "Episode")
    }


LABELS = ("Concept", "Episode")
WANTED = {(label, "user_id, name") for label in LABELS}
# What searches read besides names: the latest concepts, and forms of their names.
SEARCHED = ("accessed_at", "folded_name", "owned_name")
INDEXED = WANTED | {(label, "name") for label in LABELS} | {("Concept", of) for of in SEARCHED}


# Constraints and indexes


def test_opening_makes_the_constraints_and_indexes(bare, connect, memgraph_uri):
    connect(memgraph_uri).open()
    assert constraints(bare) == WANTED
    assert indexes(bare) == INDEXED


def test_opening_again_changes_nothing(bare, connect, memgraph_uri):
    for _ in range(2):
        store = connect(memgraph_uri)
        store.open()
        store.open()
    assert constraints(bare) == WANTED
    assert indexes(bare) == INDEXED


@pytest.mark.slow
def test_eight_processes_that_open_a_bare_database_at_once_all_succeed(bare, memgraph_uri):
    with workers(memgraph_uri, 8) as started:
        for worker in started:
            assert worker.rows("stats")
    assert constraints(bare) == WANTED
    assert indexes(bare) == INDEXED


@pytest.mark.parametrize("label", ["Concept", "Episode"])
def test_names_that_are_not_unique_are_named_and_served_once_they_are_corrected(
    bare, connect, memgraph_uri, label
):
    bare(f"CREATE (:{label} {{name: 'apple'}}), (:{label} {{name: 'apple'}})")
    bare(f"CREATE (:{label} {{name: 'with\\nbreak'}}), (:{label} {{name: 'with\\nbreak'}})")
    bare(f"CREATE (:{label} {{name: 'pear'}})")
    store = connect(memgraph_uri)
    store.open()
    with pytest.raises(Unwritable) as failure:
        store.run(calls.concepts.concept_upsert("plum"))
    text = str(failure.value)
    assert f":{label}(user_id, name)" in text
    assert "'apple' (2 nodes)" in text
    assert "'with\\nbreak' (2 nodes)" in text
    assert "pear" not in text
    assert text.endswith("rename or remove all but one")
    assert "\n" not in text
    assert bare("MATCH (n {name: 'plum'}) RETURN n") == []

    bare(f"MATCH (n:{label}) WITH n.name AS name, collect(n) AS nodes FOREACH"
         " (n IN nodes[1..] | DETACH DELETE n)")  # fmt: skip
    corrected = connect(memgraph_uri)
    corrected.open()
    assert constraints(bare) == WANTED


def test_a_database_that_takes_nothing_back_is_refused_with_what_to_do(bare, connect, memgraph_uri):
    # While there are any, Memgraph does not change to that mode.
    others = []
    for row in bare("SHOW CONSTRAINT INFO"):
        keys = ", ".join(f"n.{name}" for name in row["properties"])
        others.append(f"(n:{row['label']}) ASSERT {keys} IS UNIQUE")
    for of_them in others:
        bare(f"DROP CONSTRAINT ON {of_them}")
    bare("STORAGE MODE IN_MEMORY_ANALYTICAL")
    try:
        with pytest.raises(Misdeployed, match="run STORAGE MODE IN_MEMORY_TRANSACTIONAL; there"):
            connect(memgraph_uri).open()
    finally:
        bare("STORAGE MODE IN_MEMORY_TRANSACTIONAL")
        for of_them in others:
            bare(f"CREATE CONSTRAINT ON {of_them}")
    connect(memgraph_uri).open()
    assert constraints(bare) == WANTED


def test_opening_shares_what_cypher_made_without_a_scope_and_lets_users_have_its_names(
    bare, connect, memgraph_uri, monkeypatch
):
    monkeypatch.setattr(readiness, "_BATCH", 2)
    bare("UNWIND ['apple', 'pear', 'plum'] AS name CREATE (:Concept {name: name})")
    bare("CREATE (:Episode {name: '20250615/apple', summary: 'Ate it'})")
    store = connect(memgraph_uri)
    store.open()
    assert constraints(bare) == WANTED
    rows = bare("MATCH (n) WHERE n:Concept OR n:Episode RETURN n.user_id AS whose")
    assert [row["whose"] for row in rows] == [""] * 4
    [made] = store.run(calls.concepts.concept_upsert("apple", "anna"))
    assert made["created"]
    [known] = store.run(calls.concepts.concept_upsert("apple"))
    assert not known["created"]
    # Nodes that Cypher written by hand leaves without a scope are shared too.
    bare("CREATE (:Concept {name: 'quince'})")
    [known] = store.run(calls.concepts.concept_upsert("quince"))
    assert not known["created"]


def test_a_graph_before_0_3_0_is_opened_with_that_version_first(bare, connect, memgraph_uri):
    # Names of concepts were unique among all users then.
    bare("CREATE CONSTRAINT ON (n:Concept) ASSERT n.name IS UNIQUE")
    with pytest.raises(Misdeployed, match=r"before 0\.3\.0; open it with 0\.3\.0 first"):
        connect(memgraph_uri).open()
    bare("DROP CONSTRAINT ON (n:Concept) ASSERT n.name IS UNIQUE")


def test_nodes_without_a_name_do_not_collide(bare, connect, memgraph_uri):
    bare("CREATE (:Concept {other: 1}), (:Concept {other: 2}), (:Concept {name: 'apple'})")
    connect(memgraph_uri).open()
    assert constraints(bare) == WANTED


def test_opening_gives_what_an_older_version_made_the_forms_that_searches_look_at(
    bare, connect, memgraph_uri, monkeypatch
):
    monkeypatch.setattr(readiness, "_FOLDED_AT_ONCE", 2)
    bare("UNWIND ['Crème', 'Äpfel', 'apple', 'pear', 'Öl'] AS name CREATE (:Concept {name: name})")
    bare("CREATE (:Concept {other: 1}), (:Concept {name: 7})")
    connect(memgraph_uri).open()
    rows = bare(
        "MATCH (n:Concept) WHERE n.search_name IS NOT NULL"
        " RETURN n.name, n.folded_name, n.plain_name"
    )
    assert {tuple(row.values()) for row in rows} == {
        ("Crème", "crème", "creme"),
        ("Äpfel", "äpfel", "apfel"),
        ("apple", None, None),
        ("pear", None, None),
        ("Öl", "öl", "ol"),
    }


def test_opening_gives_forms_to_some_names_and_says_how_the_others_get_them(
    bare, connect, memgraph_uri, monkeypatch, caplog
):
    monkeypatch.setattr(readiness, "_FOLDED_AT_ONCE", 2)
    monkeypatch.setattr(readiness, "_MOST_FOLDED", 4)
    bare("UNWIND range(1, 9) AS i CREATE (:Concept {name: 'n' + i})")
    counted = "MATCH (n:Concept) WHERE n.search_name IS NOT NULL RETURN count(n) AS nodes"
    for folded in (4, 8):
        store = connect(memgraph_uri)
        store.open()
        assert bare(counted) == [{"nodes": folded}]
    assert "run concept-graph-mcp index" in caplog.text
    assert [row["concept"] for row in store.run(calls.concepts.concept_search(["n9"], 1))] == ["n9"]
    store.run(calls.transfer.index_rest())
    assert bare(counted) == [{"nodes": 9}]


def test_names_like_an_unknown_one_are_told_of_what_a_hand_made_beside_many(
    bare, connect, memgraph_uri
):
    names = [f"pear {number:04}" for number in range(3_000)]
    bare("UNWIND $names AS name CREATE (:Concept {name: name})", names=names)
    connect(memgraph_uri).open()
    store = connect(memgraph_uri)
    seeds = ["Pear0007", "zebra"]
    expected = [{"seed": "Pear0007", "similar": ["pear 0007"]}, {"seed": "zebra", "similar": []}]
    assert store.run(calls.concepts.unknown(seeds)) == expected
    bare("CREATE (:Concept {name: 'ZÉBRA'})")
    assert store.run(calls.concepts.unknown(seeds))[1]["similar"] == ["ZÉBRA"]


def test_a_replica_that_cannot_be_given_the_forms_is_served_from_all_the_same():
    asked = []

    async def run(statement, parameters, writes):
        asked.append(writes)
        if writes:
            raise neo4j.exceptions.ClientError("Write query forbidden on the replica!")
        return [{"nodes": 3}]

    anyio.run(readiness.ensure_name_forms, run, LAYERS)
    assert asked == [False, True]


def test_no_more_than_some_of_many_colliding_names_are_listed(bare, connect, memgraph_uri):
    bare("UNWIND range(1, 500) AS i CREATE (:Concept {name: 'n' + i}), (:Concept {name: 'n' + i})")
    with pytest.raises(Unwritable, match="and more") as failure:
        connect(memgraph_uri).run(calls.concepts.concept_upsert("plum"))
    assert len(str(failure.value)) < 1_000


# Modules


def test_modules_of_another_version_are_refused_with_what_to_do(
    database, connect, memgraph_uri, monkeypatch
):
    monkeypatch.setattr(readiness, "__version__", "99.0.0")
    store = connect(memgraph_uri)
    for attempt in (store.open, lambda: store.run(calls.concepts.concept_upsert("apple"))):
        with pytest.raises(Misdeployed) as failure:
            attempt()
        text = str(failure.value)
        assert memgraph_uri in text
        assert "99.0.0" in text
        assert "install-modules" in text
        assert "mg.load_all()" in text
        assert "\n" not in text
    assert database("MATCH (n) RETURN n") == []


def test_a_server_older_than_the_modules_says_to_upgrade_the_server(
    database, connect, memgraph_uri, monkeypatch
):
    # Installing its own modules would take the database back.
    monkeypatch.setattr(readiness, "__version__", "0.0.9")
    with pytest.raises(Misdeployed, match=r"this server 0\.0\.9; upgrade concept-graph-mcp") as it:
        connect(memgraph_uri).open()
    assert "install-modules" not in str(it.value)


def test_modules_that_lack_a_procedure_are_refused(database, connect, memgraph_uri, monkeypatch):
    newer = calls.transfer.procedures.STATS._replace(name="conceptgraph.something_newer")
    monkeypatch.setattr(calls, "ALL", (*calls.ALL, newer))
    said = "the query modules lack conceptgraph.something_newer, .* install-modules"
    with pytest.raises(Misdeployed, match=said):
        connect(memgraph_uri).open()


def test_a_database_without_modules_is_refused_with_what_to_do(
    bare, connect, memgraph_uri, monkeypatch
):
    renamed = [procedure._replace(name=f"not_there.{procedure.name}") for procedure in calls.ALL]
    monkeypatch.setattr(calls, "ALL", tuple(renamed))
    with pytest.raises(Misdeployed) as failure:
        connect(memgraph_uri).open()
    text = str(failure.value)
    assert "not loaded" in text
    assert memgraph_uri in text
    assert "install-modules" in text
    assert "mg.load_all()" in text
    assert "\n" not in text
    # Whoever is refused leaves nothing behind.
    assert constraints(bare) == set()


def test_a_procedure_that_vanishes_later_is_refused_with_what_to_do(
    database, connect, memgraph_uri
):
    store = connect(memgraph_uri)
    gone = calls.Call(calls.transfer.procedures.STATS._replace(name="conceptgraph.gone"), ())
    with pytest.raises(Misdeployed, match=r"conceptgraph\.gone.*doctor") as failure:
        store.run(gone)
    assert "\n" not in str(failure.value)


def test_modules_that_vanish_later_are_asked_for_as_at_the_start(
    database, connect, memgraph_uri, monkeypatch
):
    store = connect(memgraph_uri)
    store.open()
    gone = calls.transfer.procedures.STATS._replace(name="conceptgraph.gone")
    monkeypatch.setattr(calls, "ALL", (*calls.ALL, gone))
    with pytest.raises(Misdeployed, match=r"the query modules lack conceptgraph\.gone"):
        store.run(calls.Call(gone, ()))


def test_a_server_over_other_modules_says_so_at_every_call_until_they_are_replaced(
    database, connect, memgraph_uri, portal, monkeypatch
):
    monkeypatch.setattr(readiness, "__version__", "99.0.0")
    with in_process(portal, connect(memgraph_uri)) as client:
        assert len(portal.call(client.list_tools).tools) == 7
        for _ in range(2):
            result = portal.call(client.call_tool, "concept_upsert", {"concept": "apple"})
            assert result.is_error
            assert "install-modules" in result.content[0].text
            assert "\n" not in result.content[0].text
        monkeypatch.undo()
        result = portal.call(client.call_tool, "concept_upsert", {"concept": "apple"})
        assert result.structured_content == {"concept_id": "apple", "created": True}


@pytest.mark.slow
def test_a_server_over_a_database_with_colliding_names_says_so_and_stays(bare, memgraph_uri):
    bare("CREATE (:Concept {name: 'apple'}), (:Concept {name: 'apple'})")
    upsert = ("tools/call", {"name": "concept_upsert", "arguments": {"concept": "pear"}})
    with StdioServer(environment={"MEMGRAPH_URI": memgraph_uri}) as server:
        server.initialize()
        refused = server.request(*upsert)["result"]
        assert refused["isError"]
        assert "'apple' (2 nodes)" in refused["content"][0]["text"]
        bare("MATCH (c:Concept {name: 'apple'}) WITH collect(c) AS all DELETE last(all)")
        assert server.request(*upsert)["result"]["structuredContent"]["created"]
        code, _, err = server.end()
    assert code == 0
    assert b"'apple' (2 nodes)" in err


# A database that cannot be reached


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_database_that_is_not_there_is_named_in_one_line(connect, scheme):
    uri = f"{scheme}://127.0.0.1:{closed_port()}"
    store = connect(uri)
    for attempt in (store.open, lambda: store.run(calls.transfer.stats()), store.stream):
        with pytest.raises(Unavailable) as failure:
            attempt()
        assert uri in str(failure.value)
        assert "cannot be reached" in str(failure.value)
        assert "\n" not in str(failure.value)


def test_something_else_than_a_database_is_one_line(connect):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        uri = f"bolt://127.0.0.1:{listener.getsockname()[1]}"
        answering = threading.Thread(target=_answer_like_a_web_server, args=(listener,))
        answering.start()
        with pytest.raises(StoreError) as failure:
            connect(uri).open()
        listener.shutdown(socket.SHUT_RDWR)
        answering.join()
    assert uri in str(failure.value)
    assert "\n" not in str(failure.value)


def _answer_like_a_web_server(listener: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1_024)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def test_a_server_over_a_database_that_is_not_there_answers_and_stays(portal, connect):
    uri = f"bolt://127.0.0.1:{closed_port()}"
    with in_process(portal, connect(uri)) as client:
        for _ in range(2):
            result = portal.call(client.call_tool, "concept_upsert", {"concept": "apple"})
            assert result.is_error
            assert uri in result.content[0].text
            assert "\n" not in result.content[0].text
        assert len(portal.call(client.list_tools).tools) == 7


def in_process(portal: Any, store: Bolt) -> Any:
    """A client of a server over *store*, within the portal."""

    async def made() -> Client:
        zone = ZoneInfo("Asia/Tokyo")
        session = Session(store.store, 86_400_000, zone, Clock())
        return Client(serving.build(session, watch_store=True))

    return portal.wrap_async_context_manager(portal.call(made))


@pytest.fixture
def proxy(database: Any, memgraph_uri: str) -> Iterator[Proxy]:
    target = urlsplit(memgraph_uri)
    with Proxy(target.hostname or "localhost", target.port or 7687) as proxy:
        yield proxy


def through(proxy: Proxy) -> str:
    return f"bolt://127.0.0.1:{proxy.port}"


def edges(run: Callable[..., list[dict[str, Any]]]) -> list[float]:
    return [row["w"] for row in run("MATCH ()-[r:IS_A]->() RETURN r.weight AS w")]


@pytest.mark.slow
def test_the_start_up_checks_are_made_when_the_database_comes(proxy, bare, connect):
    proxy.stop()
    store = connect(through(proxy))
    with pytest.raises(Unavailable):
        store.open()
    with pytest.raises(Unavailable):
        store.run(calls.concepts.concept_upsert("apple"))
    assert constraints(bare) == set()
    proxy.start()
    assert store.run(calls.concepts.concept_upsert("apple")) == [
        {"concept_id": "apple", "created": True}
    ]
    assert constraints(bare) == WANTED


@pytest.mark.slow
def test_a_database_that_goes_and_comes_back_is_used_again(proxy, connect):
    store = connect(through(proxy))
    store.run(calls.concepts.concept_upsert("apple"))
    for _ in range(3):
        proxy.stop()
        for _ in range(2):
            with pytest.raises(Unavailable) as failure:
                store.run(calls.concepts.concept_upsert("pear"))
            assert through(proxy) in str(failure.value)
            assert "\n" not in str(failure.value)
        # By now the pool holds no broken connection.
        assert "cannot be reached" in str(failure.value)
        proxy.start()
        assert store.run(calls.concepts.concept_upsert("apple"))[0]["created"] is False
    assert [record["name"] for record in store.stream()] == ["apple"]


@pytest.mark.slow
def test_a_write_whose_answer_is_lost_may_have_happened_and_is_not_made_twice(
    proxy, database, connect
):
    store = connect(through(proxy))
    store.open()
    proxy.lose_answer_after = b"conceptgraph.relation_add"
    future = store.run_soon(calls.concepts.relation_add("apple", "fruit", "is-a"))
    deadline = time.monotonic() + DEADLINE_S
    while not edges(database) and time.monotonic() < deadline:
        pass
    proxy.lose_answer_after = None
    proxy.cut()
    with pytest.raises(Unavailable, match="the write may have happened") as failure:
        future.result(DEADLINE_S)
    assert through(proxy) in str(failure.value)
    assert edges(database) == [0.25]
    (row,) = store.run(calls.concepts.relation_add("apple", "fruit", "is-a"))
    assert row["weight"] == pytest.approx(0.4)


def test_a_write_that_is_cut_off_on_its_way_may_have_happened(proxy, database, connect):
    store = connect(through(proxy))
    store.open()
    proxy.cut_before = b"conceptgraph.relation_add"
    with pytest.raises(Unavailable, match="the write may have happened"):
        store.run(calls.concepts.relation_add("apple", "fruit", "is-a"))
    proxy.cut_before = None
    assert edges(database) == []
    assert store.run(calls.concepts.relation_add("apple", "fruit", "is-a"))[0]["weight"] == 0.25


def test_a_reading_call_that_is_cut_off_has_written_nothing(proxy, connect):
    store = connect(through(proxy))
    store.run(calls.concepts.relation_add("apple", "fruit", "is-a"))
    proxy.cut_before = b"conceptgraph.peek"
    with pytest.raises(Unavailable, match="was lost; nothing was written"):
        store.run(calls.concepts.peek(["apple"]))
    proxy.cut_before = None
    assert [row["text"] for row in store.run(calls.concepts.peek(["apple"]))] == [
        "apple is-a fruit"
    ]


@pytest.mark.slow
def test_an_export_that_is_cut_off_says_so(proxy, connect):
    store = connect(through(proxy))
    store.run(calls.concepts.relation_add("apple", "fruit", "is-a"))
    proxy.cut_before = b"conceptgraph.export"
    with pytest.raises(Unavailable) as failure:
        store.stream()
    assert through(proxy) in str(failure.value)
    proxy.cut_before = None
    assert len(store.stream()) == 3


@pytest.mark.slow
def test_a_server_recovers_with_its_database(proxy, portal, connect):
    with in_process(portal, connect(through(proxy))) as client:

        def upsert(concept: str) -> Any:
            return portal.call(client.call_tool, "concept_upsert", {"concept": concept})

        assert upsert("apple").structured_content == {"concept_id": "apple", "created": True}
        proxy.stop()
        down = upsert("pear")
        assert down.is_error
        assert through(proxy) in down.content[0].text
        proxy.start()
        again = upsert("pear")
        assert again.structured_content == {"concept_id": "pear", "created": True}


# Credentials


def assert_no_credentials(texts: list[str]) -> None:
    for text in texts:
        assert USER not in text, text
        assert PASSWORD not in text, text


def texts_of(error: BaseException, caplog: pytest.LogCaptureFixture) -> list[str]:
    chain = "".join(traceback.format_exception(error))
    logs = [r.getMessage() + (r.exc_text or "") for r in caplog.records if _is_ours(r)]
    return [str(error), chain, *logs]


def _is_ours(record: logging.LogRecord) -> bool:
    return record.name.startswith("concept_graph_mcp")


def test_credentials_are_in_no_message_when_the_database_is_not_there(connect, portal, caplog):
    caplog.set_level(logging.DEBUG)
    store = connect(f"bolt://127.0.0.1:{closed_port()}", USER, PASSWORD)
    with pytest.raises(Unavailable) as failure:
        store.open()
    assert_no_credentials([*texts_of(failure.value, caplog), repr(store.store)])
    with in_process(portal, store) as client:
        result = portal.call(client.call_tool, "concept_upsert", {"concept": "apple"})
    assert_no_credentials([str(result), *texts_of(failure.value, caplog)])


@pytest.mark.slow
def test_credentials_are_in_no_message_when_the_database_goes_or_is_misdeployed(
    proxy, connect, caplog, monkeypatch
):
    caplog.set_level(logging.DEBUG)
    store = connect(through(proxy), USER, PASSWORD)
    store.run(calls.concepts.concept_upsert("apple"))
    proxy.cut_before = b"conceptgraph.concept_upsert"
    with pytest.raises(Unavailable) as failure:
        store.run(calls.concepts.concept_upsert("pear"))
    assert_no_credentials(texts_of(failure.value, caplog))
    proxy.cut_before = None
    monkeypatch.setattr(readiness, "__version__", "99.0.0")
    with pytest.raises(Misdeployed) as misdeployed:
        connect(through(proxy), USER, PASSWORD).open()
    assert_no_credentials(texts_of(misdeployed.value, caplog))


@pytest.fixture
def only_user(database: Callable[..., list[dict[str, Any]]]) -> Iterator[tuple[str, str]]:
    """The name and the password of the only user that the Memgraph lets in."""
    name, password = "keeper", "shut-the-door-7"
    try:
        database(f"CREATE USER {name} IDENTIFIED BY '{password}'")
    except neo4j.exceptions.Neo4jError as error:
        pytest.skip(f"no users can be made there: {error.message}")
    yield name, password
    database(f"DROP USER {name}")


@pytest.mark.slow
def test_credentials_that_are_not_accepted_are_refused_without_repeating_them(
    only_user, connect, memgraph_uri, caplog
):
    caplog.set_level(logging.DEBUG)
    for user, password in ((USER, PASSWORD), (only_user[0], PASSWORD), ("", "")):
        with pytest.raises(Unavailable, match="MEMGRAPH_PASSWORD were not accepted") as failure:
            connect(memgraph_uri, user, password).open()
        assert memgraph_uri in str(failure.value)
        assert "\n" not in str(failure.value)
        assert_no_credentials(texts_of(failure.value, caplog))
    environment = {
        "MEMGRAPH_URI": memgraph_uri, "MEMGRAPH_USER": USER, "MEMGRAPH_PASSWORD": PASSWORD,
    }  # fmt: skip
    with StdioServer(environment=environment) as server:
        server.initialize()
        told = str(server.call("concept_upsert", concept="apple"))
        _, _, err = server.end()
    assert "MEMGRAPH_PASSWORD were not accepted" in told
    # One line for each failure, and none of the driver's own.
    assert all("were not accepted" in line for line in err.decode().splitlines())
    assert_no_credentials([told, err.decode()])
    accepted = connect(memgraph_uri, *only_user)
    assert accepted.run(calls.concepts.concept_upsert("apple"))[0]["created"] is True
