"""Call random tools as many users with one another's ids and names, and count what crosses.

Each user's texts have a mark. An answer with the mark of another user, a refusal included, has
crossed, and so has a stored record with the mark of anybody but its owner. It exits with 1 if
anything crossed. With --uri, which is emptied, it calls a Memgraph.
"""

import asyncio
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click
from mcp.server.mcpserver.exceptions import ToolError
from rich.console import Console

from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.settings import KNOWN_TOOLSETS
from concept_graph_mcp.stores.bolt.store import BoltStore
from concept_graph_mcp.stores.embedded.store import EmbeddedStore
from concept_graph_mcp.stores.store import KeptStore
from concept_graph_mcp.tools import toolsets
from conceptgraph_core import limits
from conceptgraph_core.memories import schema as memories

from .stores import NOW_MS

_MARK = re.compile(r"mark\d+x")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[A-Z][a-z]+-\d{8}-\d+")
_NAMES = ("Clara", "Max", "hazelnuts", "cellar", "Turin", "the dog")
_DATES = ("2025-06-01", "2025-05-31T10:00:00")
_TIMES = {"since", "until", "happened_at", "valid_from", "valid_until", "valid_at", "known_at"}
_MOST_IDS = 200
# How often an optional argument is given, and an id where one is asked for, or where none is.
_OPTIONAL, _MOSTLY, _SELDOM = 0.3, 0.9, 0.1
_HALF = 0.5


class Users:
    """Users who call random tools. `ids` are those that each user's answers had."""

    def __init__(self, users: Sequence[str], chance: random.Random) -> None:
        self.marks = {user: f"mark{number}x" for number, user in enumerate(users)}
        self.ids: dict[str, list[str]] = {user: [] for user in users}
        self.crossed: list[str] = []
        self.outcomes: Counter[str] = Counter()
        self._chance = chance

    def arguments(self, user: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments for a tool of that input *schema*, some of them another user's."""
        required = schema.get("required", ())
        return {
            name: self._value(user, name, one, schema.get("$defs", {}))
            for name, one in schema["properties"].items()
            if name in required or self._chance.random() < _OPTIONAL
        }

    def heard(self, user: str, tool: str, answer: str, *, refused: bool) -> None:
        """Note what the *tool* said to *user*."""
        self.outcomes["refused" if refused else "answered"] += 1
        foreign = {*_MARK.findall(answer)} - {self.marks[user]}
        if foreign:
            self.crossed.append(f"{tool} told {user} {sorted(foreign)}: {answer[:500]}")
        # A refusal repeats what it was given.
        self.ids[user] += () if refused else _ID.findall(answer)
        del self.ids[user][:-_MOST_IDS]

    def stored(self, record: Mapping[str, Any]) -> None:
        """Note what a *record* of the store holds."""
        owner = self.marks.get(record.get("user_id", ""), "nobody's")
        foreign = {*_MARK.findall(json.dumps(record))} - {owner}
        if foreign:
            self.crossed.append(f"stored: {record}")

    def _value(
        self, user: str, name: str, schema: Mapping[str, Any], known: Mapping[str, Any]
    ) -> Any:
        chance = self._chance
        if "$ref" in schema:
            schema = known[schema["$ref"].rpartition("/")[2]]
        if "anyOf" in schema:
            schema = chance.choice(schema["anyOf"])
        values: dict[str | None, Callable[[], Any]] = {
            "string": lambda: chance.choice(schema.get("enum") or [self._text(user, name)]),
            "integer": lambda: schema.get("minimum", 1) + chance.randrange(5),
            "number": lambda: round(chance.random(), 2),
            "boolean": lambda: chance.random() < _HALF,
            "array": lambda: [
                self._value(user, name, schema.get("items", {}), known)
                for _ in range(chance.randint(schema.get("minItems", 0), 2))
            ],
            "object": lambda: self.arguments(user, {"properties": {}, "$defs": known, **schema}),
        }
        return values.get(schema.get("type"), lambda: None)()

    def _text(self, user: str, name: str) -> str:
        chance, mark = self._chance, self.marks[user]
        whose = user if chance.random() < _HALF else chance.choice([*self.marks])
        if name in _TIMES:
            return chance.choice(_DATES)
        if self.ids[whose] and chance.random() < (_MOSTLY if "id" in name else _SELDOM):
            return chance.choice(self.ids[whose])
        one, other = chance.sample(_NAMES, 2)
        own = (f"{one} is with {other}, says {mark}", f"{mark} {one}")
        return chance.choice((one, *own, whose, chance.choice([*memories.RELATION_TYPES])))


@click.command()
@click.option("--calls", type=int, default=100_000, show_default=True)
@click.option("--users", "count", type=int, default=50, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--uri", help="A Memgraph, which is emptied; without it a new store file.")
def main(calls: int, count: int, seed: int, uri: str | None) -> None:
    """Call random tools as many users, and count what crosses."""
    users = Users([f"user {number}" for number in range(count)], random.Random(seed))
    asyncio.run(live(users, calls, uri))
    console = Console()
    for line in users.crossed[:10]:
        console.print(line, markup=False)
    said = ", ".join(f"{number:,} {kind}" for kind, number in sorted(users.outcomes.items()))
    console.print(f"{calls:,} calls of {count} users: {said}; crossed: {len(users.crossed):,}")
    raise SystemExit(bool(users.crossed))


async def live(users: Users, calls: int, uri: str | None = None) -> None:
    """Make *calls* of random tools, and look through what is stored then."""
    chance = random.Random(users.marks["user 0"] + str(calls))
    async with _opened(uri) as store:
        offered = {user: _tools(store, user) for user in users.marks}
        for _ in range(calls):
            user = chance.choice([*users.marks])
            tool = chance.choice(offered[user])
            try:
                answer = repr(await tool.run(users.arguments(user, tool.parameters), None))
            except ToolError as error:
                users.heard(user, tool.name, str(error), refused=True)
            else:
                users.heard(user, tool.name, answer, refused=False)
        async for records in store.stream():
            for record in records:
                if "from" not in record:
                    users.stored(record)


def _tools(store: KeptStore, user: str) -> list[Any]:
    zone, clock = ZoneInfo("UTC"), Clock(NOW_MS)
    session = Session(store, limits.DEFAULT_TAU_MS, zone, clock, user, concepts="own")
    return list(toolsets.tools(session, KNOWN_TOOLSETS, False))


@asynccontextmanager
async def _opened(uri: str | None) -> AsyncIterator[KeptStore]:
    with tempfile.TemporaryDirectory() as folder:
        store: KeptStore = (
            EmbeddedStore(Path(folder) / "memory.db") if uri is None else BoltStore(uri, "", "")
        )
        await store.open()
        try:
            await store.restore(None)
            yield store
        finally:
            await store.close()


if __name__ == "__main__":
    main()
