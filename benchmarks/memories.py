"""Time keeping, reading and fading at 1,000 and at 100,000 memories (with --quick: 10,000).

Each has a text of a dozen words, drawn as words are: few of them often. A search is for four of
them, so that it reads, up to a bound, the more mentions the more memories there are. One in fifty
is of another user. Decay is a whole run of the worker over one scope, in batches of 500.
"""

import functools
import math
import random
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

from concept_graph_mcp import calls

from .harness import Figure, Setup
from .sizes import Operation, grown, in_turn
from .stores import NOW_MS, Caller, batches

DAY_MS = 86_400_000
USER = "default"
WORDS = 20_000
_GROWING = ("search", "context of 2,000 tokens")
_TIMES = {"embedded": 300, "Memgraph": 100}


def run(setup: Setup) -> Iterator[Figure]:
    big = 10_000 if setup.quick else 100_000
    yield from grown(setup, big, functools.partial(_measured, setup), _GROWING)


def _measured(setup: Setup, store: Caller, host: str, size: int) -> Iterator[tuple[str, float]]:
    setup.log(f"{host}: keeping {size:,} memories")
    start = perf_counter()
    for rows in batches(records(size), 1_000):
        store.run(calls.transfer.import_rows(rows))
    yield "import of one", (perf_counter() - start) / size * 1e3
    times = setup.times(_TIMES[host])
    yield from in_turn(store, operations(), size, times)
    for what, days in (("where no score moved", 0.0), ("where all moved", 20.0)):
        spent = _decayed(store, NOW_MS + int(days * DAY_MS)) / size
        yield f"decay of 1,000 {what}", spent * 1e6


def operations() -> Sequence[Operation]:
    """Return what is measured: a call on a store of some size."""
    chance = random.Random(2)

    def known(size: int) -> str:
        return _id(chance.randrange(size) // 50 * 50 + 1)

    return (
        ("create", lambda _: calls.memories.create(USER, text(chance), concepts=["benchmarks"])),
        ("get", lambda size: calls.memories.get(known(size))),
        (
            "update of the content",
            lambda size: calls.memories.update(USER, known(size), content=text(chance)),
        ),
        ("decay status", lambda size: calls.memories.decay_status(known(size))),
        ("the 20 latest", lambda _: calls.memories.recent(USER)),
        ("search", lambda _: calls.memories.search(USER, text(chance, 4))),
        ("context of 2,000 tokens", lambda _: calls.memories.context(USER, text(chance, 4))),
    )


def records(size: int) -> Iterator[dict[str, Any]]:
    """Iterate over *size* memories, kept evenly over thirty days, in which all stay active."""
    chance = random.Random(1)
    for number in range(size):
        created_at = NOW_MS - number * (30 * DAY_MS // size)
        yield {
            "kind": "memory",
            "id": _id(number),
            "user_id": USER if number % 50 else "another",
            "content": text(chance),
            "created_at": created_at,
            "accessed_at": created_at,
            "decay_score": 0.7 * math.exp(-0.01 * (NOW_MS - created_at) / DAY_MS),
        }


def text(chance: random.Random, words: int = 12) -> str:
    """Return so many words, the nth of all drawn as often as 1/n."""
    return " ".join(f"w{int(WORDS ** chance.random())}" for _ in range(words))


def _decayed(store: Caller, now_ms: int) -> float:
    """Let time pass for all of one scope; return the seconds that it took."""
    start, last = perf_counter(), None
    while True:
        [row] = store.run(calls.memories.decay_batch(USER, after=last), now_ms)
        last = row["last"]
        if last is None:
            return perf_counter() - start


def _id(number: int) -> str:
    # In the order in which they are kept, as a store makes them.
    return f"{number:07}"
