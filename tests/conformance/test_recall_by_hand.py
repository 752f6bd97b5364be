"""A recall over nodes and edges that were made by hand."""

import math

import pytest
from recalled import by_text, texts


def test_a_row_can_carry_the_relation(memory, hands):
    memory.relation_add("apple", "fruit", "is-a")
    (row,) = memory.peek(["fruit"], 1, relation=True)
    edge = row["relation"]
    assert (edge.type, edge.properties) == ("IS_A", {"weight": 0.25})
    assert (edge.source, edge.target) == (hands.id("apple"), hands.id("fruit"))


def test_nodes_made_by_hand_without_properties_are_recalled_as_never_aroused(memory, hands):
    hands.edge(hands.node("Concept", name="a"), hands.node("Concept", name="b"), "IS_A", weight=0.5)
    (row,) = memory.recall(["a"], 1)
    assert row == {
        "text": "a is-a b",
        "score": 0.0,
        "valence": None,
        "hop": 1,
        "arousal": 0.0,
        "weight": 0.5,
        "reverse": False,
        "total": 1,
        "episode_id": None,
    }
    assert hands.properties("b") == {
        "name": "b",
        "arousal_level": 1.0,
        "accessed_at": memory.now_ms,
    }


@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf])
def test_a_time_made_by_hand_that_is_none_counts_as_long_ago(memory, hands, host, time):
    if host == "embedded":
        pytest.skip("a store file takes no such time")
    # The times of concepts are indexed, and no index of Memgraph's finds a NaN again: what is
    # collected after its node was deleted takes the server down.
    hands.node("Episode", name="20250101/b", arousal_level=1.0, accessed_at=time)
    memory.relation_add("a", "20250101/b", "evokes")
    [row] = memory.recall(["a"], 1)
    assert (row["text"], row["score"]) == ("a evokes 20250101/b", 0.0)


def test_a_weight_made_by_hand_that_is_no_number_hides_nothing(memory, hands):
    for number in range(5):
        memory.relation_add("a", f"n{number}", "is-a")
    node = hands.node("Concept", name="b", arousal_level=1.0, accessed_at=memory.now_ms)
    hands.edge(hands.id("a"), node, "IS_A", weight=math.nan)
    for limit in range(1, 7):
        assert len(memory.peek(["a"], 1, limit)) == limit


def test_an_edge_made_by_hand_without_a_weight_counts_as_new(memory, hands):
    source = hands.node("Concept", name="a")
    target = hands.node("Concept", name="b", arousal_level=1, accessed_at=memory.now_ms)
    hands.edge(source, target, "PART_OF")
    (row,) = memory.peek(["a"], 1)
    assert (row["weight"], row["score"]) == (0.25, 0.25)


def test_parallel_edges_made_by_hand_come_once_with_the_better_score(memory, hands):
    memory.relation_add("a", "b", "is-a")
    hands.edge(hands.id("a"), hands.id("b"), "IS_A", weight=1)
    hands.edge(hands.id("a"), hands.id("b"), "IS_A", weight=0.1)
    (row,) = memory.peek(["a"], 1)
    assert (row["weight"], row["score"], row["total"]) == (1.0, 0.25, 1)


def test_a_relation_to_itself_made_by_hand_is_tolerated(memory, hands):
    memory.relation_add("a", "b", "is-a")
    hands.edge(hands.id("a"), hands.id("a"), "IS_A", weight=1.0)
    rows = by_text(memory.recall(["a"], 3))
    assert set(rows) == {"a is-a b", "a is-a a"}
    assert rows["a is-a a"]["score"] == 0.25


def test_nodes_and_edges_of_other_kinds_are_passed_by(memory, hands):
    memory.relation_add("a", "b", "is-a")
    person, after = hands.node("Person", name="p"), hands.node("Concept", name="after")
    hands.edge(hands.id("a"), person, "EVOKES", weight=1.0)
    hands.edge(person, after, "EVOKES", weight=1.0)
    hands.edge(hands.id("a"), after, "LIKES", weight=1.0)
    assert texts(memory.recall(["a", "p"], 5)) == ["a is-a b"]
    assert hands.properties("p") == {"name": "p"}
    assert hands.properties("after") == {"name": "after"}


def test_a_concept_with_a_second_label_is_a_concept(memory, hands):
    hands.edge(
        hands.node("Fruit", "Concept", name="a"),
        hands.node("Concept", "Fruit", name="b", arousal_level=1.0, accessed_at=memory.now_ms),
        "IS_A",
        weight=0.5,
    )
    assert memory.peek(["a"], 1)[0]["score"] == 0.5


def test_a_concept_and_an_episode_of_one_name_are_both_seeds(memory, hands):
    concept_id = hands.node("Concept", name="both")
    episode_id = hands.node("Episode", name="both", summary="S")
    hands.edge(concept_id, hands.node("Concept", name="x"), "IS_A", weight=0.5)
    hands.edge(episode_id, hands.node("Concept", name="y"), "EVOKES", weight=0.5)
    assert set(texts(memory.peek(["both"], 1))) == {"both is-a x", "S evokes y"}


def test_an_episode_made_by_hand_without_a_summary_is_shown_by_its_name(memory, hands):
    memory.concept_upsert("apple")
    hands.edge(hands.id("apple"), hands.node("Episode", name="20250101/apple"), "EVOKES")
    assert texts(memory.peek(["apple"], 1)) == ["apple evokes 20250101/apple"]
