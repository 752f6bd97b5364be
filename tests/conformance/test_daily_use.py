"""A month of daily use: what happened last stays on top of its kind, however often asked for."""

from datetime import UTC, datetime, timedelta

import pytest
from expect import MINUTE_MS

from concept_graph_mcp import calls

MORNING = datetime(2025, 6, 1, 8, tzinfo=UTC)
THEMES = ("garden", "running", "novel", "job", "Ana")


def wake(memory, day):
    """Let it be the morning of a day of June or July, counted from 0."""
    morning = MORNING + timedelta(days=day)
    memory.now_ms = int(morning.timestamp() * 1_000)
    memory.date = f"{morning:%Y%m%d}"


def happen(memory, day, *concepts):
    """Add the episode of a day. Its summary sorts the latest last, as dates in them do."""
    return memory.episode_add(f"Day {day:02}", list(concepts))["episode_id"]


def recalled(memory, *seeds, limit=5, once=False):
    """Return the ids of the episodes that a recall tells of."""
    (answer,) = memory.run(calls.concepts.recall_query(seeds, 2, limit, once))
    return [said["episode_id"] for said in answer["propositions"]]


def test_thirty_days_of_one_concept_are_recalled_latest_first_every_day(memory):
    lived = []
    for day in range(30):
        wake(memory, day)
        lived.insert(0, happen(memory, day, "Mia"))
        # Asked again and again.
        for later in (MINUTE_MS, 0, MINUTE_MS, 30 * MINUTE_MS):
            memory.now_ms += later
            assert recalled(memory, "Mia") == lived[:5]


def test_thirty_days_that_nobody_asked_about_are_recalled_latest_first_too(memory):
    lived = []
    for day in range(30):
        wake(memory, day)
        lived.insert(0, happen(memory, day, "Mia"))
    wake(memory, 44)
    for _ in range(3):
        assert recalled(memory, "Mia") == lived[:5]


@pytest.mark.parametrize("limit", [3, 10])
def test_asked_in_the_morning_the_last_of_a_theme_comes_first(memory, limit):
    last = {}
    for day in range(30):
        wake(memory, day)
        theme = THEMES[day * 3 % len(THEMES)]
        found = recalled(memory, theme, limit=limit)
        assert found[:1] == ([last[theme]] if theme in last else [])
        memory.now_ms += 10 * MINUTE_MS
        last[theme] = happen(memory, day, theme, "Mia")


def test_days_about_several_things_are_told_once_each(memory):
    lived = []
    for day in range(30):
        wake(memory, day)
        lived.insert(0, happen(memory, day, "Mia", THEMES[day % 5], THEMES[(day + 1) % 5]))
        memory.now_ms += MINUTE_MS
        for _ in range(2):
            assert recalled(memory, "Mia", limit=7, once=True) == lived[:7]


def test_what_was_cut_a_month_ago_is_still_there_when_all_is_asked_for(memory):
    lived = []
    for day in range(30):
        wake(memory, day)
        lived.insert(0, happen(memory, day, "Mia"))
        memory.now_ms += MINUTE_MS
        recalled(memory, "Mia")
    assert recalled(memory, "Mia", limit=1_000) == lived
