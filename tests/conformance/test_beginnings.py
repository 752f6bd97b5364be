"""The beginning of a word, of four letters and more, finds texts behind those that have it."""

import pytest
from everyday_calls import Days

TEXTS = (
    "The user buys bread at the bakery on Elm street",
    "Anna keeps photographs of lighthouses",
    "The user wants to bake on Sunday",
)


@pytest.fixture
def days(memory):
    made = Days(memory)
    for text in TEXTS:
        made.remember(text)
    return made


def found(days, query):
    return [row["text"] for row in days.search(query) if row["kind"] == "memory"]


def test_bake_finds_the_bakery_behind_what_is_baked(days):
    assert found(days, "bake") == [TEXTS[2], TEXTS[0]]
    assert found(days, "bak") == []


@pytest.mark.parametrize("query", ["photo", "lighthouse", "phot"])
def test_a_beginning_finds_what_no_text_has_as_a_word(days, query):
    assert found(days, query) == [TEXTS[1]]


def test_a_sentence_finds_no_beginnings(days):
    assert found(days, "Where did I put my photo album?") == []


def test_no_other_scope_is_searched(days):
    days.remember("A bakery of another user", user="other")
    assert found(days, "bake") == [TEXTS[2], TEXTS[0]]
