"""`MemoryBlock` is a block of LlamaIndex's memory."""

import asyncio

import pytest

pytest.importorskip("llama_index.core.memory")

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory as ShortTerm

from concept_graph_mcp import AsyncMemory
from concept_graph_mcp.dropins.llama_index import MemoryBlock

SAID = ChatMessage(role="user", content="My sister Clara is allergic to hazelnuts")
ASKED = ChatMessage(role="user", content="What may I not cook for Clara? Hazelnuts?")


def test_what_the_short_term_lets_go_comes_back(memory):
    async def talk():
        block = MemoryBlock(memory=memory)
        short = ShortTerm.from_defaults(
            session_id="s1", token_limit=60, token_flush_size=10, memory_blocks=[block]
        )
        await short.aput(SAID)
        for number in range(20):
            await short.aput(ChatMessage(role="assistant", content=f"Line {number} of a long poem"))
        await short.aput(ASKED)
        return await short.aget()

    told = "\n".join(one.content or "" for one in asyncio.run(talk()))
    assert "<KnownFromBefore>" in told
    assert "“My sister Clara is allergic to hazelnuts”" in told
    assert "hazelnuts" in memory.recall("What is Clara allergic to?")["text"]


def test_with_coroutines(place):
    async def talk():
        async with AsyncMemory.open(place, "ada", zone="UTC") as ada:
            block = MemoryBlock(memory=ada)
            await block.aput([SAID, ChatMessage(role="tool", content="hazelnuts: none")])
            assert await block.aget([]) == ""
            assert await block.aget(None) == ""
            return (await ada.search("hazelnuts"))["total"], await block.aget([ASKED])

    total, told = asyncio.run(talk())
    assert total == 1
    assert "hazelnuts" in told


@pytest.mark.parametrize(("cut", "left"), [(0, "one\ntwo"), (1, "one"), (2, None), (9, None)])
def test_too_long_a_text_loses_its_last_lines(memory, cut, left):
    block = MemoryBlock(memory=memory)
    assert asyncio.run(block.atruncate("one\ntwo", cut)) == left
