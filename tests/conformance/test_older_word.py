"""An older word that arrives late takes its place in time."""

from itertools import permutations

import pytest
from entity_layer import DAY_MS, Entities
from test_entity_statements import own

HOMES = ("I live in Leeds", "I moved to York", "I moved to Hull")


@pytest.fixture
def entities(memory):
    return Entities(memory)


def tell(entities, said, order):
    """Observe the texts *said*, thirty days apart, in another order than that of their times."""
    start = entities.memory.now_ms
    for number in order:
        entities.memory.now_ms = start + number * 30 * DAY_MS
        entities.observe(said[number], session=f"s{number}")
    entities.memory.now_ms = start + len(said) * 30 * DAY_MS
    return start


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_latest_word_counts_in_whatever_order_all_arrive(entities, order):
    start = tell(entities, HOMES, order)
    assert own(entities) == [("home", "Hull", "user")]
    at = [start + number * 30 * DAY_MS + DAY_MS for number in range(3)]
    told = [own(entities, valid_at=one)[0][1] for one in at]
    assert told == ["Leeds", "York", "Hull"]


@pytest.mark.parametrize("order", [(1, 0), (0, 1)])
def test_what_ended_stays_ended_when_its_beginning_arrives(entities, order):
    tell(entities, ("I work at Siemens", "I quit my job at Siemens"), order)
    assert own(entities) == []


def test_an_older_word_that_says_the_same_is_its_beginning(entities):
    start = tell(entities, ("I live in Leeds", "I live in Leeds"), (1, 0))
    assert own(entities) == [("home", "Leeds", "user")]
    assert own(entities, valid_at=start + DAY_MS, known_at=start + DAY_MS) == [
        ("home", "Leeds", "user")
    ]
    assert len(entities.records("fact")) == 1


def test_one_who_returned_lives_there_though_the_time_between_arrives_last(entities):
    tell(entities, ("I live in Leeds", "I live in York", "I live in Leeds"), (0, 2, 1))
    assert own(entities) == [("home", "Leeds", "user")]


def test_the_later_word_ends_the_older_one_until_it_is_forgotten(entities):
    tell(entities, HOMES[:2], (1, 0))
    [york] = [one for one in entities.records("fact") if one["value"] == "York"]
    [leeds] = [one for one in entities.records("fact") if one["value"] == "Leeds"]
    assert leeds["ended_by"] == york["id"]
    assert leeds["valid_until"] == york["valid_from"] == york["known_from"]


def test_a_former_partner_is_told_as_such(entities):
    tell(entities, ("My boyfriend Tom is here", "My boyfriend Max is here"), (1, 0))
    assert entities.record("Tom")["entity_kind"] == "former boyfriend"
    assert entities.record("Max")["entity_kind"] == "boyfriend"
