"""A question finds what speaks only of the neighbours of the concepts that it names."""

from typing import Any

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.concepts.schema import WIDENED_RELATIONS
from conceptgraph_core.retrieval.schema import FEW_MENTIONS
from memories import edge, node


def relation(source: str, target: str, type_: str = "evokes", weight: float = 0.4) -> dict:
    return {"kind": "relation", "from": source, "to": target, "type": type_, "weight": weight}


def search(memory: Any, query: str, user: str = "default", **given: Any) -> list[dict[str, Any]]:
    call = calls.memories.search(user, query, explained=True, **given)
    return memory.run(call, user_id=user)


def ids(memory: Any, query: str, user: str = "default", **given: Any) -> list[str]:
    return [row["memory_id"] for row in search(memory, query, user, **given)]


@pytest.fixture
def widened(hands: Any) -> Any:
    """Return the terms that a question leads to, each with its share and the reason."""
    return lambda query, user="default": [tuple(row) for row in hands.switch("led_to", user, query)]


@pytest.fixture
def kept(memory):
    """A dog called Max, as concepts; memories of Max, of dogs, and of neither."""
    memory.import_rows(
        [
            relation("dog", "Max", weight=0.4),
            relation("Max", "red ball", weight=0.6),
            relation("poodle", "dog", "is-a", weight=0.36),
            node("max", content="Max ate the blue slipper on Sunday"),
            node("vet", content="The vet said every dog needs a walk"),
            node("tax", content="The tax letter is in the drawer"),
            node("secret", "ann", content="Ann's Max is a cat"),
        ]
    )
    return memory


def test_a_memory_of_a_neighbour_only_is_found_and_after_what_says_the_word_itself(kept):
    assert ids(kept, "What about the dog?") == ["vet", "max"]
    assert ids(kept, "What about the poodle?") == ["vet"]
    assert ids(kept, "What about the cat?") == []


def test_what_a_neighbour_gave_is_explained(kept):
    found = {row["memory_id"]: row for row in search(kept, "Where are my dogs?")}
    assert found["vet"]["matched"] == ["dogs"]
    assert found["max"]["matched"] == ["dog → Max"]
    [word] = found["max"]["words"]
    assert (word["word"], word["term"], word["why"]) == ("dog → Max", "max", "dog evokes Max")
    assert word["from"] == [{"offset": 0, "key": "max", "share": 1.0}]
    assert 0 < word["gave"] < found["vet"]["words"][0]["gave"] / 4


def test_a_neighbour_counts_by_the_weight_of_its_relation_and_half_against_its_direction(
    kept, widened
):
    assert widened("the dog") == [
        ("max", 0.2, "dog evokes Max"),
        ("poodl", 0.09, "poodle is-a dog"),
    ]
    assert widened("Max") == [
        ("ball", 0.3, "Max evokes red ball"),
        ("red", 0.3, "Max evokes red ball"),
        ("dog", 0.1, "dog evokes Max"),
    ]


def test_a_concept_of_several_words_is_named_by_all_of_them_in_any_case(kept, widened):
    assert widened("Who has the Red Ball?")[0] == ("max", 0.15, "Max evokes red ball")
    assert widened("Is the ball red?") == []


def test_a_concept_is_named_by_a_word_with_an_ending_too(memory, widened):
    memory.import_rows([relation("apple", "cider"), relation("hike", "boots")])
    memory.import_rows([relation("New York", "bagels")])
    said = widened("Apples, and hiking in New York")
    assert [row[0] for row in said] == ["bagel", "boot", "cider"]


def test_what_the_question_says_itself_is_not_added(kept, widened):
    assert widened("Is Max a dog or a poodle?") == [
        ("ball", 0.3, "Max evokes red ball"),
        ("red", 0.3, "Max evokes red ball"),
    ]
    assert ids(kept, "Is Max a dog?") == ["max", "vet"]


def test_only_the_three_strongest_neighbours_count(memory, widened):
    weights = {"one": 0.3, "two": 0.6, "three": 0.5, "four": 0.4, "five": 0.4}
    memory.import_rows([relation("hub", f"n{name}", weight=w) for name, w in weights.items()])
    assert [row[0] for row in widened("hub")] == ["ntwo", "nthree", "nfive"]


def test_no_episode_and_no_concept_about_everything_widens_a_question(memory, widened):
    memory.episode_add("Bought pears", ["apple"])
    memory.import_rows([relation("thing", f"n{number}") for number in range(WIDENED_RELATIONS + 1)])
    assert widened("apple thing") == []


@pytest.mark.slow
def test_a_neighbour_that_many_memories_mention_is_not_read(memory):
    # No two in the same words, which would be shown as one.
    rows = [node(f"m{number:04}", content=f"kettle {number}") for number in range(FEW_MENTIONS)]
    memory.import_rows([relation("tea", "kettle"), *rows])
    assert len(ids(memory, "tea", limit=1000)) == FEW_MENTIONS
    memory.import_rows([node("one too many", content="kettle")])
    assert ids(memory, "tea", limit=1000) == []


@pytest.mark.parametrize("weight", [0.0, 1e-7])
def test_a_neighbour_that_counts_for_nothing_is_none(memory, weight, widened):
    memory.import_rows([relation("dog", "Max", weight=weight), node("max", content="Max sleeps")])
    assert widened("dog") == []
    assert ids(memory, "dog") == []
    [row] = memory.run(calls.memories.context("default", "dog"))
    assert row["memory_ids"] == []


def test_a_widened_search_stays_in_its_scope(kept):
    assert ids(kept, "dog", "ann") == ["secret"]
    assert ids(kept, "dog", "bob") == []


def test_a_context_is_widened_and_follows_links_from_there(kept):
    kept.import_rows([node("shoe", content="Slippers cost too much"), edge("max", "shoe")])
    [row] = kept.run(calls.memories.context("default", "Tell me of my dog"))
    assert row["memory_ids"][0] == "vet"
    kept.run(calls.memories.forget("vet"))
    [row] = kept.run(calls.memories.context("default", "Tell me of my dog"))
    assert row["memory_ids"] == ["max", "shoe"]


def test_without_a_look_up_a_search_finds_the_same(kept):
    from concept_graph_mcp.calls import Call

    with_lookup = calls.memories.search("default", "the dog", explained=True)
    without = Call(with_lookup.procedure, with_lookup.arguments)
    assert kept.run(without) == kept.run(with_lookup)
