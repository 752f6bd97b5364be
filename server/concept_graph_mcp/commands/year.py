"""A family's year kept over MCP: what is remembered, fades, comes back, and is never lost."""

import json
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from rich.progress import Progress
from rich.table import Table

from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.memories.rules import STATES

from .. import calls
from ..calls import Call
from ..stores.embedded.store import EmbeddedStore
from .flight import called, environment, set_time
from .noting import note
from .terminal import cut, narrow, notes, out, say, wide

FIRST_QUESTION = "what must we not cook for Mia?"
LAST_QUESTION = "what have we learnt about growing tomatoes?"
_REASON = "hazelnuts, not peanuts"
_BUDGET = 150
_OFFERING = ("--enable-set-time", "--toolsets", "concept,memory")
_DAYS = 365
# After so many days a line of the table.
_LOOKED = (30, 60, 120, 180, 240, 300, _DAYS)
_ID = re.compile(r" [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Row = dict[str, Any]


@dataclass(slots=True)
class _Year:
    """One run of the demo: the server's client, the store beside it, and what was seen."""

    client: Client
    store: EmbeddedStore
    now: datetime
    ids: dict[str, str] = field(default_factory=dict)
    links: int = 0
    answers: dict[str, str] = field(default_factory=dict)
    looked: list[tuple[datetime, Counter[str]]] = field(default_factory=list)

    async def tool(self, name: str, **arguments: Any) -> Row:
        await set_time(self.client, self.now)
        return await called(self.client, name, arguments)

    async def owner(self, call: Call) -> list[Row]:
        """Return what the owner's command line or the worker gets, who use the same file."""
        now_ms = int(self.now.timestamp() * 1000)
        context = {"now_ms": now_ms, "date": f"{self.now:%Y%m%d}", "user_id": DEFAULT_USER}
        return await self.store.call(call, context | {"decay": {}, "expires": False})


def live(path: Path) -> None:
    """Live through the year in a server on the new store *path*, and print what is seen of it."""
    anyio.run(_live, path)


async def _live(path: Path) -> None:
    about, *steps = _sample()
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "concept_graph_mcp", f"--embedded={path}", *_OFFERING],
        env=environment(about["time_zone"]),
    )
    store = EmbeddedStore(path)
    started = time.perf_counter()
    try:
        async with Client(stdio_client(server)) as client:
            year = _Year(client, store, datetime.fromisoformat(steps[0]["at"]))
            out.print(about["title"], style="bold")
            await _days(year, steps)
            await _print_first(year, steps)
            _print_year(year)
            await _print_boiler(year)
            await _print_forgotten(year, steps)
            await _print_last(year)
    finally:
        await store.close()
    note(
        f"{len(steps)} steps over MCP and {_DAYS} nights in {time.perf_counter() - started:.1f} s."
    )


async def _days(year: _Year, steps: list[Row]) -> None:
    """Take each step at its time; every night the worker lets time pass."""
    begin = year.now.replace(hour=3, minute=0)
    with Progress(console=notes, transient=True, disable=not notes.is_terminal) as progress:
        task = progress.add_task("living through it", total=_DAYS)
        for day in range(1, _DAYS + 1):
            night = begin + timedelta(days=day)
            while steps_due := [one for one in steps if _at(one) < night and "done" not in one]:
                step = steps_due[0]
                year.now, step["done"] = _at(step), True
                await _step(year, step)
            year.now = night
            await year.owner(calls.upkeep.decay_batch(DEFAULT_USER))
            if day in _LOOKED:
                rows = await year.owner(calls.upkeep.listed(DEFAULT_USER))
                year.looked.append((night, Counter(row["state"] for row in rows)))
            progress.advance(task)


