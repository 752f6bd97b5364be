"""Walks along links among 100,000 memories, and what linking costs (with --quick: 10,000).

Each memory has five links on average that leave it, one in ten of them to one of a hundred hubs,
of which each so has 500. To measure more, add to `MEASURES`.
"""

import gc
import multiprocessing
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import mean, median, quantiles
from time import perf_counter
from typing import Any

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from conceptgraph_core.memories import schema
from conceptgraph_core.verbs.context import DEFAULT_USER

from . import stores
from .harness import Figure, Setup, interleaved
from .stores import NOW_MS, Bolt, Caller, Embedded, Record

SMALL = 1_000
LINKS = 5
HUBS = 100
CLIENTS = 4
DAY_MS = 86_400_000
# The words of contents: few are frequent and many are rare, as in real texts.
WORDS = [f"word{number}" for number in range(20_000)]


@dataclass(frozen=True, slots=True)
class Host:
    """A store of *size* memories."""

    name: str
    size: int
    place: str | Path


Measure = Callable[[Setup, Host], Iterator[Figure]]


def run(setup: Setup) -> Iterator[Figure]:
    size = 10_000 if setup.quick else 100_000
    small, big = setup.folder / "small.db", setup.folder / "big.db"
    _fill(setup, small, SMALL)
    _fill(setup, big, size)
    yield from _embedded(setup, Host("embedded", size, big), small)
    if setup.memgraph:
        yield from _memgraph(setup, Host("Memgraph", size, setup.memgraph))


