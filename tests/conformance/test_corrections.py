"""The owner's corrections: `rename`, `remove` and `remove_relation`, each with a dry run."""

import pytest
from expect import REFUSALS, concept

from concept_graph_mcp import calls


def rename(memory, name, new_name, dry_run=False):
    return memory.run(calls.concepts.rename(name, new_name, dry_run))


def remove(memory, name, dry_run=False):
    return memory.run(calls.concepts.remove(name, dry_run))


def remove_relation(memory, source, target, relation_type, dry_run=False):
    return memory.run(calls.concepts.remove_relation(source, target, relation_type, dry_run))


def row(kind, text, known_as=None):
    return {"kind": kind, "text": text, "id": known_as or text}


def unordered(rows):
    return sorted((row["kind"], row["text"]) for row in rows)


@pytest.fixture
def fruit(memory):
    """A concept, apple, with a relation each way and an episode."""
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("stem", "apple", "part-of")
    memory.update_affect("apple", 0.75)
    return memory.episode_add("Bought apples", ["apple"])["episode_id"]


TOUCHED = [
    ("concept", "apple"),
    ("relation", "apple evokes Bought apples"),
    ("relation", "apple is-a fruit"),
    ("relation", "stem part-of apple"),
]


def test_a_renamed_concept_keeps_feelings_relations_and_episodes(memory, fruit):
    memory.now_ms += 1
    assert unordered(rename(memory, "apple", "Äpfel")) == TOUCHED
    assert memory.node("Äpfel") == concept("Äpfel", 0.75, 0.75, memory.now_ms - 1)
    relations = [(r["from"], r["type"], r["to"]) for r in memory.records() if "from" in r]
    assert sorted(relations) == [
        ("stem", "part-of", "Äpfel"),
        ("Äpfel", "evokes", fruit),
        ("Äpfel", "is-a", "fruit"),
    ]


def test_the_old_name_is_free_again(memory, fruit):
    rename(memory, "apple", "Apfel")
    assert memory.peek(["apple"], 1) == []
    assert memory.concept_upsert("apple")["created"] is True
    assert memory.concept_upsert("Apfel")["created"] is False


def test_an_episode_of_a_renamed_concept_keeps_its_name(memory, fruit):
    rename(memory, "apple", "Apfel")
    assert memory.node(fruit)["name"] == "20250615/apple"


def test_the_case_of_a_name_can_be_corrected(memory):
    memory.concept_upsert("apple")
    assert rename(memory, "apple", "Apple") == [row("concept", "apple")]
    assert memory.concept_search(["APPLE"]) == ["Apple"]


def test_renaming_what_does_not_exist_is_refused(memory):
    with pytest.raises(REFUSALS, match='nothing is called "apple"'):
        rename(memory, "apple", "Apple")
    assert memory.records() == []


def test_a_name_that_a_concept_has_is_refused(memory, fruit):
    before = memory.records()
    with pytest.raises(REFUSALS, match="taken"):
        rename(memory, "apple", "fruit")
    assert memory.records() == before


def test_a_name_that_an_episode_has_is_refused(memory, fruit):
    before = memory.records()
    with pytest.raises(REFUSALS, match="taken"):
        rename(memory, "apple", fruit)
    assert memory.records() == before


def test_an_episode_is_not_renamed(memory, fruit):
    before = memory.records()
    with pytest.raises(REFUSALS, match="episode"):
        rename(memory, fruit, "20250615/market")
    assert memory.records() == before


@pytest.mark.parametrize("new_name", ["", "  "])
def test_an_empty_new_name_is_refused(memory, new_name):
    memory.concept_upsert("apple")
    with pytest.raises(REFUSALS, match="new_name"):
        rename(memory, "apple", new_name)
    assert memory.node("apple")["name"] == "apple"


def test_removing_a_concept_removes_its_relations_and_nothing_else(memory, fruit):
    assert unordered(remove(memory, "apple")) == TOUCHED
    assert sorted(record["name"] for record in memory.records()) == [fruit, "fruit", "stem"]