async def _step(year: _Year, step: Row) -> None:
    if step["kind"] == "ask":
        found = await year.tool("memory_context", query=step["query"], token_budget=_BUDGET)
        year.answers[step["query"]] = found["text"]
        return
    told = ("content", "summary", "type", "tags", "importance", "concepts")
    given = {name: step[name] for name in told if name in step}
    made = await year.tool("memory_node_create", **given)
    year.ids[step["name"]] = made["memory_id"]
    for relation, other in step.get("links", []):
        ends = {"source_id": made["memory_id"], "target_id": year.ids[other]}
        await year.tool("memory_node_link", **ends, type=relation)
        year.links += 1


async def _print_first(year: _Year, steps: list[Row]) -> None:
    kept = [step for step in steps if step["kind"] == "keep"]
    first, last = (f"{_at(step):%d %B %Y}" for step in (kept[0], kept[-1]))
    say(f"{len(kept)} memories kept from {first} to {last}, and {year.links} links between them.")
    out.print()
    found = await year.tool("memory_node_search", query=FIRST_QUESTION, limit=3)
    table = Table(wide(f"memory_node_search: {FIRST_QUESTION}"), narrow("score"), wide("matched"))
    for row in found["memories"]:
        table.add_row(cut(row["text"]), f"{row['score']:.2f}", ", ".join(row["matched"]))
    out.print(table, end="\n\n")


def _print_year(year: _Year) -> None:
    say("A year of nights, in which the worker lets memories fade:")
    table = Table("night of", *(narrow(state) for state in STATES))
    for at, states in year.looked:
        table.add_row(f"{at:%d %B %Y}", *(f"{states[state] or '-'}" for state in STATES))
    out.print(table, end="\n\n")


async def _print_boiler(year: _Year) -> None:
    say("What the technician said of the boiler had no use for months, then it did:")
    [row] = await year.owner(calls.upkeep.show(year.ids["valve"]))
    for entry in row["metadata"]["history"]:
        at = datetime.fromtimestamp(entry["at"] / 1000, year.now.tzinfo)
        out.print(f"  {at:%d %B %Y}: {entry['from']} → {entry['to']}, score {entry['score']:.3f}")
    [(question, text)] = [one for one in year.answers.items() if "boiler" in one[0]]
    out.print()
    say(f"memory_context: {question}")
    _print_context(text)


async def _print_forgotten(year: _Year, steps: list[Row]) -> None:
    wrong = year.ids["peanuts"]
    await year.tool("memory_node_forget", memory_id=wrong, reason=_REASON)
    found = await year.tool("memory_node_search", query="peanuts")
    say("Forgotten is not lost:")
    say(f"  memory_node_forget, reason: {_REASON}; found now: {len(found['memories'])}")
    listed = await year.owner(calls.upkeep.listed(DEFAULT_USER, ["expired"]))
    say(f"  memories list --state expired: {len(listed)}")
    for row in sorted(listed, key=lambda row: int(row["created_at"])):
        say(f"    {row['text']}")
        await year.owner(calls.upkeep.restore(row["memory_id"]))
    texts = {step["content"] for step in steps if step["kind"] == "keep"}
    rows = [await year.owner(calls.upkeep.show(one)) for one in year.ids.values()]
    whole = sum(row["content"] in texts for [row] in rows)
    say(f"  memories restore: {whole} of {len(texts)} are there again, word for word.")
    out.print()


async def _print_last(year: _Year) -> None:
    say(f"memory_context, a year later: {LAST_QUESTION}")
    found = await year.tool("memory_context", query=LAST_QUESTION, token_budget=_BUDGET)
    _print_context(found["text"])
    say(f"{found['tokens']} of {_BUDGET} tokens, ids left out here")


def _print_context(text: str) -> None:
    for line in text.splitlines():
        out.print(f"  {_ID.sub('', line)}")
    out.print()


def _at(step: Row) -> datetime:
    return datetime.fromisoformat(step["at"])


def _sample() -> list[Row]:
    file = resources.files("concept_graph_mcp") / "sample" / "a_year.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
