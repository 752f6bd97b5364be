"""A year of somebody's memory, a day at a time: what is active, dormant, archived and gone.

    python -m benchmarks.year MESSAGES QUERIES PERSONA.json … [--days 365] [--at-once]

For files of RealMem (github.com/zhiyuan5986/RealMemBench, Apache-2.0): MESSAGES and QUERIES as JSON
Lines, {id, memory, thread, time_ms, speaker, text} and {memory, text, asked_ms}, and the personas
themselves for what was extracted from each session. Every message is ingested when it was said, as
a program does that hands each on. What was extracted from it is kept as a fact, which references
the message and extends what was extracted last about the same. What is asked is searched for, and
the five found first are accessed. Every night the worker lets time pass.

With --at-once all messages are ingested in one go after the last of them was said, as the owner of
an old history does, with the days on which they were said; nothing is extracted or asked.
"""

import argparse
import asyncio
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from concept_graph_mcp import calls, settings
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.stores.embedded.store import EmbeddedStore
from concept_graph_mcp.worker import decay
from concept_graph_mcp.worker.running import Worker

Row = dict[str, Any]

console = Console(markup=False, highlight=False, soft_wrap=True)
DAY_MS = 86_400_000
STATES = ("active", "dormant", "archived", "expired")
# How many memories an answer is made of.
USED = 5
BATCH = 500
IMPORTANCE = {"Static": 0.9}


@dataclass
class Life:
    """What was kept of one person, and what was extracted of each session of theirs."""

    session: Session
    extracted: dict[str, list[Row]]
    asked: dict[str, int]
    turns: list[str | None] = field(default_factory=list)
    thread: str = ""
    latest: dict[str, str] = field(default_factory=dict)

    async def hear(self, message: Row) -> None:
        """Keep *message*, and before that, if it asks something, use what belongs to it."""
        if message["thread"] != self.thread:
            await self.conclude()
            self.thread = message["thread"]
        if message["text"] in self.asked:
            await self._use(message["text"])
        if not message["text"].strip():
            self.turns.append(None)
            return
        await self.ingest([message])
        self.turns.append(message["id"])

    async def ingest(self, messages: Sequence[Row]) -> None:
        """Keep *messages* by the procedure that the command `ingest` calls."""
        fields = ("id", "thread", "speaker", "text")
        told = [
            {**{name: one[name] for name in fields}, "said_at": one["time_ms"]}
            for one in messages
            if one["text"].strip()
        ]
        await self.session.run(calls.ingesting.ingest(self.session.user_id, told))

    async def conclude(self) -> None:
        """Keep what was extracted from the session that has ended."""
        for point in self.extracted.get(self.thread, ()):
            await self._learn(point)
        self.turns = []

    async def _learn(self, point: Row) -> None:
        about = point["content"].partition("】")[0].strip("【")
        call = calls.memories.create(
            self.session.user_id,
            point["content"],
            type_="fact",
            source="extracted",
            importance=IMPORTANCE.get(point["type"], 0.7),
        )
        [row] = await self.session.run(call)
        fact, turn = row["memory_id"], point["source_turn"] - 1
        topic = f"{point['index'].partition('-')[0]}/{about}"
        said = self.turns[turn] if 0 <= turn < len(self.turns) else None
        if said is not None:
            await self.session.run(calls.memory_links.link(fact, said, "references"))
        if topic in self.latest:
            await self.session.run(calls.memory_links.link(fact, self.latest[topic], "extends"))
        self.latest[topic] = fact

    async def _use(self, question: str) -> None:
        rows = await self.session.run(
            calls.remembering.search(self.session.user_id, question, USED)
        )
        if rows:
            ids = [row["memory_id"] for row in rows]
            await self.session.run(calls.memories.touch(ids))


async def live(
    store: EmbeddedStore,
    messages: list[Row],
    queries: list[Row],
    personas: list[Path],
    days: int,
    *,
    at_once: bool,
) -> None:
    clock = Clock()
    configured = settings.read({"TZ": "UTC"})
    lives = {}
    for file in personas:
        name = file.stem.removeprefix("realmem_")
        session = Session.of(store, configured, clock)
        asked = {one["text"]: one["asked_ms"] for one in queries if one["memory"] == name}
        mine = Session(store, session.tau_ms, session.zone, clock, name)
        lives[name] = Life(mine, extracted(file, name), asked)
    worker = Worker(Session.of(store, configured, clock), configured)
    messages = sorted(messages, key=lambda one: one["time_ms"])
    begun = messages[-1 if at_once else 0]["time_ms"] // DAY_MS * DAY_MS
    if at_once:
        clock.frozen_ms = begun + DAY_MS
        for start in range(0, len(messages), BATCH):
            for name, life in lives.items():
                await life.ingest(
                    [one for one in messages[start : start + BATCH] if one["memory"] == name]
                )
    ahead = iter(() if at_once else messages)
    message = next(ahead, None)
    night = begun + 26 * 3_600_000
    for day in range(days):
        while message is not None and message["time_ms"] < night:
            clock.frozen_ms = message["time_ms"]
            await lives[message["memory"]].hear(message)
            message = next(ahead, None)
        if message is None:
            for life in lives.values():
                await life.conclude()
        clock.frozen_ms = night
        outcome = await worker.run(decay.JOB)
        if (day + 1) % 30 == 0 or day == days - 1:
            console.print(
                f"\nday {day + 1}, the run took {outcome.duration_ms} ms: {outcome.counts}"
            )
            await tell(store)
        night += DAY_MS
    await tell_more(store)


def extracted(file: Path, name: str) -> dict[str, list[Row]]:
    """Return what was extracted from each thread of a persona."""
    sessions = json.loads(file.read_text(encoding="utf-8"))["dialogues"]
    return {f"{name}/s{index}": one["extracted_memory"] for index, one in enumerate(sessions)}


async def records(store: EmbeddedStore) -> list[Row]:
    return [record async for batch in store.stream() for record in batch]


async def tell(store: EmbeddedStore) -> None:
    counted: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in await records(store):
        if one["kind"] == "memory":
            what = "fact" if one.get("type") == "fact" else one["speaker"]
            used = "used" if one["access_count"] else "never used"
            counted[what, used][one["state"]] += 1
    for (what, used), states in sorted(counted.items()):
        numbers = "  ".join(f"{state} {states[state]:5}" for state in STATES)
        console.print(f"  {what:10} {used:10}  {numbers}")


async def tell_more(store: EmbeddedStore) -> None:
    """Print some of each state at the end, those used most first."""
    every = [one for one in await records(store) if one["kind"] == "memory"]
    for state in STATES:
        some = [one for one in every if one["state"] == state]
        some.sort(key=lambda one: (-one["access_count"], one["id"]))
        console.print(f"\n{state}: {len(some)}")
        for one in some[:8] + some[len(some) // 2 :][:4]:
            text = " ".join(one["content"].split())[:90]
            used = f"{one['decay_score']:.3f} used {one['access_count']:3}"
            console.print(f"  {used}  {one.get('speaker', one['source'])[:9]:9} {text}")


def rows(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("messages", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("personas", type=Path, nargs="+")
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()

    async def work(path: Path) -> None:
        store = EmbeddedStore(path)
        try:
            read = rows(given.messages), rows(given.queries)
            await live(store, *read, given.personas, given.days, at_once=given.at_once)
        finally:
            await store.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(work(given.store or Path(folder) / "year.db"))


if __name__ == "__main__":
    main()
