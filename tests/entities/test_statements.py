"""Statements in five languages, of the user and of others, told without a model."""

from collections.abc import Iterator

import pytest

from conceptgraph_core import language
from conceptgraph_core.entities.rule_extractor import observations
from conceptgraph_core.entities.schema import SELF

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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I'm a paramedic and I live in Galway",
            [("occupation", "paramedic"), ("home", "Galway")],
        ),
        ("I've been living in Ghent since 2019", [("home", "Ghent")]),
        ("I turned 41 last week", [("age", "41", "after")]),
        ("I have been vegetarian for ten years", [("diet", "vegetarian")]),
        ("I am no longer vegan", [("diet", "vegan", "over")]),
        ("I have a nut allergy", [("allergy", "nut")]),
        ("I got a job at the Rijksmuseum", [("employer", "Rijksmuseum", "after")]),
        ("My boss is Thomas", [("boss", "Thomas")]),
        ("I'm married to Joris", [("spouse", "Joris")]),
        ("I handed in my notice at Tideline", [("employer", "Tideline", "over")]),
        ("First day at Corvid Labs", [("employer", "Corvid Labs", "after")]),
        ("Ich wohne seit drei Jahren in Graz", [("home", "Graz")]),
        ("Seit Mai arbeite ich bei Zeiss", [("employer", "Zeiss")]),
        ("Moro em Coimbra desde 2015", [("home", "Coimbra")]),
        ("Já não moro em Coimbra", [("home", "Coimbra", "over")]),
        ("O meu marido chama-se Duarte", [("spouse", "Duarte")]),
        ("Me mudé a Gijón en enero", [("home", "Gijón", "after")]),
        ("Soy alérgica a los gatos", [("allergy", "gatos")]),
        ("I am no longer allergic to birch", [("allergy", "birch", "over")]),
        (
            "I am allergic to cashews, not walnuts: the test was wrong",
            [("allergy", "walnuts", "over"), ("allergy", "cashews")],
        ),
        (
            "Ich bin allergisch gegen Cashews, nicht gegen Walnüsse",
            [("allergy", "Walnüsse", "over"), ("allergy", "Cashews")],
        ),
        # Neither ends an allergy nor begins a job.
        ("I am allergic to peanuts, not just almonds", [("allergy", "peanuts")]),
        ("I start at eight now, so that I can swim", []),
        ("I work at the museum", [("employer", "museum")]),
        ("Ich arbeite in der Bücherei", [("employer", "Bücherei")]),
        ("Ab Mai arbeite ich im Hospital de Sines", [("employer", "Hospital de Sines")]),
        ("Wieder 50 mg Sertralin", [("dose of sertralin", "50 mg", "after")]),
        ("I've moved back to Leeds", [("home", "Leeds", "after")]),
        ("My boss is Mrs Adair", [("boss", "Mrs Adair")]),
        ("Eu e a Teresa casámos", [("spouse", "Teresa")]),
        ("I turned 41 in May", [("age", "41", "after")]),
        ("I'm a 52 year old baker", [("occupation", "baker"), ("age", "52")]),
        ("I'm dating someone, his name is Piet", [("partner", "Piet")]),
        ("Me and Theo got together in May", [("partner", "Theo")]),
        ("My great-aunt Olive called", [("great-aunt", "Olive")]),
        ("I'm 41 and a joiner", [("age", "41"), ("occupation", "joiner")]),
        ("Ich bin 61 und Rentnerin", [("age", "61"), ("occupation", "Rentnerin")]),
        ("My birthday's on 12 December", [("birthday", "12 December")]),
        ("My lamotrigine was reduced to 75 mg", [("dose of lamotrigine", "75 mg", "after")]),
        ("They made me redundant", [("employer", "*", "over")]),
        ("I'm not vegetarian any more", [("diet", "vegetarian", "over")]),
        ("He vuelto a vivir en León", [("home", "León", "after")]),
        ("My new dentist is Dr Lane", [("dentist", "Dr Lane", "after")]),
        ("Trabajo en una farmacia", [("employer", "farmacia")]),
        ("I'm a cook at Fenner & Sons", [("occupation", "cook"), ("employer", "Fenner & Sons")]),
        ("I'm 29 and tired", [("age", "29")]),
        ("Moved to Leeds in May", [("home", "Leeds", "after")]),
        ("Bin nach Kiel gezogen", [("home", "Kiel", "after")]),
        ("My mobile number is +44 20 7946 0018", [("phone", "+44 20 7946 0018")]),
        ("I'm a 36-year-old teacher", [("occupation", "teacher"), ("age", "36")]),
        ("I'm a cook at the hospital", [("occupation", "cook"), ("employer", "hospital")]),
        ("Gestern sind wir nach Mainz umgezogen", [("home", "Mainz", "after")]),
        ("Rieke und ich haben am Samstag geheiratet", [("spouse", "Rieke")]),
        ("Ich bin mit Marek verheiratet", [("spouse", "Marek")]),
        ("Ines and I got married in June", [("spouse", "Ines")]),
        ("O Vasco e eu casámos", [("spouse", "Vasco")]),
        ("Jonas und ich haben uns verlobt", [("fiance", "Jonas")]),
        ("J'habite à Nantes", [("home", "Nantes")]),
        ("Je suis infirmière à Brest", [("occupation", "infirmière")]),
    ],
)
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
        (
            "My aunt May called. Her phone number is 0161 496 0123",
            ("May", "phone", "0161 496 0123"),
        ),
        ("Dad takes 10 mg of ramipril", ("Dad", "dose of ramipril", "10 mg", "after")),
        ("Meine Oma nimmt 5 mg Bisoprolol", ("Meine Oma", "dose of bisoprolol", "5 mg", "after")),
    ],
)
def test_tells_facts_about_others(text, expected):
    assert expected in facts(text)
    assert all(one[0] != SELF or one[1] in KIN for one in facts(text))


