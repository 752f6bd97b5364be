"""Looking back: with `until_ms` in its context, a call knows nothing of what happened later."""

import pytest
from entity_layer import Entities
from expect import DAY_MS, REFUSALS

from concept_graph_mcp import calls

HOUR_MS = 3_600_000
MEMORY, OTHER = "01976d4e-0000-7000-8000-000000000000", "01976d4e-0000-7000-8000-000000000001"
# Sunday, 15 June 2025, 12:00 in Greenwich.
NOON = 1_749_988_800_000


@pytest.fixture
def lived(memory):
    """Four episodes on one concept: two days before, that morning, that evening, a day after."""
    for hours, date, summary in (
        (-48, "20250613", "two days before"),
        (-3, "20250615", "in the morning"),
        (6, "20250615", "in the evening"),
        (24, "20250616", "a day after"),
    ):
        memory.now_ms, memory.date = NOON + hours * HOUR_MS, date
        memory.episode_add(summary, ["apple", f"{summary} only"])
    memory.now_ms = NOON
    return memory


def told(memory, until_ms=NOON, until_date="20250615", seeds=("apple",), hops=1):
    """Return what comes to mind of *seeds*, as it was then."""
    rows = memory.run(
        calls.concepts.peek(list(seeds), hops, 100), until_ms=until_ms, until_date=until_date
    )
    return {row["text"] for row in rows}


def test_what_happened_later_is_not_recalled(lived):
    assert told(lived) == {"apple evokes two days before", "apple evokes in the morning"}
    assert len(lived.run(calls.concepts.peek(["apple"], 1, 100))) == 4


def test_nothing_is_reached_through_what_happened_later(lived):
    assert told(lived, seeds=["a day after only"], hops=4) == set()
    assert "in the morning only evokes in the morning" in told(lived, hops=2)
    assert "a day after only evokes a day after" not in told(lived, hops=4)


def test_a_later_episode_is_unknown_as_a_seed(lived):
    assert told(lived, seeds=["20250616/apple"]) == set()
    assert told(lived, seeds=["20250615/apple-2"]) == set()
    assert told(lived, seeds=["20250615/apple"]) != set()


def test_what_of_that_day_was_aroused_since_may_be_of_later(lived):
    """The graph knows no hours of the past, only when something was aroused last."""
    lived.now_ms = NOON + HOUR_MS
    lived.update_affect("20250615/apple", 1)
    lived.update_affect("20250613/apple", 1)
    lived.now_ms = NOON
    assert told(lived) == {"apple evokes two days before"}


def test_the_clock_may_lie_ahead_of_what_is_known(lived):
    lived.now_ms = NOON + 7 * DAY_MS
    assert told(lived) == {"apple evokes two days before", "apple evokes in the morning"}


def test_concepts_have_no_date_and_stay(lived):
    rows = lived.run(
        calls.concepts.concept_search(["only"], 4), until_ms=NOON, until_date="20250615"
    )
    assert len(rows) == 4


def test_an_episode_made_by_hand_is_known_by_when_it_was_aroused(memory):
    memory.import_rows(
        [
            {"kind": "episode", "name": "by hand", "summary": "by hand", "accessed_at": NOON + 1},
            {"kind": "relation", "from": "apple", "to": "by hand", "type": "evokes"},
        ]
    )
    memory.now_ms = NOON
    assert told(memory) == set()
    assert told(memory, until_ms=NOON + 1) == {"apple evokes by hand"}


def test_without_the_date_it_is_that_of_the_host(lived):
    rows = lived.run(calls.concepts.peek(["apple"], 1, 100), until_ms=NOON - 4 * DAY_MS)
    assert rows == []


@pytest.mark.parametrize(
    "call",
    [
        calls.concepts.concept_upsert("new"),
        calls.concepts.recall(["apple"], 2, 10),
        calls.concepts.update_affect("apple", 1),
        calls.concepts.relation_add("apple", "in the morning only", "is-a"),
        calls.concepts.rename("apple", "pear", dry_run=False),
        calls.concepts.remove("apple", dry_run=False),
        calls.memories.touch([MEMORY]),
        calls.memories.forget(MEMORY),
        calls.memories.link(MEMORY, OTHER),
        calls.entities.end_session("s"),
        calls.transfer.import_rows([{"kind": "concept", "name": "apple", "valence": 1.0}]),
    ],
    ids=lambda call: call.procedure.name,
)
def test_nothing_is_changed_while_something_is_hidden(lived, call):
    kept = {"kind": "memory", "user_id": "default", "content": "Max is a dog."}
    lived.import_rows([kept | {"id": one} for one in (MEMORY, OTHER)])
    Entities(lived).observe("Max and Anna", "Max", "Anna")
    before = lived.records()
    # A day on, so that nothing is as aroused as it was.
    lived.now_ms = NOON + DAY_MS
    with pytest.raises(REFUSALS, match="context: until_ms is for reading only"):
        lived.run(call, until_ms=NOON, until_date="20250615")
    assert lived.records() == before
    lived.run(call)
    assert lived.records() != before
