"""The context, a procedure's last argument: its clock, time constant, date and nodes found."""

import math

import pytest
from expect import DAY_MS, REFUSALS, concept, decayed

from concept_graph_mcp import calls

UPSERTED = ("concept_id", "created")
RECALLED = ("text", "score")


def upsert(memory, **context):
    return memory.procedure("conceptgraph.concept_upsert", ["apple"], UPSERTED, **context)


def test_the_clock_of_the_call_is_the_clock(memory):
    upsert(memory, now_ms=123)
    assert memory.node("apple") == concept("apple", 0.0, 0.5, 123)


def test_a_time_before_the_epoch_is_a_time(memory):
    upsert(memory, now_ms=-DAY_MS)
    memory.now_ms = 0
    assert memory.update_affect("apple", 0)["arousal"] == decayed(0.5, DAY_MS)


@pytest.mark.parametrize("tau_ms", [1, 1.5, 86_400_000, 1e18])
def test_the_time_constant_may_be_any_positive_number(memory, tau_ms):
    memory.concept_upsert("apple")
    memory.now_ms += 2
    memory.tau_ms = tau_ms
    assert memory.update_affect("apple", 0)["arousal"] == decayed(0.5, 2, tau_ms)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("now_ms", 1.5),
        ("now_ms", "1750000000000"),
        ("now_ms", True),
        ("now_ms", 2**62),
        ("now_ms", -(2**62)),
        ("tau_ms", 0),
        ("tau_ms", -1.0),
        ("tau_ms", math.nan),
        ("tau_ms", math.inf),
        ("tau_ms", "1"),
        ("tau_ms", True),
        ("date", "2025-06-15"),
        ("date", "2025061"),
        ("date", "２０２５０６１５"),
        ("date", 20250615),
        ("date", ""),
        ("found", "apple"),
        ("found", ["apple"]),
        ("found", [True]),
        ("found", {}),
        ("until_ms", 1.5),
        ("until_ms", 2**62),
        ("until_date", "2025-06-15"),
        ("user_id", ""),
        ("user_id", 7),
        ("now", 123),
    ],
    ids=repr,
)
def test_a_context_that_makes_no_sense_is_refused_and_nothing_is_written(memory, key, value):
    with pytest.raises(REFUSALS, match=f"context: .*{key}"):
        upsert(memory, **{key: value})
    assert memory.records() == []


@pytest.mark.parametrize("key", ["tau_ms", "date", "until_ms", "until_date", "found", "user_id"])
def test_a_null_in_the_context_is_the_default(memory, key):
    assert upsert(memory, **{key: None}) == [{"concept_id": "apple", "created": True}]


def test_the_date_of_the_call_names_episodes(memory):
    memory.date = "19991231"
    assert memory.episode_add("S", ["apple"])["episode_id"] == "19991231/apple"


def test_the_date_does_not_follow_from_the_clock_if_it_is_given(memory):
    memory.now_ms = 0
    assert memory.episode_add("S", ["apple"])["episode_id"] == "20250615/apple"


def test_without_a_date_the_clock_of_the_call_and_the_hosts_zone_name_episodes(memory):
    # Noon in Greenwich: the same date nearly everywhere, the next one at the date line.
    rows = memory.procedure(
        "conceptgraph.episode_add",
        ["S", ["apple"]],
        ("episode_id",),
        now_ms=1_749_988_800_000,
        date=None,
    )
    assert rows[0]["episode_id"] in ("20250615/apple", "20250616/apple")


def test_what_was_not_found_does_not_exist(memory):
    memory.relation_add("apple", "fruit", "is-a")
    arguments = [["apple"], 1, None]
    assert memory.procedure("conceptgraph.peek", arguments, RECALLED, found=[]) == []
    arguments = [["apple"], None]
    assert memory.procedure("conceptgraph.concept_search", arguments, ("concept",), found=[]) == []


def test_what_was_found_may_be_told_by_ids_and_one_that_nothing_has_is_nothing(memory, hands):
    memory.relation_add("apple", "fruit", "is-a")
    found = [hands.id("apple"), 10**9, hands.id("apple")]
    rows = memory.procedure("conceptgraph.peek", [["apple"], 1, None], RECALLED, found=found)
    assert rows == [{"text": "apple is-a fruit", "score": 0.0625}]
    rows = memory.procedure("conceptgraph.check", [], ("problem",), found=found)
    assert rows == []


def test_without_a_look_up_everything_is_scanned(memory):
    memory.relation_add("apple", "fruit", "is-a")
    rows = memory.procedure("conceptgraph.peek", [["apple"], 1, None], RECALLED)
    assert rows == [{"text": "apple is-a fruit", "score": 0.0625}]


def test_the_user_does_not_separate_concepts(memory):
    memory.run(calls.concepts.concept_upsert("apple"), user_id="ann")
    assert memory.run(calls.concepts.concept_upsert("apple"), user_id="bob")[0]["created"] is False
