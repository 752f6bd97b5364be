"""Names are found by any part of them, in the order that `folding` defines."""

import random

import pytest
from expect import concept

from concept_graph_mcp import calls
from conceptgraph_core.texts import folding

WORDS = ("apple", "Äpfel", "crème", "brûlée", "Tart", "日本", "ice", "ﬁsh", "a\nb", "O'Brien")


def create(memory, *names):
    memory.import_rows([concept(name, level=0.25, at=memory.now_ms) for name in names])


def found(memory, keywords, limit=200):
    rows = memory.run(calls.concepts.concept_search(keywords, limit))
    return [row["concept"] for row in rows if row["matched"]]


def in_order(names, keywords):
    """Return what is found of *names*, by the definition of a place."""
    wanted = folding.keywords(keywords)
    places = [(wanted.place(name), name) for name in names]
    return [name for place, name in sorted(places) if place != folding.ELSEWHERE]


def test_names_are_found_by_any_part(memory):
    create(memory, "pineapple", "an apple", "Äpfel")
    create(memory, "apple", "crab apple")
    assert found(memory, ["apple"]) == ["apple", "an apple", "crab apple", "pineapple"]
    assert found(memory, ["apf"]) == ["Äpfel"]
    assert found(memory, ["nothing"]) == []


def test_a_hundred_keywords_of_two_forms_are_looked_for(memory):
    create(memory, "water", "x7", "a x7")
    assert found(memory, [f"ｘ{number}" for number in range(100)]) == ["x7", "a x7"]


def test_what_fills_the_answer_comes_by_place_and_name(memory):
    names = [f"{word} tart {number:02}" for number in range(60) for word in ("a", "tart", "bit-")]
    create(memory, *names)
    for keyword in ("tart", "art", "t", "bit", "5", "tart 0"):
        assert found(memory, [keyword], 50) == in_order(names, [keyword])[:50]


def test_names_like_an_unknown_one_are_told_in_order(memory):
    create(memory, "Ice Cream", "crème glacée")
    create(memory, "icecream cone")
    rows = memory.run(calls.concepts.unknown(["icecream", "creme", "nothing"]))
    assert rows == [
        {"seed": "icecream", "similar": ["Ice Cream", "icecream cone"]},
        {"seed": "creme", "similar": ["crème glacée"]},
        {"seed": "nothing", "similar": []},
    ]


@pytest.mark.parametrize("seed", range(8))
def test_what_begins_with_a_keyword_in_any_form_comes_first_however_little_is_wanted(memory, seed):
    chance = random.Random(seed)
    starts = ("tar", "Tar", "TAR", "tár", "Tär", "ｔａｒ", "star", "Star", "a tar", "A-Tár")
    made = (chance.choice(starts) + chance.choice("tTzé e") for _ in range(30))
    names = list(dict.fromkeys(made))
    create(memory, *names[:10])
    create(memory, *names[10:])
    for keywords in (["tar"], ["TAR"], ["tár"], ["s", "Tart"], ["star", "tarz", "a"], ["tarté"]):
        for limit in (1, 2, 5, 9):
            assert found(memory, keywords, limit) == in_order(names, keywords)[:limit], keywords


def test_what_a_hand_made_is_among_many_that_begin_with_a_keyword(memory, hands):
    names = [f"apple {number}" for number in range(9)]
    create(memory, *names)
    hands.node("Concept", name="Äpple", arousal_level=0.1, accessed_at=0)
    assert found(memory, ["apple"], 3) == ["Äpple", "apple 0", "apple 1"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_after_any_sequence_all_names_are_found_as_their_definition_says(memory, seed):
    chance = random.Random(seed)
    names: set[str] = set()
    for _ in range(12):
        for _ in range(6):
            name = " ".join(chance.choices(WORDS, k=chance.randint(1, 3)))
            if names and chance.random() < 0.3:
                gone = chance.choice(sorted(names))
                names.discard(gone)
                if name in names or chance.random() < 0.5:
                    memory.run(calls.concepts.remove(gone, False))
                    continue
                memory.run(calls.concepts.rename(gone, name, False))
            else:
                memory.concept_upsert(name)
            names.add(name)
        for keyword in chance.choices([*WORDS, "e", "r t", "apf", "creme", "fish"], k=3):
            assert found(memory, [keyword]) == in_order(names, [keyword]), keyword
