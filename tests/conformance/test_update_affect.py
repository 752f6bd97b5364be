"""`update_affect`: a feeling is added to the valence and arouses as much as it is strong."""

import math

import pytest
from expect import DAY_MS, REFUSALS, concept, decayed


def test_a_missing_concept_is_created_with_the_feeling(memory):
    assert memory.update_affect("apple", 0.7) == {
        "concept_id": "apple",
        "episode_id": None,
        "valence": 0.7,
        "arousal": 0.7,
        "accessed_at": memory.now_ms,
    }
    assert memory.node("apple") == concept("apple", 0.7, 0.7, memory.now_ms)


def test_a_feeling_exactly_as_strong_as_the_arousal_counts_as_an_access(memory):
    memory.concept_upsert("apple")
    memory.now_ms += DAY_MS
    left = decayed(0.5, DAY_MS)
    memory.update_affect("apple", left)
    assert memory.node("apple") == concept("apple", left, left, memory.now_ms)


def test_a_feeling_just_below_the_arousal_does_not(memory):
    memory.concept_upsert("apple")
    created_at = memory.now_ms
    memory.now_ms += DAY_MS
    memory.update_affect("apple", math.nextafter(decayed(0.5, DAY_MS), 0))
    assert memory.node("apple")["accessed_at"] == created_at


def test_the_time_constant_of_the_call_decides_what_is_left(memory):
    memory.concept_upsert("apple")
    memory.tau_ms = 1_000.0
    memory.now_ms += 3_000
    row = memory.update_affect("apple", 0.03)
    assert row["arousal"] == 0.03
    assert row["accessed_at"] == memory.now_ms
    memory.now_ms += 500
    assert memory.update_affect("apple", 0)["arousal"] == decayed(0.03, 500, 1_000)


def test_an_episode_wins_over_a_concept_of_its_name(memory, hands):
    hands.node("Concept", name="both", valence=0.0, arousal_level=0.1, accessed_at=0)
    hands.node("Episode", name="both", summary="S", valence=0.0, arousal_level=0.1, accessed_at=0)
    row = memory.update_affect("both", 0.5)
    assert (row["concept_id"], row["episode_id"]) == (None, "both")
    felt = {r["kind"]: r["valence"] for r in memory.records()}
    assert felt == {"concept": 0.0, "episode": 0.5}


def test_a_concept_made_by_hand_starts_from_nothing(memory, hands):
    hands.node("Concept", name="apple")
    assert memory.update_affect("apple", 0.5)["valence"] == 0.5
    assert memory.node("apple") == concept("apple", 0.5, 0.5, memory.now_ms)


def test_whole_numbers_made_by_hand_are_numbers(memory, hands):
    hands.node("Concept", name="apple", valence=-1, arousal_level=1, accessed_at=memory.now_ms)
    row = memory.update_affect("apple", 0.5)
    assert (row["valence"], row["arousal"]) == (-0.5, 1.0)


@pytest.mark.parametrize("target", ["20250615/aple", "20250615/", "00000000/apple-2", "20250615/ä"])
def test_what_looks_like_an_episode_and_is_none_is_refused_and_nothing_is_created(memory, target):
    memory.episode_add("Bought apples", ["apple"])
    before = memory.records()
    with pytest.raises(REFUSALS, match=f'target: no episode is called "{target}"'):
        memory.update_affect(target, 0.5)
    assert memory.records() == before


@pytest.mark.parametrize(
    "target", ["2025061/apple", "202506155/x", "20250615", "x20250615/apple", "２０２５０６１５/x"]
)
def test_what_only_resembles_an_episode_becomes_a_concept(memory, target):
    assert memory.update_affect(target, 0.5)["concept_id"] == target


def test_a_concept_that_is_called_like_an_episode_can_be_felt_about(memory):
    memory.concept_upsert("20250615/apple")
    assert memory.update_affect("20250615/apple", 0.5)["concept_id"] == "20250615/apple"
