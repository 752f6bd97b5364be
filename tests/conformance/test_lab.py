"""The procedures as a person in Memgraph Lab calls them: by hand, without context or look-up."""

import re
import time

import pytest
from expect import DAY_MS, decayed

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call, Procedure


@pytest.fixture
def call(memory):
    """Call a procedure with nothing but the arguments given."""

    def call(name, *arguments, fields):
        procedure = Procedure(f"conceptgraph.{name}", tuple(fields), True, takes_context=False)
        return memory.run(Call(procedure, arguments))

    return call


def milliseconds():
    return time.time_ns() // 1_000_000


def test_a_concept_is_created_at_the_hosts_time(call, memory):
    before = milliseconds()
    assert call("concept_upsert", "apple", fields=["concept_id", "created"]) == [
        {"concept_id": "apple", "created": True}
    ]
    assert before <= memory.node("apple")["accessed_at"] <= milliseconds()
    assert call("concept_upsert", "apple", fields=["created"]) == [{"created": False}]


def test_a_feeling_needs_no_context(call, memory):
    call("update_affect", "apple", 1, fields=["valence", "arousal"])
    (row,) = call("update_affect", "apple", -0.5, fields=["concept_id", "valence"])
    assert row == {"concept_id": "apple", "valence": 0.5}


def test_an_episode_is_named_after_the_hosts_date_and_numbered(call):
    (first,) = call("episode_add", "One", ["apple"], fields=["episode_id"])
    (second,) = call("episode_add", "Two", ["apple"], fields=["episode_id"])
    assert re.fullmatch(r"20\d{6}/apple", first["episode_id"])
    assert re.fullmatch(r"20\d{6}/apple(-2)?", second["episode_id"])
    assert first != second


def test_an_episode_found_by_a_scan_is_not_overwritten(memory):
    arguments = ["S", ["apple", "20250615/apple-2"]]
    ids = [
        memory.procedure("conceptgraph.episode_add", arguments, ("episode_id",))[0]["episode_id"]
        for _ in range(3)
    ]
    assert ids == ["20250615/apple", "20250615/apple-3", "20250615/apple-4"]


def test_a_relation_is_strengthened(call):
    arguments = ["apple", "fruit", "is-a"]
    assert call("relation_add", *arguments, fields=["from", "to", "type", "weight"]) == [
        {"from": "apple", "to": "fruit", "type": "is-a", "weight": 0.25}
    ]
    assert call("relation_add", *arguments, fields=["weight"]) == [
        {"weight": 1 - (1 - 0.25) * (1 - 0.2)}
    ]


def test_a_search_defaults_to_fifty(call, memory):
    memory.import_rows([{"kind": "concept", "name": f"apple {n:02}"} for n in range(60)])
    rows = call("concept_search", ["APPLE"], fields=["concept"])
    assert [row["concept"] for row in rows] == [f"apple {n:02}" for n in range(50)]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [None, 2, 0, 1_000])
def test_a_search_by_scan_finds_what_a_search_by_index_does(call, memory, limit):
    for number in range(70):
        memory.now_ms += 1_000
        memory.concept_upsert(f"Äpfel {number}" if number % 2 else f"other {number}")
    memory.update_affect("other 0", 1.0)
    rows = call("concept_search", ["äpf", "other 8"], limit, fields=["concept"])
    assert [row["concept"] for row in rows] == memory.concept_search(["äpf", "other 8"], limit)


def test_a_recall_defaults_to_two_hops(call, memory):
    for pair in ("ab", "bc", "cd"):
        memory.relation_add(*pair, "is-a")
    for name in ("peek", "recall"):
        rows = call(name, ["a"], fields=["text", "hop", "total"])
        assert {row["text"] for row in rows} == {"a is-a b", "b is-a c"}
        assert {row["total"] for row in rows} == {2}


@pytest.mark.slow
def test_a_recall_defaults_to_a_thousand_rows(call, memory):
    relations = [
        {"kind": "relation", "from": "hub", "to": f"n{n}", "type": "is-a"} for n in range(1_001)
    ]
    memory.import_rows(relations)
    assert len(call("peek", ["hub"], fields=["text"])) == 1_000
    assert len(call("peek", ["hub"], 1, None, fields=["text"])) == 1_000
    assert len(call("peek", ["hub"], 1, 5_000, fields=["text"])) == 1_001


