"""1 to 128 clients over HTTP, each a user with forty memories, beside the SDK's echo over HTTP.

Each client has a connection of its own and calls without a pause: `recall` or `search`, on a store
file and on Memgraph, with a token a user. The servers take turns. With BASIC_MEMORY, the path of
the command of `basic-memory`, its `search_notes` is measured too, over the same forty texts.
"""

import asyncio
import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import Any, Final

from concept_graph_mcp import calls
from concept_graph_mcp.http.access import SCOPES
from concept_graph_mcp.http.tokens import Tokens

from .harness import Figure, Setup
from .other_servers import QUESTIONS, texts
from .stdio import ECHO
from .stores import NOW_MS, Bolt, Caller, Embedded, batches, empty_memgraph

CLIENTS: Final = (1, 8, 32, 128)
_MEMORIES: Final = 40
_TURNS: Final = 3
# A user each, and no limit that a client of the benchmark meets.
SERVE: Final = (*("--calls-per-second", "100000"), *("--calls-at-once", "128"))
_PATIENCE_S: Final = 90.0


@dataclass(frozen=True, slots=True)
class Served:
    """A tool of a running server; `tokens` has one of each client, if it has any."""

    name: str
    port: int
    tool: str
    arguments: Callable[[int], Mapping[str, Any]]
    tokens: Sequence[str] = ()
    has_sessions: bool = False


def run(setup: Setup) -> Iterator[Figure]:
    clients = CLIENTS[:2] if setup.quick else CLIENTS
    seconds = 1.0 if setup.quick else 2.0
    with ExitStack() as stack:
        servers = list(_servers(setup, stack))
        for number in clients:
            taken: dict[str, list[tuple[float, float]]] = {one.name: [] for one in servers}
            for _ in range(_TURNS):
                for one in servers:
                    try:
                        taken[one.name].append(asyncio.run(turn(one, number, seconds)))
                    except RuntimeError as error:
                        setup.log(f"{number} clients, {one.name}: {error}")
            yield from _figures(number, taken)


def _figures(number: int, taken: Mapping[str, Sequence[tuple[float, float]]]) -> Iterator[Figure]:
    (echo, first), *others = taken.items()
    who = f"{number} client{'s' * (number > 1)}"
    rate, p50 = (median(one) for one in zip(*first, strict=True))
    for name, turns in ((name, turns) for name, turns in others if turns):
        own_rate, own_p50 = (median(one) for one in zip(*turns, strict=True))
        aim = "≤ 1.5" if number == 1 and "basic" not in name else ""
        yield Figure(f"{who}, {name}: p50", own_p50, echo, p50, aim)
        yield Figure(f"{who}, {name}: calls", own_rate, echo, rate, unit="/s")


def _servers(setup: Setup, stack: ExitStack) -> Iterator[Served]:
    """Start the servers, and iterate over their tools, the echo first."""
    told = [text for text in texts() if not text.startswith("Note ")][:_MEMORIES]
    port = stack.enter_context(running([*ECHO, "PORT"], {}))
    yield Served("the SDK's echo", port, "echo", lambda _: {"text": question(0)})
    file = Tokens(setup.folder / "tokens.db")
    tokens = [file.add(user(number), SCOPES, None) for number in range(max(CLIENTS))]
    environment = {"TZ": "UTC", "CONCEPT_GRAPH_TOKENS": str(file.file)}
    places: dict[str, Sequence[str]] = {}
    path = setup.folder / "store.db"
    with closing(Embedded(path)) as store:
        _fill(store, told)
    places["a store file"] = (f"--embedded={path}", "--no-worker")
    if setup.memgraph:
        empty_memgraph(setup.memgraph)
        with closing(Bolt(setup.memgraph)) as store:
            _fill(store, told)
        environment["MEMGRAPH_URI"] = setup.memgraph
        places["Memgraph"] = ()
    for name, options in places.items():
        ours = (sys.executable, "-m", "concept_graph_mcp", "--toolsets=everyday", *options)
        port = stack.enter_context(running([*ours, "serve", "--http", "PORT", *SERVE], environment))
        yield Served(f"recall, {name}", port, "recall", _message, tokens)
        yield Served(f"search, {name}", port, "search", _query, tokens)
    if command := os.environ.get("BASIC_MEMORY"):
        home = {"HOME": str(setup.folder), "BASIC_MEMORY_HOME": str(setup.folder / "notes")}
        over_http = shlex.split("mcp --transport streamable-http --host 127.0.0.1 --port PORT")
        port = stack.enter_context(running([*shlex.split(command), *over_http], home))
        other = Served("basic-memory's search_notes", port, "search_notes", _query, (), True)
        asyncio.run(_noted(other, told))
        yield other


