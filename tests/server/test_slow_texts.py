"""No text, however it was made, keeps a tool busy: its cost grows with its length and no faster."""

import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from anyio.from_thread import BlockingPortal
from mcp.server.mcpserver.exceptions import ToolError

from concept_graph_mcp import calls
from concept_graph_mcp.hooks.notes import make_notes_on_prompt
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.tools.adapter import ConceptTool
from concept_graph_mcp.tools.toolsets import TOOLSETS, tools
from conceptgraph_core.verbs.limits import DEFAULT_TAU_MS, MAX_SUMMARY

NOW_MS = 1_750_000_000_000
LONG = 32_000
# The most characters of a name; a longer one is refused unread.
NAME = 1_000
# In seconds of processor. An idle machine needs less than one.
MOST = 3.0
# Four times the text takes about four times as long. A square of the length would be sixteen.
MOST_GROWTH = 8
BRIEF = 0.5

# A text is a start, one of these again and again, and an end.
REPEATED = {
    "line ends": "\n",
    "blanks": " ",
    "tabs": "\t",
    "line ends and blanks": "\n ",
    "hyphens": "-",
    "full stops": ".",
    "commas": ",",
    "brackets": "(",
    "brackets of all kinds": "([{",
    "nested brackets": "(a ",
    "quotation marks": '"',
    "typographic quotation marks": "“",
    "single quotation marks": " '",
    "quotations": "“a” ",
    "apostrophes": "'s ",
    "letters": "a",
    "letters and underscores": "a_",
    "alternating case": "aA",
    "words": "word ",
    "I": "I ",
    "I am": "I am ",
    "my boss": "my boss ",
    "my": "my ",
    "name": "Anna ",
    "two names": "Anna Smith ",
    "names and": "Anna and ",
    "names in brackets": "Anna (",
    "and": "and ",
    "not": "not ",
    "because": "because ",
    "said": " said ",
    "saying": "said: ",
    "please": "please ",
    "translate": "translate ",
    "write": "write a ",
    "questions": "? ",
    "digits": "1",
    "dates": "2020-01-01 ",
    "points": "\n1. ",
    "years": "in 2020 ",
    "prices": "$1 ",
    "numbers": "1,",
    "addresses": "http://",
    "hosts": "a.",
    "at": "@",
    "number signs": "#",
    "backticks": "`",
    "emoji": "\N{GRINNING FACE}",
    "joined emoji": "\N{MAN}\N{ZERO WIDTH JOINER}",
    "combining marks": "\u0301",
    "Chinese": "\u6211",
    "Hebrew": "\u05d0 ",
    "zero width": "\u200b",
    "German": "Ich bin in ",
    "sentences": "I live in Rome. ",
    "kin": "my sister Anna ",
    "lines of names": "Anna Smith\n",
}

Call = Callable[[str], Awaitable[Any]]


class Tools:
    """All tools over a new store, each with arguments that work but for the one that is tried."""

    def __init__(self, session: Session) -> None:
        self._offered = {
            toolset: tools(session, (toolset,), with_set_time=False) for toolset in TOOLSETS
        }
        self._ids: dict[str, Any] = {"speaker": "user"}

    async def fill(self) -> None:
        """Store a memory and an entity, for the tools that take the id of one."""
        named = {"memory": "memory_node_create", "entity": "entity_observe"}
        create, observe = (
            next(one for one in self._offered[toolset] if one.name == name)
            for toolset, name in named.items()
        )
        memory = await create.run({"content": "Zeus"}, None)
        message = {"session_id": "s", "message_id": "1", "speaker": "user", "text": "Zeus"}
        about = {"observations": [{"label": "Zeus", "type": "entity"}]}
        observed = await observe.run(message | about, None)
        self._ids["memory_id"] = memory["memory_id"]
        self._ids["entity_id"] = observed["entities"][0]["entity_id"]

    def calls(self) -> Iterator[tuple[str, Call]]:
        """Yield each text argument's name, and a call of its tool with a text in it."""
        for offered in self._offered.values():
            for tool in offered:
                schemas = tool.parameters["properties"]
                required = tool.parameters.get("required", ())
                given = {one: self._ids.get(one, _make_value(schemas[one])) for one in required}
                for argument, schema in schemas.items():
                    if (count := _count_texts(schema)) is not None:
                        yield f"{tool.name}.{argument}", partial(_run, tool, given, argument, count)


def _count_texts(schema: dict[str, Any]) -> int | None:
    """Return how many texts an argument takes: 0 for one that is no list; None if it takes none."""
    for one in schema.get("anyOf", [schema]):
        if one.get("type") == "string" and "enum" not in one:
            return 0
        if one.get("type") == "array" and _count_texts(one["items"]) == 0:
            return int(one.get("maxItems", LONG // NAME))
    return None


def _make_value(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("anyOf", [schema])[0]["type"]
    simplest = {"string": "x", "integer": 1, "number": 1, "boolean": True}
    return ["x"] * schema.get("minItems", 0) if kind == "array" else simplest[kind]


async def _run(
    tool: ConceptTool, given: dict[str, Any], argument: str, count: int, text: str
) -> None:
    """Run *tool* with *text*, or with its beginning if it takes no longer one."""
    for said in (text, text[:MAX_SUMMARY], text[:NAME]):
        listed = [f"{number}{text[: NAME - 3]}" for number in range(count)]
        try:
            await tool.run({**given, argument: listed if count else said}, None)
        except ToolError:
            continue
        return


async def _ingest(session: Session, text: str) -> None:
    message = {"id": "1", "thread": "1", "speaker": "user", "said_at": NOW_MS, "metadata": {}}
    await session.run(calls.memories.ingest(session.user_id, [{**message, "text": text}]))


async def _prompt(session: Session, text: str) -> None:
    await make_notes_on_prompt(session, text, "", 600, ())


async def _measure(call: Call, text: str) -> float:
    """Return the seconds of processor that *call* takes with *text*."""
    started = time.process_time()
    await call(text)
    return time.process_time() - started


async def _find_slow(session: Session, make: Callable[[int], str]) -> dict[str, float]:
    """Return what takes too long with a text of *make*, a function of its length, and how long."""
    offered = Tools(session)
    await offered.fill()
    tried = [
        *offered.calls(),
        ("ingest.text", partial(_ingest, session)),
        ("hook.prompt", partial(_prompt, session)),
    ]
    slow = {}
    for name, call in tried:
        seconds = await _measure(call, make(LONG))
        # What is done in no time is not worth comparing with anything.
        if seconds > MOST or (
            seconds > BRIEF and seconds > MOST_GROWTH * await _measure(call, make(LONG // 4))
        ):
            slow[name] = seconds
    return slow


def test_there_are_at_least_forty_shapes_of_text() -> None:
    assert len(set(REPEATED.values())) == len(REPEATED) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("repeated", REPEATED.values(), ids=REPEATED)
def test_no_text_keeps_a_tool_busy(repeated: str, portal: BlockingPortal, tmp_path: Path) -> None:
    def make(length: int) -> str:
        # Patterns that look for an end read on to the last letter.
        return f"a{repeated * (length // len(repeated))}b"

    async def run() -> dict[str, float]:
        store = EmbeddedStore(tmp_path / "memory.db")
        session = Session(store, DEFAULT_TAU_MS, ZoneInfo("UTC"), Clock(NOW_MS))
        try:
            return await _find_slow(session, make)
        finally:
            await store.close()

    assert portal.call(run) == {}
