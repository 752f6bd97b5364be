"""What a text tells of who is meant by a name in it."""

import pytest
from tests.tables import beside

from conceptgraph_core.entities import inputs
from conceptgraph_core.entities.language import cues

table = beside(__file__)


def noticed(text, label):
    [one] = cues.noticed(text, inputs.observations([{"label": label, "type": "entity"}]))
    return one


@table("text")
def test_another_one_of_the_name_is_noticed(text):
    assert noticed(text, "Max").is_introduced


@table("text")
def test_what_else_is_new_makes_nobody_another(text):
    assert not noticed(text, "Max").is_introduced


@table("text, qualifier")
def test_a_place_tells_one_of_the_name_from_others(text, qualifier):
    assert noticed(text, "Lena").qualifier == qualifier


@table("text, kind")
def test_what_the_user_calls_somebody_is_the_kind(text, kind):
    assert noticed(text, "Clara").kind == kind


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Mike, that is Michael, comes.", ("mike", "michael")),
        ("Mike aka Michael", ("mike", "michael")),
        ("Michael (Mike) comes.", ("michael", "mike")),
        ("Mike, das heißt Michael, kommt.", ("mike", "michael")),
        ("Mike, also Michael, kommt heute.", ("mike", "michael")),
        ("The puppy is called Max.", ("puppy", "max")),
        ("Unser Hund heißt Max.", ("hund", "max")),
        ("Max is our puppy.", ("puppy", "max")),
    ],
)
def test_two_names_for_one_are_noticed(text, pair):
    assert pair in cues.aliases(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Mike and Michael came.", "Mike, also Michael came.", "Max, the puppy and Rex"),
        "She is called Noor.",
    ],
)
def test_two_names_side_by_side_are_two(text):
    assert cues.aliases(text) == []


def test_no_more_pairs_are_noticed_than_say_whom_a_message_is_about():
    text = " ".join(f"Aa{number} (Bb{number})," for number in range(300))
    assert len(cues.aliases(text)) == 30


@pytest.mark.parametrize(
    "text",
    [
        "another dog" + ", " * 10_000 + "x Max",
        "another dog " + "also " * 4_000 + "x Max",
        "another " * 2_400 + "x Max",
        "a new " + "dog-" * 5_000 + " Max",
        "ACGT" * 5_000,
        "A-" * 10_000,
        "A.A'" * 5_000,
        "Aa " * 6_600,
        "my " * 6_600 + "Max",
        "mein" * 5_000 + " Max",
        "Max is the " * 1_800,
        "Max from the " * 1_500,
        "Ab (Cd" * 3_300,
    ],
)
def test_a_text_that_fits_a_cue_nearly_in_many_ways_is_read_to_its_end(text):
    assert not noticed(text, "Max").is_introduced
    assert cues.aliases(text) == []


@table("text")
def test_words_may_stand_between_another_one_and_its_name(text):
    assert noticed(text, "Max").is_introduced


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Alexandra, we call her Sasha, brought wine.", ("alexandra", "sasha")),
        ("A Francisca, a quem chamamos Kika, faz anos.", ("francisca", "kika")),
        ("Konstantin, wir nennen ihn Kosta, kocht.", ("konstantin", "kosta")),
    ],
)
def test_what_somebody_is_called_is_noticed(text, pair):
    assert pair in cues.aliases(text)


@table("text")
def test_two_of_one_first_name_are_not_one(text):
    assert cues.aliases(text) == []
