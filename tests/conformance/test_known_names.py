"""A name that the memory knows is heard wherever it stands; an unknown word there is none."""

import pytest


def labels(row):
    return [one["label"] for one in row["entities"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "later", "name"),
    [
        ("My dog Pepper is ill", "Pepper threw up", "Pepper"),
        ("I met Nadia yesterday", "Nadia just told me something", "Nadia"),
        ("My cat Rex is old", "Rex died", "Rex"),
        ("My friend Mary Jane is here", "Mary Jane called", "Mary Jane"),
        ("My mum Ria is here", "Mum called", "Ria"),
        ("Meine Mutter heißt Ria", "Mama hat angerufen", "Ria"),
        ("Mein Hund heißt Funke", "Gestern hat Funke gebellt", "Funke"),
    ],
)
def test_hears_a_known_name_wherever_it_stands(entities, first, later, name):
    [known] = [one for one in entities.observe(first)["entities"] if one["label"] == name]
    entities.days(3)
    heard = entities.observe(later, session="t")["entities"]
    assert known["entity_id"] in [one["entity_id"] for one in heard]
    assert len(entities.get(known["entity_id"])["mentions"]) == 2


@pytest.mark.parametrize("text", ["Pepper threw up", "Salt is missing"])
def test_makes_no_entity_of_an_unknown_word(entities, text):
    entities.observe("My dog Max is ill")
    assert labels(entities.observe(text)) == []


def test_hears_no_name_of_another_users(entities):
    entities.observe("My dog Pepper is ill", user="ana")
    assert labels(entities.observe("Pepper threw up", user="ben")) == []


def test_an_observation_may_count_only_if_it_is_known(entities):
    given = {"label": "Pepper", "type": "entity", "known": True}
    assert labels(entities.observe("Pepper threw up", given)) == []
    entities.observe("My dog Pepper is ill")
    assert labels(entities.observe("Pepper threw up", given, session="t")) == ["Pepper"]


def test_mum_is_somebody_even_before_her_name_is_known(entities):
    [mum] = entities.observe("Mum called")["entities"]
    assert (mum["label"], mum["type"]) == ("Mum", "entity")
    assert entities.record("Mum")["entity_kind"] == "mother"


def test_where_somebody_is_met_makes_nobody_another(entities):
    first = entities.one("I met Lena at work")
    entities.days(5)
    again = entities.one("I saw Lena at the gym", session="t")
    assert again["entity_id"] == first["entity_id"]
