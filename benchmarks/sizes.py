"""The same at 1,000 and at many more, on each host: what should cost no more as a store grows."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import count

from concept_graph_mcp.calls import Call

from .harness import Figure, Setup, interleaved
from .stores import NOW_MS, Bolt, Caller, Embedded, empty_memgraph

SMALL = 1_000
AIM = "≤ 1.5"
# The name of a call, and the call on a store of some size.
Operation = tuple[str, Callable[[int], Call]]
# Takes an empty store, which host it is, and the size; gives what took how many milliseconds.
Measuring = Callable[[Caller, str, int], Iterable[tuple[str, float]]]
# Numbers that nothing had yet, for times and names.
unused = count()


def grown(
    setup: Setup, big: int, measuring: Measuring, growing: Collection[str]
) -> Iterator[Figure]:
    """Iterate over what *measuring* gives of *big* beside SMALL; *growing* may grow as it likes."""
    yield from _host(
        "embedded", big, lambda size: Embedded(setup.folder / f"{size}.db"), measuring, growing
    )
    if setup.memgraph:
        uri = setup.memgraph
        yield from _host("Memgraph", big, lambda _: _emptied(uri), measuring, growing)


def in_turn(
    store: Caller, operations: Sequence[Operation], size: int, times: int
) -> Iterator[tuple[str, float]]:
    """Iterate over *operations*, each with the milliseconds of one on a *store* of that *size*."""
    sides = [_once(store, make, size) for _, make in operations]
    taken = interleaved(sides, times, warm_up=20)
    for (what, _), milliseconds in zip(operations, taken, strict=True):
        yield what, milliseconds


def _host(
    host: str,
    big: int,
    opened: Callable[[int], Caller],
    measuring: Measuring,
    growing: Collection[str],
) -> Iterator[Figure]:
    """One size after the other: a server holds one graph at a time."""
    taken: dict[str, list[float]] = {}
    for size in (SMALL, big):
        store = opened(size)
        for what, milliseconds in measuring(store, host, size):
            taken.setdefault(what, []).append(milliseconds)
        store.close()
    for what, (small_ms, big_ms) in taken.items():
        aim = "" if what in growing else AIM
        yield Figure(f"{what}, {host}, {big:,}", big_ms, f"{SMALL:,}", small_ms, aim)


def _once(store: Caller, make: Callable[[int], Call], size: int) -> Callable[[], object]:
    return lambda: store.run(make(size), NOW_MS + next(unused))


def _emptied(uri: str) -> Bolt:
    """Return a Memgraph with nothing in it."""
    empty_memgraph(uri)
    return Bolt(uri)
