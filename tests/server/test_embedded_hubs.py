"""What it costs, embedded, to take a much connected node out: no more than it has relations."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from embedded_files import assert_sound

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.cache import EdgeElement, VertexElement, detach
from concept_graph_mcp.hosts.sqlite.procedure_host import Host

CONTEXT = {"now_ms": 1_750_000_000_000, "tau_ms": 86_400_000, "date": "20250615"}
LEAVES = 400


def run(host: Host, call: calls.Call) -> list[dict[str, Any]]:
    return host.call(call.procedure.name, [*call.arguments, CONTEXT], call.procedure.fields)


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[list[Host]]:
    """Two hosts on a hub with leaves, which both have loaded."""
    path = tmp_path / "memory.db"
    rows = [
        {"kind": "relation", "from": ends[0], "to": ends[1], "type": "is-a"}
        for number in range(LEAVES)
        for ends in (("hub", f"out {number}"), (f"in {number}", "hub"))
    ]
    with ExitStack() as stack:
        opened = [stack.enter_context(closing(Host(path))) for _ in range(2)]
        run(opened[0], calls.transfer.import_rows(rows))
        for host in opened:
            run(host, calls.concepts.peek(["hub"], 2))
        yield opened


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of all lists of edges that vertices are given."""
    lengths: list[int] = []
    for name in ("out_edges", "in_edges"):
        slot = VertexElement.__dict__[name]

        def give(vertex: VertexElement, edges: Any, slot: Any = slot) -> None:
            lengths.append(len(edges or ()))
            slot.__set__(vertex, edges)

        monkeypatch.setattr(VertexElement, name, property(slot.__get__, give))
    return lengths


def test_removing_a_hub_goes_through_its_relations_once(hosts, copied, tmp_path):
    rows = run(hosts[0], calls.concepts.remove("hub", False))
    assert len(rows) == 1 + 2 * LEAVES
    assert sum(copied) <= 2 * LEAVES
    assert run(hosts[0], calls.concepts.peek(["out 7"], 1)) == []
    assert_sound(tmp_path / "memory.db")


def test_another_process_takes_the_removal_of_a_hub_over_going_through_its_relations_once(
    hosts, copied
):
    run(hosts[0], calls.concepts.remove("hub", False))
    copied.clear()
    assert run(hosts[1], calls.concepts.peek(["in 7"], 1)) == []
    assert sum(copied) <= 2 * LEAVES
    measures = {row["measure"]: row["value"] for row in run(hosts[1], calls.transfer.stats())}
    assert (measures["concepts"], measures["is-a"]) == (2 * LEAVES, 0)


def test_what_leads_to_a_hub_is_not_read_where_little_leaves_the_other_end(hosts):
    [host, other] = hosts
    statements: list[str] = []
    host.forget()
    host._database._connection.set_trace_callback(statements.append)
    for _ in range(2):
        run(host, calls.concepts.relation_add("in 7", "hub", "is-a"))
    host._database._connection.set_trace_callback(None)
    assert not [one for one in statements if "WHERE target = " in one]
    [row] = run(other, calls.concepts.peek(["in 7"], 1))
    assert row["weight"] == pytest.approx(1 - 0.75 * 0.8 * 0.8)


def test_ends_of_relations_that_nobody_looked_at_are_not_read_and_count_all_the_same(hosts):
    [host, _] = hosts
    host.forget()
    cache = host._cache
    with host._transaction(False, False) as graph:
        [hub] = [one for one in graph.reading().vertices() if one.properties["name"] == "hub"]
        cache.clear()
        statements: list[str] = []
        host._database._connection.set_trace_callback(statements.append)
        edges = list(cache.stored_edges(hub, True))
        assert len(edges) == len(cache.vertices.keys() - {hub.id}) == LEAVES
        assert not [one for one in statements if "FROM vertex" in one]
        assert cache.bytes > (100 + 350) * LEAVES
        # Each as it is asked for, by then.
        assert {edge.target.properties["name"] for edge in edges[:3]} == {"out 0", "out 1", "out 2"}
        assert len([one for one in statements if "FROM vertex" in one]) == 3
        host._database._connection.set_trace_callback(None)


@pytest.mark.slow
def test_correcting_a_memory_goes_through_no_other_mention_of_its_words(tmp_path, copied):
    with closing(Host(tmp_path / "memories.db")) as host:
        records = [
            {"kind": "memory", "id": f"m{number}", "user_id": "ada", "content": "apples"}
            for number in range(LEAVES)
        ]
        run(host, calls.transfer.import_rows(records))
        copied.clear()
        call = calls.memories.update("ada", "m7", content="pears")
        context = {**CONTEXT, **call.context, "user_id": "ada"}
        host.call(call.procedure.name, [*call.arguments, context])
        assert sum(copied) < LEAVES // 10
    assert_sound(tmp_path / "memories.db")


@pytest.mark.parametrize("gone", [[2], [2, 0], list(range(150))])
def test_edges_are_taken_out_of_a_list_in_whatever_order_it_has_them(gone):
    hub = VertexElement(1, ("Concept",), {})
    leaf = VertexElement(2, ("Concept",), {})
    edges = [EdgeElement(9_000 - number, "IS_A", leaf, hub, {}) for number in range(300)]
    edges[2], edges[1] = edges[1], edges[2]
    hub.in_edges = list(edges)
    known = hub.in_edges
    detach([edges[number] for number in gone])
    assert hub.in_edges == [edge for number, edge in enumerate(edges) if number not in gone]
    assert known == edges
