"""Whose words a message has, and what the user states in those that are the user's own."""

import pytest
from tests.tables import beside

from conceptgraph_core.entities.rule_extractor import observations
from conceptgraph_core.entities.schema import SELF

table = beside(__file__)

BOTH = ("english", "german")


def labels(text: str) -> list[str]:
    found = observations(text, BOTH)
    return [one["label"] for one in found if one["type"] == "entity" and one["label"] != SELF]


def facts(text: str) -> list[tuple[str, str]]:
    """Return what *text* says of the user: predicate and value."""
    found = [fact for one in observations(text, BOTH) for fact in one.get("facts", ())]
    return [(one["predicate"], one.get("value") or one["object"]) for one in found]


@table("text")
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


@table("text")
def test_what_is_denied_to_be_forgotten_or_an_idiom_states_nothing(text):
    assert facts(text) == []


@table("text, expected")
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


@table("text, name")
def test_users_tell_their_names(text, name):
    *_, one, user = observations(text, BOTH)
    assert (one["label"], one["kind"]) == (name, SELF)
    assert [(one["predicate"], one["value"]) for one in user["facts"]] == [("name", name)]


@table("text")
def test_what_is_no_name_of_the_users_is_taken_for_none(text):
    assert SELF not in [one.get("kind") for one in observations(text, BOTH)]
