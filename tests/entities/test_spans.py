"""Whether a text says something, and where: in any case and script, on the borders of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import beside

from conceptgraph_core.entities.language.spans import Said

table = beside(__file__)


@table("text, wanted, stands")
def test_it_stands_there_however_it_is_written(text, wanted, stands):
    found = Said(text).find(wanted)
    assert found is not None
    assert text[found.start : found.end] == stands


@table("text, wanted")
def test_a_part_of_a_word_is_not_the_word(text, wanted):
    assert Said(text).find(wanted) is None


def test_a_later_place_is_found_where_the_first_is_inside_a_word():
    text = "Maximilian is Max"
    found = Said(text).find("max")
    assert found is not None
    assert found.start == 14


def test_the_sentence_around_it_is_told():
    said = Said("First. My dog Max barks! Then\nno more")
    assert said.find("max").sentence == "My dog Max barks!"
    assert said.find("first").sentence == "First."
    assert said.find("more").sentence == "no more"


@table("text, wanted, sentence")
def test_a_stop_within_a_number_or_a_name_or_after_a_title_ends_no_sentence(text, wanted, sentence):
    assert Said(text).find(wanted).sentence == sentence


@pytest.mark.slow
@pytest.mark.parametrize("word", ["seven", "東京", "x" * 2_000])
def test_a_long_sentence_is_cut_between_words_where_there_are_blanks(word):
    found = Said(f"{word} " * 900 + "Max" + f" {word}" * 900).find("max")
    assert len(found.sentence) <= 500
    around = set(found.sentence.split()) - {"Max"}
    assert around == ({word} if len(word) < 100 else set())
    stopped = Said("a." * 900 + " Max " + "b." * 900).find("max")
    assert "Max" in stopped.sentence
    assert len(stopped.sentence) <= 500
    unbroken = Said("東" * 900 + "京都" + "東" * 900).find("京都")
    assert len(unbroken.sentence) == 500


@given(st.text(max_size=40), st.text(min_size=1, max_size=8), st.text(max_size=40))
def test_what_stands_between_blanks_is_always_found(before, wanted, after):
    text = f"{before} {wanted} {after}"
    found = Said(text).find(wanted)
    if wanted.strip():
        assert found is None or 0 <= found.start < found.end <= len(text)
    if wanted.isalnum() and wanted.isascii():
        assert found is not None
