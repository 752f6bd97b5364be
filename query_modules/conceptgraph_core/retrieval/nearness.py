"""The texts whose vectors are nearest to the vector of a question."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final, Generic, NamedTuple

from .index import H, Index, Mentions

# Among fewer texts none is far above the mean.
FEWEST: Final = 8
# A smaller sample says nothing of the texts that are not near.
_FEWEST_SAMPLED: Final = 8
# A cosine that is spread along a thread has another mean and another deviation than a text's own.
# In deviations of the texts' own; measured on conversations of three benchmarks.
_SPREAD_MEAN: Final = 0.5
_SPREAD_DEVIATION: Final = 0.87
# So that what is near has a score where all texts are equally near, or where there is only one.
_LEAST_Z: Final = 0.1
# Equal cosines differ by rounding alone.
_ROUNDING: Final = 1e-9


class Cosines(NamedTuple):
    """The mean and the standard deviation of the cosines of all texts of a scope to a question."""

    mean: float = 0.0
    deviation: float = 0.0

    def z(self, cosine: float) -> float:
        """Return how many deviations a text's own *cosine* is above the mean."""
        return (cosine - self.mean) / self.deviation if self.deviation > _ROUNDING else 0.0

    def z_of_spread(self, cosine: float) -> float:
        """Return the same of a *cosine* that is spread along a thread; nearly 0 below the mean."""
        return max(_LEAST_Z * cosine, (self.z(cosine) - _SPREAD_MEAN) / _SPREAD_DEVIATION)


class Near(NamedTuple, Generic[H]):
    """The texts that are nearest to a question, by cosine.

    *of_all* are the cosines of all texts.
    """

    texts: Mapping[H, float]
    of_all: Cosines = Cosines()

    def mentions(self, index: Index[H]) -> Mentions[H]:
        """Return a mention of each text, with its cosine as the count."""
        return index.about(list(self.texts))._replace(counts=list(self.texts.values()))


def cosines_of_all(near: Sequence[float], others: Sequence[float], texts: int) -> Cosines:
    """Return the cosines of all *texts* texts of a scope.

    *near* has the greatest cosines, *others* some of the rest: all of them, or a sample that stands
    for them.
    """
    if not near:
        return Cosines()
    rest = max(len(others), texts - len(near))
    if len(others) < min(rest, _FEWEST_SAMPLED):
        # Nothing is known of the rest, except that it is farther.
        least = min(near)
        return Cosines(least, sqrt(sum((one - least) ** 2 for one in near) / len(near)))
    each = rest / len(others) if others else 0.0
    mean = (sum(near) + each * sum(others)) / (len(near) + rest)
    squares = sum((one - mean) ** 2 for one in near)
    squares += each * sum((one - mean) ** 2 for one in others)
    return Cosines(mean, sqrt(squares / (len(near) + rest)))
