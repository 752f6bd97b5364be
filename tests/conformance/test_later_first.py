"""The later of two memories that say the same of one thing is found first."""

from typing import Any

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.texts.dates import DAY_MS
from memories import node

OLD, NEW = (
    "The team meeting for the yearly budget is on Tuesday",
    "The team meeting for the yearly budget is on Thursday",
)
ASKED = "When is the team meeting?"


def keep(memory: Any, **said: tuple[str, int]) -> None:
    """Keep texts by their keys, each said so many days ago."""
    memory.import_rows(
        [
            node(key, content=text, said_at=at, created_at=at)
            for key, (text, days) in said.items()
            for at in (memory.now_ms - days * DAY_MS,)
        ]
    )


def found(memory: Any, query: str = ASKED, **given: Any) -> list[str]:
    call = calls.memories.search("default", query, **given)
    return [row["memory_id"] for row in memory.run(call)]


@pytest.mark.parametrize("limit", [1, 10])
def test_the_later_goes_first_though_the_older_has_the_better_score(memory, limit):
    keep(memory, old=(OLD, 3), new=(f"{NEW}, upstairs", 2))
    rows = memory.run(calls.memories.search("default", ASKED))
    assert [row["memory_id"] for row in rows] == ["new", "old"]
    assert rows[0]["score"] < rows[1]["score"]
    assert found(memory, limit=limit) == ["new", "old"][:limit]


FIAT, SKODA = "Karin has a red Fiat", "Karin sold the Fiat, took up a loan and has a new Skoda"


def test_a_correction_that_names_what_it_corrects_goes_first(memory):
    keep(memory, old=(FIAT, 3), new=(SKODA, 2))
    assert found(memory, "What car does Karin have?") == ["new", "old"]


@pytest.mark.parametrize(
    ("later", "query"),
    [
        # Something else of the same word, and another word of the question.
        ("The team drank a meeting of coffee, tea, milk, juice and water", ASKED),
        (f"{NEW}, upstairs", "When is the meeting on Tuesday?"),
    ],
)
def test_others_stay_in_the_order_of_their_scores(memory, later, query):
    keep(memory, old=(OLD, 3), new=(later, 2))
    assert found(memory, query)[0] == "old"


def test_others_are_corrected_by_themselves_alone(memory):
    said = {"speaker": "Karin"}
    times = {"old": (FIAT, 3), "new": (SKODA, 2)}
    rows = [
        node(key, content=text, said_at=memory.now_ms - days * DAY_MS, **said)
        for key, (text, days) in times.items()
    ]
    rows[1]["speaker"] = "Ben"
    memory.import_rows(rows)
    assert found(memory, "Which Fiat?") == ["old", "new"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "query"), [(OLD, f"{NEW}, upstairs", ASKED), (FIAT, SKODA, "Which Fiat?")]
)
def test_a_context_and_a_recall_begin_with_the_later_one(memory, old, new, query):
    keep(memory, old=(old, 3), new=(f"{new}, which was said at some length and in no hurry", 2))
    [row] = memory.run(calls.memories.context("default", query))
    assert row["memory_ids"] == ["new", "old"]
    call = calls.everyday.recall("default", query)
    [row] = memory.run(call._replace(context={**call.context, "chances": [0, 0]}))
    assert [one["id"] for one in row["sources"]] == ["new", "old"]


def test_the_latest_of_three_goes_first(memory):
    at = [NEW.replace("Thursday", day) for day in ("Friday", "Sunday")]
    keep(memory, old=(OLD, 3), newer=(at[0], 2), newest=(f"{at[1]}, upstairs, at the end", 1))
    assert found(memory) == ["newest", "newer", "old"]
    [row] = memory.run(calls.memories.context("default", ASKED))
    assert row["memory_ids"] == ["newest", "newer", "old"]
    [row] = memory.run(calls.memories.context("default", ASKED, 50))
    assert row["memory_ids"] == ["newest", "newer"]


def test_where_a_time_is_named_the_order_stays(memory):
    keep(memory, old=(OLD, 3), new=(f"{NEW}, upstairs", 2))
    assert found(memory, f"{ASKED} Last year, {memory.date[:4]}?") == ["old", "new"]
