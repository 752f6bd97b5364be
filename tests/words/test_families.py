"""Word families: what is derived from a word is found by it."""

import pytest

from conceptgraph_core.language import LANGUAGES, likely
from conceptgraph_core.language import lines as load_lines
from conceptgraph_core.texts.words import families, readings
from conceptgraph_core.texts.words.languages import language
from conceptgraph_core.texts.words.splitting import split

ENGLISH = ("english",)
BOTH = ("english", "german")


def of(word: str, spoken: tuple[str, ...] = ("en",), languages=ENGLISH) -> dict[str, str]:
    return families.find_families([language(languages[0]).term(word)], spoken, languages)


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("allergies", "allergic"),
        ("pregnant", "pregnancy"),
        ("diagnosis", "diagnosed"),
        ("married", "marriage"),
        ("decide", "decision"),
        ("subscribe", "subscription"),
        ("teaches", "taught"),
        ("depth", "deep"),
    ],
)
def test_a_word_and_what_is_derived_from_it_are_one_family(asked: str, stored: str) -> None:
    stem = language("english").term
    assert stem(stored) in of(asked)
    assert stem(asked) in of(stored)


@pytest.mark.parametrize(
    ("spoken", "asked", "stored"),
    [
        ("de", "Allergien", "allergisch"),
        ("pt", "alergias", "alérgica"),
        ("es", "nació", "nacimiento"),
        ("fr", "marier", "mariage"),
    ],
)
@pytest.mark.parametrize("languages", [ENGLISH, BOTH])
def test_common_words_have_families_in_each_language_however_texts_are_stemmed(
    spoken: str, asked: str, stored: str, languages: tuple[str, ...]
) -> None:
    [read] = readings(asked, languages).values()
    found = families.find_families(read, (spoken,), languages)
    assert {language(one).term(stored) for one in languages} <= found.keys() | set(read)


def test_a_question_has_the_families_of_its_own_language_alone() -> None:
    # "parti" is what is left of the English "party", and a form of the French "partir".
    assert of("party", ("fr",))
    assert not of("party")
    assert likely(split("Who comes to the party?")) == ("en",)


def test_words_that_share_letters_or_a_rare_sense_are_none() -> None:
    assert "continent" not in of("contain")
    assert not {"ground", "wound", "saw"} & (of("grind") | of("wind") | of("see")).keys()


def test_what_does_something_is_no_other_word_for_it() -> None:
    assert "boiler" not in of("boil")
    assert "freezer" not in of("freeze")
    assert "charg" not in of("charger")
    assert {"teacher", "teach"} <= of("taught").keys() | of("teaches").keys()
    assert "diagnosi" in of("diagnosed")


def test_words_of_no_family_are_known() -> None:
    for word in ("boiler", "charger", "arrives", "kitten", "abroad"):
        assert families.knows([language("english").term(word)], ("en",), ENGLISH)
    assert not families.knows(["kittne"], ("en",), ENGLISH)


@pytest.mark.slow
def test_the_list_is_sorted_by_the_stems_of_the_stemmer() -> None:
    lines = [line.split() for line in load_lines("en", "derived")]
    stems = [line[0] for line in lines]
    assert stems == sorted(set(stems))
    others = {language("english").term(word) for line in lines for word in line[1:]}
    assert others <= set(stems)
    assert len(others) > 10_000


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_a_word_without_a_family_has_none(spoken: str) -> None:
    assert of("xylogranat", (spoken,)) == {}
