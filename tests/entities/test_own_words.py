"""Whose words a message has, and what the user states in those that are the user's own."""

import pytest

from conceptgraph_core.entities.rule_extractor import observations
from conceptgraph_core.entities.schema import SELF

BOTH = ("english", "german")


def labels(text: str) -> list[str]:
    found = observations(text, BOTH)
    return [one["label"] for one in found if one["type"] == "entity" and one["label"] != SELF]


def facts(text: str) -> list[tuple[str, str]]:
    """Return what *text* says of the user: predicate and value."""
    found = [fact for one in observations(text, BOTH) for fact in one.get("facts", ())]
    return [(one["predicate"], one.get("value") or one["object"]) for one in found]


@pytest.mark.parametrize(
    "text",
    [
        'Tom said: "I work at Google and I love sushi."',
        'I wrote to him: "I live in Oslo."',
        "Please translate: 'I live in Madrid and my name is Pedro.'",
        "Write a story about a girl who says: I am 12 years old and I live in Narnia.",
        "Subject: Hello\nFrom: Bob\n\nI work at Acme Corp and my name is Bob.\n\nRegards, Bob",
        "Von: Eva\nBetreff: Umzug\n\nIch wohne in Bonn. Mein Bruder Paul auch.",
        "“I live in Rome,” she said. „Ich wohne in Köln“, sagte er. «I love opera»",
        "「I live in Kyoto」 and ‘I don't like Rome and I love Paris’ are examples.",
        "Tom schrieb:\n\nIch wohne in Köln.\n\nMein Bruder Paul ist krank.",
        "Sie sagt: Ich arbeite bei Ford.",
        "Kannst du das übersetzen: Ich wohne in Köln.",
        "Could you rewrite this? I live in Bonn.",
        "I live in Rome and I love pizza. Please translate that into German.",
        "Schreib mir eine Geschichte. Ich wohne in Narnia.",
        "Draft a letter to my landlord: I live in Bonn, my sister Clara too.",
        'She told me "my brother Paul is ill".',
    ],
)
def test_the_first_person_of_others_states_nothing_of_the_user(text):
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I'm Tom's friend and I don't like 'Rome' but I live in Bonn.",
            ("home", "Bonn"),
        ),
        ("I translate books and I live in Bonn.", ("home", "Bonn")),
        ('He said "hi" to me.\nI live in Bonn.', ("home", "Bonn")),
        ("Tom wrote: see you!\n\nI live in Bonn.", ("home", "Bonn")),
        ('My TV has 55" and I live in Bonn.', ("home", "Bonn")),
    ],
)
def test_what_the_user_says_beside_a_quotation_is_the_users(text, expected):
    assert expected in facts(text)


@pytest.mark.parametrize(
    "code",
    [
        "def greet(name):\n    return 'I live in Paris, my brother Paul'\n\nprint(greet('Maria'))",
        "import os\nfor city in cities:\n    if city:\n\n        say('My sister Clara')\n",
    ],
)
def test_what_code_without_a_fence_quotes_is_nobodys_words(code):
    assert facts(code) == []
    assert facts(f"Why does this fail?\n{code}\nI live in Bonn.") == [("home", "Bonn")]


@pytest.mark.parametrize(
    "text",
    [
        "Forget that I live in Munich.",
        "Vergiss, dass ich in München wohne, und dass ich Pilze mag.",
        "Please forget I work at Siemens.",
        "Don't remember that I love sushi.",
        "It is not true that I live in Rome.",
        "I never said that I work at Siemens.",
        "I don't think I live in Rome",
        "Ich wohne in Angst. Ich arbeite bei Nacht. Ich arbeite für Geld.",
        "I work at home. I work at night. I work for myself. I live in hope.",
        "i work at home and i live in fear",
        "I work at the office. I live in Peace.",
    ],
)
def test_what_is_denied_to_be_forgotten_or_an_idiom_states_nothing(text):
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't forget that I live in Munich.", [("home", "Munich")]),
        ("Remember that I live in Munich.", [("home", "Munich")]),
        ("I don't think so, but I live in Bonn.", [("home", "Bonn")]),
        ("Forget it, I live in Bonn.", [("home", "Bonn")]),
        ("I work at google.", [("employer", "Google")]),
        ("My name is Hope.", [("name", "Hope")]),
        ("Ich wohne in Köln und arbeite bei Ford.", [("home", "Köln"), ("employer", "Ford")]),
        ("I live in Bonn and work at Ford.", [("home", "Bonn"), ("employer", "Ford")]),
        ("Ich bin Lehrerin in Köln und liebe Wandern.", [("occupation", "Lehrerin")]),
        ("Ich habe bei BMW angefangen.", [("employer", "BMW")]),
        ("Ich arbeite bei Ford und mag keine Pilze.", [("employer", "Ford")]),
        ("I live with people who smoke and love cats.", []),
    ],
)
def test_what_stands_around_a_statement_tells_what_is_stated(text, expected):
    assert facts(text) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My colleague Dr. Smith is nice.", "Dr. Smith"),
        ("My boss Mr. John Miller called.", "Mr. John Miller"),
        ("Meine Kollegin Frau Müller ist nett.", "Frau Müller"),
    ],
)
def test_a_title_is_of_the_name_behind_a_kin_word(text, name):
    assert labels(text) == [name]
    assert [value for _, value in facts(text)] == [name]


def test_a_title_alone_is_nobodys_name():
    assert facts("My colleague Dr is nice.") == []


@pytest.mark.slow
def test_only_so_much_prose_of_a_message_and_of_a_sentence_is_read():
    home = ("home", "Lisbon")
    endless = " and on" * 150
    assert home in facts(f"I live in Lisbon and so I go on{endless}.")
    assert facts(f"We go on{endless}, I live in Lisbon.") == []
    # Each line is in the first person, so that all of them count in a long message.
    lines = "I saw a film in the evening.\n"
    assert home in facts(f"{lines * 200}I live in Lisbon.")
    assert facts(f"{lines * 300}I live in Lisbon.") == []


def test_a_quotation_that_nothing_closes_ends_with_its_paragraph():
    text = "Ann said: «I live in Rome.\n\n«I love sushi.\n\nI live in Lisbon."
    assert facts(text) == [("home", "Lisbon")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Call me Ada.", "Ada"),
        ("My name's Oluwaseun.", "Oluwaseun"),
        ("Hallo, ich heiße Nadia.", "Nadia"),
        ("Hola, me llamo Nadia Okafor, enfermera.", "Nadia Okafor"),
        ("Bonjour, je m'appelle Nadia.", "Nadia"),
        ("Olá, chama-me Zuri.", "Zuri"),
    ],
)
def test_users_tell_their_names(text, name):
    *_, one, user = observations(text, BOTH)
    assert (one["label"], one["kind"]) == (name, SELF)
    assert [(one["predicate"], one["value"]) for one in user["facts"]] == [("name", name)]


@pytest.mark.parametrize(
    "text",
    [
        "Don't call me Maria.",
        "Call me Monday.",
        "Please call me later.",
        "Call Mia back.",
        "Ich heiße Sie willkommen.",
        "She said: “My name is Nadia, a nurse.”",
        "If my name is Nadia, who are you?",
    ],
)
def test_what_is_no_name_of_the_users_is_taken_for_none(text):
    assert SELF not in [one.get("kind") for one in observations(text, BOTH)]
