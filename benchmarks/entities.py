"""Time observing and a night at 1,000 and at 100,000 entities (with --quick: 5,000).

Each entity is called by two words, drawn as words are: few of them often, so that names that begin
alike grow with their number. A message mentions four: three known ones and a new one; ten messages
are a session. A night is the whole daily run as the worker takes it, of as many entities with ten
edges each: of 100,000 entities with 1,000,000 edges (with --quick 5,000 and 50,000).
"""

import functools
import random
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from conceptgraph_core.entities import schema

from .harness import Figure, Setup
from .sizes import Operation, grown, in_turn, unused
from .stores import NOW_MS, Caller, batches

DAY_MS = 86_400_000
USER = "default"
EDGES = 10
_WORDS = 20_000
# A search looks at more names the more begin alike, up to a bound.
_GROWING = ("search",)
_IN_A_SESSION = 10


def run(setup: Setup) -> Iterator[Figure]:
    big = 5_000 if setup.quick else 100_000
    yield from grown(setup, big, functools.partial(_measured, setup), _GROWING)


def _measured(setup: Setup, store: Caller, host: str, size: int) -> Iterator[tuple[str, float]]:
    setup.log(f"{host}: keeping {size:,} entities and {size * EDGES:,} edges")
    for rows in batches(entities(size), 1_000):
        store.run(calls.transfer.import_rows(list(rows)))
    yield from in_turn(store, operations(), size, setup.times(200))
    yield "the end of a session", _ended(store)
    for rows in batches(ties(size), 5_000):
        store.run(calls.transfer.import_rows(list(rows)))
    setup.log(f"{host}: a night over {size:,}")
    yield "the daily run, of 1,000", _night(store, NOW_MS + DAY_MS) / size * 1e6


def operations() -> Sequence[Operation]:
    """Return what is measured: a call on a store of some size."""
    chance = random.Random(2)

    def known(size: int) -> int:
        return chance.randrange(size)

    return (
        ("observe", lambda size: observe([label(known(size)) for _ in range(3)])),
        ("search", lambda size: calls.entities.search(label(known(size)))),
        (
            "context",
            lambda size: calls.entities.context(f"Is {label(known(size))} well?"),
        ),
        ("get", lambda size: calls.entities.get(_id(known(size)))),
    )


def observe(labels: Sequence[str]) -> Call:
    """Return the call that observes a message of those *labels* and of one that is new."""
    number = next(unused)
    called = [*labels, f"new {number}"]
    return calls.entities.observe(
        *(f"s{number // _IN_A_SESSION}", f"m{number}", schema.USER, ", ".join(called) + "."),
        [{"label": one, "type": "entity"} for one in called],
    )


def entities(size: int) -> Iterator[dict[str, Any]]:
    """Iterate over *size* entities, mentioned last one a minute."""
    for number in range(size):
        name, at_ms = label(number), NOW_MS - number * 60_000
        yield {
            "kind": "entity",
            "id": _id(number),
            "user_id": USER,
            "node_type": "entity",
            "node_label": name,
            "canonical_name": name,
            "origin": schema.USER,
            "user_mention_count": 2,
            "created_at": at_ms,
            "last_activated": at_ms,
            "valid_from": at_ms,
            "edge_count": EDGES * 2,
        }


def ties(size: int) -> Iterator[dict[str, Any]]:
    """Iterate over ten edges of each of *size* entities, as co-occurrence makes them."""
    for number in range(size):
        for step in range(1, EDGES + 1):
            yield {
                "kind": "tie",
                "from": _id(number),
                "to": _id((number + step * step) % size),
                "type": "co_occurrence",
                "created_at": NOW_MS,
                "last_activated": NOW_MS,
                "weight": 0.3,
                "weight_at": NOW_MS,
                "user_reinforcement_count": 1.0,
            }


def _night(store: Caller, now_ms: int) -> float:
    """Take the daily run over one scope as the worker does; return the seconds that it took."""
    start = perf_counter()
    for steps in schema.DAILY_TOGETHER:
        last: str | None = None
        while True:
            [*rows] = (store.run(calls.entities.daily(step, last), now_ms)[0] for step in steps)
            last = rows[-1]["last"]
            if last is None:
                break
    return perf_counter() - start


def _ended(store: Caller) -> float:
    """Return how many milliseconds the end of a session of ten messages takes, on average."""
    sessions = range(next(unused) // _IN_A_SESSION)[-10:]
    start = perf_counter()
    for number in sessions:
        store.run(calls.entities.end_session(f"s{number}"), NOW_MS + next(unused))
    return (perf_counter() - start) / len(sessions) * 1e3


def label(number: int) -> str:
    # The nth word is drawn as often as 1/n; the number makes the name one of its own.
    return f"w{int(_WORDS ** random.Random(number).random())} e{number}"


def _id(number: int) -> str:
    # In another order than that in which they were kept.
    return f"{number * 7919 % 1_000_003:07}-{number}"
