"""Names in lists: found, renamed and removed as if they were in none."""

import random

import pytest
from expect import REFUSALS, concept

from concept_graph_mcp import calls
from conceptgraph_core import folding
from conceptgraph_core.name_lists import schema

WORDS = ("apple", "Äpfel", "crème", "brûlée", "Tart", "日本", "ice", "ﬁsh", "a\nb", "O'Brien")


def create(memory, *names):
    """Import *names* in pieces too small for lists of their own."""
    for start in range(0, len(names), schema.MANY // 2):
        some = names[start : start + schema.MANY // 2]
        memory.import_rows([concept(name, level=0.25, at=memory.now_ms) for name in some])


def put(memory, number=1):
    """Put all names into lists, as a store does that has no index of parts of texts."""
    return memory.procedure("conceptgraph.list_names", [number], ("listed",))


def listed(memory, keywords, limit=100):
    """Return the names in lists that have a keyword."""
    rows = memory.procedure("conceptgraph.listed_names", [keywords, limit], ("name",))
    return [row["name"] for row in rows]


def found(memory, keywords, limit=200):
    rows = memory.run(calls.concepts.concept_search(keywords, limit))
    return [row["concept"] for row in rows if row["matched"]]


def in_order(names, keywords):
    """Return what is found of *names*, by the definition of a place."""
    wanted = folding.keywords(keywords)
    places = [(wanted.place(name), name) for name in names]
    return [name for place, name in sorted(places) if place != folding.ELSEWHERE]


def lists(hands):
    nodes, _ = hands.everything()
    return [node for node in nodes if schema.LIST in node["labels"]]


def test_a_name_is_in_one_list_with_its_forms(memory, hands):
    create(memory, "Crème", "water")
    assert put(memory, 7) == [{"listed": 2}]
    [one] = lists(hands)
    assert (one["number"], one["label"], one["size"]) == (7, "Concept", 2)
    for entry in ("crème\x1fcreme\x1fCrème", "water\x1f\x1f"):
        assert f"\x1e{entry}\x1e" in one["names"]
    assert hands.properties("Crème")["listed"] == 7
    assert hands.properties("Crème")["search_name"] == "crème"
    assert hands.properties("Crème")["folded_name"] == "crème"
    assert "folded_name" not in hands.properties("water")
    assert hands.properties("Crème")["plain_name"] == "creme"
    assert "plain_name" not in hands.properties("water")
    assert "unlisted" not in hands.properties("Crème")
    assert put(memory, 8) == [{"listed": 0}]
    assert len(lists(hands)) == 1


def test_a_list_has_a_thousand_names_and_the_next_the_next_number(memory, hands):
    create(memory, *(f"name {number}" for number in range(schema.SIZE + 1)))
    put(memory, 3)
    assert sorted((one["number"], one["size"]) for one in lists(hands)) == [(3, 1_000), (4, 1)]
    assert hands.properties("name 7")["listed"] in (3, 4)


def test_an_import_puts_its_new_names_into_lists_where_searches_read_them(memory, hands, request):
    names = [f"Pear {number:04}" for number in range(schema.SIZE + 1)]
    memory.concept_upsert(names[7])
    memory.import_rows([concept(name) for name in (*names, "a\x1emark")])
    sizes = sorted(one["size"] for one in lists(hands))
    assert sizes == ([] if request.node.callspec.params["store"] == "embedded" else [schema.SIZE])
    unlisted = {name for name in (*names, "a\x1emark") if hands.properties(name).get("unlisted")}
    assert unlisted == ({names[7], "a\x1emark"} if sizes else {*names, "a\x1emark"})
    assert found(memory, ["0007"]) == [names[7]]
    assert found(memory, ["0008"]) == [names[8]]
    assert found(memory, ["a\x1em"]) == ["a\x1emark"]
    # Listed names stay in their lists, and other lists go beside them.
    memory.import_rows([concept(name, level=0.5) for name in names])
    assert put(memory) == [{"listed": 1 if sizes else len(names)}]
    memory.run(calls.concepts.remove(names[8], False))
    assert found(memory, ["0008"]) == []
    assert memory.procedure("conceptgraph.check", [], ("problem",)) == []


def test_lists_return_the_names_like_a_key_in_their_order(memory):
    names = ["Ice Cream", "icecream", "ice cream cone", "nice cream", "ÍCE cream", "crème", "ice"]
    create(memory, *names)
    put(memory)
    for limit in (5, 2, 1):
        rows = memory.procedure(
            "conceptgraph.listed_similar", [["icecream", "creme"], limit], ("name",)
        )
        wanted = [*sorted(names[:5], key=place_of("icecream"))[:limit], "crème"]
        assert [row["name"] for row in rows] == wanted


def place_of(key):
    def place(name):
        squeezed = folding.squeeze(name)
        return 0 if squeezed == key else 1 if squeezed.startswith(key) else 2, name

    return place


def test_names_in_lists_and_in_none_are_found_together(memory):
    create(memory, "pineapple", "an apple", "Äpfel")
    put(memory)
    create(memory, "apple", "crab apple")
    assert found(memory, ["apple"]) == ["apple", "an apple", "crab apple", "pineapple"]
    assert found(memory, ["apf"]) == ["Äpfel"]
    assert found(memory, ["nothing"]) == []


def test_a_hundred_keywords_of_two_forms_are_looked_for_in_lists(memory):
    create(memory, "water", "x7", "a x7")
    put(memory)
    assert found(memory, [f"ｘ{number}" for number in range(100)]) == ["x7", "a x7"]


def test_what_fills_the_answer_comes_by_place_and_name(memory):
    names = [f"{word} tart {number:02}" for number in range(60) for word in ("a", "tart", "bit-")]
    create(memory, *names)
    put(memory)
    for keyword in ("tart", "art", "t", "bit", "5", "tart 0"):
        assert found(memory, [keyword], 50) == in_order(names, [keyword])[:50]


def test_what_is_in_no_concept_any_more_leaves_room_for_others(memory, hands):
    create(memory, *(f"apple {number}" for number in range(8)))
    put(memory)
    hands.delete("apple 0")
    hands.delete("apple 1")
    assert found(memory, ["apple"], 3) == ["apple 2", "apple 3", "apple 4"]


def test_names_like_an_unknown_one_are_told_from_lists_too(memory):
    create(memory, "Ice Cream", "crème glacée")
    put(memory)
    create(memory, "icecream cone")
    rows = memory.run(calls.concepts.unknown(["icecream", "creme", "nothing"]))
    assert rows == [
        {"seed": "icecream", "similar": ["Ice Cream", "icecream cone"]},
        {"seed": "creme", "similar": ["crème glacée"]},
        {"seed": "nothing", "similar": []},
    ]


def test_a_renamed_concept_leaves_no_trace_of_its_old_name(memory, hands):
    create(memory, "Crème", "water")
    put(memory)
    memory.run(calls.concepts.rename("Crème", "Äpfel", True))
    assert found(memory, ["creme"]) == ["Crème"]
    memory.run(calls.concepts.rename("Crème", "Äpfel", False))
    assert found(memory, ["creme"]) == []
    assert found(memory, ["apf"]) == ["Äpfel"]
    [one] = lists(hands)
    assert one["size"] == 1
    assert "ème" not in one["names"]
    assert "listed" not in hands.properties("Äpfel")
    assert put(memory, 2) == [{"listed": 1}]
    assert found(memory, ["apf"]) == ["Äpfel"]


def test_a_removed_concept_leaves_no_trace_of_its_name(memory, hands):
    create(memory, "apple", "apple tart", "an apple")
    put(memory)
    memory.run(calls.concepts.remove("apple", False))
    assert found(memory, ["apple"]) == ["apple tart", "an apple"]
    [one] = lists(hands)
    assert one["size"] == 2
    assert "\x1eapple\x1f" not in one["names"]
    memory.concept_upsert("apple")
    assert found(memory, ["apple"]) == ["apple", "apple tart", "an apple"]


def test_by_hand_what_is_in_a_list_can_be_renamed_too(memory):
    create(memory, "apple", "water")
    put(memory)
    for name, dry_run in (("apple", True), ("apple", False)):
        memory.procedure(
            "conceptgraph.rename", [name, "pear tart", dry_run], ("kind", "text", "id")
        )
    assert listed(memory, ["a"]) == ["water"]
    assert found(memory, ["tart"]) == ["pear tart"]


def test_nothing_lacks_its_form_because_it_is_in_a_list(memory):
    create(memory, "Crème", "water")
    put(memory)
    assert memory.procedure("conceptgraph.index", [False, None], ("indexed",)) == [{"indexed": 0}]
    assert memory.procedure("conceptgraph.check", [], ("problem",)) == []


def test_what_a_hand_renamed_is_found_and_gets_its_forms_anew(memory, hands):
    create(memory, "Crème")
    put(memory)
    hands.delete("Crème")
    # As a hand leaves it that gives it another name and takes away the forms.
    hands.node("Concept", name="Äpfel", listed=1, arousal_level=0.1, accessed_at=0)
    assert found(memory, ["apf"]) == ["Äpfel"]
    assert memory.procedure("conceptgraph.index", [False, None], ("indexed",)) == [{"indexed": 1}]
    properties = hands.properties("Äpfel")
    assert (properties["plain_name"], properties.get("listed")) == ("apfel", None)
    assert properties["unlisted"] is True
    assert found(memory, ["apf"]) == ["Äpfel"]


def test_a_name_with_a_mark_of_lists_is_found_without_one(memory, hands):
    create(memory, "apple\x1etart", "apple\x1fpie", "apple")
    assert put(memory) == [{"listed": 1}]
    assert found(memory, ["apple"]) == ["apple", "apple\x1etart", "apple\x1fpie"]
    assert found(memory, ["e\x1et"]) == ["apple\x1etart"]
    assert len(lists(hands)) == 1


def test_lists_are_in_no_export_and_no_count(memory):
    create(memory, "apple", "water")
    before = memory.records(), memory.stats()
    put(memory)
    assert (memory.records(), memory.stats()) == before


def test_names_that_lists_do_not_have_are_none(memory):
    create(memory, "apple")
    assert listed(memory, ["apple"]) == []
    put(memory)
    assert listed(memory, ["APPLE", "water"]) == ["apple"]
    assert listed(memory, ["apple"], 0) == []


@pytest.mark.parametrize("limit", [-1, 2**63 - 1])
def test_a_limit_below_nothing_is_refused(memory, limit):
    create(memory, "apple")
    put(memory)
    if limit < 0:
        with pytest.raises(REFUSALS, match="limit: must be between"):
            listed(memory, ["apple"], limit)
    else:
        assert listed(memory, ["apple"], limit) == ["apple"]


@pytest.mark.parametrize("seed", range(8))
def test_what_begins_with_a_keyword_in_any_form_comes_first_however_little_is_wanted(memory, seed):
    chance = random.Random(seed)
    starts = ("tar", "Tar", "TAR", "tár", "Tär", "ｔａｒ", "star", "Star", "a tar", "A-Tár")
    made = (chance.choice(starts) + chance.choice("tTzé e") for _ in range(30))
    names = list(dict.fromkeys(made))
    create(memory, *names[:10])
    put(memory)
    create(memory, *names[10:])
    for keywords in (["tar"], ["TAR"], ["tár"], ["s", "Tart"], ["star", "tarz", "a"], ["tarté"]):
        for limit in (1, 2, 5, 9):
            assert found(memory, keywords, limit) == in_order(names, keywords)[:limit], keywords


def test_what_a_hand_made_is_among_many_that_begin_with_a_keyword(memory, hands):
    names = [f"apple {number}" for number in range(9)]
    create(memory, *names)
    put(memory)
    hands.node("Concept", name="Äpple", arousal_level=0.1, accessed_at=0)
    assert found(memory, ["apple"], 3) == ["Äpple", "apple 0", "apple 1"]


@pytest.mark.parametrize("seed", range(4))
def test_after_any_sequence_all_names_are_found_as_their_definition_says(memory, seed):
    chance = random.Random(seed)
    names: set[str] = set()
    for number in range(1, 13):
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
        if chance.random() < 0.6:
            put(memory, 100 * number)
        for keyword in chance.choices([*WORDS, "e", "r t", "apf", "creme", "fish"], k=3):
            assert found(memory, [keyword]) == in_order(names, [keyword]), keyword
