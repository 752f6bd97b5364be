"""Shares of the answers that are found or held, and how sure they are."""

from collections.abc import Iterator, Sequence
from random import Random
from statistics import mean

from conceptgraph_core.everyday.schema import DEFAULT_BUDGET
from conceptgraph_core.retrieval.schema import MAX_LIMIT

from .finders import Finder
from .folder import Memory, Query
from .in_memory import InMemory
from .in_store import Ingested

DEPTHS = (1, 5, 10)
HITS = (1, 5)
BUDGETS = (500, 1_000, 2_000, 4_000)

Shares = dict[str, float]
"""The figures of one question: a share of its answers, or for a hit 0 or 1."""

_RESAMPLES = 1_000


def of_found(memory: Memory, query: Query, texts: Sequence[int]) -> Shares:
    """Return the recalls of *texts*, the best first, and whether a session is hit.

    A session ranks as its best message. It is a hit if any answer is in it.
    """
    found = [memory.messages[text] for text in texts]
    answers = list(dict.fromkeys(query.answer(message) for message in found))
    sessions = list(dict.fromkeys(message.thread for message in found))
    wanted = {m.thread for m in memory.messages if query.answer(m) in query.gold}
    return {
        **{f"recall@{depth}": _share(query, answers[:depth]) for depth in DEPTHS},
        **{f"session hit@{k}": float(not wanted.isdisjoint(sessions[:k])) for k in HITS},
    }


def _of_texts(memory: Memory, query: Query, kept: Ingested) -> Shares:
    """Return the share of the answers that each text within a budget holds."""
    contexts = kept.held(query, BUDGETS).items()
    held = {f"context, {budget:,} tokens": texts for budget, texts in contexts}
    held[f"recall tool, {DEFAULT_BUDGET:,} tokens"] = kept.recalled(query)
    return {
        figure: _share(query, [query.answer(memory.messages[text]) for text in texts])
        for figure, texts in held.items()
    }


def found_by(finder: Finder, memory: Memory, index: InMemory) -> Iterator[Shares]:
    """Yield the shares of each question that *finder* answers in the dictionaries of *index*."""
    for query in memory.queries:
        yield of_found(memory, query, finder(index, query, MAX_LIMIT))


def found_in(kept: Ingested, memory: Memory) -> Iterator[Shares]:
    """Yield the shares of each question that the store answers."""
    for query in memory.queries:
        found = [kept.numbers[row["memory_id"]] for row in kept.rows(query, MAX_LIMIT)]
        yield of_found(memory, query, found) | _of_texts(memory, query, kept)


def _share(query: Query, answers: Sequence[str]) -> float:
    wanted = set(query.gold)
    return len(wanted.intersection(answers)) / len(wanted)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean of *values*, over questions."""
    random = Random(0)
    means = sorted(mean(random.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[_RESAMPLES // 40], means[-_RESAMPLES // 40 - 1]
