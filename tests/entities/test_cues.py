"""What a text tells of who is meant by a name in it."""

import pytest

from conceptgraph_core.entities import inputs
from conceptgraph_core.entities.language import cues


def noticed(text, label):
    [one] = cues.noticed(text, inputs.observations([{"label": label, "type": "entity"}]))
    return one


@pytest.mark.parametrize(
    "text",
    [
        "I met another Max at the party.",
        "My other sister Max called.",
        "There is a second Max in my class.",
        "Our new dog Max barks.",
        "We got a new puppy, we named him Max.",
        "My colleague is called Max too.",
        "Da war noch ein anderer Max.",
        "Unser neuer Hund heißt auch Max.",
        "Unser neuer Hund Max bellt.",
    ],
)
def test_another_one_of_the_name_is_noticed(text):
    assert noticed(text, "Max").is_introduced


@pytest.mark.parametrize(
    "text",
    [
        "Max got a new job.",
        "The other day Max called.",
        "A new idea: Max cooks.",
        "In New York Max was happy.",
        "Max hat ein neues Auto.",
        "Neulich war Max da, und noch ein Gast.",
    ],
)
def test_what_else_is_new_makes_nobody_another(text):
    assert not noticed(text, "Max").is_introduced


@pytest.mark.parametrize(
    ("text", "qualifier"),
    [
        ("Lena from the office sent it.", "from the office"),
        ("I met Lena from accounting.", "from accounting"),
        ("Lena aus dem Büro rief an.", "aus dem Büro"),
        ("Lena next door has a dog.", "next door"),
        ("I picked up Lena from school.", None),
        ("Ich habe Lena aus der Schule abgeholt.", "aus der Schule"),
        ("I saw Lena at the gym.", None),
        ("Lena in accounting called.", "in accounting"),
        ("Another Lena at work called.", "at work"),
        ("Lena is from Berlin.", None),
        ("Lena went to the office.", None),
    ],
)
def test_a_place_tells_one_of_the_name_from_others(text, qualifier):
    assert noticed(text, "Lena").qualifier == qualifier


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My sister Clara called.", "sister"),
        ("our older sister Clara called", "sister"),
        ("Clara, my boss, is ill.", "boss"),
        ("Clara is a dentist.", "dentist"),
        ("Meine Kollegin Clara ist krank.", "kollegin"),
        ("My dear Clara!", None),
        ("Clara, the puppy and I went out.", None),
    ],
)
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


@pytest.mark.parametrize(
    "text",
    [
        "Another dog, who is also called Max.",
        "A second dog that is named Max.",
        "A new puppy, which was called Max.",
        "A new puppy who's called Max.",
        "Ein neuer Hund, namens Max.",
    ],
)
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


@pytest.mark.parametrize(
    "text",
    [
        "Eva Brandt met Eva Kessler. Now it rains.",
        "Anna Berg is now on the team with Anna Kolb.",
        "Lotte Brandt and Lotte Kessler are now friends.",
        "Jetzt wohnt Anna Berg neben Anna Kolb.",
        "Anna Berg's boss is now Anna Kolb.",
        "Sophie dit Marie a tort.",
    ],
)
def test_two_of_one_first_name_are_not_one(text):
    assert cues.aliases(text) == []
