"""`concept_search`: an exact match, then matches by name, before the most aroused concepts."""

import pytest
from expect import REFUSALS, WEEK_MS, concept

from concept_graph_mcp import calls


def create(memory, *names):
    """Create concepts, the first one the least aroused."""
    memory.import_rows(
        [concept(name, level=0.25, at=memory.now_ms + n) for n, name in enumerate(names)]
    )


def found(memory, keywords):
    """Return the names that match."""
    return [
        row["concept"]
        for row in memory.run(calls.concepts.concept_search(keywords))
        if row["matched"]
    ]


def test_an_exact_match_is_found_behind_more_matches_than_the_limit(memory):
    create(memory, *(f"a{number:03}z" for number in range(60)), "z")
    assert memory.concept_search(["z"], 2) == ["z", "a000z"]


def test_names_are_ordered_by_code_point(memory):
    create(memory, "tea Ä", "tea z", "tea 日", "tea 🍎", "tea Z", "tea \uffee")
    assert memory.concept_search(["tea"]) == [
        "tea Z",
        "tea z",
        "tea Ä",
        "tea 日",
        "tea \uffee",
        "tea 🍎",
    ]


@pytest.mark.parametrize(
    ("name", "keyword"),
    [
        ("Äpfel", "äpf"),
        ("äpfel", "ÄPF"),
        ("ÄPFEL", "ä"),
        ("Straße", "STRASSE"),
        ("STRASSE", "straße"),
        ("Straße", "ß"),
        ("İstanbul", "i̇stan"),
        ("İstanbul", "İSTANBUL"),
        ("İstanbul", "STANBUL"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("ΣΊΣΥΦΟΣ", "φος"),
        ("ὈΔΥΣΣΕΎΣ", "σσεύς"),
        ("Москва", "МОСК"),
        ("日本", "日"),
        ("日本語", "本語"),
        ("東京都", "京"),
        ("りんごの木", "りんご"),
        ("apple 🍎", "🍎"),
        ("👩‍👩‍👧‍👦 family", "👧"),
        ("ﬁsh", "FIS"),
        ("e\u0301clair", "E\u0301"),
        ("a\nb", "\nb"),
        ("  two  blanks", "  b"),
    ],
)
def test_a_keyword_matches_in_any_case_and_script(memory, name, keyword):
    create(memory, name, "other 1", "other 2", "other 3")
    assert memory.concept_search([keyword], 1) == [name]


@pytest.mark.parametrize(
    ("name", "keyword"),
    [
        ("éclair", "eclair"),
        ("e\u0301clair", "ECLAIR"),
        ("Crème brûlée", "brulee"),
        ("Äpfel", "apf"),
        ("Việt Nam", "viet nam"),
        ("Σίσυφος", "σισυφος"),
        ("Ёлка", "елка"),
        ("İstanbul", "istan"),
        ("שָׁלוֹם", "שלום"),
        ("Ａｐｐｌｅ", "apple"),
        ("ﬁsh ①", "fish 1"),
        ("two\u00a0blanks", "two blanks"),
        ("two\tblanks", "o b"),
    ],
)
def test_a_keyword_without_accents_finds_what_has_some(memory, name, keyword):
    create(memory, name, "other 1", "other 2")
    assert found(memory, [keyword]) == [name]


@pytest.mark.parametrize(
    ("name", "keyword"),
    [
        ("eclair", "éclair"),
        ("éclair", "èclair"),
        ("e\u0301clair", "\u00e9clair"),
        ("日本", "日 本"),
        # Other letters, not the same ones with accents.
        ("がっこう", "かっこう"),
        ("한국", "하"),
        ("กิน", "กน"),
        ("Łódź", "lodz"),
    ],
)
def test_accents_that_a_keyword_has_other_letters_and_blanks_count(memory, name, keyword):
    create(memory, name, "other")
    assert found(memory, [keyword]) == []


def test_exact_then_beginnings_of_names_then_of_words_then_the_rest_each_by_name(memory):
    names = (
        "zzapplezz", "Appletree", "pineapple", "red apple", "red-Apple", "Apple", "äpple",
        "crab_apple", "(apple)", "apple", "Äpple tree", "apples", "is/apple", "apple pie", "ápple",
    )  # fmt: skip
    create(memory, "water", *names)
    assert found(memory, ["apple"]) == [
        *("Apple", "apple", "ápple", "äpple"),
        *("Appletree", "apple pie", "apples", "Äpple tree"),
        *("(apple)", "crab_apple", "is/apple", "red apple", "red-Apple"),
        *("pineapple", "zzapplezz"),
    ]
    for most in range(1, 16):
        assert memory.concept_search(["apple"], most) == found(memory, ["apple"])[:most]


def test_what_a_hand_made_is_found_without_accents_too(memory, hands):
    hands.node("Concept", name="Crème", arousal_level=0.1, accessed_at=0)
    hands.node("Concept", name="Crème Brûlée", arousal_level=0.1, accessed_at=0)
    memory.concept_upsert("water")
    expected = ["Crème", "Crème Brûlée"]
    assert found(memory, ["creme"]) == expected
    assert memory.run(calls.concepts.unknown(["creme"])) == [{"seed": "creme", "similar": expected}]
    made = {"fields": ("indexed",)}
    assert memory.procedure("conceptgraph.index", [False, None], **made) == [{"indexed": 2}]
    assert hands.properties("Crème Brûlée")["plain_name"] == "creme brulee"
    assert hands.properties("Crème Brûlée")["search_name"] == "crème brûlée"
    assert "plain_name" not in hands.properties("water")
    assert memory.procedure("conceptgraph.index", [False, None], **made) == [{"indexed": 0}]
    assert found(memory, ["creme"]) == expected


@pytest.mark.parametrize(
    "text",
    ['"', "'", "%", "_", "*", "\\", "OR", "a OR b", "NEAR(", "^", "-", '""', ":", "(", ".*", "$"],
)
def test_no_character_has_a_meaning_of_its_own(memory, text):
    create(memory, f"x{text}y", "a", "b", "xy", "xzzy")
    assert memory.concept_search([text], 1) == [f"x{text}y"]
    assert memory.concept_search([f"x{text}y"], 1) == [f"x{text}y"]


def test_the_limit_is_fifty_unless_said_otherwise(memory):
    create(memory, *(f"apple {number:03}" for number in range(60)))
    expected = [f"apple {number:03}" for number in range(50)]
    assert memory.concept_search(["apple"]) == expected
    assert memory.concept_search(["apple"], None) == expected


@pytest.mark.parametrize(
    ("limit", "size"), [(-5, 1), (0, 1), (1, 1), (199, 199), (200, 200), (201, 200), (2**62, 200)]
)
def test_the_limit_is_clamped_to_one_to_two_hundred(memory, limit, size):
    create(memory, *(f"apple {number:03}" for number in range(210)))
    assert memory.concept_search(["apple"], limit) == [f"apple {n:03}" for n in range(size)]
    assert len(memory.concept_search([], limit)) == size


def test_a_match_among_thousands_is_found(memory):
    create(memory, *(f"apple {number:04}" for number in range(2_500)))
    assert memory.concept_search(["apple"], 3) == ["apple 0000", "apple 0001", "apple 0002"]
    assert memory.concept_search(["2499"], 2) == ["apple 2499", "apple 2498"]


def test_a_hundred_short_keywords_of_two_forms_are_looked_for_at_once(memory):
    create(memory, "water", "x7", "a x7", "pear", *(f"zx7{number:03}" for number in range(60)))
    keywords = [f"ｘ{number}" for number in range(100)]
    assert memory.concept_search(keywords, 3) == ["x7", "a x7", "zx7000"]


def test_a_hundred_keywords_are_looked_for_at_once(memory):
    create(memory, "water", "apple 77", "pear")
    keywords = [f"apple {number}" for number in range(100)]
    assert memory.concept_search(keywords, 2) == ["apple 77", "pear"]


def test_a_renamed_concept_is_found_by_its_new_name_only(memory):
    create(memory, "Aple", "water")
    memory.procedure("conceptgraph.rename", ["Aple", "Äpfel", False], ("kind", "text"))
    assert memory.concept_search(["äpfel"], 1) == ["Äpfel"]
    assert memory.concept_search(["aple"], 1) == ["water"]


def test_a_removed_concept_is_not_found(memory):
    create(memory, "apple", "water")
    memory.procedure("conceptgraph.remove", ["apple", False], ("kind", "text"))
    assert memory.concept_search(["apple"]) == ["water"]


def test_a_search_changes_nothing(memory):
    create(memory, "apple", "pear")
    before = memory.records()
    memory.now_ms += WEEK_MS
    memory.concept_search(["apple"])
    assert memory.records() == before


@pytest.mark.parametrize("keywords", [[""], ["apple", " "]])
def test_an_empty_keyword_is_refused(memory, keywords):
    with pytest.raises(REFUSALS, match="keywords: must not be empty"):
        memory.concept_search(keywords)


@pytest.mark.parametrize(
    ("name", "keyword"),
    [("Banana", "banana"), ("banana", "NAN"), ("Äpfel", "äpfel"), ("日本", "本")],
)
def test_a_concept_made_by_hand_is_found_by_its_name(memory, hands, name, keyword):
    hands.node("Concept", name=name, arousal_level=0.1, accessed_at=0)
    memory.concept_upsert("water")
    assert memory.concept_search([keyword], 1) == [name]


def test_an_exact_match_made_by_hand_comes_first(memory, hands):
    hands.node("Concept", name="Banana", arousal_level=0.1, accessed_at=0)
    memory.concept_upsert("A banana")
    assert memory.concept_search(["banana"], 1) == ["Banana"]


def test_nodes_of_other_labels_are_not_found(memory, hands):
    hands.node("Person", name="apple")
    memory.concept_upsert("water")
    assert memory.concept_search(["apple"]) == ["water"]


def test_a_concept_without_a_name_is_not_found(memory, hands):
    hands.node("Concept", arousal_level=1.0, accessed_at=memory.now_ms)
    memory.concept_upsert("water")
    assert memory.concept_search(["wat"]) == ["water"]
    assert memory.concept_search([], 1) == ["water"]


def test_what_a_hand_made_is_found_at_once_among_many_that_fill_the_answer(memory, hands):
    names = [f"apple {number:04}" for number in range(1_100)]
    memory.import_rows([{"kind": "concept", "name": name} for name in names])
    assert memory.concept_search(["APPLE"], 2) == names[:2]
    memory.run(calls.concepts.rename("apple 0000", "apple tart", False))
    memory.run(calls.concepts.remove("apple 0001", False))
    hands.node("Concept", name="Apple")
    assert memory.concept_search(["apple"], 2) == ["Apple", "apple 0002"]
    assert memory.concept_search(["pple"], 2) == ["Apple", "apple 0002"]
    hands.node("Concept", name="Äpfel")
    assert memory.concept_search(["apf"], 1) == ["Äpfel"]
    hands.delete("Apple")
    assert memory.concept_search(["apple"], 2) == ["apple 0002", "apple 0003"]


def test_two_unknown_seeds_that_are_one_but_for_blanks_have_all_similar_names(memory):
    names = ["Apple", "apple", "apple pie", "crab apple"]
    for name in names:
        memory.concept_upsert(name)
    said = memory.run(calls.concepts.unknown(["APPLE", " app le"]))
    assert said == [{"seed": seed, "similar": names} for seed in ("APPLE", " app le")]
