"""Run one step as a conversation: the model calls tools until it needs no more."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .steps import Step, StepError

# Otherwise a failing store or a confused model would use up all rounds.
_MOST_ERRORS_IN_A_ROW = 10
# Longer results would push everything else out of the model's context.
_MOST_OF_A_RESULT = 16_000

Chat = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call by the model; its arguments should be JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply, and the tokens that it cost."""

    text: str
    calls: tuple[ToolCall, ...]
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's answer; with *failed*, its error message."""

    text: str
    failed: bool = False


class Model(Protocol):
    """Any chat model that can call tools."""

    async def reply(self, chat: Sequence[Chat], tools: Sequence[Chat]) -> Reply:
        """Return the model's next message in *chat*. Raises ModelError."""


class Tools(Protocol):
    """The tools of our server."""

    def describe_tools(self, names: Sequence[str]) -> list[Chat]:
        """Return the descriptions of the tools *names* for a model."""

    async def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Call a tool. Raises WorkingStoreError if the server is gone."""

    async def set_time(self, now_ms: int) -> None:
        """Stop the server's clock at *now_ms*. Raises WorkingStoreError."""


@dataclass(slots=True)
class Spent:
    """The cost of a chunk, and its successful tool calls."""

    tokens_in: int = 0
    tokens_out: int = 0
    replies: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    tool_errors: int = 0
    cut_short: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A step's final text, and a line about each successful call."""

    text: str
    done: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversations:
    """The parts that all conversations share; after *rounds* rounds of calls one is cut off."""

    model: Model
    tools: Tools
    rounds: int

    async def hold(self, step: Step, system: str, user: str, spent: Spent) -> Outcome:
        """Run *step* and add to *spent*. Raises StepError, ModelError or WorkingStoreError."""
        chat: list[Chat] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        offered = self.tools.describe_tools(step.tools)
        done: list[str] = []
        errors_in_a_row = 0
        reply = await self._reply(chat, offered, spent)
        for _ in range(self.rounds):
            if not reply.calls:
                break
            chat.append(_make_chat(reply))
            for call in reply.calls:
                answer = await self._answer(step, call)
                chat.append({"role": "tool", "tool_call_id": call.id, "content": answer.text})
                if answer.failed:
                    errors_in_a_row += 1
                    spent.tool_errors += 1
                else:
                    errors_in_a_row = 0
                    spent.calls[call.name] += 1
                    done.append(f"{call.name} {call.arguments} -> {answer.text}")
                if errors_in_a_row == _MOST_ERRORS_IN_A_ROW:
                    raise StepError(f"{errors_in_a_row} tool calls in a row failed; {answer.text}")
            reply = await self._reply(chat, offered, spent)
        if reply.calls:
            spent.cut_short.append(step.name)
        return Outcome(reply.text, tuple(done))

    async def _reply(self, chat: list[Chat], tools: list[Chat], spent: Spent) -> Reply:
        reply = await self.model.reply(chat, tools)
        spent.replies += 1
        spent.tokens_in += reply.tokens_in
        spent.tokens_out += reply.tokens_out
        return reply

    async def _answer(self, step: Step, call: ToolCall) -> Answer:
        """Return the answer to *call* for the model; errors of the call become answers too."""
        if call.name not in step.tools:
            can = f"it may use {', '.join(step.tools)}" if step.tools else "it has no tools"
            return Answer(
                f"error: {call.name}: is not for the step {step.name}; {can}", failed=True
            )
        try:
            arguments = json.loads(call.arguments or "{}")
        except (ValueError, RecursionError):
            arguments = None
        if not isinstance(arguments, dict):
            return Answer(f"error: {call.name}: the arguments are not a JSON object", failed=True)
        answer = await self.tools.call(call.name, arguments)
        text = f"error: {answer.text}" if answer.failed else answer.text
        if len(text) > _MOST_OF_A_RESULT:
            text = f"{text[:_MOST_OF_A_RESULT]} ... (cut here; ask for less, with a lower limit)"
        return Answer(text, answer.failed)


def _make_chat(reply: Reply) -> Chat:
    """Return *reply* as a message of the chat."""
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in reply.calls
    ]
    return {"role": "assistant", "content": reply.text or None, "tool_calls": calls}
