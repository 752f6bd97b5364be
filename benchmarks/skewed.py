"""Recall over HTTP by 32 clients of 1,000 users, of whom few have most of the memories.

The user of rank n has a share of the memories as 1/n (Zipf's law), and calls as often as the square
root of that share. The same calls are made by one client, in turns with the 32 on the same server.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any
from zoneinfo import ZoneInfo

import click
import httpx2
from rich.console import Console

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.store import Store
from concept_graph_mcp.http.access import SCOPES
from concept_graph_mcp.http.app import PATH, Web, prepare_server
from concept_graph_mcp.http.limits import Limits
from concept_graph_mcp.http.tokens import Tokens
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import listening
from conceptgraph_core.verbs import limits

from . import memories
from .crossings import HEADERS, opened
from .stores import NOW_MS, batches

CLIENTS = 32
_ON_A_FILE = 2
_WAITING_S = 900.0


@click.command()
@click.option("--memories", "total", type=int, default=100_000, show_default=True)
@click.option("--largest", type=int, default=20_000, show_default=True)
@click.option("--users", "count", type=int, default=1_000, show_default=True)
@click.option("--calls", "number", type=int, default=400, show_default=True)
@click.option("--uri", help="A Memgraph, which is emptied; without it a new store file.")
@click.option("--store-per-user", is_flag=True, help="Keep each user in a file of their own.")
def main(**given: Any) -> None:
    """Measure recall by one client and by 32, of users of very different size."""
    asyncio.run(measure(Console(), **given))


async def measure(
    console: Console,
    *,
    total: int,
    largest: int,
    count: int,
    number: int,
    uri: str | None = None,
    store_per_user: bool = False,
) -> None:
    """Print the median, the 95th percentile and the rate of each turn."""
    shares = [1 / rank for rank in range(1, count + 1)]
    sizes = [min(largest, max(1, round(total * one / sum(shares)))) for one in shares]
    async with opened(uri, per_user=store_per_user) as (store, folder):
        await _fill(store, sizes)
        limits = Limits(1e6, waiting_each=2 * CLIENTS, timeout_s=_WAITING_S)
        if uri is None and not store_per_user:
            limits = limits._replace(at_once=_ON_A_FILE)
        async with _served(store, folder, sizes, limits) as recalled:
            await _turn(recalled, 4, number)
            for clients in (1, CLIENTS, 1, CLIENTS):
                times, rate = await _turn(recalled, clients, number)
                cuts = [1_000 * one for one in quantiles(times, n=20)]
                console.print(
                    f"{clients} clients: median {cuts[9]:,.0f} ms, 95th percentile"
                    f" {cuts[18]:,.0f} ms, {rate:.1f} calls a second"
                )


async def _fill(store: Store, sizes: list[int]) -> None:
    records = memories.records(sum(sizes))
    for user, size in enumerate(sizes):
        own: Iterator[dict[str, object]] = (
            next(records) | {"user_id": f"user {user}"} for _ in range(size)
        )
        session = _session(store, f"user {user}")
        for rows in batches(own, 1_000):
            await session.run(calls.transfer.import_rows(list(rows)))


class _Asked:
    """Calls `recall` as a random user."""

    def __init__(self, client: httpx2.AsyncClient, url: str, tokens: list[str], sizes: list[int]):
        self._client = client
        self._url = url
        self._tokens = tokens
        self._often = [size**0.5 for size in sizes]
        self._chance = random.Random(len(sizes))

    async def recall(self) -> float:
        """Return how many seconds the answer took."""
        [token] = self._chance.choices(self._tokens, self._often)
        message = {"message": f"{memories.text(self._chance, 5)}?"}
        params = {"name": "recall", "arguments": message}
        begun = time.perf_counter()
        answer = await self._client.post(
            self._url,
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
            headers={"authorization": f"Bearer {token}", **HEADERS},
        )
        took = time.perf_counter() - begun
        assert not answer.json()["result"].get("isError"), answer.text
        return took


@asynccontextmanager
async def _served(
    store: Store, folder: Path, sizes: list[int], limits: Limits
) -> AsyncIterator[_Asked]:
    tokens = Tokens(folder / "tokens.db")
    mine = [tokens.add(f"user {user}", SCOPES, None) for user in range(len(sizes))]
    with listening("127.0.0.1", 0) as made:
        host = f"127.0.0.1:{made.getsockname()[1]}"
        web = Web(f"http://{host}{PATH}", [host], tokens=tokens, limits=limits)
        server = await prepare_server(_session(store, "default"), ("everyday",), web)
        serving = asyncio.create_task(server.serve([made]))
        async with httpx2.AsyncClient(timeout=_WAITING_S) as client:
            yield _Asked(client, web.url, mine, sizes)
        server.should_exit = True
        await serving


async def _turn(asked: _Asked, clients: int, number: int) -> tuple[list[float], float]:
    """Make *number* calls; return the seconds of each, and the calls a second."""
    times: list[float] = []
    left = iter(range(number))

    async def one() -> None:
        times.extend([await asked.recall() for _ in left])

    begun = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(clients)))
    return times, number / (time.perf_counter() - begun)


def _session(store: Store, user: str) -> Session:
    zone, clock = ZoneInfo("UTC"), Clock(NOW_MS)
    return Session(store, limits.DEFAULT_TAU_MS, zone, clock, user, concepts="own")


if __name__ == "__main__":
    main()
