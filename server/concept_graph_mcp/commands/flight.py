"""Replay a real flight over MCP, and print what all layers recall of it."""

import json
import os
import sys
import time
from collections.abc import AsyncIterator
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any, Final

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from rich.progress import Progress

from conceptgraph_core.words import languages

from .notes import note
from .terminal import notes, out

# The flight as episodes of concepts, and the messages and questions of Mission Control.
SAMPLES: Final = ("apollo13.jsonl", "apollo13_told.jsonl")
_TOOLS: Final = {
    "concept": "concept_upsert",
    "relation": "relation_add",
    "episode": "episode_add",
    "affect": "update_affect",
}
_OFFERING: Final = ("--enable-set-time", "--toolsets", "concept,everyday")
_BUDGET: Final = 330

Step = dict[str, Any]


def relive(path: Path) -> None:
    """Live through the flight in a server on the new store *path*, and print what it recalls."""
    anyio.run(_relive, path)


async def _relive(path: Path) -> None:
    [about, *flight], told = map(_sample, SAMPLES)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "concept_graph_mcp", f"--embedded={path}", *_OFFERING],
        env=_environment(about["time_zone"]),
    )
    out.print(about["title"], style="bold")
    out.print(f"{about['source'].partition(':')[0]}.")
    steps = sorted([*flight, *told], key=_at)
    started = time.perf_counter()
    async with Client(stdio_client(server)) as client:
        with Progress(console=notes, transient=True, disable=not notes.is_terminal) as progress:
            task = progress.add_task("living through it", total=len(steps))
            async for step, answer in _live(client, steps):
                if answer is not None:
                    _print(step, answer)
                progress.advance(task)
    note(f"{len(steps)} steps over MCP in {time.perf_counter() - started:.1f} s.")


def _environment(zone: str) -> dict[str, str]:
    """Return the environment of the demo's server: nothing that is set for the owner's own.

    But for the languages, which this process reads as well.
    """
    ours = ("CONCEPT_GRAPH_", "AROUSAL_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    spoken = {name: os.environ[name] for name in (languages.VARIABLE,) if name in os.environ}
    return kept | spoken | {"TZ": zone}


async def _live(client: Client, steps: list[Step]) -> AsyncIterator[tuple[Step, str | None]]:
    """Take each step at its own time; yield it with what was recalled, where it asks."""
    ids: dict[str, str] = {}
    now = None
    for step in steps:
        if step["at"] != now:
            now = step["at"]
            await _called(client, "set_time", {"now_ms": int(_at(step).timestamp() * 1000)})
        kind: str = step["kind"]
        named = {"kind", "at", "name"}
        given = {key: value for key, value in step.items() if key not in named}
        if "replaces" in given:
            given["replaces"] = ids[given["replaces"]]
        if kind == "recall":
            given["token_budget"] = _BUDGET
        answer = await _called(client, _TOOLS.get(kind, kind), given)
        if "name" in step:
            ids[step["name"]] = answer["id"]
        yield step, answer["text"] if kind == "recall" else None


def _print(step: Step, text: str) -> None:
    out.print()
    out.print(f"{_at(step):%d %B %Y}: {step['message']}", style="bold")
    for line in text.splitlines() or ["nothing belongs to that"]:
        out.print(f"  {line}")


async def _called(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    if result.is_error or result.structured_content is None:
        raise RuntimeError(f"{tool}: {getattr(result.content[0], 'text', 'failed')}")
    content: dict[str, Any] = result.structured_content
    return content


def _at(step: Step) -> datetime:
    return datetime.fromisoformat(step["at"])


def _sample(name: str) -> list[Step]:
    file = resources.files("concept_graph_mcp") / "sample" / name
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
