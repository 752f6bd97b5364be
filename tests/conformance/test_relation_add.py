"""`relation_add`: a relation starts weak and each repetition strengthens it."""

import pytest
from expect import REFUSALS

TYPES = ("is-a", "part-of", "evokes")


@pytest.fixture
def episode_id(memory):
    return memory.episode_add("Bought apples", ["apple"])["episode_id"]


def relations(memory):
    return [record for record in memory.records() if record["kind"] == "relation"]


@pytest.mark.parametrize("relation_type", TYPES)
def test_a_new_relation_has_a_quarter_of_the_weight(memory, relation_type):
    assert memory.relation_add("apple", "fruit", relation_type) == {
        "from": "apple",
        "to": "fruit",
        "type": relation_type,
        "weight": 0.25,
    }
    assert relations(memory) == [
        {
            "kind": "relation",
            "from": "apple",
            "to": "fruit",
            "type": relation_type,
            "weight": 0.25,
        }
    ]


def test_each_repetition_takes_away_a_fifth_of_what_is_missing_to_one(memory):
    weight = 0.25
    for _ in range(30):
        assert memory.relation_add("apple", "fruit", "is-a")["weight"] == weight
        assert memory.weight("apple", "fruit", "is-a") == weight
        weight = 1 - (1 - weight) * (1 - 0.2)
    assert len(relations(memory)) == 1


def test_repetition_is_found_at_a_hub(memory):
    for number in range(40):
        memory.relation_add(f"kind {number}", "hub", "is-a")
        memory.relation_add("hub", f"part {number}", "part-of")
    assert memory.relation_add("kind 25", "hub", "is-a")["weight"] > 0.25
    assert memory.relation_add("hub", "part 39", "part-of")["weight"] > 0.25
    assert len(relations(memory)) == 80


@pytest.mark.parametrize("relation_type", ["is-a", "part-of"])
def test_an_episode_at_the_beginning_is_refused_unless_it_evokes(memory, episode_id, relation_type):
    before = memory.records()
    with pytest.raises(REFUSALS, match="episode"):
        memory.relation_add(episode_id, "new", relation_type)
    assert memory.records() == before


@pytest.mark.parametrize("relation_type", ["is-a", "part-of"])
def test_an_episode_at_the_end_is_refused_and_the_other_end_not_created(
    memory, episode_id, relation_type
):
    before = memory.records()
    with pytest.raises(REFUSALS, match="episode"):
        memory.relation_add("new", episode_id, relation_type)
    assert memory.records() == before


def test_parallel_edges_made_by_hand_count_as_their_strongest(memory, hands):
    memory.relation_add("apple", "fruit", "is-a")
    hands.edge(hands.id("apple"), hands.id("fruit"), "IS_A", weight=0.5)
    assert memory.relation_add("apple", "fruit", "is-a")["weight"] == 1 - (1 - 0.5) * (1 - 0.2)


def test_an_edge_made_by_hand_without_a_weight_counts_as_new(memory, hands):
    hands.edge(hands.node("Concept", name="a"), hands.node("Concept", name="b"), "IS_A")
    assert memory.relation_add("a", "b", "is-a")["weight"] == 1 - (1 - 0.25) * (1 - 0.2)


def test_types_and_directions_are_relations_of_their_own(memory):
    for relation_type in TYPES:
        for source, target in (("apple", "fruit"), ("fruit", "apple")):
            assert memory.relation_add(source, target, relation_type)["weight"] == 0.25
    assert len(relations(memory)) == 6
    memory.relation_add("apple", "fruit", "is-a")
    assert memory.weight("fruit", "apple", "is-a") == 0.25
    assert memory.weight("apple", "fruit", "part-of") == 0.25
