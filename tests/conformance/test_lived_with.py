"""Things said in passing: namesakes, plans told with their day."""

from datetime import UTC

import pytest
from entity_layer import Entities

from concept_graph_mcp import calls
from conceptgraph_core.everyday import asking, lines
from conceptgraph_core.texts.dates import DAY_MS

everyday = calls.everyday


@pytest.fixture
def dereks(days, memory):
    """Two of one name: one has a place, the other one is kin."""
    for name, kind, said in (
        ("Derek", None, "Derek from the bowls club wants a treasurer."),
        ("Derek", "cousin", "My other Derek, my cousin Derek in Whitby, is ill."),
    ):
        about = [{"name": name, "kind": kind} if kind else name]
        days.remember(said, about, said=said)
        memory.now_ms += 30 * DAY_MS
    return days


@pytest.mark.parametrize(
    ("said", "dead"),
    [
        ("Derek died on Tuesday, bowls Derek, on the green.", "bowls"),
        ("Derek died on Tuesday, my cousin Derek.", "cousin"),
    ],
)
def test_the_word_before_a_name_tells_which_of_two_died(dereks, said, dead):
    Entities(dereks.memory).observe(said)
    told = [line for line in dereks.recall("Who is Derek?").splitlines() if "one of 2" in line]
    assert len(told) == 2
    assert [dead in line for line in told if "died" in line] == [True]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "then", "longer", "short"),
    [
        ("Ana Maria is my aunt.", "Ana Maria came and Maria stayed.", "Ana Maria", "Maria"),
        ("Juan Carlos es mi tío.", "Vino Juan Carlos con Carlos.", "Juan Carlos", "Carlos"),
        ("New York is loud.", "I flew to New York. Then I drove to York.", "New York", "York"),
    ],
)
def test_a_name_and_its_last_word_are_two(days, first, then, longer, short):
    entities = Entities(days.memory)
    entities.observe(first)
    entities.observe(then)
    assert days.about(short)["name"] == short
    assert days.about(longer)["name"] == longer


def test_a_word_at_the_start_of_a_sentence_is_no_other_name(days):
    Entities(days.memory).observe("Derek left. Well that's Derek seen off.")
    assert days.about("Derek")["doubts"] == []


def ingest(days, *told):
    rows = [
        {
            "id": f"00000000-0000-7000-8000-{number:012}",
            "text": text,
            "thread": f"t{number}",
            "speaker": "user",
            "said_at": days.memory.now_ms,
        }
        for number, text in enumerate(told)
    ]
    days.run(calls.memories.ingest("default", rows))


def plans(days, message):
    now_ms = days.memory.now_ms
    then = asking.read_time_alone(message, now_ms, UTC, ("en", "de"))
    [row] = days.run(everyday.recall("default", message, told_in=then))
    return lines.text(row["lines"])


@pytest.mark.slow
def test_a_plan_is_found_by_the_day_that_a_text_tells(days, memory):
    ingest(
        days,
        "The bloods are fine. I've an appointment with the nurse on the 14th of July.",
        "Am 2. August fahren wir nach Whitby.",
        "The cataract letter came: left eye, 20th of June.",
        "We were in Rome last July.",
    )
    memory.now_ms += 10 * DAY_MS
    told = plans(days, "What have I got coming up?")
    assert told.index("nurse") < told.index("Whitby")
    assert "cataract" not in told
    assert "Rome" not in told
    assert "nurse" not in plans(days, "What are we doing in August?")


def test_a_plan_of_a_day_that_is_over_is_not_ahead(days, memory):
    ingest(days, "I've an appointment with the nurse on the 14th of July.")
    memory.now_ms += 60 * DAY_MS
    assert plans(days, "What have I got coming up?") == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        "The nurse will see me on the 14th of July.",
        "El 12 de julio tengo dentista.",
        "The July invoice comes next week.",
        # On the day it was told, this one was just over.
        "The party on 13 June, what a night.",
    ],
)
def test_a_plan_of_a_day_is_none_of_the_same_day_a_year_later(days, memory, said):
    ingest(days, said)
    memory.now_ms += 350 * DAY_MS
    assert plans(days, "What have I got coming up?") == ""


@pytest.mark.slow
def test_the_report_on_the_user_lists_the_facts(days):
    Entities(days.memory).observe("I live in York and I am allergic to hazelnuts.")
    row = days.about("me")
    assert [(one["predicate"], one["value"]) for one in row["facts"]] == [
        ("allergy", "hazelnuts"),
        ("home", "York"),
    ]
    assert days.about("me", limit=1)["more"] == {"facts": 1}


@pytest.mark.parametrize(
    ("message", "job"),
    [("What do I do for a living?", True), ("Which city am I living in?", False)],
)
def test_a_living_is_a_job_and_living_is_a_home(days, message, job):
    days.remember("The user works day shifts at the clinic")
    days.remember("The user has a flat in York")
    told = [str(one["parts"]) for one in days.recalled(message)["lines"] if one["part"] == "who"]
    assert any("shifts" in one for one in told) is job
    assert any("York" in one for one in told) is not job
