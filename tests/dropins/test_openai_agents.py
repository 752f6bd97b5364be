"""`MemorySession` is a session of the OpenAI Agents SDK, used by its own runner without a model."""

import asyncio

import pytest

pytest.importorskip("agents.memory")

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.memory import Session, SessionSettings
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from concept_graph_mcp import AsyncMemory
from concept_graph_mcp.dropins.openai_agents import MemorySession
from concept_graph_mcp.errors import StoreError

SAID = {"role": "user", "content": "Clara is allergic to hazelnuts"}
ITEMS = [
    SAID,
    {"type": "function_call", "call_id": "1", "name": "look", "arguments": '{"at": "hazelnuts"}'},
    {"type": "function_call_output", "call_id": "1", "output": "hazelnuts \0 \ud800 cost 3"},
    {
        "type": "message",
        "role": "assistant",
        "id": "m1",
        "status": "completed",
        "content": [{"type": "output_text", "text": "I shall remember it", "annotations": []}],
    },
    {"role": "system", "content": "hazelnuts are the topic"},
    {"role": "user", "content": ""},
    {"role": "user", "content": [{"type": "input_image", "image_url": "data:,"}]},
]


@pytest.fixture
def session(memory):
    return MemorySession("s.1/\n\u00fc", memory)


def test_it_is_a_session(session):
    assert isinstance(session, Session)


def test_items_are_returned_as_they_were_added(session):
    async def use():
        await session.add_items(ITEMS[:3])
        await session.add_items(ITEMS[3:])
        await session.add_items([])
        assert await session.get_items() == ITEMS
        assert await session.get_items(limit=2) == ITEMS[-2:]
        assert await session.get_items(limit=100) == await session.get_items(limit=-1) == ITEMS
        assert await session.get_items(limit=0) == []

    asyncio.run(use())


def test_the_latest_item_is_popped_and_a_session_is_cleared(session, memory):
    async def use():
        await session.add_items(ITEMS)
        other = MemorySession("other", memory)
        await other.add_items([SAID])
        assert await session.pop_item() == ITEMS[-1]
        await session.add_items([ITEMS[1]])
        assert await session.get_items() == [*ITEMS[:-1], ITEMS[1]]
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None
        assert await other.get_items() == [SAID]

    asyncio.run(use())


def test_the_settings_limit_what_a_run_gets(memory):
    async def use():
        session = MemorySession("1", memory, session_settings=SessionSettings(limit=1))
        await session.add_items(ITEMS)
        assert await session.get_items() == ITEMS[-1:]
        assert len(await session.get_items(limit=3)) == 3

    asyncio.run(use())


def test_what_was_said_is_recalled_without_secrets_and_tools(session, memory):
    key = "sk-proj-" + "a1B2" * 8
    asyncio.run(session.add_items([*ITEMS, {"role": "user", "content": f"The key is {key}"}]))
    recalled = memory.recall("What is Clara allergic to?")
    assert "allergic to hazelnuts" in recalled["text"]
    found = memory.search("hazelnuts", kinds=["memory"])["found"]
    assert found[0]["text"] == SAID["content"]
    # An answer is found by its question.
    assert {one["text"] for one in found[1:]} <= {"I shall remember it"}
    assert key not in str(memory.search("What is the key?"))
    assert asyncio.run(session.get_items(1))[0]["content"] == f"The key is {key}"


def test_users_have_sessions_of_their_own(place):
    async def use():
        async with AsyncMemory.open(place, "ada") as ada:
            sessions = [MemorySession("1", ada), MemorySession("1", ada.of("bob"))]
            for session in sessions:
                await session.add_items(
                    [{"role": "user", "content": session._memory._opened.session.user_id}]
                )
            await sessions[1].clear_session()
            return [await session.get_items() for session in sessions]

    assert asyncio.run(use()) == [[{"role": "user", "content": "ada"}], []]


def test_tasks_that_add_at_once_lose_nothing(session):
    async def use():
        lists = [[{"role": "user", "content": f"{n} {m}"} for m in range(3)] for n in range(8)]
        await asyncio.gather(*(session.add_items(items) for items in lists))
        got = await session.get_items()
        # The items of one call stay together.
        return [got[n : n + 3] for n in range(0, 24, 3)], lists

    got, lists = asyncio.run(use())
    assert sorted(got, key=str) == sorted(lists, key=str)


def test_what_cannot_be_stored_is_refused_as_a_whole(session):
    async def use():
        with pytest.raises(TypeError, match="not JSON serializable"):
            await session.add_items([SAID, {"role": "user", "content": object()}])
        with pytest.raises(StoreError, match=r"value: .* too long"):
            await session.add_items([SAID, {"role": "user", "content": "x" * 10_000_001}])
        return await session.get_items()

    assert asyncio.run(use()) == []


class Parrot(Model):
    """A model that says how many items it was given."""

    async def get_response(self, system_instructions, input, *_, **__):
        text = ResponseOutputText(text=f"I got {len(input)}", type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id="m", content=[text], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def test_the_runner_goes_on_with_the_conversation(session, memory):
    set_tracing_disabled(True)

    async def use():
        agent = Agent(name="parrot", model=Parrot())
        said = ["My sister is Clara", "Who is my sister?"]
        return [(await Runner.run(agent, one, session=session)).final_output for one in said]

    assert asyncio.run(use()) == ["I got 1", "I got 3"]
    assert "My sister is Clara" in memory.recall("Who is my sister?")["text"]
