"""An older word that arrives late takes its place in time."""

from dataclasses import astuple
from itertools import permutations

import pytest
from entity_layer import DAY_MS
from test_entity_statements import own

from concept_graph_mcp import calls
from conceptgraph_core.entities.inputs import Given
from conceptgraph_core.entities.schema import SELF

HOMES = ("I live in Leeds", "I moved to York", "I moved to Hull")


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


@pytest.mark.parametrize("are_kept", [True, False])
def test_a_fact_keeps_its_id_when_older_words_arrive_also_after_a_move(entities, are_kept):
    start = entities.memory.now_ms
    entities.memory.now_ms = start + 60 * DAY_MS
    [hull] = entities.observe("I moved to Hull", session="s2")["entities"][-1]["facts"]
    rows = entities.memory.records()
    if not are_kept:
        # So are the stores of earlier versions.
        rows = [{name: row[name] for name in row if name != "claims"} for row in rows]
    entities.memory.empty()
    entities.memory.import_rows(rows)
    for number, said in enumerate(
        ("I quit my job at Siemens", "I moved to York", "I live in Leeds")
    ):
        entities.memory.now_ms = start + (30 - 10 * number) * DAY_MS
        entities.observe(said, session=f"late {number}")
    entities.memory.now_ms = start + 5 * DAY_MS
    entities.observe("I work at Siemens", session="the first")
    entities.memory.now_ms = start + 90 * DAY_MS
    assert own(entities) == [("home", "Hull", "user")]
    at = start + 25 * DAY_MS
    assert own(entities, valid_at=at, known_at=at) == [
        ("employer", "Siemens", "user"),
        ("home", "York", "user"),
    ]
    ids = {one["value"]: one["id"] for one in entities.records("fact")}
    assert ids["Hull"] == hull["fact_id"]


def test_what_was_corrected_stays_so_when_an_older_word_arrives(entities):
    start = tell(entities, HOMES, (1, 2))
    user = entities.record(SELF)["id"]
    hull = next(one["id"] for one in entities.records("fact") if one["value"] == "Hull")
    given = Given(
        "home", "Bath", corrects=hull, speaker="user", text="I never lived in Hull but Bath"
    )
    entities.run(calls.entities.fact(user, *astuple(given)))
    told = ({}, {"known_at": start + 89 * DAY_MS}, {"valid_at": start + 70 * DAY_MS})
    before = [own(entities, **times) for times in told]
    assert before[0] == before[2] == [("home", "Bath", "user")]
    entities.memory.now_ms = start
    entities.observe(HOMES[0], session="late")
    entities.memory.now_ms = start + 91 * DAY_MS
    assert [own(entities, **times) for times in told] == before
    assert own(entities, valid_at=start + 50 * DAY_MS) == [("home", "York", "user")]


def test_a_purged_fact_does_not_come_back_with_an_older_word(entities):
    start = tell(entities, HOMES, (1, 2))
    york = next(one["id"] for one in entities.records("fact") if one["value"] == "York")
    entities.run(calls.everyday.forget("default", york, "a secret"))
    entities.days(1)
    entities.run(calls.entities.purge(1, [york]))
    entities.memory.now_ms = start
    entities.observe(HOMES[0], session="late")
    assert "York" not in str(entities.records("fact"))
    assert "York" not in str([one.get("claims") for one in entities.records("mention")])
