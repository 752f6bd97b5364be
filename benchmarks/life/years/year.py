"""Live a year of messages, night by night, and see what the nights changed."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from concept_graph_mcp import AsyncMemory
from concept_graph_mcp.memory_opening import OpenMemory
from concept_graph_mcp.worker import along, embedding, fading

from ..days import HOUR_MS, nights
from ..histories import Message, Row, ms, rows
from ..world import World, mine, opened

HERE = Path(__file__).parent
NAMES = ("nell", "rike")
DAYS = 365
SILENT_MS = int(HOUR_MS * 1.25)
# Fields that say what is so. Others are weights, which nights are there to change.
LASTING = {
    "fact": ("predicate", "value", "valid_until", "known_until"),
    "memory": ("content", "valid_until"),
    "entity": ("node_label", "shown_label", "entity_kind", "valid_until"),
}


@dataclass(frozen=True, slots=True)
class Year:
    """The messages of a person in a year, those of the idle user, and the truth at the end."""

    name: str
    messages: list[Row]
    idle: list[Row]
    expected: Row


@dataclass
class Lived:
    """A year that was lived: the memories of its people, and what its nights changed."""

    world: World
    year: Year
    nights: int = 0
    changed: list[str] = field(default_factory=list)
    faded: list[str] = field(default_factory=list)

    def memory(self, user: str) -> AsyncMemory:
        return AsyncMemory(OpenMemory(self.world.session(user)))


def read_year(name: str) -> Year:
    expected = json.loads((HERE / name / "expected.json").read_text(encoding="utf-8"))
    messages = rows(HERE / name / "messages.jsonl")
    return Year(name, messages, rows(HERE / name / "idle.jsonl"), expected)


@asynccontextmanager
async def live_year(
    folder: Path, uri: str | None, year: Year, *, days: int = DAYS, with_nights: bool = True
) -> AsyncIterator[Lived]:
    """Live the first *days* of *year* in an empty store, and leave it open on the last morning."""
    name = f"{year.name}-{'nights' if with_nights else 'days'}"
    languages = year.expected["languages"]
    async with opened(folder, uri, name, languages, CONCEPT_GRAPH_EMBEDDINGS="none") as world:
        lived = Lived(world, year)
        users = {one: year.expected[one] for one in ("user", "idle")}
        said = [(users["user"], row) for row in year.messages]
        said += [(users["idle"], row) for row in year.idle]
        said.sort(key=lambda each: each[1]["at"])
        await _live_days(lived, said, days, with_nights)
        yield lived


async def _live_days(
    lived: Lived, said: list[tuple[str, Row]], days: int, with_nights: bool
) -> None:
    ahead, spoken_at = list(said), 0
    for night in nights(ms(said[0][1]["at"]), days):
        at_ms = int(night.timestamp() * 1000)
        while ahead and ms(ahead[0][1]["at"]) < at_ms:
            user, row = ahead.pop(0)
            if spoken_at and ms(row["at"]) - spoken_at > SILENT_MS:
                await end_sessions(lived.world, spoken_at)
            spoken_at = ms(row["at"])
            await tell_message(lived, user, row)
        if spoken_at:
            await end_sessions(lived.world, spoken_at)
            spoken_at = 0
        lived.world.clock.set(at_ms)
        if with_nights:
            await _work_night(lived, is_sunday=night.weekday() == 6)


async def end_sessions(world: World, spoken_at: int) -> None:
    world.clock.set(spoken_at + SILENT_MS)
    await world.work(fading.IMMEDIATE)


async def tell_message(lived: Lived, user: str, row: Row) -> None:
    """Ingest and observe a message as hooks do; one with a note is remembered by its agent."""
    lived.world.clock.set(ms(row["at"]))
    if "note" in row:
        memory = lived.memory(user)
        await memory.remember(row["note"], about=row["about"], said=row["text"], keep="years")
        return
    speaker = "user" if row["speaker"] == "user" else "model"
    said = Message(user, row["id"], ms(row["at"]), row["thread"], speaker, row["text"])
    person = lived.world.person(user)
    await person.ingest(said)
    await person.observe(said, False)
    if person.refused:
        raise RuntimeError(f"{row['id']}: {[*person.refused]}")


async def _work_night(lived: Lived, is_sunday: bool) -> None:
    """Run what the worker has to do in a night, and note what it changed of what is so."""
    users = (lived.year.expected["user"], lived.year.expected["idle"])
    before = await lived.world.records()
    for job in along.JOBS:
        if job not in (fading.IMMEDIATE, embedding.JOB) and (is_sunday or job is not fading.WEEKLY):
            await lived.world.work(job)
    after = await lived.world.records()
    for user in users:
        changed = compare_states(state_of(before, user), state_of(after, user))
        lived.changed += [f"night {lived.nights + 1}, {user}: {one}" for one in changed]
        faded = _active(before, user).items() - _active(after, user).items()
        labels = sorted(label for _, label in faded)
        lived.faded += [f"night {lived.nights + 1}, {user}: {label}" for label in labels]
    lived.nights += 1


def _active(records: dict[str, list[Row]], user: str) -> dict[str, str]:
    entities_ = mine(records["entity"], user)
    return {one["id"]: one["node_label"] for one in entities_ if one["is_active"]}


def state_of(records: dict[str, list[Row]], user: str) -> dict[str, str]:
    """Return what is so of *user* by its id: facts, memories, entities and who counts as one."""
    state = {}
    for kind, fields in LASTING.items():
        for one in mine(records[kind], user):
            known = [f"{name}: {one[name]}" for name in fields if one.get(name) is not None]
            # A hidden entity is lost as well, and so is an expired memory.
            is_lost = one.get("state") == "expired" or one.get("forgotten_at") is not None
            state[f"{kind} {one['id']}"] = f"{kind}, {', '.join(known)}{', lost' * is_lost}"
    named = {one["id"]: one["node_label"] for one in mine(records["entity"], user)}
    for tie in records["tie"]:
        if tie["type"] == "same_as" and tie.get("status") == "merged" and tie["from"] in named:
            both = sorted((named[tie["from"]], named[tie["to"]]))
            state[f"same {tie['from']} {tie['to']}"] = f"joined: {both[0]} = {both[1]}"
    return state


def compare_states(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    for key in sorted(before.keys() | after.keys()):
        was, is_ = before.get(key, "nothing"), after.get(key, "nothing")
        if was != is_:
            yield f"{was} -> {is_}"
