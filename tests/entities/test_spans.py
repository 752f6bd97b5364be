"""Whether a text says something, and where: in any case and script, on the borders of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptgraph_core.entities.language.spans import Said


@pytest.mark.parametrize(
    ("text", "wanted", "stands"),
    [
        ("Max chewed my shoe", "max", "Max"),
        ("ＭＡＸ chewed", "Max", "ＭＡＸ"),
        ("in the Straße there", "STRASSE", "Straße"),
        ("my  big\n dog", "my big dog", "my  big\n dog"),
        ("Cafe\u0301 au lait", "café", "Cafe\u0301"),
        ("the ﬁrm", "firm", "ﬁrm"),
        ('He said "Max".', "Max", "Max"),
        ("Max's bowl", "Max", "Max"),
        ("I like C++ best", "C++", "C++"),
        # A script without blanks, and one whose particles stick to the noun.
        ("太郎は学校へ行った", "太郎", "太郎"),
        ("제니가 왔다", "제니", "제니"),
    ],
)
def test_it_stands_there_however_it_is_written(text, wanted, stands):
    found = Said(text).find(wanted)
    assert found is not None
    assert text[found.start : found.end] == stands


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The annual report", "Ann"),
        ("Hannah called", "anna"),
        ("Maximum", "Max"),
        ("room 101", "10"),
        ("nothing of it", "Project Phoenix"),
        ("", "Max"),
        ("Max", " "),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "wanted", "sentence"),
    [
        ("So. A wire of 2.46 mm is of copper. Then", "copper", "A wire of 2.46 mm is of copper."),
        ("So. The copper is 2.46 mm thick. Then", "copper", "The copper is 2.46 mm thick."),
        ("Yes. Dr. Östlund called Mrs. Lind.", "called", "Dr. Östlund called Mrs. Lind."),
        ("See www.example.com of Max. Then", "max", "See www.example.com of Max."),
        ("It is his 1st. Max won. No", "max", "Max won."),
        ("Max won.", "max", "Max won."),
        ("東京.京都", "京都", "京都"),
    ],
)
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
