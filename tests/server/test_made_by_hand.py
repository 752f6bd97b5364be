"""Whatever Cypher written by hand leaves in the graph, a server starts and says what is odd."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import neo4j
import pytest
from command_line import run

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Contended, Refused, Unwritable
from concept_graph_mcp.hosts.memgraph.store import BoltStore

CONTEXT = {"now_ms": 1_750_000_000_000, "tau_ms": 86_400_000, "date": "20250615"}
# A start takes a tenth of a second; retries of conflicts would take 8.
QUICK_S = 4.0
GRAPH = [
    {"kind": "relation", "from": "apple", "to": "fruit", "type": "is-a"},
    {"kind": "relation", "from": "pear", "to": "fruit", "type": "is-a"},
    {"kind": "memory", "id": "tea", "user_id": "default", "content": "Daniele prefers tea"},
]
UNIQUE = "CONSTRAINT ON (n:Concept) ASSERT n.user_id, n.name IS UNIQUE"

Cypher = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def lab(empty_memgraph: str, portal: Any) -> Iterator[Cypher]:
    """Runs Cypher on a small graph, as a person in Lab does; its constraint is put back."""
    with Server(portal, empty_memgraph) as server:
        server.call(calls.transfer.import_rows(GRAPH))
    with neo4j.GraphDatabase.driver(empty_memgraph) as driver, driver.session() as session:

        def cypher(statement: str, **parameters: Any) -> list[dict[str, Any]]:
            return session.run(statement, parameters).data()

        yield cypher
        cypher("MATCH (n) DETACH DELETE n")
        cypher(f"CREATE {UNIQUE}")


class Server:
    """A server that starts now."""

    def __init__(self, portal: Any, uri: str) -> None:
        async def made() -> BoltStore:
            return BoltStore(uri, "", "")

        self._portal = portal
        self.store = portal.call(made)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self._portal.call(self.store.close)

    def call(self, call: calls.Call) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._portal.call(self.store.call, call, CONTEXT)
        return rows

    def unwritable(self) -> str | None:
        told: str | None = self._portal.call(self.store.unwritable)
        return told


@pytest.fixture
def start(lab: Cypher, portal: Any, memgraph_uri: str) -> Iterator[Callable[[], Server]]:
    """Starts a server, which must take no longer than any start."""
    made: list[Server] = []

    def start() -> Server:
        began = time.monotonic()
        made.append(Server(portal, memgraph_uri))
        made[-1].call(calls.transfer.version())
        assert time.monotonic() - began < QUICK_S
        return made[-1]

    yield start
    for one in made:
        one.__exit__()


def check_answers(server: Server) -> None:
    """Assert that a search finds as before the memories that nobody touched."""
    peeked = server.call(calls.concepts.peek(["pear"], 1))
    assert "pear is-a fruit" in [row["text"] for row in peeked]
    found = server.call(calls.memories.search("default", "what does Daniele prefer?"))
    assert [row["memory_id"] for row in found] == ["tea"]


@pytest.mark.parametrize("label", ["Concept", "Episode", "Concept:Episode"])
def test_a_twin_without_a_scope_takes_nothing_away(lab, start, label):
    lab(f"CREATE (:{label} {{name: 'apple'}}), (:{label} {{name: 'apple'}})")
    server = start()
    check_answers(server)
    assert server.unwritable() is None
    [row] = server.call(calls.concepts.relation_add("apple", "red", "evokes"))
    assert row["weight"] == 0.25
    assert ("name shared", '"apple"') in {
        (row["problem"], row["subject"]) for row in server.call(calls.transfer.check())
    }
    server.call(calls.transfer.import_rows([{"kind": "relation", "from": "apple", "to": "sweet",
                                             "type": "evokes"}]))  # fmt: skip


@pytest.mark.parametrize(
    "command", [["stats"], ["export", "-"], ["index"], ["concept", "search", "apple"]]
)
def test_commands_work_beside_a_twin(lab, memgraph_uri, monkeypatch, command):
    monkeypatch.setenv("MEMGRAPH_URI", memgraph_uri)
    monkeypatch.setenv("TZ", "UTC")
    lab("CREATE (:Concept {name: 'apple'})")
    began = time.monotonic()
    assert run(*command).exit_code == 0
    assert time.monotonic() - began < QUICK_S


def test_without_its_constraint_a_graph_with_twins_is_only_read_until_it_is_mended(lab, start):
    lab(f"DROP {UNIQUE}")
    lab("UNWIND range(1, 2) AS i CREATE (:Concept {name: 5}), (:Concept {name: 'apple'})")
    server = start()
    check_answers(server)
    line = server.unwritable()
    assert line is not None
    assert ":Concept(user_id, name) must be unique, but several nodes share" in line
    assert "'apple' (3 nodes)" in line
    assert "\n" not in line
    with pytest.raises(Unwritable, match="only reads are answered"):
        server.call(calls.concepts.concept_upsert("plum"))
    assert lab("MATCH (n:Concept {name: 'plum'}) RETURN n") == []
    lab("MATCH (n:Concept) WHERE n.valence IS NULL DETACH DELETE n")
    server.call(calls.concepts.concept_upsert("plum"))
    assert server.unwritable() is None
    assert any(
        set(row["properties"]) == {"user_id", "name"}
        for row in lab("SHOW CONSTRAINT INFO")
        if row["label"] == "Concept"
    )


def test_a_constraint_of_somebody_else_does_not_keep_a_server_from_starting(lab, start):
    lab("CREATE CONSTRAINT ON (n:Concept) ASSERT n.search_name IS UNIQUE")
    try:
        lab("CREATE (:Concept {name: 'Apple'})")
        server = start()
        check_answers(server)
        with pytest.raises(
            Contended, match=r":Concept\(search_name\).*check names them"
        ) as failure:
            server.call(calls.concepts.concept_upsert("PEAR"))
        assert "too many writes" not in str(failure.value)
    finally:
        lab("DROP CONSTRAINT ON (n:Concept) ASSERT n.search_name IS UNIQUE")


@pytest.mark.parametrize(
    "statement",
    [
        "MATCH (t:Term) DETACH DELETE t",
        "MATCH (t:Term) WITH t LIMIT 1 DETACH DELETE t",
        "MATCH (t:Text) SET t.length = 'x', t.node = 'x', t.said_at = 'z'",
        "MATCH (c:Corpus) SET c.texts = 'x'",
        "MATCH (c:Corpus) SET c.length = c.length + 5",
        "MATCH (:Text)-[e]->(:Term) SET e.count = 'x'",
        "MATCH (t:Term) SET t.near = 'x', t.speakers = 5",
    ],
)
def test_an_index_of_words_that_hands_damaged_is_told_and_built_again(
    lab, start, memgraph_uri, monkeypatch, statement
):
    lab(statement)
    server = start()
    assert [row["problem"] for row in server.call(calls.transfer.check())] == [
        "damaged index of words"
    ]
    search = calls.memories.search("default", "what does Daniele prefer?")
    with suppress(Refused):
        server.call(search)
    monkeypatch.setenv("MEMGRAPH_URI", memgraph_uri)
    monkeypatch.setenv("TZ", "UTC")
    assert run("check").exit_code == 1
    mended = run("check", "--mend")
    assert mended.exit_code == 0, mended.output
    assert mended.stdout == "Nothing is wrong.\n"
    check_answers(server)
