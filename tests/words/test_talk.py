"""Courtesies of an assistant and mere questions of the user's are no memories; reports are."""

import pytest

from conceptgraph_core.texts.words.talk import says_nothing

COURTESIES = [
    *(
        "Noted.",
        "How lovely!",
        "Lovely to meet you, Nadia! How can I help today?",
        "Sounds productive!",
    ),
    *(
        "I'm sorry to hear that. I'll keep it in mind.",
        "Got it, thanks for telling me.",
        "Gute Reise!",
    ),
    *("Great, enjoy your trip!", "I don't know, sorry.", "You're welcome, have a nice evening!"),
    *("Alles klar, ich merke es mir.", "C'est noté, merci.", "Understood. I'll remember that."),
    *(
        "Sure! Let me know if you need anything else.",
        "De nada, buen viaje.",
        "Obrigado por me contar.",
    ),
]
REPORTS = [
    *(
        "Your brother Tom lives in Lisbon.",
        "Yes: eggs.",
        "I renamed the module and all tests pass.",
    ),
    *("Done, the migration ran without errors.", "Use pnpm.", "We agreed to deploy on Fridays."),
    *("Fixed the login bug by clearing the cache.", "Der Test läuft jetzt durch.", "On port 8080!"),
]
QUESTIONS = [
    *(
        "Where does my brother live?",
        "Is Helen in tomorrow?",
        "Hi! What's my name?",
        "Wo wohnt mein Bruder?",
    ),
    *("Thanks! And where is the rota?", "Did I tell you what Zuri can't eat?"),
]
TOLD = [
    *(
        "Zuri can't eat eggs.",
        "My sister Anna moved to Rome, did you know?",
        "I moved. Do you know a plumber?",
    ),
    *("Can you believe it? I got the job at Bosch!", "Use tabs. Never spaces!"),
]


@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        *(("assistant", one) for one in COURTESIES),
        *(("user", one) for one in QUESTIONS),
    ],
)
def test_what_tells_nothing(speaker, text):
    assert says_nothing(text, speaker)


@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        *(("assistant", one) for one in REPORTS),
        *(("user", one) for one in TOLD),
        *((speaker, "Where does Tom live?") for speaker in ("Ann", None)),
    ],
)
def test_what_tells_something(speaker, text):
    assert not says_nothing(text, speaker)
