"""Finding texts by a question in plain words, beside BM25 in plain dictionaries.

The texts are WordNet's glosses, told in threads of twenty; a question is some words of one of them,
in any order. A store must find the same as the formula does in plain dictionaries.
"""

import random
from collections.abc import Iterator, Sequence
from statistics import mean, median, quantiles
from time import perf_counter

import neo4j

from conceptgraph_core.texts.words import terms

from . import wordnet
from .harness import Figure, Setup
from .retrieval.finders import Finder, by_associate, by_bm25
from .retrieval.folder import Message, Query
from .retrieval.in_memory import InMemory
from .retrieval.in_store import InStore
from .stores import NOW_MS, Bolt, Caller, Embedded

SIZES = (6_000, 100_000)
QUESTIONS = 100
LIMIT = 10
_THREAD = 20
_MINUTE_MS = 60_000
# Median and 95th percentile, ms.
_AIMS = {"embedded": (25, 80), "Memgraph": (50, 160)}


def run(setup: Setup) -> Iterator[Figure]:
    for size in SIZES[:1] if setup.quick else SIZES:
        messages = list(_messages(wordnet.glosses()[:size]))
        index = InMemory(messages)
        store = Embedded(setup.folder / f"{size}.db")
        yield from _measured(setup, "embedded", store, index)
        if setup.memgraph:
            with neo4j.GraphDatabase.driver(setup.memgraph) as driver:
                driver.execute_query("MATCH (n) DETACH DELETE n")
            yield from _measured(setup, "Memgraph", Bolt(setup.memgraph), index)


def _measured(setup: Setup, where: str, store: Caller, index: InMemory) -> Iterator[Figure]:
    count = len(index.messages)
    start = perf_counter()
    found = InStore(store, index.messages)
    indexing = (perf_counter() - start) / count
    cutting = _cutting([message.text for message in index.messages])
    title = f"a text of {count:,} indexed, {where}"
    yield Figure(title, indexing * 1e6, "its terms alone", cutting * 1e6, unit="µs")
    questions = list(_questions(index.messages, setup.times(QUESTIONS)))
    for question in questions[:10]:
        if found.find(index, question, LIMIT) != by_associate(index, question, LIMIT):
            raise AssertionError(f"{where}: {question.text!r} finds something else")
    ours, theirs = _times(index, questions, [found.find, by_bm25])
    title = f"a question among {count:,}, {where}"
    for what, aim, one, other in zip(
        ("median", "95th percentile"), _AIMS[where], ours, theirs, strict=True
    ):
        yield Figure(f"{title}: {what}", one, "plain BM25", other, f"< {aim} ms")
    store.close()


def _times(
    index: InMemory, questions: Sequence[Query], finders: Sequence[Finder]
) -> list[tuple[float, float]]:
    """Return the median and the 95th percentile of each finder, ms, which take turns."""
    taken: list[list[float]] = [[] for _ in finders]
    for question in questions:
        for finder, times in zip(finders, taken, strict=True):
            start = perf_counter()
            finder(index, question, LIMIT)
            times.append((perf_counter() - start) * 1_000)
    return [(median(times), quantiles(times, n=20)[-1]) for times in taken]


def _cutting(texts: Sequence[str]) -> float:
    """Return the seconds that it takes to cut a text into terms, none of which was met before."""
    times = []
    for text in texts:
        start = perf_counter()
        # Not what was cut already.
        terms(f"{text} ")
        times.append(perf_counter() - start)
    return mean(times)


def _messages(texts: Sequence[str]) -> Iterator[Message]:
    for number, text in enumerate(texts):
        thread = f"t{number // _THREAD}"
        time_ms = NOW_MS - (len(texts) - number) * _MINUTE_MS
        yield Message(f"m{number}", "glosses", thread, time_ms, f"Speaker {number % 2}", text)


def _questions(messages: Sequence[Message], count: int) -> Iterator[Query]:
    chance = random.Random(5)
    for message in chance.sample(list(messages), count):
        words = message.text.split()
        asked = " ".join(chance.sample(words, min(len(words), 8)))
        yield Query(message.id, message.memory, asked, NOW_MS, (message.id,))