def test_a_recall_by_scan_is_a_recall_by_index(memory):
    episode_id = memory.episode_add("Bought apples", ["apple", "market"])["episode_id"]
    memory.relation_add("market", "place", "is-a")
    memory.now_ms += DAY_MS
    fields = calls.concepts.procedures.PEEK.without("relative", "end").fields
    for seeds in (["apple"], [episode_id, "place"], ["nothing"], []):
        rows = memory.procedure("conceptgraph.peek", [seeds, 3, None], fields)
        assert rows == memory.peek(seeds, 3)


def test_seeds_may_be_nodes(memory, hands, host):
    if host == "embedded":
        pytest.skip("embedded, nobody can hand a node to a procedure")
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("pear", "fruit", "part-of")
    found = hands.value(
        "MATCH (c:Concept {name: 'apple'})"
        " CALL conceptgraph.peek([c, 'pear', c, 'nothing'], 1) YIELD text RETURN collect(text)"
    )
    assert sorted(found) == ["apple is-a fruit", "pear part-of fruit"]


def test_a_node_of_another_kind_is_no_seed(memory, hands, host):
    if host == "embedded":
        pytest.skip("embedded, nobody can hand a node to a procedure")
    hands.node("Person", name="p")
    with pytest.raises(Exception, match="neither a concept nor an episode"):
        hands.value("MATCH (p:Person) CALL conceptgraph.peek([p], 1) YIELD text RETURN text")


def test_corrections_are_made_at_once(call, memory):
    memory.relation_add("aple", "fruit", "is-a")
    assert call("rename", "aple", "apple", fields=["kind", "text"])[0]["text"] == "aple"
    assert call("remove_relation", "apple", "fruit", "is-a", fields=["text"]) == [
        {"text": "apple is-a fruit"}
    ]
    assert call("remove", "apple", fields=["text"]) == [{"text": "apple"}]
    assert [record["name"] for record in memory.records()] == ["fruit"]


def test_a_dry_run_needs_no_context(call, memory):
    memory.concept_upsert("aple")
    assert call("rename", "aple", "apple", True, fields=["text"]) == [{"text": "aple"}]
    assert call("remove", "aple", True, fields=["text"]) == [{"text": "aple"}]
    assert memory.node("aple")["name"] == "aple"


def test_the_rest_needs_no_context_either(call, memory):
    memory.concept_upsert("apple")
    assert {"measure": "concepts", "value": 1} in call("stats", fields=["measure", "value"])
    assert call("check", fields=["problem"]) == []
    assert [row["record"]["name"] for row in call("export", "nodes", fields=["record"])] == [
        "apple"
    ]
    rows = call("import_rows", [{"kind": "concept", "name": "b"}], fields=["nodes_created"])
    assert rows == [{"nodes_created": 1}]


# The function


def test_the_function_gives_the_arousal_at_a_time(memory, hands):
    memory.concept_upsert("apple")
    at = memory.now_ms
    assert hands.arousal("apple", at) == 0.5
    assert hands.arousal("apple", at + 1_000) == decayed(0.5, 1_000)
    assert hands.arousal("apple", at + 1_000, 500) == decayed(0.5, 1_000, 500)
    assert hands.arousal("apple", at + 1_000, 500.0) == decayed(0.5, 1_000, 500)
    assert hands.arousal("apple", at - 1_000) == 0.5
    assert hands.arousal("apple", at + 1_000, None) == decayed(0.5, 1_000)


def test_the_function_gives_the_arousal_of_an_episode(memory, hands):
    episode_id = memory.episode_add("S", ["apple"])["episode_id"]
    assert hands.arousal(episode_id, memory.now_ms + DAY_MS) == decayed(0.5, DAY_MS)


def test_the_function_takes_the_hosts_clock_by_default(memory, hands):
    memory.now_ms = milliseconds() + 10**9
    memory.concept_upsert("future")
    memory.now_ms = 0
    memory.concept_upsert("past")
    assert hands.arousal("future") == hands.arousal("future", None, None) == 0.5
    assert hands.arousal("past") < 1e-300


def test_the_function_of_nothing_is_null(memory, hands):
    assert hands.arousal("nothing") is None


def test_the_function_of_another_kind_of_node_is_null(memory, hands):
    hands.node("Person", name="p", arousal_level=1.0, accessed_at=0)
    assert hands.arousal("p", 0) is None


def test_the_function_of_a_node_made_by_hand_is_zero(memory, hands):
    hands.node("Concept", name="a")
    assert hands.arousal("a", 0) == 0.0
