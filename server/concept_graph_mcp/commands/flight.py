"""A real flight lived through day by day over MCP, and what is recalled of it."""

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from rich.progress import Progress
from rich.table import Table

from conceptgraph_core.words import languages

from .. import calls
from ..stores.embedded.store import EmbeddedStore
from .figures import percent
from .finding import found_table
from .noting import note
from .terminal import cut, narrow, notes, out

SEEDS = ["oxygen tank 2", "cold"]
QUESTION = "what made the air hard to breathe?"
_SHOWN = 8
_FOUND = 3
_FIRST_RECALL = datetime.fromisoformat("1970-04-17T23:00:00-06:00")
_SECOND_RECALL = _FIRST_RECALL + timedelta(days=7)

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Played:
    """What the demo has to tell once the server has ended."""

    about: dict[str, Any]
    steps: int
    then: dict[str, Any]
    a_week_later: dict[str, Any]
    seconds: float


def relive(path: Path) -> None:
    """Live through the flight in a server on the new store *path*, and print what it recalls."""
    played = anyio.run(_play, path)
    # The tool says which words an episode was found by; why they weigh as they do, the store does.
    _print(played, anyio.run(_found, path))


async def _play(path: Path) -> _Played:
    about, *steps = _sample()
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "concept_graph_mcp", "--embedded", str(path), "--enable-set-time"],
        env=environment(about["time_zone"]),
    )
    started = time.perf_counter()
    async with Client(stdio_client(server)) as client:
        with Progress(console=notes, transient=True, disable=not notes.is_terminal) as progress:
            task = progress.add_task("living through it", total=len(steps))
            later = await _live(client, steps, _FIRST_RECALL, progress, task)
            then = await _recall(client, _FIRST_RECALL)
            await _live(client, later, _SECOND_RECALL, progress, task)
            a_week_later = await _recall(client, _SECOND_RECALL)
    return _Played(about, len(steps), then, a_week_later, time.perf_counter() - started)


def environment(zone: str) -> dict[str, str]:
    """Return the environment of a demo's server: nothing that is set for the owner's own.

    But for the languages, which this process reads as well.
    """
    ours = ("CONCEPT_GRAPH_", "AROUSAL_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    spoken = {name: os.environ[name] for name in (languages.VARIABLE,) if name in os.environ}
    return kept | spoken | {"TZ": zone}


async def _found(path: Path) -> list[dict[str, Any]]:
    store = EmbeddedStore(path, creates=False)
    try:
        now = {"now_ms": int(_SECOND_RECALL.timestamp() * 1000), "date": f"{_SECOND_RECALL:%Y%m%d}"}
        return await store.call(calls.concepts.associate(QUESTION, _FOUND), now)
    finally:
        await store.close()


async def _live(
    client: Client, steps: list[Step], until: datetime, progress: Progress, task: Any
) -> list[Step]:
    """Take those of *steps* that are before *until*, each at its own time; return the others."""
    now = None
    for index, step in enumerate(steps):
        at = datetime.fromisoformat(step["at"])
        if at > until:
            return steps[index:]
        if at != now:
            now = at
            await set_time(client, at)
        await called(client, *_tool(step))
        progress.advance(task)
    return []


def _tool(step: Step) -> tuple[str, dict[str, Any]]:
    name = {
        "concept": "concept_upsert",
        "relation": "relation_add",
        "episode": "episode_add",
        "affect": "update_affect",
    }[step["kind"]]
    return name, {key: value for key, value in step.items() if key not in ("kind", "at")}


async def _recall(client: Client, at: datetime) -> dict[str, Any]:
    await set_time(client, at)
    return await called(client, "recall_query", {"seeds": SEEDS, "max_hop": 2, "limit": _SHOWN})


def _print(played: _Played, answers: list[dict[str, Any]]) -> None:
    out.print(played.about["title"], style="bold")
    out.print(f"{played.about['source'].partition(':')[0]}.", end="\n\n")
    for found, at, when in (
        (played.then, _FIRST_RECALL, "that evening"),
        (played.a_week_later, _SECOND_RECALL, "a week later"),
    ):
        out.print(_table(found, f"{' and '.join(SEEDS)}, {when}, {at:%d %B %Y}"))
        out.print(f"the strongest {_SHOWN} of {found.get('total', _SHOWN)}", end="\n\n")
    out.print(found_table(answers, QUESTION, explain=True), end="\n\n")
    note(f"{played.steps} steps over MCP in {played.seconds:.1f} s.")


def _table(found: dict[str, Any], title: str) -> Table:
    table = Table(title, narrow("strength"), narrow("valence"))
    # Scores fade by the day; that one is a third of another does not.
    strongest = found["propositions"][0]["score"]
    for row in found["propositions"]:
        valence = "" if row["valence"] is None else f"{row['valence']:+.2f}"
        table.add_row(cut(row["text"]), percent(row["score"] / strongest), valence)
    return table


async def set_time(client: Client, at: datetime) -> None:
    await called(client, "set_time", {"now_ms": int(at.timestamp() * 1000)})


async def called(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    if result.is_error or result.structured_content is None:
        raise RuntimeError(f"{tool}: {getattr(result.content[0], 'text', 'failed')}")
    content: dict[str, Any] = result.structured_content
    return content


def _sample() -> list[Step]:
    return list(_lines(resources.files("concept_graph_mcp") / "sample" / "apollo13.jsonl"))


def _lines(file: Any) -> Iterator[Step]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
