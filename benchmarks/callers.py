"""Twelve callers of one Memgraph beside four: agents of different users, and of one user.

10,000 memories of 12 users, 10,000 concepts and 1,000 entities (with --quick a tenth). Each caller
is a process with a connection of its own that calls without a pause: everyday calls, searches,
contexts and writes, drawn evenly. Calls of one user that count accesses of the same memories
conflict.
"""

import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from statistics import median
from time import perf_counter
from typing import Any, Final

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call

from . import entities, memories
from .harness import Figure, Setup
from .stores import NOW_MS, Bolt, batches, empty_memgraph

FEW, MANY = 4, 12
_TURNS: Final = 3


@dataclass(frozen=True, slots=True)
class Work:
    """The work of one caller: whose agent it is, and for how long."""

    uri: str
    user: str
    seed: int
    size: int
    seconds: float


def run(setup: Setup) -> Iterator[Figure]:
    if setup.memgraph is None:
        return
    size = 1_000 if setup.quick else 10_000
    seconds = 2.0 if setup.quick else 6.0
    empty_memgraph(setup.memgraph)
    store = Bolt(setup.memgraph)
    for rows in batches(_records(size), 1_000):
        store.run(calls.transfer.import_rows(list(rows)))
    store.close()
    for whose, users in (("a user each", MANY), ("one user", 1)):
        rates: dict[int, list[float]] = {FEW: [], MANY: []}
        for turn in range(_TURNS):
            for callers in (FEW, MANY):
                works = [
                    Work(setup.memgraph, _user(number % users), number + 99 * turn, size, seconds)
                    for number in range(callers)
                ]
                rates[callers].append(sum(_together(works)) / seconds)
        yield Figure(
            f"{MANY} callers of {whose}: calls",
            median(rates[MANY]),
            f"{FEW} callers",
            median(rates[FEW]),
            "≥ 1",
            unit="/s",
        )


def _records(size: int) -> Iterator[dict[str, Any]]:
    yield from ({"kind": "concept", "name": _concept(number)} for number in range(size))
    for number, one in enumerate(memories.records(size)):
        yield one | {"user_id": _user(number % MANY)}
    for number, one in enumerate(entities.entities(size // 10)):
        yield one | {"user_id": _user(number % MANY)}


def _operations(work: Work) -> Sequence[Callable[[], Call]]:
    chance, user = random.Random(work.seed), work.user

    def text(words: int) -> str:
        return memories.text(chance, words)

    def name() -> str:
        return _concept(chance.randrange(work.size))

    def called() -> str:
        return entities.label(chance.randrange(work.size // 10))

    return (
        lambda: calls.everyday.recall(user, f"{text(3)} {called()}?", concept_scope=""),
        lambda: calls.everyday.remember(user, text(12), [name()], concept_scope=""),
        lambda: calls.everyday.search(user, text(4), concept_scope=""),
        lambda: calls.memories.context(user, text(4)),
        lambda: calls.memories.recent(user),
        lambda: calls.concepts.recall_query([name()]),
        lambda: calls.concepts.concept_upsert(name()),
        lambda: calls.concepts.concept_search([text(1)]),
        lambda: calls.entities.context(f"How is {called()}?", user_id=user),
    )


def _together(works: Sequence[Work]) -> list[int]:
    """Return how many calls each caller made."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(len(works))
    results: Any = context.Queue()
    processes = [
        context.Process(target=_caller, args=(work, barrier, results), daemon=True)
        for work in works
    ]
    for process in processes:
        process.start()
    made = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    return made


def _caller(work: Work, barrier: Barrier, results: Any) -> None:
    store = Bolt(work.uri)
    operations, chance = _operations(work), random.Random(work.seed)

    def call(operation: Callable[[], Call], now_ms: int) -> None:
        made = operation()
        store.run(made._replace(context={**made.context, "user_id": work.user}), now_ms)

    for operation in operations:
        call(operation, NOW_MS)
    barrier.wait(60)
    made, end = 0, perf_counter() + work.seconds
    while perf_counter() < end:
        call(chance.choice(operations), NOW_MS + made)
        made += 1
    store.close()
    results.put(made)


def _user(number: int) -> str:
    return f"user {number}"


def _concept(number: int) -> str:
    return f"w{number % 97} c{number}"
