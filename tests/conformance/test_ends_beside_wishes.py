"""What only sounds like an end or a fact tells nothing; what is told beside it counts."""

import pytest
from entity_layer import Entities
from everyday_calls import Days
from test_amounts_and_ends import tell as tell_facts
from test_latest_word import kind_of, tell


@pytest.mark.parametrize(
    ("first", "said", "name", "kind"),
    [
        (
            "Tom is my boyfriend.",
            "Tom and I broke up and I hope he is fine.",
            "Tom",
            "former boyfriend",
        ),
        ("Tom is my boyfriend.", "Tom and I split up if he lies again.", "Tom", "boyfriend"),
        ("Tom is my boyfriend.", "If Tom and I broke up I might move.", "Tom", "boyfriend"),
        ("My dog Rex is nine.", "Rex passed last night.", "Rex", "dog (died)"),
        ("Mein Freund heißt Malte.", "Für Malte ist es vorbei, er ist raus.", "Malte", "friend"),
        ("Mein Freund heißt Malte.", "Bei Malte ist Schluss um sechs.", "Malte", "friend"),
        ("Tom is my boyfriend.", "Because Tom and I broke up in my dream.", "Tom", "boyfriend"),
        ("Anna is my sister.", "Anna passed last night's exam.", "Anna", "sister"),
        ("Anna is my sister.", "Guess what, Anna passed yesterday!", "Anna", "sister"),
        ("My dog Rex is nine.", "Rex passed his puppy class last week.", "Rex", "dog"),
        ("My dog Rex is nine.", "Rex died and I wish he had not suffered.", "Rex", "dog (died)"),
        ("My dog Rex is nine.", "I might cry all day because Rex died.", "Rex", "dog (died)"),
        ("My dog Rex is nine.", "I dreamt that I cried because Rex died.", "Rex", "dog"),
        ("My dog Rex is nine.", "I wish it were a lie that Rex died.", "Rex", "dog"),
        ("My dog Rex is nine.", "I dreamt that Tom and Rex died.", "Rex", "dog"),
        ("Mein Hund Rex ist alt.", "Ich habe geträumt, Rex wäre gestorben.", "Rex", "dog"),
        ("Tess is my girlfriend.", "I hope that Tess and I never broke up.", "Tess", "girlfriend"),
    ],
)
def test_an_end_counts_beside_a_wish_and_none_within_it(memory, first, said, name, kind):
    assert kind_of(tell(memory, first, said), name) == kind


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        *(("They let me go early today.", False), ("Retired early from the party.", False)),
        *(("I have retired from racing.", False), ("I retired from Bosch.", True)),
        ("I was laid off.", True),
    ],
)
def test_a_job_ends_by_plain_words_alone(memory, said, ends):
    assert tell_facts(Entities(memory), "I work at Bosch.", said) == (
        [] if ends else [("employer", "Bosch")]
    )


@pytest.mark.parametrize(
    ("said", "note", "told"),
    [
        ("no i am not vegan", "The user is vegan.", None),
        ("i never want to move to ghent", "The user moved to Ghent.", None),
        ("tom moved to ghent on saturday", "The user moved to Ghent.", None),
        ("my sister moved to ghent", "The user moved to Ghent.", None),
        ("should i move to ghent?", "The user moved to Ghent.", None),
        ("jorren moved to ghent", "The user moved to Ghent.", None),
        ("i want to move to ghent", "The user moved to Ghent.", None),
        ("fenner hired tom", "The user works at Fenner.", None),
        ("the ghentish beer", "The user moved to Ghent.", None),
        ("the bus 40 was late", "The user is 40.", None),
        ("moved to ghent on saturday", "The user moved to Ghent.", ("home", "Ghent")),
        ("ghent it is, not bruges", "The user moved to Ghent.", ("home", "Ghent")),
    ],
)
def test_a_note_states_only_what_the_user_may_have_stated(memory, said, note, told):
    Days(memory).remember(note, said=said)
    facts = Days(memory).about("the user")["facts"]
    assert [(one["predicate"], one["value"]) for one in facts] == ([told] if told else [])


def test_a_partner_of_before_is_over_since_the_day_that_was_told(memory):
    days = tell(memory, "Theo is my boyfriend.", "Theo and I broke up.")
    [over] = days.about("the user")["facts"]
    Entities(memory).days(90)
    Entities(memory).observe("Jonah is my boyfriend.")
    ended = {one["value"]: one["until"] for one in days.about("the user")["facts"]}
    assert ended == {"Jonah": None, "Theo": over["until"]}
    assert "(former boyfriend, as told on 2025-06-16)" in days.recall("Who is Theo?")
