"""Users say their names in many ways, and "I'm German" is none of them."""

import pytest

from conceptgraph_core.entities import rule_extractor
from conceptgraph_core.entities.schema import SELF

TOLD = [
    ("I'm Nadia Okafor, I work as a nurse at St Luke's.", "Nadia Okafor"),
    ("Hi! I'm Ada, new here.", "Ada"),
    ("Hi all, I’m Zuri and I bake.", "Zuri"),
    ("Call me Ada.", "Ada"),
    ("I am Ada Lovelace, a mathematician.", "Ada Lovelace"),
    ("Nadia here, a quick question about my rota.", "Nadia"),
    ("My name's Oluwaseun.", "Oluwaseun"),
    ("Good morning, I am Wei Zhang and I run a bakery.", "Wei Zhang"),
    ("Ich bin Nadia Okafor und arbeite als Krankenschwester.", "Nadia Okafor"),
    ("Hallo, ich heiße Nadia.", "Nadia"),
    ("Nenn mich Nadia.", "Nadia"),
    ("Nadia hier, kurze Frage zum Dienstplan.", "Nadia"),
    ("Hallo zusammen, ich bin Jens-Peter und neu hier.", "Jens-Peter"),
    ("Soy Nadia Okafor, trabajo como enfermera.", "Nadia Okafor"),
    ("Hola, me llamo Nadia.", "Nadia"),
    ("Llámame Lupe.", "Lupe"),
    ("Aquí Nadia, una pregunta rápida.", "Nadia"),
    ("¡Hola! Soy Nadia, enfermera.", "Nadia"),
    ("Je suis Nadia Okafor, infirmière à Lyon.", "Nadia Okafor"),
    ("Bonjour, je m'appelle Nadia.", "Nadia"),
    ("Appelle-moi Nadia.", "Nadia"),
    ("Ici Nadia, petite question.", "Nadia"),
    ("Moi c'est Nadia.", "Nadia"),
    ("Sou a Nadia, enfermeira no Porto.", "Nadia"),
    ("Olá, chama-me Zuri.", "Zuri"),
]
NOT_TOLD = [
    *(
        "I'm Head of Sales at Bosch.",
        "I'm German, by the way.",
        "I'm Tom's sister.",
        "Call Mia back.",
    ),
    *(
        "I'm Ada's mother, and Tom is my son.",
        "I'm CEO of Acme.",
        "Rome here we come!",
        "I'm Nadia?",
    ),
    *("Marta here is my colleague.", "Don't call me Maria.", "Call me Monday.", "I'm Catholic."),
    *("Nothing here, thanks.", "Clara here has a question.", "Hi, I'm Vegan, any ideas?"),
    *(
        "Ich bin Berliner.",
        "Hallo, ich bin Anfänger und suche Hilfe.",
        "Ich bin Vater, Lehrer und Imker.",
    ),
    *("Ich heiße Sie willkommen.", "Soy Madrileña, de Lavapiés.", "Hola, soy Profesora."),
    *("Je suis Parisien.", "She said: “I'm Nadia, a nurse.”", "If I'm Nadia Okafor, who are you?"),
]


def names(text: str) -> list[str]:
    found = rule_extractor.observations(text, ("en", "de", "es", "fr", "pt"))
    return [one["label"] for one in found if one.get("kind") == SELF]


@pytest.mark.parametrize(("text", "name"), TOLD)
def test_users_tell_their_names(text, name):
    assert names(text) == [name]
    *_, user = rule_extractor.observations(text, ("en", "de", "es", "fr", "pt"))
    assert {"predicate": "name", "value": name, "span": name} in user["facts"]


@pytest.mark.parametrize("text", NOT_TOLD)
def test_what_is_no_name_of_the_users_is_taken_for_none(text):
    assert names(text) == []


def test_an_assistant_tells_no_name_of_the_users():
    found = rule_extractor.observations("Hi! I'm Ada, your assistant.", ("en",), "assistant")
    assert SELF not in [one.get("kind") for one in found]
