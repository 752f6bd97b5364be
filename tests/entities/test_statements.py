"""Statements in five languages, of the user and of others, told without a model."""

from collections.abc import Iterator

import pytest
from tests.tables import beside

from conceptgraph_core import language
from conceptgraph_core.entities.rule_extractor import observations
from conceptgraph_core.entities.schema import SELF

table = beside(__file__)

SPOKEN = ("english", "german", "portuguese", "spanish", "french")


KIN = ("sister", "brother", "son", "uncle", "aunt", "boss", "grandson", "colleague", "cousin")


def facts(text: str) -> list[tuple[str, ...]]:
    """Return whom *text* tells of, with predicate, value and, if it is not "beside", the mode."""
    return [
        (one["label"], fact["predicate"], fact.get("value") or fact["object"])
        + ((fact["mode"],) if "mode" in fact else ())
        for one in observations(text, SPOKEN)
        for fact in one.get("facts", ())
    ]


@table("text, expected")
def test_tells_facts_about_the_user(text, expected):
    assert facts(text) == [(SELF, *one) for one in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jan lives in Oslo", ("Jan", "home", "Oslo")),
        ("My sister Clara is a vet", ("Clara", "occupation", "vet")),
        ("Mia's birthday is 4 May", ("Mia", "birthday", "4 May")),
        ("Tom is allergic to nuts", ("Tom", "allergy", "nuts")),
        ("Tom works at Siemens and lives in Berlin", ("Tom", "home", "Berlin")),
        ("Callum no longer works at Shell", ("Callum", "employer", "Shell", "over")),
        ("Dagny has moved to Trondheim", ("Dagny", "home", "Trondheim", "after")),
        ("My father is a carpenter", ("My father", "occupation", "carpenter")),
        ("Mum lives in Bath now", ("Mum", "home", "Bath")),
        ("Otis, my son, is 6 years old", ("Otis", "age", "6")),
        ("Torben ist Elektriker bei Vattenfall", ("Torben", "occupation", "Elektriker")),
        ("Mein Bruder Nils ist nach Zürich gezogen", ("Nils", "home", "Zürich", "after")),
        ("A Rita mora em Évora", ("Rita", "home", "Évora")),
        ("O Nuno é alérgico a marisco", ("Nuno", "allergy", "marisco")),
        ("Ma sœur Élodie habite à Metz", ("Élodie", "home", "Metz")),
        ("Mathilde a 7 ans", ("Mathilde", "age", "7")),
        ("Zoltan has moved in with a friend in Tromsø", ("Zoltan", "home", "Tromsø", "after")),
        ("Gareth wrote. He lives in Cardiff now", ("Gareth", "home", "Cardiff")),
        ("Dan passed his exams, he's an electrician now", ("Dan", "occupation", "electrician")),
        ("A Rita ligou. Ela mora em Évora.", ("Rita", "home", "Évora")),
        ("Mein Onkel Jost wohnt in Ulm. Er ist Förster.", ("Jost", "occupation", "Förster")),
        ("Meine Tante Meta ist hier. Sie wohnt in Bonn.", ("Meta", "home", "Bonn")),
        ("A minha tia Alda está bem. Vive em Tomar.", ("Alda", "home", "Tomar")),
        ("Mi tía Olga es bombera y vive en Lugo", ("Olga", "home", "Lugo")),
        ("My boss Ines eats here, she lives in Fife", ("Ines", "home", "Fife")),
        ("Jan, my colleague, has moved to Oslo", ("Jan", "home", "Oslo", "after")),
        ("Aunt Peggy lives in Hove. She's 78", ("Peggy", "age", "78")),
        ("Teo turns six today", ("Teo", "age", "6", "after")),
        ("Lars started at Airbus in May", ("Lars", "employer", "Airbus", "after")),
        ("Javi, mi compañero de piso, es vegano", ("Javi", "diet", "vegano")),
        ("Ellis is a barber at Blades and he's vegan", ("Ellis", "diet", "vegan")),
        ("El cumpleaños de mi prima Inma es el 12 de abril", ("Inma", "birthday", "12 April")),
        ("Gus is allergic to fish and hates eggs", ("Gus", "allergy", "fish")),
        ("Priya works as a chemist at Bayer", ("Priya", "employer", "Bayer")),
        ("Mein Sohn Arne ist gegen Soja allergisch", ("Arne", "allergy", "Soja")),
        ("O meu neto Gil tem quatro anos", ("Gil", "age", "4")),
    ],
)
def test_tells_facts_about_others(text, expected):
    assert expected in facts(text)
    assert all(one[0] != SELF or one[1] in KIN for one in facts(text))


@table("text")
def test_tells_nothing_that_nobody_states(text):
    assert facts(text) == []


def list_unread(code: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences beside the patterns of a language that state no fact of a predicate."""
    predicate = ""
    for line in language.lines(code, "statements"):
        if not line[0].isspace():
            name, _, line = line.partition(":")  # noqa: PLW2901
            predicate = name.removeprefix("not ") if name.startswith("not ") else ""
        sentences = (one.strip() for one in line.split(","))
        yield from ((predicate, one) for one in sentences if predicate and one)


@pytest.mark.parametrize("code", language.LANGUAGES)
def test_the_sentences_beside_the_patterns_are_not_read(code):
    unread = list(list_unread(code))
    assert unread
    assert [(one, facts(one)) for name, one in unread if name in {f[1] for f in facts(one)}] == []


def test_a_capital_letter_does_not_make_a_heading_of_a_short_sentence():
    assert (SELF, "home", "Zaragoza") in facts("Vivo en Zaragoza con mi hermana Pilar")
