"""A Memgraph that several processes write to at once."""

from contextlib import closing

import pytest
import race
from embedded_files import assert_sound
from server_processes import all_at_once, workers

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.procedure_host import Host

CONTEXT = {"now_ms": 1_750_000_000_000, "tau_ms": 86_400_000, "date": "20250615"}


@pytest.mark.slow
def test_eight_processes_that_write_the_same_come_to_what_one_after_the_other_would(
    empty_memgraph, tmp_path
):
    with workers(empty_memgraph, 8) as started:
        answers = all_at_once(started, race.WRITES)
        found = started[0].rows("records")
        assert started[0].rows("check") == []
    # The same calls in turn, on the other host.
    with closing(Host(tmp_path / "one.db")) as one:
        for name, *arguments in race.WRITES * 8:
            call = getattr(calls.concepts, name)(*arguments)
            one.call(call.procedure.name, [*call.arguments, CONTEXT])
        expected = [record for batch in one.export(1_000) for record in batch]
    race.assert_as_if_one_after_the_other(answers, found, expected)
    assert_sound(tmp_path / "one.db")


@pytest.mark.slow
def test_the_first_addition_of_a_relation_by_many_at_once_makes_one_edge(empty_memgraph):
    pairs = [
        ["relation_add", f"from {number}", f"to {number}", kind]
        for number in range(10)
        for kind in ("is-a", "part-of", "evokes")
    ]
    with workers(empty_memgraph, 8) as started:
        names = [name for call in pairs for name in call[1:3]]
        for name in dict.fromkeys(names):
            # The ends are there already, so that only the edges can conflict.
            started[0].rows("concept_upsert", name)
        answers = all_at_once(started, pairs)
        found = started[0].rows("records")
        assert started[0].rows("check") == []
    assert [answer for answer in answers if "error" in answer] == []
    edges = [record for record in found if record["kind"] == "relation"]
    assert len(edges) == len(pairs)
    expected = 0.25
    for _ in range(7):
        expected = 1 - (1 - expected) * (1 - 0.2)
    assert {edge["weight"] for edge in edges} == {expected}


@pytest.mark.slow
def test_many_clients_that_make_the_same_names_get_one_node_each_and_no_error(empty_memgraph):
    names = [f"name {number}" for number in range(25)]
    upserts = [["concept_upsert", name] for name in names]
    with workers(empty_memgraph, 8) as started:
        answers = all_at_once(started, upserts)
        found = started[0].rows("records")
    assert [answer for answer in answers if "error" in answer] == []
    created = [row["concept_id"] for a in answers for row in a["rows"] if row["created"]]
    assert sorted(created) == sorted(names)
    assert sorted(record["name"] for record in found) == sorted(names)
