"""`memory_tools` is a toolset of pydantic-ai."""

import asyncio

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from concept_graph_mcp import AsyncMemory
from concept_graph_mcp.dropins.pydantic_ai import VERBS, memory_tools

CALLS = [
    ToolCallPart("remember", {"text": "Clara may not eat hazelnuts", "keep": "weeks"}),
    ToolCallPart("remember", {"text": "Clara may not eat hazelnuts", "happened_at": "soon"}),
    ToolCallPart("remember", {"text": "Clara may not eat hazelnuts", "happened_at": "later"}),
    ToolCallPart("remember", {"text": "Clara may not eat hazelnuts", "about": ["Clara"]}),
    ToolCallPart("recall", {"message": "What may I not cook for Clara?"}),
]


class Script:
    """A model that makes the calls of a list, and notes what it is told."""

    def __init__(self):
        self.calls, self.told, self.tools = iter(CALLS), [], []

    def __call__(self, messages, info):
        self.told.append(messages[-1].parts[-1])
        self.tools, self.instructions = info.function_tools, messages[-1].instructions
        call = next(self.calls, None)
        return ModelResponse(parts=[TextPart("Done") if call is None else call])


def check(script, result):
    assert result.output == "Done"
    assert [one.name for one in script.tools] == list(VERBS)
    schema = script.tools[0].parameters_json_schema
    assert schema["properties"]["message"]["description"] == "The message, as the user wrote it."
    assert "self" not in schema["properties"]
    assert "Call recall with each message" in script.instructions
    _, literal, refused, again, stored, recalled = script.told
    assert "Input should be 'days', 'normal'" in str(literal.content)
    assert "happened_at: must be a date" in refused.content
    assert again.content.startswith("refused: happened_at: must be a date")
    assert stored.content["id"]
    assert "Clara may not eat hazelnuts" in recalled.content["text"]


def test_an_agent_remembers_and_recalls(memory):
    script = Script()
    agent = Agent(FunctionModel(script), toolsets=[memory_tools(memory)])
    check(script, asyncio.run(agent.run("Clara may not eat hazelnuts")))


def test_with_coroutines(place):
    async def talk():
        async with AsyncMemory.open(place, "ada", zone="UTC") as ada:
            script = Script()
            agent = Agent(FunctionModel(script), toolsets=[memory_tools(ada)])
            check(script, await agent.run("Clara may not eat hazelnuts"))

    asyncio.run(talk())