def _embedded(setup: Setup, host: Host, small: Path) -> Iterator[Figure]:
    for measure in MEASURES:
        yield from measure(setup, host)
    # In turn on both stores, so that drift hits them alike.
    many, few = _opened(host.place), _opened(small)
    sides = [*_writes(many, host.size), *_writes(few, SMALL)]
    times = interleaved(sides, setup.times(300), warm_up=50)
    yield from _writing(host, times[: len(times) // 2], times[len(times) // 2 :])
    many.close()
    few.close()


def _memgraph(setup: Setup, host: Host) -> Iterator[Figure]:
    """One server holds one graph: few memories before the many and after them."""
    taken = []
    for size in (SMALL, host.size, SMALL):
        _fill(setup, host.place, size)
        if size == host.size:
            for measure in MEASURES:
                yield from measure(setup, host)
        store = _opened(host.place)
        taken.append(interleaved(_writes(store, size), setup.times(300), warm_up=50))
        store.close()
    before, big, after = taken
    yield from _writing(host, big, [mean(pair) for pair in zip(before, after, strict=True)])


def _writing(host: Host, big: Sequence[float], small: Sequence[float]) -> Iterator[Figure]:
    """The cost of one write among many memories and among few."""
    where = f"{host.name}, {host.size:,}"
    for (what, _), big_ms, small_ms in zip(operations(), big, small, strict=True):
        yield Figure(f"{what}, {where}", big_ms, f"{SMALL:,}", small_ms, "≤ 1.5")


def _walks(setup: Setup, host: Host) -> Iterator[Figure]:
    """Depth 3 from memories chosen at random, the first time since the store was opened."""
    chance = random.Random(3)
    starts = [chance.randrange(host.size) for _ in range(setup.times(300))]
    plain = _Plain(host.size)
    # Else what it is compared with would be gone through whenever garbage is collected amid a call.
    gc.collect()
    gc.freeze()
    for most in (schema.DEFAULT_NODES_TRAVERSED, schema.MAX_NODES):
        store = _opened(host.place)
        # The first call of a connection or a file pays for opening it.
        store.run(calls.memories.stats("nobody"))
        for again in ("", ", again"):
            taken: list[float] = []
            by_hand: list[float] = []
            for start in starts:
                call = calls.memories.traverse(DEFAULT_USER, name(start), max_nodes=most)
                rows = _timed(taken, partial(store.run, call))
                ids = _timed(by_hand, partial(plain.walk, start, 3, most))
                assert {row["memory_id"] for row in rows} == ids
            what = f"depth 3, at most {most:,}, {host.name}{again}"
            yield Figure(f"{what}: p95", p95(taken), "plain dicts", p95(by_hand), "< 100 ms")
            yield Figure(f"{what}: median", median(taken), "plain dicts", median(by_hand))
        store.close()
    gc.unfreeze()


def _together(setup: Setup, host: Host) -> Iterator[Figure]:
    """Clients that keep, link and walk without a pause."""
    seconds = 1.0 if setup.quick else 4.0
    rates: dict[int, list[float]] = {1: [], CLIENTS: []}
    worst: dict[int, list[float]] = {1: [], CLIENTS: []}
    for turn in range(3):
        for clients in (1, CLIENTS):
            latencies = _at_once(host, clients, turn, seconds)
            rates[clients].append(sum(map(len, latencies)) / seconds)
            worst[clients].append(max(map(max, latencies)) * 1_000)
    what = f"{CLIENTS} clients, {host.name}"
    yield Figure(f"{what}: calls", median(rates[CLIENTS]), "one alone", median(rates[1]), unit="/s")
    yield Figure(f"{what}: worst", median(worst[CLIENTS]), "one alone", median(worst[1]))


# In this order, for what is written changes what is walked along.
MEASURES: Sequence[Measure] = (_walks, _together)


def operations() -> Sequence[tuple[str, Callable[[int], Call]]]:
    """Return what one write is: a call on a store of some size."""
    chance = random.Random(2)

    def known(size: int) -> int:
        return chance.randrange(size)

    def again(size: int) -> Call:
        source, target, type_, _ = next(_links_of(known(size), size))
        return calls.memories.link(name(source), name(target), type_)

    def new(size: int) -> Call:
        source = known(size)
        target = (source + chance.randrange(1, size)) % size
        return calls.memories.link(name(source), name(target), "follows")

    return (
        ("a new link", new),
        ("a link again", again),
    )


def records(size: int) -> Iterator[Record]:
    """Iterate over *size* memories, then over the links among them."""
    chance = random.Random(1)
    for number in range(size):
        yield {
            "kind": "memory",
            "id": name(number),
            "user_id": DEFAULT_USER,
            "content": _content(chance),
            "created_at": NOW_MS - number * 60_000,
            "accessed_at": NOW_MS - number * 60_000,
        }
    for number in range(size):
        for source, target, type_, strength in _links_of(number, size):
            yield {
                "kind": "link",
                "from": name(source),
                "to": name(target),
                "type": type_,
                "strength": strength,
                "last_strengthened": NOW_MS - (number % 20) * DAY_MS,
            }


def name(number: int) -> str:
    """Return an id; they are random ones in life, and no longer than these."""
    return f"{number * 2_654_435_761 % 2**32:08x}-0000-4000-8000-{number:012d}"


def p95(times: Sequence[float]) -> float:
    return quantiles(times, n=20)[-1]


def _links_of(number: int, size: int) -> Iterator[tuple[int, int, str, float]]:
    """Iterate over the links that leave a memory: each (source, target, type, strength)."""
    chance = random.Random(number)
    types = ("relates_to", "supports", "causes")
    seen = {number}
    while len(seen) <= LINKS:
        hub = chance.random() < 0.1
        target = chance.randrange(min(HUBS, size) if hub else size)
        if target not in seen:
            seen.add(target)
            yield number, target, chance.choice(types), round(0.2 + 0.8 * chance.random(), 6)


def _content(chance: random.Random) -> str:
    return " ".join(WORDS[int(len(WORDS) ** chance.random()) - 1] for _ in range(12))


def _opened(place: str | Path) -> Caller:
    return Embedded(place) if isinstance(place, Path) else Bolt(place)


def _fill(setup: Setup, place: str | Path, size: int) -> None:
    where = "a store"
    if isinstance(place, str):
        where = "Memgraph"
        stores.empty_memgraph(place)
    setup.log(f"filling {where} with {size:,} memories and {size * LINKS:,} links")
    store = _opened(place)
    for rows in stores.batches(records(size), 10_000):
        store.run(calls.transfer.import_rows(rows))
    store.close()


def _writes(store: Caller, size: int) -> list[Callable[[], object]]:
    def once(make: Callable[[int], Call]) -> Callable[[], object]:
        return lambda: store.run(make(size))

    return [once(make) for _, make in operations()]


def _timed(times: list[float], run: Callable[[], Any]) -> Any:
    start = perf_counter()
    result = run()
    times.append((perf_counter() - start) * 1_000)
    return result


class _Plain:
    """The same links in plain dictionaries, and the same walk by hand."""

    def __init__(self, size: int) -> None:
        self._ways: dict[int, list[tuple[int, float]]] = {number: [] for number in range(size)}
        for number in range(size):
            for source, target, _, strength in _links_of(number, size):
                age = (number % 20) / 7
                now = max(min(0.1, strength), strength * 0.5**age)
                self._ways[source].append((target, now))
                self._ways[target].append((source, now))

    def walk(self, start: int, depth: int, most: int) -> set[str]:
        """Return the ids of what a walk breadth first returns; the later number is the older."""
        seen = {start: None}
        frontier: Iterable[int] = [start]
        for _ in range(depth):
            best: dict[int, float] = {}
            for near in frontier:
                for far, strength in self._ways[near]:
                    if far not in seen and strength > best.get(far, 0.0):
                        best[far] = strength
            ordered = sorted(best, key=lambda far: (-best[far], -far))
            frontier = ordered[: most - len(seen)]
            seen |= dict.fromkeys(frontier)
        return {name(number) for number in seen}


def _at_once(host: Host, clients: int, turn: int, seconds: float) -> list[list[float]]:
    """Return the seconds that each call of each client took."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(clients)
    results: Any = context.Queue()
    processes = [
        context.Process(
            target=_client, args=(host, turn * CLIENTS + index, seconds, barrier, results)
        )
        for index in range(clients)
    ]
    for process in processes:
        process.start()
    latencies = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    return latencies


def _client(host: Host, seed: int, seconds: float, barrier: Barrier, results: Any) -> None:
    store = _opened(host.place)
    chance = random.Random(seed)
    kinds: list[Callable[[int], Call]] = [
        *(make for _, make in operations()),
        lambda _: calls.memories.create(DEFAULT_USER, _content(chance)),
        lambda size: calls.memories.explore(name(chance.randrange(size))),
    ]
    store.run(kinds[-1](host.size))
    barrier.wait(60)
    latencies: list[float] = []
    end = perf_counter() + seconds
    while (start := perf_counter()) < end:
        store.run(kinds[len(latencies) % len(kinds)](host.size))
        latencies.append(perf_counter() - start)
    store.close()
    results.put(latencies)
