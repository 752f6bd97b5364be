"""The days and nights of a life: what is said is kept, observed and used, and every night works."""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from concept_graph_mcp import calls
from concept_graph_mcp.worker import fading

from .histories import ZONE, History, Message, Row, ms, rows
from .person import Person
from .report import Line
from .world import World, mine

HOUR_MS = 3_600_000
# How many memories an answer is made of.
USED = 5
REHEARSED_EACH = 30
# How much of a persona's talk is imported, and for whom; how many memories of another program.
IMPORTED, NEWCOMER = 300, "newcomer"
ROWS = 50
GREETINGS = ("Hello!", "Good morning", "Guten Morgen!", "Thanks, that helped a lot.")


@dataclass(frozen=True, slots=True)
class Told:
    """A context that was asked for, as the procedure gave it."""

    user: str
    at_ms: int
    message: str
    paragraphs: list[list[list[Any]]]
    sources: list[Row]
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Night:
    """A night of the daily job, and its rehearsal where there was one."""

    date: str
    counts: dict[str, int]
    told: dict[str, int] | None
    took_ms: int


@dataclass
class Lived:
    """The observations of a life while it is lived."""

    told: list[Told] = field(default_factory=list)
    greeted: list[Told] = field(default_factory=list)
    nights: list[Night] = field(default_factory=list)
    found: dict[str, set[str]] = field(default_factory=dict)
    linked_days: int = 0
    visible_days: int = 0
    at_end_of_talk: dict[str, list[Row]] = field(default_factory=dict)
    year: list[Line] = field(default_factory=list)
    trusted: list[Row] = field(default_factory=list)
    imported: dict[str, tuple[int, int, list[str]]] = field(default_factory=dict)
    restored: tuple[int, int] | None = None


Judging = Callable[["Life"], Awaitable[list[Line]]]


class Life:
    """A history, lived a day at a time in a world."""

    def __init__(
        self, world: World, history: History, perfectly: bool, after_a_year: Judging
    ) -> None:
        self.world, self.history, self.perfectly = world, history, perfectly
        users = [*history.users, *([history.other] if history.other else [])]
        self.people = {user: world.person(user) for user in users}
        self.lived = Lived()
        self._ahead = list(history.messages)
        self._last: dict[str, Message] = {}
        self._extras = Extras(self)
        self._after_a_year = after_a_year

    async def live(self, days: int) -> Lived:
        """Live *days* from the first message on; what is said later is not said."""
        for day, night in enumerate(nights(self._ahead[0].at_ms, days)):
            while self._ahead and self._ahead[0].at_ms < _ms(night):
                await self._hear(self._ahead.pop(0))
            await self._work(night)
            await self._extras.morning(night.date().isoformat(), night + timedelta(hours=6))
            if not self._ahead and not self.lived.at_end_of_talk:
                await self._look()
            if day == days - 2:
                await self._extras.last_day()
        if not self.lived.at_end_of_talk:
            await self._look()
        return self.lived

    async def _hear(self, message: Message) -> None:
        await self._end_silent(message.at_ms)
        self.world.clock.set(message.at_ms)
        person = self.people[message.user]
        if message.user in self.history.users and message.speaker == "user":
            first = self._last.get(message.user) is None or (
                self._last[message.user].thread != message.thread
            )
            if first or self.history.expected:
                self.lived.told.append(await context(person, message.text))
        if message.text in self.history.queries:
            found = await person.search(message.text, USED)
            ids = [row["memory_id"] for row in found]
            if ids:
                await person.session.run(calls.memories.touch(ids))
        await person.ingest(message)
        await person.observe(message, self.perfectly)
        await person.keep(message)
        self._last[message.user] = message

    async def _end_silent(self, now_ms: int) -> None:
        """Let the worker end what fell silent before *now_ms*, as it does within the hour."""
        for user, last in list(self._last.items()):
            if last.at_ms + HOUR_MS * 1.25 <= now_ms:
                self.world.clock.set(int(last.at_ms + HOUR_MS * 1.25))
                await self.world.work(fading.IMMEDIATE)
                del self._last[user]

    async def _work(self, night: datetime) -> None:
        """Do what is due at 2 in the morning, and on a Sunday at 3."""
        await self._end_silent(_ms(night))
        self.world.clock.set(_ms(night))
        await self.world.work(fading.DECAY)
        told = None
        if len(self.lived.nights) % REHEARSED_EACH == REHEARSED_EACH - 1:
            told = dict((await self.world.rehearse(fading.DAILY)).counts or {})
        done = await self.world.work(fading.DAILY)
        night_ = Night(
            night.date().isoformat(), dict(done.counts or {}), told, done.duration_ms or 0
        )
        self.lived.nights.append(night_)
        if night.weekday() == 6:
            self.world.clock.set(_ms(night + timedelta(hours=1)))
            await self.world.work(fading.WEEKLY)

    async def _look(self) -> None:
        """See how things stand on the night after the last word."""
        self.lived.at_end_of_talk = await self.world.records()
        for user in self.history.users:
            session = self.people[user].session
            self.lived.trusted += await session.run(calls.entities.listed(limit=1_000))
        self.lived.year = await self._after_a_year(self)


