"""Turn a message history into a graph: chunk by chunk, in five steps each, with any model.

A chunk has the messages of some local days, and is lived through as if at its end. In each step the
model calls tools of our own server, over MCP, until it needs no more.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any
from zoneinfo import ZoneInfo

from mcp.client.client import Client

from conceptgraph_core.texts import dates

from ..file_formats.lines import FormatError, Record, Tally, json_objects, number_filled_lines
from ..file_formats.lines import text as read_text
from ..file_formats.messages import read_time
from .chat_model import Chat, Model, ModelError, Reply, ToolCall

_MOST_OF_A_NAME = 100
# Characters of a transcript for one call of the model, and rounds of calls that a step may have.
_CHARACTERS = 24_000
_ROUNDS = 50
# Otherwise a failing store or a confused model would use up all rounds.
_MOST_ERRORS_IN_A_ROW = 10
# Longer results would push everything else out of the model's context.
_MOST_OF_A_RESULT = 16_000

# The steps in their order, each with the tools that it may use. Each has its prompt in a file.
STEPS: Mapping[str, tuple[str, ...]] = {
    "organise": (),
    "search": ("concept_search", "recall_query"),
    "concepts": ("concept_search", "concept_upsert", "relation_add"),
    "episodes": ("episode_add",),
    "affect": ("update_affect",),
}


class BackfillError(Exception):
    """A history cannot be read, or a step cannot go on; the message is one line."""


@dataclass(frozen=True, slots=True)
class Message:
    """One line of the history. `at` is in local time; `day` never precedes an earlier line's."""

    line: int
    role: str
    text: str
    at: datetime
    day: date
    thread: str
    user_id: str | None


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages of some local days in the user's threads, in time order.

    Chunks are numbered from 1, which begins with the user's first day. `end_ms` is the last
    millisecond of the last day.
    """

    number: int
    first_day: date
    last_day: date
    end_ms: int
    messages: list[Message] = field(repr=False)


def read(file: Path, zone: ZoneInfo) -> Iterator[Message]:
    """Iterate over the messages of *file* with a text, in time order. Raises BackfillError."""
    earlier: Message | None = None
    try:
        with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as stream:
            for number, record in json_objects(number_filled_lines(stream, Tally())):
                earlier = _message(number, record, zone, earlier)
                if earlier.text.strip():
                    yield earlier
    except OSError as error:
        raise BackfillError(f"{file}: {error.strerror or error}") from None
    except FormatError as error:
        raise BackfillError(str(error)) from None


def chunks(file: Path, zone: ZoneInfo, user_id: str, days: int) -> tuple[list[Chunk], int]:
    """Return the chunks of *days* days that have messages, and the number of messages in none.

    All threads count in which the user speaks, from the user's first day on. Raises BackfillError.
    """
    messages = list(read(file, zone))
    own = [one for one in messages if one.user_id == user_id]
    if not own:
        raise BackfillError(f"{file}: no message has the user_id {user_id!r}")
    first, threads = own[0].day, {one.thread for one in own}
    found: dict[int, list[Message]] = {}
    for one in messages:
        if one.thread in threads and one.day >= first:
            found.setdefault((one.day - first).days // days + 1, []).append(one)
    made = [_chunk(number, first, days, zone, told) for number, told in found.items()]
    return made, len(messages) - sum(len(one.messages) for one in made)


def _chunk(number: int, first: date, days: int, zone: ZoneInfo, messages: list[Message]) -> Chunk:
    start = first.toordinal() + (number - 1) * days
    last = date.fromordinal(min(start + days, date.max.toordinal()) - 1)
    midnight = datetime.combine(last + timedelta(days=1), time(), zone)
    end_ms = int(midnight.timestamp()) * 1000 - 1
    return Chunk(number, date.fromordinal(start), last, end_ms, messages)


def _message(number: int, record: Record, zone: ZoneInfo, earlier: Message | None) -> Message:
    at = dates.moment(read_time(number, record, zone), zone)
    day = at.date()
    if earlier is not None:
        # Compared as instants: within one zone Python compares wall-clock times.
        if at.timestamp() < earlier.at.timestamp():
            raise FormatError(
                f"line {number}: created_at is earlier than in line {earlier.line};"
                " sort the file by created_at"
            )
        # Clocks set back over midnight must not lead back into a day that has ended.
        day = max(day, earlier.day)
    return Message(
        line=number,
        role=_name(number, record, "role"),
        # A character that no encoding has, such as half of a surrogate pair, becomes a question
        # mark.
        text=read_text(number, record, "text").encode(errors="replace").decode(),
        at=at,
        day=day,
        thread=_name(number, record, "thread"),
        user_id=None if record.get("user_id") is None else _name(number, record, "user_id"),
    )


def _name(number: int, record: Record, key: str) -> str:
    value = record.get(key)
    if key != "role" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    said = read_text(number, record, key)
    if not said.strip():
        raise FormatError(f"line {number}: {key}: must not be empty")
    return said


def parts(messages: Sequence[Message], most: int = _CHARACTERS) -> list[str]:
    """Return *messages* as text, by thread, in parts of at most *most* characters."""
    threads: dict[str, list[str]] = {}
    for one in messages:
        text = one.text.strip().replace("\n", "\n    ")
        speaker = f"{one.role} {one.user_id}" if one.user_id else one.role
        threads.setdefault(one.thread, []).append(f"[{one.at:%Y-%m-%d %H:%M}] {speaker}: {text}\n")
    made: list[str] = []
    part = ""
    for thread, lines in threads.items():
        header = f"# Thread {thread[:_MOST_OF_A_NAME]}\n\n"
        part += f"\n{header}" if part else header
        for piece in _pieces(lines, most - len(header)):
            if len(part) + len(piece) > most:
                # A part with only this thread's header ends before the header.
                made.append(part.removesuffix(header).rstrip("\n"))
                part = header
            part += piece
    made.append(part.rstrip("\n"))
    return [part for part in made if part]


def _split(text: str) -> list[str]:
    made = [""]
    for piece in _pieces(text.splitlines(keepends=True), _CHARACTERS):
        if len(made[-1]) + len(piece) > _CHARACTERS:
            made.append("")
        made[-1] += piece
    return [part for part in made if part.strip()]


def _pieces(lines: Sequence[str], most: int) -> Iterator[str]:
    for text in lines:
        for start in range(0, len(text), most):
            yield text[start : start + most]


@dataclass(slots=True)
class Spent:
    """The cost of a chunk, and its successful tool calls."""

    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 0


async def live_through(client: Client, model: Model, user_id: str, chunk: Chunk) -> Spent:
    """Take the five steps of *chunk*, each on the results of the earlier ones.

    *client* is one of a server with the tools of concepts, and `set_time`. Raises BackfillError or
    ModelError, which name the step.
    """
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    await client.call_tool("set_time", {"now_ms": chunk.end_ms})
    return await _Steps(client, tools, model, user_id, chunk).take()


class _Steps:
    """The steps of one chunk."""

    def __init__(
        self, client: Client, tools: Mapping[str, Any], model: Model, user_id: str, chunk: Chunk
    ) -> None:
        self._client, self._tools, self._model = client, tools, model
        self._user_id, self._chunk = user_id, chunk
        self._spent = Spent()

    async def take(self) -> Spent:
        known = [_section("Notes", await self._organise())]
        text, done = await self._step("search", known)
        known.append(_section("Known already from the memory", text or "\n".join(done)))
        for step in ("concepts", "episodes", "affect"):
            text, done = await self._step(step, known)
            # The successful calls, which are certain, before the model's own text on them.
            known.append(_section(f"Done by the step {step}", "\n".join([*done, text])))
        return self._spent

    async def _organise(self) -> str:
        """Return notes that fit into one model call, if the model can condense them."""
        told = parts(self._chunk.messages)
        while True:
            made = []
            for number, part in enumerate(told, 1):
                title = f"Part {number} of {len(told)}"
                text, _ = await self._step("organise", [f"{title}\n\n{part}"])
                if not text.strip():
                    raise BackfillError("organise: the model answered with nothing")
                made.append(text.strip())
            notes = "\n\n".join(made)
            if len(notes) <= _CHARACTERS or len(notes) >= sum(map(len, told)):
                return notes
            told = _split(notes)

    async def _step(self, step: str, known: Sequence[str]) -> tuple[str, list[str]]:
        """Return the model's last text in *step*, and a line about each successful call."""
        prompt = resources.files(__package__).joinpath(f"prompts/{step}.md")
        system = Template(prompt.read_text(encoding="utf-8")).safe_substitute(
            user_id=self._user_id,
            first_day=self._chunk.first_day,
            last_day=self._chunk.last_day,
        )
        chat: list[Chat] = [
            {"role": "system", "content": system},
            {"role": "user", "content": "\n\n".join(known)},
        ]
        done: list[str] = []
        errors_in_a_row = 0
        reply = await self._reply(step, chat)
        for _ in range(_ROUNDS):
            if not reply.calls:
                break
            chat.append(_make_chat(reply))
            for call in reply.calls:
                answer, has_failed = await self._call(step, call)
                chat.append({"role": "tool", "tool_call_id": call.id, "content": answer})
                errors_in_a_row = errors_in_a_row + 1 if has_failed else 0
                if not has_failed:
                    self._spent.calls += 1
                    done.append(f"{call.name} {call.arguments} -> {answer}")
                if errors_in_a_row == _MOST_ERRORS_IN_A_ROW:
                    raise BackfillError(
                        f"{step}: {errors_in_a_row} tool calls in a row failed; {answer}"
                    )
            reply = await self._reply(step, chat)
        return reply.text, done

    async def _reply(self, step: str, chat: list[Chat]) -> Reply:
        offered = [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": self._tools[name].description or "",
                    "parameters": self._tools[name].input_schema,
                },
            }
            for name in STEPS[step]
        ]
        try:
            reply = await self._model.reply(chat, offered)
        except ModelError as error:
            raise ModelError(f"{step}: {error}") from None
        self._spent.tokens_in += reply.tokens_in
        self._spent.tokens_out += reply.tokens_out
        return reply

    async def _call(self, step: str, call: ToolCall) -> tuple[str, bool]:
        """Return the answer to *call* for the model, and whether it is an error."""
        if call.name not in STEPS[step]:
            can = f"it may use {', '.join(STEPS[step])}" if STEPS[step] else "it has no tools"
            return f"error: {call.name}: is not for the step {step}; {can}", True
        try:
            arguments = json.loads(call.arguments or "{}")
        except (ValueError, RecursionError):
            arguments = None
        if not isinstance(arguments, dict):
            return f"error: {call.name}: the arguments are not a JSON object", True
        result = await self._client.call_tool(call.name, arguments)
        text = "\n".join(getattr(content, "text", "") for content in result.content)
        text = f"error: {text}" if result.is_error else text
        if len(text) > _MOST_OF_A_RESULT:
            text = f"{text[:_MOST_OF_A_RESULT]} ... (cut here; ask for less, with a lower limit)"
        return text, bool(result.is_error)


def _section(title: str, text: str) -> str:
    return f"# {title}\n\n{text.strip() or 'Nothing.'}"


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