def _fill(store: Caller, told: Sequence[str]) -> None:
    records = (
        {"kind": "memory", "id": f"{number}-{at}", "user_id": user(number), "content": text}
        for number in range(max(CLIENTS))
        for at, text in enumerate(told)
    )
    for rows in batches(records, 1_000):
        store.run(calls.transfer.import_rows(rows), NOW_MS)


async def _noted(other: Served, told: Sequence[str]) -> None:
    client = await Client.connected(other, 0)
    for number, text in enumerate(told):
        given = {"title": f"Note {number}", "content": text, "directory": "notes"}
        await client.call("write_note", given)
    client.close()


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[int]:
    """Start *command* with a free port in place of PORT; yield the port once it listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    process = subprocess.Popen(
        [str(port) if word == "PORT" else word for word in command],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = monotonic() + _PATIENCE_S
        while not _listens(port):
            if process.poll() is not None or monotonic() > until:
                raise RuntimeError(f"{command[0]} does not serve")
            sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(30)


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


async def turn(served: Served, number: int, seconds: float) -> tuple[float, float]:
    """Return the calls a second of *number* clients together, and the median milliseconds."""
    clients = await asyncio.gather(*(Client.connected(served, one) for one in range(number)))
    taken: list[float] = []
    start = perf_counter()

    async def go_on(client: Client) -> None:
        # Servers close connections that were idle while other clients began their sessions.
        await client.reopen()
        while (begun := perf_counter()) < start + seconds:
            await client.ask()
            taken.append((perf_counter() - begun) * 1e3)

    await asyncio.gather(*map(go_on, clients))
    passed = perf_counter() - start
    for client in clients:
        client.close()
    return len(taken) / passed, median(taken)


class Client:
    """A connection in plain HTTP, so that no client library's costs are measured."""

    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter

    def __init__(self, served: Served, number: int) -> None:
        self._served, self._calls = served, number
        self._more = f"Authorization: Bearer {served.tokens[number]}\r\n" if served.tokens else ""

    @classmethod
    async def connected(cls, served: Served, number: int) -> "Client":
        client = cls(served, number)
        await client._open()
        if served.has_sessions:
            await client._begin_session()
        return client

    async def reopen(self) -> None:
        self.close()
        await self._open()

    async def reopen_closed(self) -> None:
        """Connect again if the server has closed the connection."""
        if self._reader.at_eof() or self._writer.is_closing():
            await self.reopen()

    async def ask(self) -> None:
        self._calls += 1
        await self.call(self._served.tool, self._served.arguments(self._calls))

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> None:
        _, answer = await self.request("tools/call", {"name": tool, "arguments": arguments})
        if b'"isError":true' in answer or b'"error":' in answer:
            raise RuntimeError(answer[:500])

    def close(self) -> None:
        self._writer.close()

    async def _open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._served.port)

    async def _begin_session(self) -> None:
        version = {"protocolVersion": "2025-06-18", "capabilities": {}}
        client = {"clientInfo": {"name": "benchmark", "version": "0"}}
        head, _ = await self.request("initialize", version | client)
        for line in head.split("\r\n"):
            if line.lower().startswith("mcp-session-id:"):
                self._more += f"{line}\r\n"
        await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def request(self, method: str, given: Mapping[str, Any]) -> tuple[str, bytes]:
        return await self._post({"jsonrpc": "2.0", "id": 1, "method": method, "params": given})

    async def _post(self, message: Mapping[str, Any]) -> tuple[str, bytes]:
        body = json.dumps(message).encode()
        self._writer.write(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._served.port}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"MCP-Protocol-Version: 2025-06-18\r\n{self._more}"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        try:
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
            answer = await self._body(head.lower())
        except asyncio.IncompleteReadError as error:
            raise RuntimeError(f"{self._served.name} closed a connection") from error
        if not head.startswith("HTTP/1.1 20"):
            raise RuntimeError(f"{head}{answer[:500]!r}")
        return head, answer

    async def _body(self, head: str) -> bytes:
        _, length, rest = head.partition("content-length: ")
        if length:
            return await self._reader.readexactly(int(rest.split("\r\n", 1)[0]))
        if "transfer-encoding: chunked" not in head:
            return b""
        parts = []
        while size := int((await self._reader.readline()).split(b";")[0], 16):
            parts.append((await self._reader.readexactly(size + 2))[:-2])
        await self._reader.readline()
        return b"".join(parts)


def question(number: int) -> str:
    return QUESTIONS[number % len(QUESTIONS)][0]


def _message(number: int) -> Mapping[str, Any]:
    return {"message": question(number)}


def _query(number: int) -> Mapping[str, Any]:
    return {"query": QUESTIONS[number % len(QUESTIONS)][1]}


def user(number: int) -> str:
    return f"user {number}"
