"""A night that is killed in the middle: the next goes on, and ends as if nothing had happened."""

import signal
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from server_processes import LineProcess
from tests.examples import spread_examples

from concept_graph_mcp import calls

DAY_MS = 86_400_000
PROCESS = Path(__file__).with_name("night_process.py")


def entity(key, **given):
    named = {"user_id": "default", "node_label": key, "canonical_name": key}
    row = {"kind": "entity", "id": key, "node_type": "entity", **named}
    return row | {"created_at": 0, "last_activated": 0} | given


def tie(source, target, kind="co_occurrence", **given):
    return {"kind": "tie", "from": source, "to": target, "type": kind, **given}


def live(memory):
    """Live so that each step of the nights has something to do."""
    at = memory.now_ms
    some = [f"e{number:02}" for number in range(24)]
    memory.import_rows([entity(key, embedding=[1.0, 0.01]) for key in some])
    fresh = {"weight_at": at, "user_reinforcement_count": 1.0}
    memory.import_rows(
        [tie("e00", key, weight=0.5, **fresh) for key in some[1:]]
        + [tie(one, other, weight=0.15, **fresh) for one, other in pairwise(some[1:])]
        + [tie("e05", "e06", "contradicts", evidence="it is not")]
    )
    labels = ("Anna Smith", "Anna Smyth", "Bruno")
    for number, label in enumerate(labels):
        observed = {"label": label, "type": "entity", "valence": 0.4}
        memory.run(calls.entities.observe("s", f"m{number}", "user", f"{label} came", [observed]))
    memory.now_ms += 100 * DAY_MS
    memory.run(calls.entities.fact("e03", "birthday", "3 May"))
    memory.run(calls.entities.fact("e03", "birthday", "4 May"))


def night(memory, *kill):
    """Take the nights in a process of their own; return its answer, and how it ended."""
    given = (str(memory.store.location), str(memory.now_ms), *map(str, kill))
    process = LineProcess([sys.executable, "-B", str(PROCESS), *given])
    told = process.line()
    return told, process.finish()


def kept(memory):
    return sorted(memory.records(), key=repr)


@pytest.fixture
def begun(memory):
    """Return what there is before the nights."""
    live(memory)
    return memory.records()


@pytest.mark.slow
def test_a_night_that_is_killed_anywhere_is_completed_by_the_next(memory, begun):
    told, ended = night(memory)
    assert ended == 0
    undisturbed, calls_made = kept(memory), int(told)
    assert {row["created_by"] for row in undisturbed if row["kind"] == "merge"} == {"system"}
    assert undisturbed != sorted(begun, key=repr)
    whens = ("within", "after", "within", "before")
    for number in spread_examples(range(10), 4):
        memory.empty()
        memory.import_rows(begun)
        at, when = 2 + number * (calls_made - 3) // 9, whens[number % 4]
        assert night(memory, at, when) == (None, -signal.SIGKILL), (at, when)
        assert night(memory)[1] == 0
        assert kept(memory) == undisturbed, (at, when)
