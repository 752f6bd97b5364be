"""Time indexing a message and answering a question, by how many messages there are."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice, product
from statistics import median, quantiles
from time import perf_counter
from typing import NamedTuple

from benchmarks.stores import Caller

from .finders import FINDERS, Finder
from .folder import Memory, Message, Query
from .in_memory import InMemory
from .in_store import IN_STORE

_MOST_QUESTIONS = 200


class Cost(NamedTuple):
    """Milliseconds: of one message, and of a question by each finder (median, 95th percentile).

    `in_store`: of one message, by the finder that it is put into a store for.
    """

    messages: int
    message: float
    question: dict[str, tuple[float, float]]
    in_store: dict[str, float]


Opening = Callable[[], AbstractContextManager[Caller]]


def cost(memories: Sequence[Memory], size: int, opening: Opening | None = None) -> Cost:
    """Measure on *size* messages: those of *memories*, as often as it takes, as one memory.

    With *opening*, of an empty store, they are put there too, and the questions asked there as
    well.
    """
    messages = list(islice(_repeated(memories), size))
    start = perf_counter()
    index = InMemory(messages)
    indexing = perf_counter() - start
    last = max(message.time_ms for message in messages) + 1
    queries = [replace(query, asked_ms=last) for memory in memories for query in memory.queries]
    queries = queries[:: max(1, len(queries) // _MOST_QUESTIONS)]
    question = _asked(FINDERS, index, queries)
    in_store = {}
    for opened, (label, made) in product([opening] if opening else [], IN_STORE.items()):
        with opened() as store:
            start = perf_counter()
            find = made(store, messages).find
            in_store[label] = (perf_counter() - start) * 1_000 / size
            question |= _asked({label: find}, index, queries)
    return Cost(size, indexing * 1_000 / size, question, in_store)


def _asked(
    finders: Mapping[str, Finder], index: InMemory, queries: Sequence[Query]
) -> dict[str, tuple[float, float]]:
    # In a store the texts are no objects of Python, which its collector would go through.
    gc.collect()
    gc.disable()
    taken: dict[str, list[float]] = {name: [] for name in finders}
    for query in queries:
        for name, finder in finders.items():
            start = perf_counter()
            finder(index, query, 10)
            taken[name].append((perf_counter() - start) * 1_000)
    gc.enable()
    return {name: (median(times), quantiles(times, n=20)[-1]) for name, times in taken.items()}


def _repeated(memories: Sequence[Memory]) -> Iterator[Message]:
    copy = 0
    while True:
        for memory in memories:
            for message in memory.messages:
                # Copies in the same words would be looked through as one.
                yield replace(
                    message,
                    id=f"{copy}/{message.id}",
                    thread=f"{copy}/{message.thread}",
                    text=f"{message.text} c{copy}",
                )
        copy += 1