def test_what_is_touched_is_told_with_its_ids(memory, fruit):
    rows = remove(memory, fruit, dry_run=True)
    assert rows == [
        row("episode", "Bought apples", fruit),
        row("relation", "apple evokes Bought apples", f"apple evokes {fruit}"),
    ]
    assert sorted(row["id"] for row in rename(memory, "apple", "Apfel", dry_run=True)) == [
        "apple",
        "apple evokes 20250615/apple",
        "apple is-a fruit",
        "stem part-of apple",
    ]


def test_removing_an_episode_keeps_its_concepts(memory, fruit):
    assert unordered(remove(memory, fruit)) == [
        ("episode", "Bought apples"),
        ("relation", "apple evokes Bought apples"),
    ]
    assert memory.stats()["episodes"] == 0
    assert memory.node("apple")["valence"] == 0.75


def test_a_removed_concept_starts_anew(memory, fruit):
    remove(memory, "apple")
    assert memory.concept_upsert("apple")["created"] is True
    assert memory.node("apple") == concept("apple", 0.0, 0.5, memory.now_ms)
    assert memory.peek(["apple"], 2) == []


def test_removing_what_does_not_exist_is_refused(memory, fruit):
    before = memory.records()
    with pytest.raises(REFUSALS, match='nothing is called "pear"'):
        remove(memory, "pear")
    assert memory.records() == before


def test_a_removed_relation_is_gone_and_its_ends_are_not(memory, fruit):
    assert remove_relation(memory, "apple", "fruit", "is-a") == [
        row("relation", "apple is-a fruit")
    ]
    assert memory.stats()["is-a"] == 0
    assert memory.stats()["concepts"] == 3
    assert memory.relation_add("apple", "fruit", "is-a")["weight"] == 0.25


def test_an_episode_can_be_taken_off_a_concept(memory, fruit):
    assert remove_relation(memory, "apple", fruit, "evokes") == [
        row("relation", "apple evokes Bought apples", "apple evokes 20250615/apple")
    ]
    assert memory.stats()["evokes"] == 0


@pytest.mark.parametrize(
    ("source", "target", "relation_type"),
    [
        ("fruit", "apple", "is-a"),
        ("apple", "fruit", "part-of"),
        ("apple", "stem", "evokes"),
        ("apple", "pear", "is-a"),
        ("pear", "apple", "is-a"),
    ],
)
def test_removing_a_relation_that_does_not_exist_is_refused(
    memory, fruit, source, target, relation_type
):
    before = memory.records()
    with pytest.raises(REFUSALS, match=r"nothing is called|relation: no"):
        remove_relation(memory, source, target, relation_type)
    assert memory.records() == before


def test_removing_a_relation_of_an_unknown_type_is_refused(memory, fruit):
    with pytest.raises(REFUSALS, match="is-a, part-of, evokes"):
        remove_relation(memory, "apple", "fruit", "IS_A")


def test_removing_a_relation_removes_parallel_edges(memory, hands):
    memory.relation_add("apple", "fruit", "is-a")
    hands.edge(hands.id("apple"), hands.id("fruit"), "IS_A", weight=0.5)
    remove_relation(memory, "apple", "fruit", "is-a")
    assert memory.stats()["is-a"] == 0


@pytest.mark.parametrize(
    "correct",
    [
        lambda memory, dry_run: rename(memory, "apple", "Apfel", dry_run),
        lambda memory, dry_run: remove(memory, "apple", dry_run),
        lambda memory, dry_run: remove(memory, "20250615/apple", dry_run),
        lambda memory, dry_run: remove_relation(memory, "apple", "fruit", "is-a", dry_run),
    ],
    ids=["rename", "remove concept", "remove episode", "remove_relation"],
)
def test_a_dry_run_says_the_same_and_changes_nothing(memory, fruit, correct):
    before = memory.records()
    said = correct(memory, True)
    assert memory.records() == before
    assert correct(memory, False) == said
    assert memory.records() != before


def test_a_dry_run_is_refused_where_the_correction_would_be(memory, fruit):
    for correct in (
        lambda: rename(memory, "pear", "plum", True),
        lambda: rename(memory, "apple", "fruit", True),
        lambda: remove(memory, "pear", True),
        lambda: remove_relation(memory, "fruit", "apple", "is-a", True),
    ):
        with pytest.raises(REFUSALS):
            correct()
