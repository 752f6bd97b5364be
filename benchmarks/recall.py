"""Embedded recall over WordNet against a search written by hand over plain dicts.

Both return the same rows, which is checked. Then: what the commit of a recall adds to a peek.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

from concept_graph_mcp import calls

from . import wordnet
from .harness import Figure, Setup, interleaved
from .plain import PlainGraph
from .stores import HOUR_MS, NOW_MS, Embedded, fill_embedded

AIM = "≤ 4"


def run(setup: Setup) -> Iterator[Figure]:
    records = wordnet.records(NOW_MS)
    path = setup.folder / "wordnet.db"
    fill_embedded(path, records)
    store, plain = Embedded(path), PlainGraph(records)
    for title, seeds in seed_sets(plain):
        for hops in (2, 3):
            expected = plain.peek(seeds, hops, NOW_MS)
            what = f"peek, {title}, {hops} hops ({expected[0]['total']:,} rows)"
            if store.run(calls.concepts.peek(seeds, hops)) != expected:
                raise AssertionError(f"{what}: the two sides differ")
            ours, theirs = interleaved(
                (
                    partial(store.run, calls.concepts.peek(seeds, hops)),
                    partial(plain.peek, seeds, hops, NOW_MS),
                ),
                setup.times(40),
            )
            yield Figure(what, ours, "plain dicts", theirs, AIM)
    # Later and later, so that what was touched has faded enough to be touched again.
    now = count(NOW_MS, 2 * HOUR_MS)
    for title, seeds in seed_sets(plain):
        yield _commit(setup, store, f"recall, {title}, touching all", seeds, lambda: next(now))
    later = next(now)
    for title, seeds in seed_sets(plain):
        yield _commit(setup, store, f"recall, {title}, touching none", seeds, lambda: later)
    store.close()


def seed_sets(plain: PlainGraph) -> list[tuple[str, list[str]]]:
    """Return seeds that reach some ten, some hundred and some thousand concepts."""
    names = sorted(plain.concepts)
    hubs = wordnet.hubs(3)
    return [
        ("a few dogs", [name for name in names if name.startswith("dog (")]),
        ("every 2,500th concept", names[::2_500]),
        ("three hubs", hubs),
    ]


def _commit(
    setup: Setup, store: Embedded, what: str, seeds: list[str], now: Callable[[], int]
) -> Figure:
    ours, theirs = interleaved(
        (
            lambda: store.run(calls.concepts.recall(seeds), now()),
            lambda: store.run(calls.concepts.peek(seeds), now()),
        ),
        setup.times(40),
    )
    return Figure(what, ours, "peek", theirs)
