"""Passages: what a long text says around the words of a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptgraph_core.everyday import passages
from conceptgraph_core.everyday.passages import LONG
from conceptgraph_core.recall import budgets
from conceptgraph_core.texts.words import readings

FILLING = "The cellar was sorted on a rainy day. Nobody found the lamp. " * 8
MOST = 450


def passage(text, question="carpenter worktop", most=None):
    weights = dict.fromkeys((stem for one in readings(question).values() for stem in one), 1.0)
    return passages.passages(text, weights, ("english",), most)


def test_a_short_text_is_quoted_whole():
    assert passage("The carpenter wants 2,340 euros.") == "The carpenter wants 2,340 euros."


def test_a_long_text_is_quoted_around_the_words_that_matched():
    said = "Dr. Okafor chose the oak worktop. The carpenter quoted 2,340 euros for it, e.g. fitted."
    made = passage(f"{FILLING}\n\n{said}\n\n{FILLING}")
    assert made == f"… {said} …"


def test_words_far_apart_make_two_passages():
    made = passage(f"{FILLING}The worktop is oak.\n\n{FILLING}\n\nThe carpenter is Ann. {FILLING}")
    assert "The worktop is oak." in made
    assert "The carpenter is Ann." in made
    assert made.count("…") == 3


def test_the_best_text_is_quoted_farther_around_the_words():
    answer = "It leans on the wall of the shed."
    text = f"{FILLING}The worktop came in a crate. {FILLING[:300]}{answer} {FILLING}"
    weights = {stem: 1.0 for one in readings("worktop").values() for stem in one}
    assert answer not in passages.passages(text, weights, ("english",))
    assert answer in passages.passages(text, weights, ("english",), is_best=True)


def test_without_a_word_it_is_the_beginning():
    made = passage(FILLING, "zebra")
    assert made.startswith("The cellar was sorted on a rainy day. Nobody")
    assert made.endswith(". …")


@pytest.mark.parametrize(
    "said",
    [
        "- the vet came\n- the carpenter wants 2,340 euros\n- the rest is open",
        "```\nmake worktop --carpenter=ann\n```",
        "“Once for the worktop,” the carpenter says, “and once for the rest.” 🎉",
        "Am 17. August kommt der carpenter mit der worktop.",
    ],
)
def test_lists_code_quotes_and_days_stay_together(said):
    assert said in passage(f"{FILLING}\n\n{said}\n\n{FILLING}")


def test_a_text_without_punctuation_is_cut_between_words():
    text = f"{'and so on ' * 60}the carpenter wants 2340 for the worktop {'and so on ' * 60}"
    made = passage(text)
    assert "the carpenter wants 2340 for the worktop" in made
    assert set(made.split()) <= {*text.split(), "…"}


def test_a_text_without_blanks_is_cut_too():
    text = (
        "今日は朝から雨だった。" * 30 + "母は蕎麦アレルギーだ。" + "橋の工事はまだ終わらない。" * 30
    )
    assert "母は蕎麦アレルギーだ。" in passage(text, "蕎麦アレルギー")


def test_what_is_joined_to_a_character_is_not_cut_from_it():
    made = passage("👩‍👩‍👧" * 60)
    assert made.removesuffix(" …").replace("👩‍👩‍👧", "") == ""


@given(st.text(max_size=2_000), st.text(max_size=40), st.one_of(st.none(), st.integers(20, 400)))
def test_a_passage_is_bounded_and_of_the_text(text, question, most):
    made = passage(text, question, most)
    assert budgets.size(made) <= (MOST if most is None else most + 20)
    if budgets.size(text) > LONG:
        assert all(part.strip() in text for part in made.split("…"))
    elif most is None:
        assert made == text
