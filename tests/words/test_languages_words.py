"""The words of languages: data files, and which language a message may be of."""

import pytest
from tests.markdown import ROOT

from conceptgraph_core import language
from conceptgraph_core.everyday.asking import is_of_the_user
from conceptgraph_core.retrieval.question import asking, asks_of_the_past
from conceptgraph_core.texts.words import readings
from conceptgraph_core.texts.words.splitting import split

FOLDER = ROOT / "query_modules/conceptgraph_core/language"


def test_every_language_has_the_words_that_ask_by_the_same_names() -> None:
    of = {one: set(language.load(one, "asking")) for one in language.LANGUAGES}
    assert [one for one, names in of.items() if names != of["en"]] == []


SAID = {
    "en": "What did I tell you about my dentist?",
    "de": "Was habe ich dir über meinen Zahnarzt erzählt?",
    "pt": "O que é que eu te disse sobre o meu dentista?",
    "es": "¿Qué te dije sobre mi dentista?",
    "fr": "Qu'est-ce que je t'ai dit sur mon dentiste ?",
}


@pytest.mark.parametrize("name", language.LANGUAGES)
def test_a_message_in_each_language_is_known_by_its_function_words(name: str) -> None:
    assert language.likely(split(SAID[name])) == (name,)
    assert is_of_the_user(SAID[name])


def test_a_word_that_asks_in_one_language_has_its_meaning_in_another() -> None:
    assert "art" in asking("Welche Art Käse mag er?")
    assert "art" not in asking("What art did she make?")
    assert "data" not in asking("Where is the data of my study?")
    assert not is_of_the_user("What is the GDP of the EU?")


@pytest.mark.parametrize(
    "past",
    [
        "Where did she live before?",
        "Wo war das früher?",
        "Onde é que eu morava antes?",
        "¿Dónde vivía mi hermana antiguamente?",
        "Où est-ce que j'habitais avant ?",
    ],
)
def test_a_question_about_the_past_is_one_in_each_language(past: str) -> None:
    assert asks_of_the_past(past)
    assert not asks_of_the_past(SAID["fr"])


def test_how_anybody_asks_of_the_world_is_not_of_the_user():
    assert not is_of_the_user("How do I boil an egg?")
    assert is_of_the_user("How do I turn off the water in my home?")


def test_words_that_say_nothing_are_no_name_of_a_question():
    assert "do i" not in readings("Do I live in Leeds?")
    assert "am i lena may" in readings("Am I Lena May?")
