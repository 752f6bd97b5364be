"""A user's recall over HTTP beside another user who loads the server, and beside wrong tokens.

The other user keeps four connections busy with one kind of request, within the default limits.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import cycle, islice
from multiprocessing import get_context
from random import Random
from statistics import median
from time import perf_counter, sleep
from typing import Any, Final, NamedTuple

from concept_graph_mcp import calls
from concept_graph_mcp.http.access import SCOPES
from concept_graph_mcp.http.tokens import PREFIX, Tokens

from .harness import Figure, Setup
from .http_clients import Client, Served, question, running
from .other_servers import texts
from .stores import NOW_MS, Embedded, Record, batches

_CONNECTIONS: Final = 4
_NOTES: Final = 2_000
_NAMES: Final = 2_500
# Seconds between two questions of the user: a tenth is within any limit.
_BETWEEN_S: Final = 0.1
_SYLLABLES: Final = [f"{one}{two}" for one in "bdfghklmnprstvwz" for two in "aeiou"]


class Load(NamedTuple):
    """The request that each connection of the other user repeats, and the aim of the ratio."""

    name: str
    method: str
    params: Callable[[int], Mapping[str, Any]]
    aim: str = "≤ 3"
    has_token: bool = True


def run(setup: Setup) -> Iterator[Figure]:
    tokens = Tokens(setup.folder / "tokens.db")
    ann, bob = (tokens.add(user, SCOPES, None) for user in ("ann", "bob"))
    path = setup.folder / "store.db"
    names = list(_make_names())
    with closing(Embedded(path)) as store:
        for rows in batches(_notes(names), 1_000):
            store.run(calls.transfer.import_rows(rows), NOW_MS)
    environment = {"TZ": "UTC", "CONCEPT_GRAPH_TOKENS": str(tokens.file)}
    ours = [sys.executable, "-m", "concept_graph_mcp", "--toolsets=everyday", "--no-worker"]
    command = [*ours, f"--embedded={path}", "serve", "--http", "PORT"]
    seconds = 3.0 if setup.quick else 10.0
    with running(command, environment) as port:
        _median(port, ann, None, "", 2.0)
        for load in _list_loads(names):
            alone = _median(port, ann, None, "", seconds / 2)
            token = bob if load.has_token else f"{PREFIX}wrong"
            beside = _median(port, ann, load, token, seconds)
            yield Figure(f"recall beside {load.name}: p50", beside, "alone", alone, load.aim)


def _list_loads(names: Sequence[str]) -> list[Load]:
    def tool(name: str, **arguments: Any) -> Mapping[str, Any]:
        return {"name": name, "arguments": arguments}

    def listed(size: int, first: int) -> str:
        text = ", ".join(islice(cycle(names), first * 7, first * 7 + size // 8))
        return text[:size]

    return [
        Load("a recall like it", "tools/call", lambda at: tool("recall", message=question(at))),
        Load(
            "recalls of 19 kB of names",
            "tools/call",
            lambda at: tool("recall", message=listed(19_000, at)),
        ),
        Load(
            "searches for 19 kB of names",
            "tools/call",
            lambda at: tool("search", query=listed(19_000, at)),
        ),
        Load(
            "remembers of 99 kB of names",
            "tools/call",
            lambda at: tool("remember", text=listed(99_000, at)),
        ),
        Load("reads of memory://today", "resources/read", lambda _: {"uri": "memory://today"}),
        Load("lists of tools", "tools/list", lambda _: {}),
        Load("wrong tokens", "tools/list", lambda _: {}, "≤ 2", has_token=False),
    ]


def _make_names() -> Iterator[str]:
    random, made = Random(7), set[str]()
    while len(made) < _NAMES:
        first, last = ("".join(random.choices(_SYLLABLES, k=3)).capitalize() for _ in range(2))
        if (name := f"{first} {last}") not in made:
            made.add(name)
            yield name


def _notes(names: Sequence[str]) -> Iterator[Record]:
    told = list(texts())[: _NOTES // 2]
    for at, text in enumerate(told):
        yield {"kind": "memory", "id": f"a{at}", "user_id": "ann", "content": text}
    for at in range(_NOTES):
        one, two = names[at % _NAMES], names[(at * 13 + 1) % _NAMES]
        said = f"{one} met {two} in the garden."
        yield {"kind": "memory", "id": f"b{at}", "user_id": "bob", "content": said}


def _median(port: int, token: str, load: Load | None, other: str, seconds: float) -> float:
    """Return the median milliseconds of a recall with *token*, beside *load* with *other*."""
    # A process of its own: the load must not slow down the one that is measured at its client.
    process = None
    if load is not None:
        process = get_context("fork").Process(target=_make_load, args=(port, other, load))
        process.start()
        sleep(1.0)
    try:
        return asyncio.run(_recall(port, token, seconds))
    finally:
        if process is not None:
            process.kill()
            process.join()


async def _recall(port: int, token: str, seconds: float) -> float:
    served = Served("recall", port, "recall", lambda at: {"message": question(at)}, [token])
    client, taken = await Client.connected(served, 0), []
    until = perf_counter() + seconds
    while (begun := perf_counter()) < until:
        await client.ask()
        taken.append((perf_counter() - begun) * 1e3)
        await asyncio.sleep(_BETWEEN_S)
    client.close()
    return median(taken)


def _make_load(port: int, token: str, load: Load) -> None:
    served = Served(load.name, port, "", load.params, [token])

    async def repeat() -> None:
        client, at = await Client.connected(served, 0), 0
        while True:
            at += 1
            try:
                await client.request(load.method, load.params(at))
            except (RuntimeError, OSError):
                # A refusal is part of the load, whether it closes the connection or not.
                await client.reopen_closed()

    async def repeat_all() -> None:
        await asyncio.gather(*(repeat() for _ in range(_CONNECTIONS)))

    asyncio.run(repeat_all())
