"""A misspelt word finds what is spelt nearly so, on both hosts; a known one is left alone."""

from typing import Any

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.retrieval.spelling import doubtful
from memories import node, texts_embedded

FACTS = {
    "allergy": "The user is allergic to penicillin",
    "dentist": "The dentist is Dr Quinn",
    "wifi": "The password of the wifi is on the fridge",
    "pain": "The back pain is worse",
    "code": "The locker is A4711",
}
ENGLISH = ("english",)


@pytest.fixture
def kept(memory: Any) -> Any:
    memory.import_rows([node(key, content=text) for key, text in FACTS.items()])
    return memory


def found(memory: Any, query: str, user: str = "default") -> list[tuple[str, list[str]]]:
    rows = memory.run(calls.memories.search(user, query), user_id=user)
    return [(one["memory_id"], list(one["matched"])) for one in rows]


def read(memory: Any, message: str) -> list[str]:
    """Return *message* as a recall reads it, which asks for its vector if that is another text."""
    return texts_embedded(memory, calls.everyday.recall("default", message)) or [message]


@pytest.mark.parametrize(
    ("query", "key", "matched"),
    [
        ("Am I alergic?", "allergy", "alergic → allergic"),
        ("Which alelrgies?", "allergy", "alelrgies → allergic"),
        ("Who is the detnist?", "dentist", "detnist → dentist"),
        ("Where is the pasword?", "wifi", "pasword → password"),
        ("Where is the passwrod?", "wifi", "passwrod → password"),
    ],
)
def test_a_misspelt_word_is_taken_for_one_that_texts_have(kept, query, key, matched):
    assert found(kept, query) == [(key, [matched])]
    assert found(kept, query, "ann") == []


def test_a_misspelt_word_beside_another_wording_is_corrected(kept):
    rows = kept.run(
        calls.everyday.search("default", "Where is the pasword?", also=("What hurts?",))
    )
    assert [one["id"] for one in rows] == ["wifi"]


def test_what_is_right_short_or_a_code_is_left_alone(kept):
    # A word that begins otherwise, a number, and words that are right.
    for query in ("Spain?", "A4712", "What about pens?", "a pian?"):
        assert [one for one in found(kept, query) if one[0] != "pain"] == []
    assert found(kept, "Spain?") == []


def test_a_word_that_a_text_has_is_never_corrected(kept):
    kept.import_rows([node("odd", content="The alergic band plays")])
    assert found(kept, "alergic") == [("odd", ["alergic"])]


def test_a_recall_reads_a_misspelt_message_as_it_was_meant(kept):
    for message in ("Am I alergic to penicillin?", "Am I allergic to penicillin?"):
        [row] = kept.run(calls.everyday.recall("default", message))
        assert [one["id"] for one in row["sources"]] == ["allergy"]


def test_only_words_that_no_list_has_cost_a_look_up():
    assert not doubtful("Where did they marry, and who was invited to the wedding?", ENGLISH)
    assert doubtful("Who is my detnist?", ENGLISH) == {"detnist": "detnist"}
    assert len(doubtful("qwertz asdfgh yxcvbn poiuzt lkjhgf", ENGLISH)) == 3


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("What does my hubsand teach?", "What does my husband teach?"),
        ("Is Sandr allergic?", "Is Sander allergic?"),
        ("Which alelrgies do I have?", "Which allergies do I have?"),
        # No text has the right word either, but one may be near it in meaning.
        ("What should I celebarte?", "What should I celebrate?"),
        ("Is brian at the Brian Hotel?", "Is brian at the Brian Hotel?"),
    ],
)
def test_a_message_is_read_as_it_was_meant(kept, said, meant):
    kept.import_rows([node("sander", content="Sander has a rash")])
    assert read(kept, said) == [meant]


@pytest.mark.parametrize("query", ["Who is Marta?", "Where is Christian?", "Does Sanders call?"])
def test_a_name_is_not_taken_for_another_one(kept, query):
    texts = "Maria has a rash", "Christina has a car", "Sander calls"
    kept.import_rows([node(str(key), content=text) for key, text in enumerate(texts)])
    assert read(kept, query) == [query]


COMPOUNDS = {
    "exam": "Die Prüfung in Anatomie ist am 4. Mai",
    "leave": "Der Urlaubsantrag ist genehmigt",
    "lamp": "Die Lampe ist neu",
}


@pytest.mark.parametrize(
    ("query", "key", "matched"),
    [
        ("Wann ist die Anatomieprüfung?", "exam", "anatomieprüfung → anatomie"),
        ("Was sagt der Urlaub?", "leave", "urlaub → urlaubsantrag"),
    ],
)
def test_a_german_compound_and_its_part_find_each_other(memory, monkeypatch, query, key, matched):
    monkeypatch.setenv("CONCEPT_GRAPH_LANGUAGES", "english,german")
    memory.import_rows([node(key, content=text) for key, text in COMPOUNDS.items()])
    [(first, words)] = found(memory, query)[:1]
    assert first == key
    assert matched in words
    assert found(memory, query, "ann") == []


def test_a_compound_needs_both_of_its_parts(memory, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_LANGUAGES", "english,german")
    memory.import_rows([node(key, content=text) for key, text in COMPOUNDS.items()])
    assert found(memory, "Wo ist die Lampenfassung?") == []
    assert found(memory, "Where is the anatomieprüfung?") == []
