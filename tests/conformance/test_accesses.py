"""A read-only twin and `everyday.access` together do as the twin that writes."""

import pytest

from concept_graph_mcp import calls
from memories import link, node

MINUTE_MS = 60_000
STORED = [
    node("tea", content="Lena prefers tea to coffee"),
    node("cup", content="Lena has a blue cup for her tea"),
    node("faded", content="Lena once drank tea in Kyoto", state="archived", decay_score=0.05),
    node("rain", content="It rained in Oslo"),
]
RELATED = [("tea", "warmth", "evokes"), ("warmth", "winter", "evokes"), ("Lena", "tea", "evokes")]
READING = {
    "memory_node_get": lambda: calls.memories.get("tea"),
    "memory_context": lambda: calls.memories.context("default", "What does Lena drink? Tea?"),
    "recall_query": lambda: calls.concepts.recall_query(["tea"], 2),
    "recall of shared concepts": lambda: calls.everyday.recall(
        "default", "Does Lena like tea?", concept_scope=""
    ),
    "recall": lambda: calls.everyday.recall("default", "Does Lena like tea?"),
}


@pytest.fixture
def stored(memory):
    """A memory with texts, links between them, and concepts of all and of one user's own."""
    memory.import_rows(STORED)
    link(memory, "tea", "cup", "supports", 0.6)
    for ends in RELATED:
        memory.relation_add(*ends)
        memory.run(calls.everyday.relate("default", *ends))
    memory.now_ms += MINUTE_MS * 60 * 24 * 30
    return memory


def kept(memory):
    return sorted(memory.records(), key=repr)


@pytest.mark.parametrize("name", READING)
def test_it_counts_what_the_twin_that_writes_counts(stored, name):
    call, before = READING[name](), stored.records()
    [written] = stored.run(call)
    expected = kept(stored)
    assert expected != sorted(before, key=repr)
    stored.empty()
    stored.import_rows(before)

    peek = call.procedure.peek().with_accessed()
    [row] = stored.run(call._replace(procedure=peek))
    assert kept(stored) == sorted(before, key=repr)
    accessed = row.pop("accessed")
    if name != "memory_node_get":
        assert row == written
    shared = "" if call.context.get("concepts") != "own" else "default"
    counted = calls.everyday.access(
        "default", accessed.get("memories", ()), accessed.get("concepts", {}), concept_scope=shared
    )
    stored.run(counted)
    assert kept(stored) == expected


def test_what_is_gone_meanwhile_or_of_another_user_is_skipped(stored):
    stored.import_rows([node("theirs", user_id="anna", content="Anna prefers coffee")])
    before = kept(stored)
    given = ["theirs", "gone"], {"nothing": 1.0}
    [row] = stored.run(calls.everyday.access("default", *given))
    assert row == {"memories": 0, "concepts": 0}
    assert kept(stored) == before
