"""`episode_add`: an episode gets a free name of its own and an edge from each of its concepts."""

import pytest
from expect import REFUSALS


def names(memory):
    return [record["name"] for record in memory.records() if record["kind"] != "relation"]


def test_an_episode_is_named_after_the_date_and_its_first_concept(memory):
    assert memory.episode_add("Bought apples at the market", ["apple", "market"]) == {
        "episode_id": "20250615/apple",
        "linked_concepts": ["apple", "market"],
        "valence": 0.0,
    }


def test_each_distinct_concept_evokes_the_episode_once(memory):
    row = memory.episode_add("Bought apples", ["apple", "market", "apple", "market"])
    assert row["linked_concepts"] == ["apple", "market"]
    relations = [record for record in memory.records() if record["kind"] == "relation"]
    assert sorted(relations, key=lambda record: record["from"]) == [
        {
            "kind": "relation",
            "from": name,
            "to": "20250615/apple",
            "type": "evokes",
            "weight": 0.25,
        }
        for name in ("apple", "market")
    ]


def test_a_number_skips_what_a_concept_is_called(memory):
    memory.concept_upsert("20250615/apple")
    memory.concept_upsert("20250615/apple-2")
    assert memory.episode_add("Bought apples", ["apple"])["episode_id"] == "20250615/apple-3"


def test_a_concept_of_the_same_call_takes_its_name_first(memory):
    row = memory.episode_add("Odd", ["apple", "20250615/apple", "20250615/apple-2"])
    assert row["episode_id"] == "20250615/apple-3"
    assert memory.node("20250615/apple")["kind"] == "concept"
    assert memory.node("20250615/apple-2")["kind"] == "concept"
    assert memory.node("20250615/apple-3")["summary"] == "Odd"


def test_a_longer_name_with_the_same_beginning_takes_no_number(memory):
    memory.concept_upsert("20250615/apple-pie")
    memory.concept_upsert("20250615/apples")
    memory.concept_upsert("20250615/apple-02")
    memory.concept_upsert("20250615/apple.")
    assert memory.episode_add("One", ["apple"])["episode_id"] == "20250615/apple"
    assert memory.episode_add("Two", ["apple"])["episode_id"] == "20250615/apple-2"


@pytest.mark.parametrize(
    "name", ["Äpfel", "日本", "🍎", " apple ", "a/b", "İ", "a-2", "%_*", "\u00e9"]
)
def test_names_are_used_as_they_are(memory, name):
    for end in ("", "-2", "-3"):
        assert memory.episode_add("S", [name])["episode_id"] == f"20250615/{name}{end}"
    assert memory.node(name)["name"] == name


def test_names_that_only_look_alike_are_different(memory):
    # A composed and a decomposed e with an acute accent, and a capital letter.
    variants = ["\u00e9", "e\u0301", "\u00c9"]
    assert memory.episode_add("S", variants)["linked_concepts"] == variants
    assert len(names(memory)) == 4


def test_a_summary_is_kept_with_its_line_breaks_and_blanks(memory):
    summary = ' Bought "apples"\n\tat the market: 3 €, 🍎 '
    memory.episode_add(summary, ["apple"])
    assert memory.node("20250615/apple")["summary"] == summary


def test_an_episode_among_the_concepts_is_refused_and_nothing_is_written(memory):
    episode_id = memory.episode_add("One", ["apple"])["episode_id"]
    before = memory.records()
    with pytest.raises(REFUSALS, match="is an episode"):
        memory.episode_add("Two", ["pear", episode_id])
    assert memory.records() == before


def test_an_episode_can_have_hundreds_of_concepts(memory):
    concepts = [f"concept {number}" for number in range(500)]
    assert memory.episode_add("Much", concepts)["linked_concepts"] == concepts
    assert memory.stats()["evokes"] == 500


def test_many_episodes_of_one_day_are_numbered_without_a_gap(memory):
    ids = [memory.episode_add("Again", ["apple"])["episode_id"] for _ in range(25)]
    assert ids == ["20250615/apple", *(f"20250615/apple-{n}" for n in range(2, 26))]
