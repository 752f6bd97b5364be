"""`concept_upsert`: a concept exists afterwards, and says whether it did before."""

import pytest


def test_a_new_concept_starts_half_aroused_and_without_valence(memory):
    assert memory.concept_upsert("apple") == {"concept_id": "apple", "created": True}
    assert memory.node("apple") == {
        "kind": "concept",
        "name": "apple",
        "valence": 0.0,
        "arousal_level": 0.5,
        "accessed_at": memory.now_ms,
    }


def test_upserting_again_changes_nothing(memory):
    memory.concept_upsert("apple")
    before = memory.node("apple")
    memory.now_ms += 1_000
    assert memory.concept_upsert("apple") == {"concept_id": "apple", "created": False}
    assert memory.node("apple") == before


def test_the_name_of_an_episode_is_refused(memory):
    episode = memory.episode_add("Bought apples", ["apple"])
    with pytest.raises(Exception, match="is the name of an episode"):
        memory.concept_upsert(episode["episode_id"])
