"""`MemoryService` is a memory service of Google's ADK. The package is large, so CI skips this."""

import asyncio

import pytest

pytest.importorskip("google.adk.memory")

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Content, FunctionCall, Part

from concept_graph_mcp import AsyncMemory
from concept_graph_mcp.dropins.google_adk import MemoryService

MADE_S = 1_749_000_000.0


@pytest.fixture
def service(memory):
    # Each call names its user.
    return MemoryService(memory.of("nobody"))


def event(number, said, author="user", *parts):
    content = Content(role="user", parts=[Part(text=said), *parts] if said else [*parts])
    return Event(id=f"e{number}", author=author, content=content, timestamp=MADE_S + number)


def session(*events, app="kitchen", user="ada", id_="s1"):
    return Session(id=id_, app_name=app, user_id=user, events=list(events))


def search(service, query, app="kitchen", user="ada"):
    found = asyncio.run(service.search_memory(app_name=app, user_id=user, query=query))
    return [one.content.parts[0].text for one in found.memories]


HAZELNUTS = event(1, "Clara is allergic to hazelnuts")


def test_what_was_said_in_a_session_is_found(service):
    assert isinstance(service, BaseMemoryService)
    called = event(2, "", "cook", Part(function_call=FunctionCall(name="hazelnuts", args={})))
    thought = event(3, "", "cook", Part(text="hazelnuts?", thought=True))
    asyncio.run(
        service.add_session_to_memory(
            session(HAZELNUTS, called, thought, event(4, "Noted", "cook"), Event(author="cook"))
        )
    )
    found = asyncio.run(
        service.search_memory(app_name="kitchen", user_id="ada", query="Who may eat hazelnuts?")
    )
    # An answer is found by its question.
    entry, *others = found.memories
    assert [one.content.parts[0].text for one in others] in ([], ["Noted"])
    assert entry.content == Content(
        role="user", parts=[Part(text="Clara is allergic to hazelnuts")]
    )
    assert (entry.author, entry.timestamp) == ("user", "2025-06-04T01:20:01+00:00")
    assert search(service, "") == search(service, "Where is the bicycle?") == []


def test_a_session_may_be_added_again_after_it_grew(service, memory):
    first, grown = session(HAZELNUTS), session(HAZELNUTS, event(2, "Clara plays chess"))
    for one in (first, grown, grown):
        asyncio.run(service.add_session_to_memory(one))
    assert search(service, "Clara") in (
        [HAZELNUTS.content.parts[0].text, "Clara plays chess"],
        ["Clara plays chess", HAZELNUTS.content.parts[0].text],
    )
    assert "allergic" in memory.of("ada").recall("What is Clara allergic to?")["text"]


def test_events_and_memories_are_added_by_themselves(service):
    async def use():
        scope = {"app_name": "kitchen", "user_id": "ada"}
        await service.add_events_to_memory(**scope, events=[HAZELNUTS])
        await service.add_events_to_memory(**scope, events=[HAZELNUTS], session_id="s1")
        entry = MemoryEntry(
            content=Content(parts=[Part(text="Clara plays chess")]),
            custom_metadata={"sure": True},
            timestamp="yesterday",
        )
        await service.add_memory(**scope, memories=[entry])
        return (await service.search_memory(**scope, query="chess")).memories

    [entry] = asyncio.run(use())
    assert (entry.custom_metadata, entry.timestamp) == ({"sure": True}, "yesterday")
    assert len(search(service, "hazelnuts")) == 2


def test_neither_users_nor_apps_cross(service):
    for user in ("ada", "bob"):
        for app in ("kitchen", "garden", "kitchen/sessions"):
            said = event(1, f"{user} has nuts in the {app}")
            asyncio.run(service.add_session_to_memory(session(said, app=app, user=user)))
    for user in ("ada", "bob"):
        for app in ("kitchen", "garden", "kitchen/sessions"):
            assert search(service, "nuts", app, user) == [f"{user} has nuts in the {app}"]
    assert search(service, "nuts", "kitchen", "eve") == []


def test_a_deleted_memory_is_not_added_again(service):
    async def use():
        scope = {"app_name": "kitchen", "user_id": "ada"}
        await service.add_session_to_memory(session(HAZELNUTS))
        [entry] = (await service.search_memory(**scope, query="hazelnuts")).memories
        for other in ({"user_id": "bob"}, {"app_name": "garden"}):
            await service.delete_memory(**scope | other, memory_id=entry.id)
        assert len((await service.search_memory(**scope, query="hazelnuts")).memories) == 1
        await service.delete_memory(**scope)
        await service.delete_memory(**scope, memory_id=entry.id)
        await service.add_session_to_memory(session(HAZELNUTS))
        return (await service.search_memory(**scope, query="hazelnuts")).memories

    assert asyncio.run(use()) == []


def test_secrets_are_replaced_before_they_are_stored(service):
    key = "sk-proj-" + "a1B2" * 8
    asyncio.run(service.add_session_to_memory(session(event(1, f"The key is {key}"))))
    [said] = search(service, "What is the key?")
    assert said == "The key is [secret: OpenAI API Key]"


def test_with_coroutines_of_an_async_memory(place):
    async def use():
        async with AsyncMemory.open(place) as memory:
            service = MemoryService(memory)
            await service.add_session_to_memory(session(HAZELNUTS))
            scope = {"app_name": "kitchen", "user_id": "ada"}
            return (await service.search_memory(**scope, query="hazelnuts")).memories

    assert len(asyncio.run(use())) == 1
