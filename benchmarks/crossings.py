"""Call random tools as many users with one another's ids and names, and count what crosses.

Each user's texts have a mark. An answer with the mark of another user, a refusal included, has
crossed, and so has a stored record with the mark of anybody but its owner, or an answer to a wrong
token. It exits with 1 if anything crossed. Over HTTP the page's questions and changes are called
too. With --uri, which is emptied, it calls a Memgraph.
"""

import asyncio
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import click
import httpx2
from mcp.server.mcpserver.exceptions import ToolError
from rich.console import Console

from concept_graph_mcp.hosts.memgraph.store import BoltStore
from concept_graph_mcp.hosts.per_user import UserFiles
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.hosts.store import KeptStore, Store
from concept_graph_mcp.http.access import SCOPES
from concept_graph_mcp.http.app import PATH, Web, prepare_server
from concept_graph_mcp.http.limits import Limits
from concept_graph_mcp.http.tokens import PREFIX, Tokens
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.settings import KNOWN_TOOLSETS
from concept_graph_mcp.tools import toolsets
from concept_graph_mcp.view import api
from concept_graph_mcp.view.serving import listening
from conceptgraph_core.memories import schema as memories
from conceptgraph_core.verbs import limits

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
_PAGE = "page/api/"
# Fewer files than users, so that files are closed and opened again.
_MOST_OPEN = 8
# The share of requests with a wrong token.
_WRONG = 0.05
HEADERS = {
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
}


class Asked(NamedTuple):
    """A question or a change of the page, like a tool with the schema of its arguments."""

    name: str
    parameters: Mapping[str, Any]


def _of_page() -> list[Asked]:
    words = {"type": "string"}
    texts = {"type": "object", "properties": {"content": words}, "required": ["content"]}
    kinds: dict[type, Any] = {str: words, dict: texts, list: {"type": "array", "items": words}}
    kinds |= {int: {"type": "integer"}, bool: {"type": "boolean"}}
    asked: dict[str, Mapping[str, Any]] = {
        **{name: {} for name in ("about", "you", "people", "memories", "learned", "doubts")},
        **{name: {} for name in ("changes", "poster")},
        "search": {"q": words, "about": words},
        "person": {"id": words},
    }
    for name, (fields, _) in api.CHANGES.items():
        asked[name] = {field: kinds[kind] for field, kind in fields.items()}
    return [
        Asked(f"{_PAGE}{name}", {"properties": fields, "required": [*fields]})
        for name, fields in asked.items()
    ]


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
@click.option("--http", is_flag=True, help="Over HTTP, with tokens, and with wrong ones.")
@click.option("--store-per-user", is_flag=True, help="Keep each user in a file of their own.")
def main(
    *, calls: int, count: int, seed: int, uri: str | None, http: bool, store_per_user: bool
) -> None:
    """Call random tools as many users, and count what crosses."""
    users = Users([f"user {number}" for number in range(count)], random.Random(seed))
    asyncio.run(live(users, calls, uri, over_http=http, per_user=store_per_user))
    console = Console()
    for line in users.crossed[:10]:
        console.print(line, markup=False)
    said = ", ".join(f"{number:,} {kind}" for kind, number in sorted(users.outcomes.items()))
    console.print(f"{calls:,} calls of {count} users: {said}; crossed: {len(users.crossed):,}")
    raise SystemExit(bool(users.crossed))


async def live(
    users: Users,
    calls: int,
    uri: str | None = None,
    *,
    over_http: bool = False,
    per_user: bool = False,
) -> None:
    """Make *calls* of random tools, and look through what is stored then."""
    chance = random.Random(calls)
    connected = _over_http if over_http else _in_process
    async with (
        opened(uri, per_user=per_user) as (store, folder),
        connected(users, store, folder) as ask,
    ):
        tools = [*_tools(store, "user 0"), *(_of_page() if over_http else ())]
        for _ in range(calls):
            user, tool = chance.choice([*users.marks]), chance.choice(tools)
            answer, refused = await ask(
                user, tool.name, users.arguments(user, tool.parameters), chance
            )
            users.heard(user, tool.name, answer, refused=refused)
        async for records in store.stream():
            for record in records:
                if "from" not in record:
                    users.stored(record)


