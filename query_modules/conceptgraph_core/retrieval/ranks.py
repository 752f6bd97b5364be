"""Compare vectors, and fuse several rankings into one."""

import math
import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, TypeVar

T = TypeVar("T", bound=Hashable)

# By Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
# Learning Methods" (SIGIR 2009).
K: Final = 60


def fuse_rankings(rankings: Iterable[Sequence[T]], k: float = K) -> list[tuple[T, float]]:
    """Fuse *rankings*, each the best first, into (item, score) pairs, the best first.

    The score is the sum of 1 / (k + rank) over the rankings with the item, with ranks from 1; only
    its first place in a ranking counts. On ties the item that was met first wins: in an earlier
    ranking, or higher in it.
    """
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(dict.fromkeys(ranking), start=1):
            scores[one] = scores.get(one, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda one: one[1], reverse=True)


def cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the cosine of two vectors; None if they differ in dimension, or one has no length."""
    return cosine_to(one)(other)


def cosine_to(one: Sequence[float]) -> Callable[[Sequence[float]], float | None]:
    """Return `cosine` with *one*, whose length is computed once."""
    length, dimension = math.hypot(*one), len(one)

    def cosine_of(other: Sequence[float]) -> float | None:
        lengths = length * math.hypot(*other)
        if len(other) != dimension or not lengths:
            return None
        return float(sum(map(operator.mul, one, other))) / lengths

    return cosine_of
