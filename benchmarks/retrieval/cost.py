"""What it takes to index a message and to answer a question, by how many messages there are."""

import gc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from statistics import median, quantiles
from time import perf_counter
from typing import NamedTuple

from benchmarks.stores import Caller

from .finders import FINDERS, IN_STORE
from .folder import Memory, Message
from .in_memory import InMemory
from .in_store import InStore

_MOST_QUESTIONS = 200


class Cost(NamedTuple):
    """Milliseconds: of one message, and of a question by each finder (median, 95th percentile).

    `in_store`: of one message, where there is a store.
    """

    messages: int
    message: float
    question: dict[str, tuple[float, float]]
    in_store: float | None = None


def cost(memories: Sequence[Memory], size: int, store: Caller | None = None) -> Cost:
    """Measure on *size* messages: those of *memories*, as often as it takes, as one memory.

    With *store*, which is empty, they are put there too, and the questions asked there as well.
    """
    messages = list(islice(_repeated(memories), size))
    start = perf_counter()
    index = InMemory(messages)
    indexing = perf_counter() - start
    finders = dict(FINDERS)
    in_store = None
    if store is not None:
        start = perf_counter()
        finders[IN_STORE] = InStore(store, messages).find
        in_store = (perf_counter() - start) * 1_000 / size
    # In a store the texts are no objects of Python, which its collector would go through.
    gc.collect()
    gc.disable()
    last = max(message.time_ms for message in messages) + 1
    queries = [query for memory in memories for query in memory.queries]
    step = max(1, len(queries) // _MOST_QUESTIONS)
    taken: dict[str, list[float]] = {name: [] for name in finders}
    for query in queries[::step]:
        for name, finder in finders.items():
            start = perf_counter()
            finder(index, replace(query, asked_ms=last), 10)
            taken[name].append((perf_counter() - start) * 1_000)
    question = {name: (median(times), quantiles(times, n=20)[-1]) for name, times in taken.items()}
    return Cost(size, indexing * 1_000 / size, question, in_store)


def _repeated(memories: Sequence[Memory]) -> Iterator[Message]:
    copy = 0
    while True:
        for memory in memories:
            for message in memory.messages:
                yield replace(message, id=f"{copy}/{message.id}", thread=f"{copy}/{message.thread}")
        copy += 1
