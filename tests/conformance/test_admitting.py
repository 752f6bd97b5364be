"""Keep one word of several from leading to a replaced text or to a long note."""

import pytest
from everyday_calls import Days

FILLING = "The cellar was sorted on a rainy day. Nobody found the lamp. " * 15
PLACES = "Ann saw a lake", "Ann read a book", "The tea is in the tin", "Ann bakes bread on Sunday"


@pytest.fixture
def days(memory):
    made = Days(memory)
    for text in PLACES:
        made.remember(text)
    return made


def replaced(days):
    old = days.remember("The user lives with Tobias in Lyon", ["Tobias"])["id"]
    days.remember("The user and Tobias have broken up", ["Tobias"], replaces=old)


@pytest.mark.parametrize("message", ["Where do I live?", "Do I live in Lyon?", "And Tobias?"])
def test_a_replaced_text_brings_its_successor_if_just_that_is_asked(days, message):
    replaced(days)
    assert "broken up" in days.recall(message)


def test_a_successor_is_found_by_its_own_words(days):
    old = days.remember("The user lives in Lyon")["id"]
    days.remember("The user moved to Grenoble", replaces=old)
    assert "Grenoble" in days.recall("Where do I live?")
    assert "Grenoble" in days.recall("What about Grenoble?")


def test_a_question_about_the_past_finds_what_was_replaced(days):
    replaced(days)
    assert "lives with Tobias" in days.recall("Where did I live before the flood?")


def test_a_single_word_of_several_leads_to_no_long_note(days):
    days.remember(f"{FILLING}\n\nThe files are on the blue stick in the drawer.\n\n{FILLING}")
    assert not days.recalled("Why is the sky blue?")["lines"]
    assert "blue stick" in days.recall("Where is the blue stick of the theatre?")


def test_a_name_leads_to_a_long_note(days):
    days.remember(f"{FILLING}\n\nRing Corinne, she drives over.\n\n{FILLING}", ["Corinne"])
    assert "Ring Corinne" in days.recall("Which phone does Corinne have?")
