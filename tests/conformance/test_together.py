"""Memories that are in one answer again and again are offered, and never linked by themselves."""

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.memories import schema

TEXTS = ("The harbour crane is painted blue", "The harbour ferry leaves at nine")


def remember(memory, text):
    [row] = memory.run(calls.everyday.remember("default", text))
    return row


def recall(memory, times=1):
    for _ in range(times):
        [row] = memory.run(calls.everyday.recall("default", "What about the harbour?"))
        assert [line["kind"] for line in row["lines"]] == ["memory", "memory"]


@pytest.fixture
def pair(memory):
    return [remember(memory, text)["id"] for text in TEXTS]


def offered(memory, text):
    row = remember(memory, text)
    assert row["existing"]
    return [one["id"] for one in row["similar"]]


def links(memory):
    return [one for one in memory.records() if one["kind"] == "link"]


def test_a_pair_is_offered_after_five_answers_and_not_linked(memory, pair):
    recall(memory, 4)
    assert offered(memory, TEXTS[0]) == []
    recall(memory)
    assert offered(memory, TEXTS[0]) == [pair[1]]
    assert offered(memory, TEXTS[1]) == [pair[0]]
    [row] = memory.run(calls.memories.create("default", TEXTS[0]))
    assert list(row["similar"]) == [
        {"memory_id": pair[1], "text": TEXTS[1], "together": schema.OFTEN_TOGETHER}
    ]
    assert links(memory) == []


def test_only_what_writes_counts(memory, pair):
    call = calls.everyday.recall("default", "What about the harbour?")
    for _ in range(6):
        memory.run(call._replace(procedure=call.procedure.peek()))
    recall(memory, 4)
    assert offered(memory, TEXTS[0]) == []


def test_what_is_linked_or_forgotten_is_not_offered(memory, pair):
    recall(memory, 5)
    memory.run(calls.memories.link(*pair))
    assert offered(memory, TEXTS[0]) == []
    memory.run(calls.memories.link(*pair, strength=0.0))
    assert offered(memory, TEXTS[0]) == [pair[1]]
    memory.run(calls.memories.forget(pair[1]))
    assert offered(memory, TEXTS[0]) == []


@pytest.mark.slow
def test_a_memory_notes_a_few_others_and_keeps_those_counted_most(memory, pair):
    recall(memory, 5)
    for number in range(3 * schema.MOST_NOTED_TOGETHER):
        other = remember(memory, f"Note {number}")["id"]
        memory.run(calls.everyday.access("default", [pair[0], other], {}))
    assert offered(memory, TEXTS[0]) == [pair[1]]
