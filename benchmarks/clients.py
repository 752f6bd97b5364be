"""Four processes recalling overlapping regions of WordNet at once, against one alone."""

import multiprocessing
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from time import perf_counter, time_ns
from typing import Any

from concept_graph_mcp import calls

from . import wordnet
from .harness import Figure, Setup
from .stores import Bolt, Caller, Embedded, fill_embedded, fill_memgraph

CLIENTS = 4
# How fast the clock runs: with a day a second, all has faded when it is recalled again.
SPEEDS = {"little to touch": 1, "all to touch": 86_400}


@dataclass(frozen=True, slots=True)
class Work:
    """Run one client process."""

    place: str | Path
    seeds: list[str]
    speed: int
    start_ms: int
    seconds: float


def run(setup: Setup) -> Iterator[Figure]:
    now_ms = time_ns() // 1_000_000
    records = wordnet.records(now_ms)
    path = setup.folder / "wordnet.db"
    fill_embedded(path, records)
    yield from _host(setup, "embedded", path, now_ms)
    if setup.memgraph:
        fill_memgraph(setup.memgraph, records)
        yield from _host(setup, "Memgraph", setup.memgraph, now_ms)


def _host(setup: Setup, host: str, place: str | Path, start_ms: int) -> Iterator[Figure]:
    hubs = wordnet.hubs(CLIENTS + 1)
    seconds = 1.0 if setup.quick else 4.0
    for title, speed in SPEEDS.items():
        # Neighbours share a hub.
        works = [
            Work(place, hubs[index : index + 2], speed, start_ms, seconds)
            for index in range(CLIENTS)
        ]
        rates: dict[int, list[float]] = {1: [], CLIENTS: []}
        worst: dict[int, list[float]] = {1: [], CLIENTS: []}
        for turn in range(3):
            for clients in (1, CLIENTS):
                chosen = works[turn : turn + 1] if clients == 1 else works
                latencies = _together(chosen)
                rates[clients].append(sum(map(len, latencies)) / seconds)
                worst[clients].append(max(map(max, latencies)) * 1_000)
        what = f"{CLIENTS} clients, {host}, {title}"
        yield Figure(
            f"{what}: recalls", median(rates[CLIENTS]), "one alone", median(rates[1]), unit="/s"
        )
        yield Figure(f"{what}: worst", median(worst[CLIENTS]), "one alone", median(worst[1]))


def _together(works: list[Work]) -> list[list[float]]:
    """Return the seconds that each call of each client took."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(len(works))
    results: Any = context.Queue()
    processes = [
        context.Process(target=_client, args=(work, barrier, results), daemon=True)
        for work in works
    ]
    for process in processes:
        process.start()
    latencies = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    return latencies


def _client(work: Work, barrier: Barrier, results: Any) -> None:
    store: Caller = Embedded(work.place) if isinstance(work.place, Path) else Bolt(work.place)
    call = calls.concepts.recall(work.seeds)
    store.run(call, _now_ms(work))
    barrier.wait(60)
    latencies = []
    end = perf_counter() + work.seconds
    while (start := perf_counter()) < end:
        store.run(call, _now_ms(work))
        latencies.append(perf_counter() - start)
    store.close()
    results.put(latencies)


def _now_ms(work: Work) -> int:
    elapsed_ms = time_ns() // 1_000_000 - work.start_ms
    return work.start_ms + elapsed_ms * work.speed
