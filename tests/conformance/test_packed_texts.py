"""Texts that look like the compressed form of another: they are stored, found and told as texts."""

import base64
import tracemalloc
import zlib

import pytest
from test_memory_ingest import ingest, kept, message

from concept_graph_mcp import calls
from conceptgraph_core.memories.schema import MARK, unpack
from memories import node


def like_packed(data: bytes) -> str:
    return MARK + base64.b64encode(zlib.compress(data, 9)).decode()


INNER = "Bought green apples"
TEXT = like_packed(INNER.encode())
BOMB = like_packed(b"\0" * 70_000_000)


@pytest.mark.parametrize("text", [TEXT, BOMB], ids=["small", "large"])
def test_it_can_be_told_in_every_way_and_comes_back_as_it_is(memory, text):
    memory.import_rows([node("other", content=INNER)])
    created = memory.run(calls.memories.create("default", text))[0]["memory_id"]
    assert ingest(memory, message(1, text))["created"] == 1
    assert ingest(memory, message(1, text)) == {"created": 0, "existing": 1, "differing": []}
    memory.import_rows([node("imported", content=text)])
    records = {key: record["content"] for key, record in kept(memory).items()}
    assert records == {"other": INNER, created: text, "t1": text, "imported": text}
    memory.import_rows(memory.records())
    assert {key: record["content"] for key, record in kept(memory).items()} == records
    assert memory.run(calls.transfer.check()) == []


def test_it_is_not_found_by_what_it_would_unpack_to(memory):
    memory.run(calls.memories.create("default", TEXT))
    memory.import_rows([node("other", content=INNER)])
    found = memory.run(calls.memories.search("default", "apples"))
    assert [row["memory_id"] for row in found] == ["other"]


def test_what_would_unpack_to_more_than_any_content_is_read_as_it_is(memory, hands):
    hands.node("Memory", id="bomb", user_id="default", content=BOMB)
    [row] = memory.run(calls.memories.get("bomb"))
    assert row["content"] == BOMB


def test_unpacking_takes_no_more_memory_than_a_content_may_have():
    tracemalloc.start()
    try:
        assert unpack(BOMB) == BOMB
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2_000_000