class Extras:
    """Events beside the conversations: an agent's habits, imports, a restore."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._expected = life.history.expected
        self._person = life.people[life.history.users[0]]
        self._mornings = 0
        # For whom a history came in the day before.
        self._imported_for: str | None = None

    async def morning(self, date: str, at: datetime) -> None:
        life = self._life
        life.world.clock.set(_ms(at))
        self._mornings += 1
        talking = bool(life._ahead)
        if self._imported_for is not None:
            await self._after_import(self._imported_for)
            self._imported_for = None
        if self._expected:
            await self._linked(date)
            if date[8:] == "05" and talking:
                told = self._expected["copies"]["told"]
                row = await self._person.call("memory_node_create", content=told)
                self._person.memories["copy"] = row["memory_id"]
        if at.weekday() == 0:
            await self._monday(talking)
        if self._expected and date == "2025-06-20":
            await self._import_history()
            await self._import_rows()
        if self._expected and date == "2025-07-15":
            await self._restore()

    async def _monday(self, talking: bool) -> None:
        if talking:
            said = GREETINGS[self._mornings // 7 % len(GREETINGS)]
            self._life.lived.greeted.append(await context(self._person, said))
        for one in self._expected.get("standing", ()):
            await self._person.search(one["ask"], USED)

    async def _linked(self, date: str) -> None:
        """Look along a link each day, which is stated again on every Monday."""
        one = self._expected["linked"]
        source, target = (self._person.memories.get(one[end]) for end in ("from", "to"))
        if source is None or target is None or not self._life._ahead:
            return
        self._life.lived.linked_days += 1
        seen = await self._person.call("memory_graph_explore", start_node_id=source)
        self._life.lived.visible_days += any(
            row["memory_id"] == target for row in seen.get("nodes", ())
        )
        if datetime.fromisoformat(date).weekday() == 0:
            await self._person.link(source, target)

    async def _import_history(self) -> None:
        """Import what was said before the memory was used."""
        file = self._life.history.imported
        if file is not None:
            told = [{**row, "time_ms": ms(row["at"])} for row in rows(file)]
            await self._import(told, self._person.user)

    async def last_day(self) -> None:
        """Import the beginning of a persona's talk for a user who has lived none of it."""
        if self._expected:
            return
        said = self._life.history.of(self._person.user)[:IMPORTED]
        told = [
            {"id": f"h{one.id}", "time_ms": one.at_ms, "thread": one.thread}
            | {"speaker": one.speaker, "text": one.text}
            for one in said
        ]
        await self._import(told, NEWCOMER)

    async def _import(self, told: list[Row], user: str) -> None:
        self._imported_for = user
        given = self._life.world.folder / "history.jsonl"
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in told)
        given.write_text("".join(lines), encoding="utf-8")
        await self._life.world.command("ingest", str(given), user=user)
        await self._life.world.command("observe", str(given), user=user)

    async def _import_rows(self) -> None:
        """Import fifty memories of another program, the oldest five years old."""
        given = self._life.world.folder / "rows.jsonl"
        given.write_text(_other_programs(), encoding="utf-8")
        await self._life.world.command("import", str(given), user=self._person.user)

    async def _after_import(self, user: str) -> None:
        """Count, the night after, what is out of sight of what came in for *user*."""
        found = await self._life.world.records()
        told = {one["id"] for one in mine(found["mention"], user) if one["message_id"][0] == "h"}
        of = {tie["to"] for tie in found["tie"] if tie["type"] == "of" and tie["from"] in told}
        users = [one for one in found["entity"] if one["id"] in of and one["user_mention_count"]]
        users = [one for one in users if len(one["user_sessions"]) > 1]
        gone = [one["node_label"] for one in users if not one["is_active"]]
        self._life.lived.imported["history"] = len(gone), len(users), gone
        if self._expected:
            kept = [one for one in mine(found["memory"], user) if one["id"].startswith("row-")]
            lost = [one["content"] for one in kept if one["state"] == "expired"]
            self._life.lived.imported["rows"] = ROWS - len(kept) + len(lost), ROWS, lost

    async def _restore(self) -> None:
        """Back up, live a moment, restore: all that was there is there, and no more."""
        world = self._life.world
        before = sum(map(len, (await world.records()).values()))
        folder = str(world.folder / "backups")
        await world.command("backup", "--dir", folder)
        await self._person.call("memory_node_create", content="Said after the backup was made")
        await world.command("restore", "--dir", folder, "--yes", "latest")
        after = sum(map(len, (await world.records()).values()))
        self._life.lived.restored = after, before


async def context(person: Person, message: str) -> Told:
    """Return what is told for *message*, as the tool has it and in its parts."""
    [row] = await person.session.run(calls.entities.context(message, user_id=person.user))
    told = await person.call("entity_context", message=message)
    return Told(
        person.user,
        person.session.clock.now_ms(),
        message,
        row["paragraphs"],
        row["sources"],
        told.get("text", ""),
        told.get("tokens", 0),
    )


def nights(first_ms: int, days: int) -> Iterator[datetime]:
    """Iterate over the times, 2 o'clock, at which the nights after the first message work."""
    date = datetime.fromtimestamp(first_ms / 1000, ZONE).date()
    for day in range(1, days + 1):
        one = date + timedelta(days=day)
        yield datetime(one.year, one.month, one.day, 2, tzinfo=ZONE)


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _other_programs() -> str:
    """Return fifty memories as rows of another program, one for each five weeks of the past."""
    made = [
        {
            "id": f"row-{number}",
            "content": f"Note {number} of the old notebook: shelf {number} holds box {number * 7}",
            "importance_score": (0.3, 0.5, 0.7)[number % 3],
            "created_at": (
                datetime(2025, 6, 1, tzinfo=ZONE) - timedelta(weeks=5 * number)
            ).isoformat(),
        }
        for number in range(ROWS)
    ]
    return "".join(json.dumps(row) + "\n" for row in made)
