"""A question about the past is answered from what was so then, one about now is not."""

import pytest
from entity_layer import Entities
from everyday_calls import Days

DAY_MS = 86_400_000


def tell(days, text, after, **given):
    days.memory.now_ms += after * DAY_MS
    return days.remember(text, said=text, **given)["id"]


def told(days, question):
    """Return what the answer quotes, in its order."""
    return [line.split("“")[1] for line in days.recall(question).split("\n") if "“" in line]


# The first is told on 15 June 2025, the last on 13 October.
@pytest.mark.parametrize(
    ("texts", "then", "now"),
    [
        (
            ("The user lives in Porto", "The user lives in Faro"),
            ("Where did I live before?", "Where did I use to live?", "Where did I live in July?"),
            "Where do I live?",
        ),
        (
            ("Der Nutzer wohnt in Kiel", "Der Nutzer wohnt jetzt in Jena"),
            ("Wo habe ich früher gewohnt?", "Wo wohnte ich im Juli?"),
            "Wo wohne ich?",
        ),
        (
            ("El usuario vive en Sevilla", "El usuario vive en Bilbao"),
            ("¿Dónde vivía antes?", "¿Dónde vivía en julio?"),
            "¿Dónde vivo?",
        ),
        (
            ("O utilizador mora em Braga", "O utilizador mora em Évora"),
            ("Onde é que eu morava antes?", "Onde morava em julho?"),
            "Onde moro?",
        ),
        (
            ("L'utilisateur habite à Lyon", "L'utilisateur habite à Nantes"),
            ("Où est-ce que j'habitais avant ?", "Où habitais-je en juillet ?"),
            "Où est-ce que j'habite ?",
        ),
        (
            ("The user takes 20 mg of citalopram", "The user's citalopram was raised to 40 mg"),
            ("How much citalopram did I use to take?", "How much citalopram did I take in July?"),
            "How much citalopram do I take?",
        ),
        (
            ("Ingrid is the user's boss", "Paul is the user's new boss"),
            ("Who was my boss before?", "Who was my boss in July?"),
            "Who is my boss?",
        ),
    ],
)
def test_a_past_question_gets_what_was_so_then_first_and_a_present_one_not_at_all(
    days, texts, then, now
):
    first, last = texts
    tell(days, first, 0)
    tell(days, last, 90)
    days.memory.now_ms += 30 * DAY_MS
    for question in then:
        lines = days.recall(question).split("\n")
        assert told(days, question)[0].split("”")[0] == first, question
        assert any(first in line and "no longer so since" in line for line in lines)
    assert told(days, now)[0].startswith(last)
    assert first not in days.recall(now)


def test_what_was_replaced_is_told_for_a_month_in_which_it_was_so(days):
    first = tell(days, "The team meets on Mondays at 9", 0)
    second = tell(days, "The team meets on Thursdays at 11", 40, replaces=first)
    tell(days, "The team meets on Fridays at 8", 60, replaces=second)
    days.memory.now_ms += 10 * DAY_MS
    for month, day in (("June", "Mondays"), ("August", "Thursdays")):
        assert f"on {day}" in told(days, f"When did the team meet in {month}?")[0]
    assert told(days, "When does the team meet?") == ["The team meets on Fridays at 8”"]


def test_the_facts_of_the_user_that_are_over_are_told_where_the_past_is_asked(memory):
    entities, days = Entities(memory), Days(memory)
    for place in ("Leeds", "York", "Hull"):
        entities.observe(f"I live in {place}")
        memory.now_ms += 40 * DAY_MS
    [_, line, *_] = days.recall("Where did I live in August?").split("\n")
    assert "; home: York" in line.split(", until ")[0]
    [_, line, *_] = days.recall("Where did I live before?").split("\n")
    assert [part.split(",")[0] for part in line.split("home: ")[1:]] == ["York", "Leeds", "Hull"]
    assert "Leeds" not in days.recall("Where do I live?")
