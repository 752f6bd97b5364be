"""The stories in three languages: the sentence that answers comes first."""

import pytest
from test_ranking import Shelf, associate
from tests.retrieval.stories import ASKED, QUESTIONS, sentences

from conceptgraph_core.retrieval.index import Corpus
from conceptgraph_core.retrieval.question import read_sought
from conceptgraph_core.texts.words import terms

ASKED_AT = 1_750_000_000_000


def shelf_of(language: str, languages: tuple[str, ...]) -> Shelf:
    texts = [
        {
            "id": f"{number:02}",
            "terms": terms(sentence, languages),
            "thread": language,
            "position": number,
            "speaker": None,
            "said_at": None,
        }
        for number, sentence in enumerate(sentences(language))
    ]
    return Shelf(texts)


def answers(language: str, asked: str, languages: tuple[str, ...]) -> list[str]:
    """Return the sentences that *asked* brings to mind."""
    shelf = shelf_of(language, languages)
    lengths = [sum(text["terms"].values()) for text in shelf.texts]
    corpus = Corpus(len(lengths), sum(lengths) / len(lengths))
    found = associate(
        read_sought(asked, ASKED_AT, speakers={}, languages=languages), corpus, shelf, 3
    )
    return [sentences(language)[one.text] for one in found]


@pytest.mark.parametrize(("language", "asked", "answer"), ASKED)
def test_the_sentence_that_answers_comes_first(language: str, asked: str, answer: str) -> None:
    assert answers(language, asked, (language,))[0].startswith(answer)


@pytest.mark.parametrize(("language", "asked", "answer"), ASKED)
def test_it_comes_first_too_where_all_three_languages_are_spoken(
    language: str, asked: str, answer: str
) -> None:
    assert answers(language, asked, tuple(QUESTIONS))[0].startswith(answer)
