"""The beginnings of three stories, each in its language, and what a person asks about them.

Lewis Carroll, "Alice's Adventures in Wonderland" (1865); the brothers Grimm, "Die Bremer
Stadtmusikanten" (1819); 芥川龍之介「蜘蛛の糸」 (1918). All in the public domain.
"""

from pathlib import Path

import pytest
from test_formula import Shelf

from conceptgraph_core.associate.formula import associate
from conceptgraph_core.associate.index import Corpus
from conceptgraph_core.associate.question import question
from conceptgraph_core.words import terms

TEXTS = Path(__file__).parents[1] / "fixtures/texts"
ASKED_AT = 1_750_000_000_000

# What is asked, and the beginning of the sentence that answers it.
QUESTIONS = {
    "english": {
        "What colour were the rabbit's eyes?": "So she was considering",
        "Where did the rabbit keep its watch?": "But when the Rabbit actually",
        "What was written on the empty jar?": "She took down a jar",
        "Which pictures hung on the sides of the well?": "Then she looked at the sides",
        "Who is Dinah?": "“Dinah’ll miss me",
        "Why did she not drop it?": "She did not like to drop",
        "Was there conversation in her sister's books?": "Alice was beginning",
    },
    "german": {
        "Was trug der Esel zur Mühle?": "Es hatte ein Mann",
        "Wer wollte Stadtmusikant werden?": "Da dachte der Herr",
        "Wo lag der müde Hund?": "Als er ein Weilchen",
        "Welches Gesicht machte die Katze?": "Es dauerte nicht lange",
        "Wo haben sie im Wald übernachtet?": "Sie konnten aber die Stadt",
        "Wer schlief unter den Bäumen?": "Der Esel und der Hund",
        "Wer sah durch das Fenster der Räuber?": "Der Esel, als der größte",
    },
    "japanese": {
        "池の花は何色でしたか？": "池の中に咲いている",
        "男は林の中で何を見ましたか？": "と申しますのは",
        "誰が蜘蛛を助けましたか？": "とうとうその蜘蛛",
        "男はどんな悪事を働きましたか？": "この犍陀多と云う男",
        "極楽は何時でしたか？": "極楽は丁度朝",
        "三途の河はどこにありますか？": "この極楽の蓮池の下",
    },
}
ASKED = [
    (language, asked, answer)
    for language, asked_in_it in QUESTIONS.items()
    for asked, answer in asked_in_it.items()
]


def story(language: str, languages: tuple[str, ...]) -> tuple[list[str], Shelf]:
    sentences = (TEXTS / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    texts = [
        {
            "id": f"{number:02}",
            "terms": terms(sentence, languages),
            "thread": language,
            "position": number,
            "speaker": None,
            "said_at": None,
        }
        for number, sentence in enumerate(sentences)
    ]
    return sentences, Shelf(texts)


def answers(language: str, asked: str, languages: tuple[str, ...]) -> list[str]:
    """Return the sentences that *asked* brings to mind."""
    sentences, shelf = story(language, languages)
    lengths = [sum(text["terms"].values()) for text in shelf.texts]
    corpus = Corpus(len(lengths), sum(lengths) / len(lengths))
    found = associate(question(asked, ASKED_AT, speakers={}, languages=languages), corpus, shelf, 3)
    return [sentences[one.text] for one in found]


@pytest.mark.parametrize(("language", "asked", "answer"), ASKED)
def test_the_sentence_that_answers_comes_first(language: str, asked: str, answer: str) -> None:
    assert answers(language, asked, (language,))[0].startswith(answer)


@pytest.mark.parametrize(("language", "asked", "answer"), ASKED)
def test_it_comes_first_too_where_all_three_languages_are_spoken(
    language: str, asked: str, answer: str
) -> None:
    assert answers(language, asked, tuple(QUESTIONS))[0].startswith(answer)
