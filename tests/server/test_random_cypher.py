"""Any Cypher by hand leaves a server that starts, says what is odd, and answers about the rest."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import neo4j
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import limit_examples

from concept_graph_mcp import calls
from concept_graph_mcp.errors import StoreError, Unwritable
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from conceptgraph_core.transfer.registry import MODEL

# More of them are run by hand.
EXAMPLES = int(os.environ.get("RANDOM_CYPHER_EXAMPLES", "80"))
NOW_MS = 1_750_000_000_000
CONTEXT = {"now_ms": NOW_MS, "tau_ms": 86_400_000, "date": "20250615"}
# On a machine that is busy; retries of conflicts would take 8 seconds, and more for each call.
START_S = 6.0
# Nobody's Cypher names what this user has.
KEPT = "untouched"
GRAPH = [
    *({"kind": "relation", "from": f"{name} {of}", "to": f"fruit {of}", "type": "is-a"} | whose
      for name in ("apple", "pear")
      for of, whose in (("by hand", {}), ("kept", {}), ("own", {"user_id": KEPT}))),
    {"kind": "episode", "name": "20250615/pie", "summary": "We baked a pie"},
    {"kind": "memory", "id": "tea", "user_id": "default", "content": "Daniele prefers tea"},
    {"kind": "memory", "id": "milk", "user_id": "default", "content": "Daniele hates milk"},
    {"kind": "memory", "id": "kept", "user_id": KEPT, "content": "Zora collects blue stamps"},
]  # fmt: skip
KINDS = [kind for layer in MODEL.stored for kind in layer.nodes]
LABELS = [kind.label for kind in KINDS]
NAMES = sorted({one.name for kind in KINDS for one in kind.properties} | {"weight", "note"})
TYPES = sorted({kind.type for layer in MODEL.stored for kind in layer.edges} | {"KNOWS"})
VALUES = [
    *("null", "5", "-1", "2.5", "true", "''", "'x'", "'apple by hand'", "'tea'", "'default'"),
    *("'yesterday'", "[]", "[1, 'x']", "['a']", "{a: 1}", "datetime()", "9223372036854775807"),
    *("'20250615/pie'", "'anna'", "'e\\u0301'", "1.0e300", "[0.5, 0.5]", "'Concept'", "1"),
]
KEYS = ("name", "id", "user_id", "scope", "key", "content")
# The nodes of the user whom nobody touches, and the words of what is hers.
NOT_KEPT = (
    f"NOT coalesce(toString(n.user_id) STARTS WITH '{KEPT}', false)"
    f" AND NOT coalesce(toString(n.scope) STARTS WITH '{KEPT}', false)"
    " AND NOT coalesce(toString(n.name) ENDS WITH 'kept', false)"
)

names = st.one_of(st.sampled_from(KEYS), st.sampled_from(NAMES))
values = st.sampled_from(VALUES)
labels = st.sampled_from(LABELS)
pairs = st.lists(st.tuples(names, values), max_size=4, unique_by=lambda pair: pair[0])


def _map(given: list[tuple[str, str]]) -> str:
    return "{" + ", ".join(f"`{name}`: {value}" for name, value in given) + "}"


@st.composite
def statements(draw: Any) -> str:
    """Draw one statement of a person who knows our labels, and no rule."""
    label, other, type_ = draw(labels), draw(labels), draw(st.sampled_from(TYPES))
    given, name, value = draw(pairs), draw(names), draw(values)
    given_value = draw(st.sampled_from(VALUES[1:]))
    some = f"MATCH (n:{label}) WHERE {NOT_KEPT} WITH n LIMIT {draw(st.sampled_from([1, 1, 5]))}"
    return draw(
        st.sampled_from(
            [
                f"CREATE (n:{label} {_map(given)})",
                f"CREATE (n:{label}:{other} {_map(given)})",
                f"{some} CREATE (m:{label}) SET m = properties(n), m.`{name}` = {value}",
                f"MERGE (n:{label} {_map([(name, given_value)])})",
                f"{some} SET n.`{name}` = {value}",
                f"{some} SET n.`{name}` = {value}",
                f"{some} REMOVE n.`{name}`",
                f"{some} SET n = {_map(given)}",
                f"{some} SET n:{other}",
                f"{some} REMOVE n:{label}",
                f"{some} DETACH DELETE n",
                f"{some} MATCH (n)-[e]->() DELETE e",
                f"{some} MATCH (n)-[e]->() SET e.`{name}` = {value}",
                f"{some} MATCH (m:{other}) WHERE {NOT_KEPT.replace('n.', 'm.')} WITH n, m LIMIT 2"
                f" CREATE (n)-[:{type_} {_map(given)}]->(m)",
                f"{some} CREATE (n)-[:{type_} {_map(given)}]->(n)",
                f"{some} CREATE (n)-[:{type_}]->(:Person {_map(given)})",
                "DROP CONSTRAINT ON (n:Concept) ASSERT n.user_id, n.name IS UNIQUE",
                "DROP CONSTRAINT ON (n:Memory) ASSERT n.id IS UNIQUE",
                "DROP INDEX ON :Memory(user_id, id)",
                "DROP INDEX ON :Concept(name)",
            ]
        )
    )


@pytest.fixture
def lab(empty_memgraph: str) -> Iterator[Any]:
    with neo4j.GraphDatabase.driver(empty_memgraph) as driver, driver.session() as session:

        def cypher(statement: str) -> list[dict[str, Any]]:
            return session.run(statement).data()

        yield cypher
        cypher("MATCH (n) DETACH DELETE n")
        for of in ("(n:Concept) ASSERT n.user_id, n.name", "(n:Memory) ASSERT n.id"):
            cypher(f"CREATE CONSTRAINT ON {of} IS UNIQUE")


class _Server:
    """A server that starts now, and is asked from outside of its loop."""

    def __init__(self, portal: Any, uri: str) -> None:
        async def made() -> BoltStore:
            return BoltStore(uri, "", "")

        self._portal = portal
        self._store = portal.call(made)

    def ask(self, call: calls.Call, user: str = "default") -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._portal.call(
            self._store.call, call, CONTEXT | {"user_id": user}
        )
        return rows

    def refusal(self, call: calls.Call) -> str | None:
        """Return why *call* is refused, if it is."""
        try:
            self.ask(call)
        except StoreError as error:
            return str(error)
        return None

    def export(self) -> list[dict[str, Any]]:
        async def collect() -> list[dict[str, Any]]:
            return [one async for batch in self._store.stream() for one in batch]

        records: list[dict[str, Any]] = self._portal.call(collect)
        return records

    def __enter__(self) -> "_Server":
        return self

    def __exit__(self, *_: object) -> None:
        self._portal.call(self._store.close)


def check_what_nobody_touched(server: _Server) -> None:
    peeked = server.ask(calls.concepts.peek(["apple kept"], 1))
    assert "apple kept is-a fruit kept" in [row["text"] for row in peeked]
    found = server.ask(calls.memories.search(KEPT, "what does Zora collect?"), KEPT)
    assert [row["memory_id"] for row in found] == ["kept"]
    for user in ("default", "anna"):
        found = server.ask(calls.memories.search(user, "what does Zora collect?"), user)
        assert "kept" not in [row["memory_id"] for row in found]


@settings(
    max_examples=limit_examples(EXAMPLES),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(statements(), min_size=1, max_size=6))
def test_random_cypher_leaves_a_server_that_starts(lab, memgraph_uri, portal, written):
    lab("MATCH (n) DETACH DELETE n")
    with _Server(portal, memgraph_uri) as first:
        first.ask(calls.transfer.import_rows(GRAPH))
    for statement in written:
        with suppress(neo4j.exceptions.Neo4jError):
            lab(statement)
    began = time.monotonic()
    with _Server(portal, memgraph_uri) as server:
        server.ask(calls.transfer.version())
        assert time.monotonic() - began < START_S
        check_what_nobody_touched(server)
        problems = server.ask(calls.transfer.check())
        assert all(row["advice"] and "\n" not in row["subject"] for row in problems)
        server.ask(calls.transfer.stats())
        server.export()
        with suppress(Unwritable):
            server.ask(calls.concepts.relation_add("plum", "fruit kept", "is-a"))
        for asked in ("What does Daniele prefer?", "pie"):
            # One clear error is an answer, too.
            assert "internal error" not in (
                server.refusal(calls.everyday.recall("default", asked)) or ""
            )
        done = [1]
        for _ in range(5):
            done = done and server.ask(calls.transfer.mend("default", 1_000))
        assert done == []
        while server.ask(calls.transfer.index_rest(1_000))[0]["indexed"] == 1_000:
            pass
        check_what_nobody_touched(server)