@pytest.mark.parametrize(
    "text",
    [
        "Does Jan live in Oslo?",
        "Maybe Jan lives in Oslo",
        "If Priya became a surgeon I'd be proud",
        "Jan doesn't live in Oslo",
        "Everyone lives in the moment",
        "Nobody lives in Tampa",
        "She lives in Oslo",
        "My neighbour says Jan lives in fear",
        "Write a story: Jan lives in Oslo and is a vet",
        "Tom is a pain in the neck",
        "Clara is a good friend",
        "I'm not a doctor",
        "I'm 5 minutes late",
        "I'm 90% sure",
        "Gregor is not vegan",
        "Ich bin gegen Mittag da",
        "Não moro em Lisboa",
        "O trabalho em Lisboa correu bem",
        "No vivo en Madrid",
        "El trabajo en Madrid es duro",
        "Je n'habite pas à Paris",
        "J'ai 5 minutes",
        "Tom and Ana came. He lives in Bath",
        "My manager thinks I live in Porto",
        "Her first day at Ford was long",
        "I dreamt that I moved to Oslo",
        "Heute Nacht habe ich geträumt, dass ich in Oslo wohne",
        "Soñé que vivo en Oslo",
        "If Tom and I got married, I'd cry",
        "Started at noon, done by three",
        "I work in a hurry",
        "I'd like to earn 5000 euros",
        "I dreamt I lost my job",
        "The song goes: I was born in Ghana",
        "I hope that I work at NASA one day",
        "My salary pays the 40 euros",
        "Dad says 10 mg of ramipril is too much for my mum",
        # Tastes, plans and what one can do are texts.
        "I love hiking and old films",
        "I hate mushrooms",
        "Me encanta el mar",
        "I speak French and I play the cello",
        "I study law",
        "Tom and I are together in Porto",
        "We moved to the Dublin office",
        "I live in the Rotterdam area office",
    ],
)
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
