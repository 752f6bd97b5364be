"""The later of two memories that say the same of one thing is found first."""

from typing import Any

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.dates import DAY_MS
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
            node(key, content=text, said_at=memory.now_ms - days * DAY_MS)
            for key, (text, days) in said.items()
        ]
    )


def found(memory: Any, query: str = ASKED, **given: Any) -> list[str]:
    call = calls.memory_search.search("default", query, **given)
    return [row["memory_id"] for row in memory.run(call)]


@pytest.mark.parametrize("limit", [1, 10])
def test_the_later_goes_first_though_the_older_has_the_better_score(memory, limit):
    keep(memory, old=(OLD, 3), new=(f"{NEW}, upstairs", 2))
    rows = memory.run(calls.memory_search.search("default", ASKED))
    assert [row["memory_id"] for row in rows] == ["new", "old"]
    assert rows[0]["score"] < rows[1]["score"]
    assert found(memory, limit=limit) == ["new", "old"][:limit]


@pytest.mark.parametrize(
    ("later", "query"),
    [
        # Something else of the same word, and one word of the question alone.
        ("The team drank a meeting of coffee, tea, milk, juice and water", ASKED),
        (f"{NEW}, upstairs", "When is the meeting?"),
    ],
)
def test_others_stay_in_the_order_of_their_scores(memory, later, query):
    keep(memory, old=(OLD, 3), new=(later, 2))
    assert found(memory, query) == ["old", "new"]


def test_where_a_time_is_named_the_order_stays(memory):
    keep(memory, old=(OLD, 3), new=(f"{NEW}, upstairs", 2))
    assert found(memory, f"{ASKED} Last year, {memory.date[:4]}?") == ["old", "new"]
