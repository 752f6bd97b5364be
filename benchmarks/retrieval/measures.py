"""Recall, and how sure it is."""

from collections.abc import Mapping, Sequence
from random import Random
from statistics import mean

from .finders import Finder
from .folder import Memory, Query
from .in_memory import InMemory

DEPTHS = (5, 10)
_RESAMPLES = 1_000


def recalls(
    finder: Finder, memories: Sequence[Memory], indexes: Mapping[str, InMemory]
) -> list[tuple[float, ...]]:
    """Return, for each question, the share of its answers among the first 5 and the first 10."""
    return [
        _shares(_found(finder, indexes[memory.name], query), query.gold)
        for memory in memories
        for query in memory.queries
    ]


def _shares(found: Sequence[str], gold: Sequence[str]) -> tuple[float, ...]:
    wanted = set(gold)
    return tuple(len(wanted.intersection(found[:depth])) / len(wanted) for depth in DEPTHS)


def _found(finder: Finder, index: InMemory, query: Query) -> list[str]:
    """Return the best answers; a session ranks as its best message, so more may be needed."""
    limit = max(DEPTHS)
    while True:
        texts = finder(index, query, limit)
        answers = list(dict.fromkeys(query.answer(index.messages[text]) for text in texts))
        if len(answers) >= max(DEPTHS) or len(texts) < limit:
            return answers
        limit *= 4


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean of *values*, over questions."""
    random = Random(0)
    means = sorted(mean(random.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[_RESAMPLES // 40], means[-_RESAMPLES // 40 - 1]
