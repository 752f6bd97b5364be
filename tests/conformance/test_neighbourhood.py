"""`neighbourhood`: the nodes around some seeds with the relations among them, in a fixed order."""

import pytest
from expect import DAY_MS, REFUSALS, concept, relation

from concept_graph_mcp import calls


def around(memory, seeds, max_hop=2, limit=None):
    return memory.run(calls.concepts.neighbourhood(seeds, max_hop, limit))


def names(rows):
    return [row["name"] for row in rows]


def relations(rows):
    """Return the relations of all rows as (from, to, type, weight), with names for the ids."""
    known = {row["id"]: row["name"] for row in rows}
    return [
        (known[edge["from"]], known[edge["to"]], edge["type"], edge["weight"])
        for row in rows
        for edge in row["relations"]
    ]


def build(memory, levels, *edges):
    rows = [concept(name, level=value, at=memory.now_ms) for name, value in levels.items()]
    memory.import_rows([*rows, *edges])


def test_a_row_says_what_a_picture_of_the_node_needs(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.update_affect("fruit", -0.5)
    apple, fruit = around(memory, ["apple"], 1)
    assert {key: value for key, value in fruit.items() if key != "id"} == {
        "kind": "concept",
        "name": "fruit",
        "text": "fruit",
        "valence": -0.5,
        "arousal_level": 0.5,
        "accessed_at": memory.now_ms,
        "hop": 1,
        "degree": 1,
        "relations": [],
    }
    assert apple["relations"] == [
        {"from": apple["id"], "to": fruit["id"], "type": "is-a", "weight": 0.25}
    ]


def test_an_episode_is_shown_by_its_summary(memory):
    memory.episode_add("Bought apples", ["apple"])
    row = around(memory, ["20250615/apple"], 0)[0]
    assert (row["kind"], row["name"], row["text"]) == (
        "episode",
        "20250615/apple",
        "Bought apples",
    )


def test_the_ids_are_those_of_the_edges_that_are_recalled(memory):
    memory.relation_add("apple", "fruit", "is-a")
    (edge,) = [edge for row in around(memory, ["apple"], 1) for edge in row["relations"]]
    (recalled,) = memory.peek(["apple"], 1, relation=True)
    ends = recalled["relation"].source, recalled["relation"].target
    assert ends == (edge["from"], edge["to"])


def test_nodes_come_ring_after_ring_and_the_most_aroused_first(memory):
    levels = {"a": 0.1, "b": 0.2, "c": 0.9, "d": 0.2, "far": 1.0}
    build(
        memory,
        levels,
        relation("a", "b"),
        relation("c", "a", "evokes"),
        relation("a", "d", "part-of"),
        relation("b", "far"),
    )
    rows = around(memory, ["a"], 2)
    assert [(row["name"], row["hop"]) for row in rows] == [
        ("a", 0),
        ("c", 1),
        ("b", 1),
        ("d", 1),
        ("far", 2),
    ]
    assert relations(rows) == [
        ("a", "b", "is-a", 0.25),
        ("a", "d", "part-of", 0.25),
        ("c", "a", "evokes", 0.25),
        ("b", "far", "is-a", 0.25),
    ]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_a_limit_cuts_the_order_and_nothing_else(memory, limit):
    levels = {"a": 0.1, "b": 0.2, "c": 0.9, "far": 1.0}
    build(memory, levels, relation("a", "b"), relation("a", "c"), relation("b", "far"))
    rows = around(memory, ["a"], 2, limit)
    assert names(rows) == ["a", "c", "b", "far"][:limit]
    assert [row["degree"] for row in rows] == [2, 1, 2, 1][:limit]


def test_old_nodes_keep_the_order_of_their_arousal(memory):
    levels = {"a": 0.5, "b": 0.25, "c": 0.75}
    build(memory, levels, relation("a", "b"), relation("a", "c"))
    memory.now_ms += 4_000 * DAY_MS
    assert names(around(memory, ["a"], 1)) == ["a", "c", "b"]


def test_relations_among_the_nodes_that_are_reached_last_are_there(memory):
    memory.relation_add("a", "b", "is-a")
    memory.relation_add("a", "c", "is-a")
    memory.relation_add("b", "c", "evokes")
    memory.relation_add("c", "outside", "is-a")
    rows = around(memory, ["a"], 1)
    assert ("b", "c", "evokes", 0.25) in relations(rows)
    assert "outside" not in names(rows)


def test_no_hop_shows_the_seeds_alone(memory):
    memory.relation_add("a", "b", "is-a")
    assert names(around(memory, ["a"], 0)) == ["a"]


def test_unknown_seeds_are_skipped_and_several_are_shown_together(memory):
    for name in ("a", "b"):
        memory.concept_upsert(name)
    assert names(around(memory, ["b", "nothing", "a"])) == ["a", "b"]
    assert around(memory, ["nothing"]) == around(memory, []) == []


def test_nothing_changes(memory):
    memory.relation_add("a", "b", "is-a")
    before = memory.records()
    memory.now_ms += DAY_MS
    around(memory, ["a"])
    assert memory.records() == before


def test_names_are_found_without_a_look_up(memory):
    memory.relation_add("a", "b", "is-a")
    rows = memory.procedure("conceptgraph.neighbourhood", [["a"], 2, 10], ("name", "hop"))
    assert rows == [{"name": "a", "hop": 0}, {"name": "b", "hop": 1}]


def test_a_relation_to_itself_counts_once(memory, hands):
    memory.concept_upsert("a")
    hands.edge(hands.id("a"), hands.id("a"), "IS_A", weight=0.5)
    (row,) = around(memory, ["a"])
    assert row["degree"] == 1
    assert relations([row]) == [("a", "a", "is-a", 0.5)]


def test_nodes_of_other_kinds_are_passed_by(memory, hands):
    memory.concept_upsert("a")
    hands.edge(hands.id("a"), hands.node("Person", name="p"), "EVOKES", weight=1.0)
    assert names(around(memory, ["a"])) == ["a"]
    assert around(memory, ["a"])[0]["degree"] == 0


@pytest.mark.parametrize(("max_hop", "limit"), [(-1, 5), (11, 5), (1, 0)])
def test_hops_and_limits_out_of_range_are_refused(memory, max_hop, limit):
    with pytest.raises(REFUSALS, match=r"^(max_hop|limit): must be between"):
        around(memory, ["a"], max_hop, limit)