# Asks as a user for a tool with arguments; returns the answer, and whether it is a refusal.
Ask = Callable[[str, str, dict[str, Any], random.Random], Awaitable[tuple[str, bool]]]


@asynccontextmanager
async def _in_process(users: Users, store: Store, _: Path) -> AsyncIterator[Ask]:
    """Yield a way to call the tools of a session of each user."""
    offered = {user: {tool.name: tool for tool in _tools(store, user)} for user in users.marks}

    async def ask(
        user: str, tool: str, arguments: dict[str, Any], _: random.Random
    ) -> tuple[str, bool]:
        try:
            return repr(await offered[user][tool].run(arguments, None)), False
        except ToolError as error:
            return str(error), True

    yield ask


@asynccontextmanager
async def _over_http(users: Users, store: Store, folder: Path) -> AsyncIterator[Ask]:
    """Yield a way to call a server over HTTP by each user's token, or by a wrong one.

    Wrong are tokens that are made up, expired, revoked, or cut short; no answer to them
    may be anything but 401.
    """
    tokens = Tokens(folder / "tokens.db")
    mine = {user: tokens.add(user, SCOPES, None) for user in users.marks}
    expired, revoked = tokens.add("user 0", SCOPES, 1), tokens.add("gone", SCOPES, None)
    tokens.revoke_user("gone")
    wrong = [expired, revoked, f"{PREFIX}{'a' * 43}", mine["user 0"][:-1], "user 0"]
    with listening("127.0.0.1", 0) as made:
        host = f"127.0.0.1:{made.getsockname()[1]}"
        limits = Limits(per_second=1e6)
        web = Web(f"http://{host}{PATH}", [host], tokens=tokens, limits=limits, page=True)
        server = await prepare_server(_session(store, "default"), KNOWN_TOOLSETS, web)
        serving = asyncio.create_task(server.serve([made]))

        async def ask(
            user: str, tool: str, arguments: dict[str, Any], chance: random.Random
        ) -> tuple[str, bool]:
            is_wrong = chance.random() < _WRONG
            token = chance.choice(wrong) if is_wrong else mine[user]
            headers = {"authorization": f"Bearer {token}", **HEADERS}
            params = {"name": tool, "arguments": arguments}
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            url, origin = f"http://{host}/{tool}", {"origin": f"http://{host}"}
            if not tool.startswith(_PAGE):
                answer = await client.post(web.url, json=call, headers=headers)
            elif tool.removeprefix(_PAGE) in api.CHANGES:
                answer = await client.post(url, json=arguments, headers={**headers, **origin})
            else:
                answer = await client.get(url, params=arguments, headers=headers)
            if is_wrong != (answer.status_code == 401):
                users.crossed.append(f"{answer.status_code} for {token[:12]}: {answer.text[:200]}")
            if answer.status_code != 200 or tool.startswith(_PAGE):
                return answer.text, answer.status_code != 200
            result = answer.json()["result"]
            return json.dumps(result, ensure_ascii=False), result.get("isError", False)

        async with httpx2.AsyncClient(timeout=120) as client:
            yield ask
        server.should_exit = True
        await serving


def _tools(store: Store, user: str) -> list[Any]:
    return list(toolsets.tools(_session(store, user), KNOWN_TOOLSETS, False))


def _session(store: Store, user: str) -> Session:
    zone, clock = ZoneInfo("UTC"), Clock(NOW_MS)
    return Session(store, limits.DEFAULT_TAU_MS, zone, clock, user, concepts="own")


@asynccontextmanager
async def opened(uri: str | None, *, per_user: bool = False) -> AsyncIterator[tuple[Store, Path]]:
    """Yield an empty store, and a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store: Store = UserFiles(folder / "users", _MOST_OPEN)
        if not per_user:
            kept: KeptStore = (
                EmbeddedStore(folder / "memory.db") if uri is None else BoltStore(uri, "", "")
            )
            store = kept
            await kept.restore(None)
        await store.open()
        try:
            yield store, folder
        finally:
            await store.close()


if __name__ == "__main__":
    main()
