"""Recalls of eight clients with the reads on a main and on SYNC replicas, and a write's cost.

It starts three servers with the program in MEMGRAPH_TEST_SERVER (see docs/develop.md), each at a
loopback address of its own. Without it nothing is measured. One user has 2,000 memories.
"""

import asyncio
import os
import random
import socket
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import Any, Final

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from concept_graph_mcp import calls
from concept_graph_mcp.commands.deploying import install_modules
from concept_graph_mcp.hosts.memgraph.replicated import ReplicatedStore
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from conceptgraph_core.verbs import limits

from .harness import Figure, Setup
from .memories import text
from .stores import NOW_MS, batches

_CLIENTS: Final = 8
_TURNS: Final = 3
_USER: Final = "ann"
_CONTEXT: Final = {
    **{"now_ms": NOW_MS, "tau_ms": limits.DEFAULT_TAU_MS, "date": "20250615"},
    "user_id": _USER,
}
_START_S: Final = 60.0
_unused = count()


class _Server:
    """A Memgraph with our modules, at *host*."""

    def __init__(self, folder: Path, host: str, program: str) -> None:
        self.host, self._port, self.listening = host, _free_port(host), 0
        modules = folder / "modules"
        modules.mkdir(parents=True)
        install_modules.main([str(modules)], standalone_mode=False)
        self.process = subprocess.Popen(
            [program, str(self._port), str(folder / "data"), modules, f"--bolt-address={host}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _until(lambda: self.rows("RETURN 1 AS one") != [])

    @property
    def uri(self) -> str:
        return f"bolt://{self.host}:{self._port}"

    def rows(self, statement: str) -> list[dict[str, Any]]:
        with neo4j.GraphDatabase.driver(self.uri) as driver, driver.session() as session:
            return [dict(record) for record in session.run(statement)]

    def register(self, replica: "_Server", name: str, mode: str) -> None:
        """Make *replica* a replica, and wait until it has everything."""
        if not replica.listening:
            replica.listening = _free_port(replica.host)
            replica.rows(f"SET REPLICATION ROLE TO REPLICA WITH PORT {replica.listening}")
        self.rows(f'REGISTER REPLICA {name} {mode} TO "{replica.host}:{replica.listening}"')
        _until(lambda: all(_is_ready(row) for row in self.rows("SHOW REPLICAS")))

    def processor_s(self) -> float:
        """Return the seconds of processor that the server has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def run(setup: Setup) -> Iterator[Figure]:
    program = os.environ.get("MEMGRAPH_TEST_SERVER")
    if program is None:
        setup.log("MEMGRAPH_TEST_SERVER is not set")
        return
    with ExitStack() as stack:
        servers = []
        for number in range(3):
            server = _Server(setup.folder / str(number), f"127.0.0.{number + 1}", program)
            stack.callback(server.end)
            servers.append(server)
        main, *replicas = servers
        asyncio.run(_filled(main.uri))
        alone = _written(setup, main)
        for number, replica in enumerate(replicas, 1):
            main.register(replica, f"r{number}", "SYNC")
            yield Figure(
                f"concept_upsert, {number} SYNC", _written(setup, main), "no replica", alone
            )
        yield from _reads(setup, main, replicas)
        for number, replica in enumerate(replicas, 1):
            main.rows(f"DROP REPLICA r{number}")
            main.register(replica, f"r{number}", "ASYNC")
        yield Figure("concept_upsert, 2 ASYNC", _written(setup, main), "no replica", alone)


def _reads(setup: Setup, main: _Server, replicas: Sequence[_Server]) -> Iterator[Figure]:
    """Recall by turns with no, one and two replicas to read from, all of them registered."""
    rates: list[list[float]] = [[] for _ in range(len(replicas) + 1)]
    costs: list[list[float]] = [[] for _ in rates]
    for turn in range(_TURNS):
        for number in range(len(rates)):
            before = main.processor_s()
            uris = [one.uri for one in replicas[:number]]
            made, seconds = asyncio.run(_recalled(setup, main.uri, uris, turn))
            rates[number].append(made / seconds)
            costs[number].append((main.processor_s() - before) / made * 1e3)
    for number in range(1, len(rates)):
        what = f"recall, {_CLIENTS} clients, reads on {number}"
        rate, cost = median(rates[number]), median(costs[number])
        yield Figure(f"{what}: calls", rate, "on the main", median(rates[0]), unit="/s")
        yield Figure(f"{what}: processor of the main", cost, "on the main", median(costs[0]))


async def _recalled(setup: Setup, uri: str, uris: Sequence[str], turn: int) -> tuple[int, float]:
    """Return how many recalls the clients made, and in how many seconds."""
    store = ReplicatedStore(uri, uris, "", "") if uris else BoltStore(uri, "", "")
    await store.open()
    end = monotonic() + (2.0 if setup.quick else 8.0)

    async def client(number: int) -> int:
        chance, made = random.Random(turn * _CLIENTS + number), 0
        while monotonic() < end:
            asked = calls.everyday.recall(_USER, f"{text(chance, 4)}?", concept_scope=_USER)
            await store.call(asked, _CONTEXT)
            made += 1
        return made

    start = perf_counter()
    made = sum(await asyncio.gather(*map(client, range(_CLIENTS))))
    seconds = perf_counter() - start
    await store.close()
    return made, seconds


def _written(setup: Setup, main: _Server) -> float:
    """Return the median milliseconds of a write."""

    async def write(store: BoltStore) -> None:
        await store.call(calls.concepts.concept_upsert(f"c{next(_unused)}"), _CONTEXT)

    return asyncio.run(_median(main.uri, write, setup.times(300)))


async def _median(uri: str, work: Callable[[BoltStore], Awaitable[None]], times: int) -> float:
    store = BoltStore(uri, "", "")
    await store.open()
    taken = []
    for _ in range(times):
        start = perf_counter()
        await work(store)
        taken.append((perf_counter() - start) * 1e3)
    await store.close()
    return median(taken)


async def _filled(uri: str) -> None:
    store, chance = BoltStore(uri, "", ""), random.Random(1)
    records = (
        {"kind": "memory", "id": f"m{number}", "user_id": _USER, "content": text(chance)}
        for number in range(2_000)
    )
    for rows in batches(records, 1_000):
        await store.call(calls.transfer.import_rows(rows), _CONTEXT)
    await store.close()


def _is_ready(row: dict[str, Any]) -> bool:
    info = row["data_info"].get("memgraph", {})
    return bool(info.get("status") == "ready" and info.get("behind") == 0)


def _free_port(host: str) -> int:
    with socket.socket() as one:
        one.bind((host, 0))
        port: int = one.getsockname()[1]
        return port


def _until(holds: Callable[[], bool]) -> None:
    end = monotonic() + _START_S
    while True:
        try:
            if holds():
                return
        except (DriverError, Neo4jError, OSError):
            if monotonic() > end:
                raise
        if monotonic() > end:
            raise TimeoutError
        sleep(0.1)
