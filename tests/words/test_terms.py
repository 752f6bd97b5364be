"""Text into terms: words of every script, stems, runs of capitalised words."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from conceptgraph_core.texts import words
from conceptgraph_core.texts.words import languages, libraries, terms
from conceptgraph_core.verbs.errors import LibraryMissing, UnknownLanguage

ROOT = Path(__file__).parents[2]


def test_a_word_counts_in_all_its_forms_and_cases() -> None:
    assert terms("Running, he RUNS: the run!") == {"run": 3}


def test_words_that_say_nothing_are_no_terms() -> None:
    assert terms("What did you do with it, and why?") == {}


def test_the_halves_of_a_contraction_are_no_terms() -> None:
    assert terms("I don't, you're not, we'll see, they've won't") == {"see": 1}
    assert terms("I don’t, you’re not") == {}


def test_a_single_letter_is_no_term_and_a_number_is_one() -> None:
    assert terms("x 7 42 2023") == {"42": 1, "2023": 1}


def test_an_underscore_separates_as_a_blank_does() -> None:
    assert terms("snow_ball snow-ball snow.ball") == {"snow": 3, "ball": 3}


def test_what_is_too_long_to_be_a_word_is_no_term() -> None:
    assert terms("a" * 101 + " " + "b" * 100) == {"b" * 100: 1}


def test_a_run_of_capitalised_words_is_one_term_besides_its_words() -> None:
    assert terms("from New York City") == {"york": 1, "citi": 1, "new york city": 1}


def test_punctuation_ends_a_run_of_capitalised_words() -> None:
    assert terms("Paris, Rome. Oslo-Bergen\nLima") == dict.fromkeys(
        ("pari", "rome", "oslo", "bergen", "lima"), 1
    )


def test_a_run_of_capitalised_words_is_found_in_any_alphabet() -> None:
    assert "århus økologi" in terms("i Århus Økologi")
    assert "красная площадь" in terms("где Красная Площадь?")


def test_each_run_of_capitalised_words_counts_as_often_as_it_stands_there() -> None:
    assert terms("New York is not Old York, but New York is")["new york"] == 2


def test_compatible_characters_are_one() -> None:
    assert terms("ｃａｔ ﬁsh CAT") == {"cat": 2, "fish": 1}
    assert terms("cafe\u0301") == terms("café")


def test_scripts_without_blanks_are_cut_into_overlapping_pairs() -> None:
    assert terms("東京都") == {"東京": 1, "京都": 1}
    assert set(terms("ไทยแลนด์")) >= {"ไท", "ทย"}
    assert terms("고양이는") == {"고양": 1, "양이": 1, "이는": 1}


def test_words_between_characters_without_blanks_stay_words() -> None:
    assert terms("東京でiPhoneを") == {"東京": 1, "京で": 1, "iphon": 1}


def test_vowel_signs_belong_to_their_word() -> None:
    assert set(terms("हिन्दी में", ("hindi",))) == {"हिन्द"}


def test_emoji_and_their_selectors_are_no_words() -> None:
    assert terms("❤️ 1️⃣ 👩‍👩‍👧 love") == {"love": 1}


def test_a_word_of_which_no_stem_is_left_is_no_term() -> None:
    assert terms("ــ كتاب", ("arabic",)) == {"كتاب": 1}


def test_a_turkish_capital_i_is_found_by_a_small_one() -> None:
    assert terms("İzmir", ("turkish",)) == terms("izmir", ("turkish",))


def test_a_text_is_stemmed_in_the_language_whose_stop_words_it_has() -> None:
    both = ("english", "german")
    assert terms("und die Katzen sind in den Häusern und schlafen", both) == {
        "katz": 1,
        "haus": 1,
        "schlaf": 1,
    }
    assert terms("the houses were sold", both) == {"hous": 1, "sold": 1}


def test_a_text_that_may_be_of_either_language_has_the_terms_of_both() -> None:
    assert terms("häusern houses", ("english", "german")) == {
        "häusern": 1,
        "hous": 1,
        "haus": 1,
    }


def test_without_a_language_named_it_is_english() -> None:
    assert languages.name_languages([]) == languages.name_languages([" "]) == ("english",)


def test_languages_are_known_by_code_and_by_name_each_once() -> None:
    assert languages.name_languages(["DE", "German", "ja"]) == ("german", "japanese")


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownLanguage, match=r"languages: unknown 'xx'; known are ar arabic, .*"):
        languages.name_languages(["xx"])


@pytest.mark.parametrize("name", languages.KNOWN.values())
def test_every_known_language_has_stop_words_and_its_stemmer(name: str) -> None:
    language = languages.language(name)
    assert len(language.stop_words) > 20
    assert language.stem("abcabc")


@pytest.mark.parametrize("name", languages.KNOWN.values())
def test_stems_are_those_that_the_library_has(name: str) -> None:
    try:
        library = snowballstemmer.stemmer(name)
    except KeyError:
        assert name not in snowballstemmer.algorithms()
        return
    # Each joined with the next looks like a longer word, which ends as words of the language do.
    known = sorted(map(str.casefold, libraries.stop_words(name)))[::2]
    words = {*known, *map("".join, pairwise(known)), "sensationally", "s'", "yes"}
    stem = languages.language(name).stem
    assert {word: stem(word) for word in words} == {word: library.stemWord(word) for word in words}


def test_every_stop_word_is_one_that_a_text_can_have() -> None:
    for name in languages.KNOWN.values():
        stop_words = languages.language(name).stop_words
        assert {word for word in stop_words if terms(word, (name,))} == set()


@given(st.text())
def test_any_text_has_terms_that_can_be_names_of_nodes(text: str) -> None:
    for term, count in terms(text, ("english", "german", "arabic", "japanese")).items():
        assert term.strip() == term
        assert 1 <= len(term) <= 100
        assert "\0" not in term
        assert count >= 1


@given(st.text(), st.text())
def test_a_text_has_the_words_of_its_parts(first: str, second: str) -> None:
    whole = set(terms(f"{first} . {second}"))
    assert set(terms(first)) | set(terms(second)) == whole


def test_both_libraries_are_here() -> None:
    assert words.missing() == []


# The modules deployed without their libraries: a Python that has the core on its path alone.
ALONE = """
import json, sys
sys.path.append(sys.argv[1])
from conceptgraph_core.texts import words
from conceptgraph_core.verbs.errors import LibraryMissing
try:
    words.terms("any text")
except LibraryMissing as error:
    print(json.dumps([words.missing(), str(error)]))
"""


def test_without_the_libraries_the_core_loads_and_words_say_in_a_line_what_is_missing() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALONE, ROOT / "query_modules"],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    missing, line = json.loads(done.stdout)
    assert missing == ["snowballstemmer", "stop-words"]
    assert line == (
        "words: the Python package snowballstemmer is not beside the query modules; "
        "concept-graph-mcp install-modules copies it"
    )


def test_a_library_that_is_there_but_broken_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_library.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(libraries.PACKAGES, "broken_library", "broken-library")
    with pytest.raises(ZeroDivisionError):
        words.missing()


def test_a_line_on_a_missing_library_is_a_refusal_of_the_core() -> None:
    assert issubclass(LibraryMissing, ValueError)
