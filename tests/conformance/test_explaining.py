"""`everyday.explain`: what each signal adds to the chance by which a recall decides."""

from math import exp

import pytest
from tests.conftest import DAY_MS

from concept_graph_mcp import calls

HAZELNUTS = "Lena is allergic to hazelnuts and to walnuts"
BOILER = "The boiler is serviced by Kwame every October"
ASKED = "What is Lena allergic to?"


@pytest.fixture
def kept(memory):
    made = [
        memory.run(calls.everyday.remember("default", text, about))[0]["id"]
        for text, about in ((HAZELNUTS, ["Lena"]), (BOILER, ["Kwame"]))
    ]
    memory.run(calls.everyday.remember("bob", HAZELNUTS, ["Lena"]), user_id="bob")
    return made


def explain(memory, message=ASKED, **given):
    return memory.run(calls.everyday.explain("default", message, **given))


def contributions(row):
    return [float(line.split()[0]) for line in row["why"].splitlines()]


def test_the_contributions_are_those_of_the_chance_the_largest_first(memory, kept):
    rows = explain(memory)
    assert [one["kind"] for one in rows[:2]] == ["message", "memory"]
    assert rows[1]["text"] == HAZELNUTS
    for row in rows:
        told = contributions(row)
        assert 1 / (1 + exp(-sum(told))) == pytest.approx(row["chance"], abs=0.03)
        sizes = [abs(one) for one in told[:-2]]
        assert sizes == sorted(sizes, reverse=True)
        names = [line.partition(" ")[2] for line in row["why"].splitlines()]
        assert names[-2:] == ["all other signals", "to begin with"]


@pytest.mark.parametrize("message", [ASKED, "boiler service", "Good morning!", "Kwame and Lena"])
def test_it_says_of_what_a_recall_shows_that_it_belongs(memory, kept, message):
    first, *others = explain(memory, message)
    [recalled] = memory.run(calls.everyday.recall("default", message))
    shown = {one["id"] for one in recalled["sources"] if one["kind"] == "memory"}
    assert {one["id"] for one in others if one["belongs"]} == shown
    assert first["belongs"] == (first["chance"] >= first["least"])


def test_one_memory_can_be_named_and_none_of_others_is_told(memory, kept):
    _, row = explain(memory, id=kept[0])
    assert row["id"] == kept[0]
    assert [one["kind"] for one in explain(memory, id="no such")] == ["message"]
    assert {one["id"] for one in explain(memory)[1:]} <= {*kept}
    [other] = memory.run(calls.everyday.explain("bob", ASKED), user_id="bob")[1:]
    assert other["id"] not in kept
    assert len(explain(memory, limit=1)) == 2


def test_nothing_is_accessed(memory, kept):
    before = memory.records()
    explain(memory)
    assert memory.records() == before


def test_nothing_belongs_that_is_not_of_the_time_that_is_asked_for_alone(memory, kept):
    then = {"told_in": [memory.now_ms - 9 * DAY_MS, memory.now_ms - 8 * DAY_MS, False, False]}
    _, *others = explain(memory, **then)
    [recalled] = memory.run(calls.everyday.recall("default", ASKED, **then))
    assert not any(one["kind"] == "memory" for one in recalled["sources"])
    assert others[0]["chance"] >= others[0]["least"]
    assert not any(one["belongs"] for one in others)
