"""What an assistant says out of courtesy alone, and what says something."""

import pytest

from conceptgraph_core import language
from conceptgraph_core.words.phrase_files import is_courtesy


@pytest.mark.parametrize(
    "text",
    [
        "You're welcome! Let me know if you need anything else.",
        "Sure! Is there anything else I can help with?",
        "Gern geschehen! Sag Bescheid, wenn du noch Hilfe brauchst.",
        "De nada! Diz-me se precisares de mais alguma coisa.",
        "¡De nada! No dudes en preguntar.",
        "Je t’en prie ! N’hésite pas si tu as d’autres questions.",
    ],
)
def test_courtesies_say_nothing(text):
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        "Use Postgres.",
        "Good question. Use Kafka.",
        "Let me know. The password is hunter.",
        "I'm glad to hear that Clara moved to Oslo and likes it there.",
        "",
        "Sure! The upload test fails because the clock is mocked twice.",
        "You're welcome! Rufus sees the vet in Setúbal on Friday.",
        "Let me know when the server answers on port 5433.",
        "Let me know whether the two of you would rather take the early train to Porto with Clara, "
        "because the late one is full.",
    ],
)
def test_a_text_that_says_something_is_no_courtesy(text):
    assert not is_courtesy(text)


def test_every_language_has_courtesies():
    assert all(language.load(one, "courtesy")["courtesy"] for one in language.LANGUAGES)
