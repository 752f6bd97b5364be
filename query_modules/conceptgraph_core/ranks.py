"""Orders of the same things: how near vectors are, and what several orders say together."""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Final, TypeVar

T = TypeVar("T", bound=Hashable)

# Of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
# Learning Methods" (SIGIR 2009).
K: Final = 60


def fused(rankings: Iterable[Sequence[T]], k: float = K) -> list[tuple[T, float]]:
    """Return what any of *rankings*, each the best first, has: (it, its score), the best first.

    The score is the sum of 1 / (k + rank) over the rankings that have it, the first rank being 1;
    in each it counts once, where it stands first. Of equal score comes what was met first: in an
    earlier ranking, or higher in it.
    """
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(dict.fromkeys(ranking), start=1):
            scores[one] = scores.get(one, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda one: one[1], reverse=True)


def cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the cosine of two vectors; None if they differ in dimension, or one has no length."""
    lengths = math.hypot(*one) * math.hypot(*other)
    if len(one) != len(other) or not lengths:
        return None
    return float(sum(a * b for a, b in zip(one, other, strict=True))) / lengths
