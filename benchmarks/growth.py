"""Time writes at 1,000 and at 1,000,000 concepts (with --quick: 100,000).

Every concept is-a another one, ten of them the same one. Concepts are chosen at random from the
whole graph, so that few of them were used just before.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from statistics import mean
from typing import Any

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call

from .harness import Figure, Setup, interleaved
from .stores import NOW_MS, Bolt, Caller, Embedded, fill_embedded, fill_memgraph

SMALL = 1_000
AIM = "≤ 1.5"
_unused = count()


def run(setup: Setup) -> Iterator[Figure]:
    big = 100_000 if setup.quick else 1_000_000
    yield from _embedded(setup, big)
    if setup.memgraph:
        yield from _memgraph(setup, setup.memgraph, big)


def _embedded(setup: Setup, big: int) -> Iterator[Figure]:
    stores = []
    for size in (SMALL, big):
        setup.log(f"filling a store with {size:,} concepts")
        path = setup.folder / f"{size}.db"
        fill_embedded(path, records(size), batch=50_000)
        stores.append(Embedded(path))
    # All operations in turn on both stores, so that drift hits all alike.
    sides = [
        _once(store, make, size)
        for _, make in operations()
        for store, size in zip(stores, (SMALL, big), strict=True)
    ]
    times = iter(interleaved(sides, setup.times(300), warm_up=50))
    for what, _ in operations():
        small_ms, big_ms = next(times), next(times)
        yield _figure(what, "embedded", big, big_ms, small_ms)
    for store in stores:
        store.close()


def _memgraph(setup: Setup, uri: str, big: int) -> Iterator[Figure]:
    """One server holds one graph: small, big and small again, so that drift hits both sizes."""
    taken: dict[str, list[float]] = {what: [] for what, _ in operations()}
    for size in (SMALL, big, SMALL):
        setup.log(f"filling Memgraph with {size:,} concepts")
        fill_memgraph(uri, records(size))
        store = Bolt(uri)
        sides = [_once(store, make, size) for _, make in operations()]
        times = interleaved(sides, setup.times(300), warm_up=50)
        for (what, _), milliseconds in zip(operations(), times, strict=True):
            taken[what].append(milliseconds)
        store.close()
    for what, (before, big_ms, after) in taken.items():
        yield _figure(what, "Memgraph", big, big_ms, mean((before, after)))


def operations() -> Sequence[tuple[str, Callable[[int], Call]]]:
    """Return what is measured: a call on a graph of some size."""
    chance = random.Random(2)

    def known(size: int) -> str:
        return name(chance.randrange(size))

    return (
        ("upsert of a known name", lambda size: calls.concepts.concept_upsert(known(size))),
        ("upsert of a new name", lambda _: calls.concepts.concept_upsert(_new())),
        ("affect of a known name", lambda size: calls.concepts.update_affect(known(size), 0.3)),
        ("affect of a new name", lambda _: calls.concepts.update_affect(_new(), 0.3)),
        ("relation of known names", lambda size: _relation(chance.randrange(1, size))),
        ("new relation of known names", lambda size: _new_relation(chance.randrange(size), size)),
        ("relation of new names", lambda _: calls.concepts.relation_add(_new(), _new(), "is-a")),
    )


def records(size: int) -> Iterator[dict[str, Any]]:
    """Iterate over a tree of *size* concepts, each one before the relation that leaves it."""
    for number in range(size):
        yield {
            "kind": "concept",
            "name": name(number),
            "valence": 0.0,
            "arousal_level": (0.25, 0.5, 1.0)[number % 3],
            "accessed_at": NOW_MS - number,
        }
        if number:
            yield {
                "kind": "relation",
                "from": name(number),
                "to": name(number // 10),
                "type": "is-a",
                "weight": 0.25,
            }


def name(number: int) -> str:
    """Return a name of two words, so that names share parts as real ones do."""
    return f"{number % 997} things of kind {number // 997}"


def _relation(number: int) -> Call:
    return calls.concepts.relation_add(name(number), name(number // 10), "is-a")


def _new_relation(number: int, size: int) -> Call:
    return calls.concepts.relation_add(name(number), name((number + size // 2) % size), "evokes")


def _new() -> str:
    return f"something new {next(_unused)}"


def _once(store: Caller, make: Callable[[int], Call], size: int) -> Callable[[], object]:
    return lambda: store.run(make(size), NOW_MS)


def _figure(what: str, host: str, big: int, big_ms: float, small_ms: float) -> Figure:
    return Figure(f"{what}, {host}, {big:,}", big_ms, f"{SMALL:,}", small_ms, AIM)
