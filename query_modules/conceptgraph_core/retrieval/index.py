"""The interface through which retrieval reads a store's texts and their words.

Beside it stand the texts whose vectors are nearest to that of a question, which it mentions too.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from math import sqrt
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from .groups import Neighbour

H = TypeVar("H", bound=Hashable)
"""The store's handle of a text, for example a vertex or a key."""


class Mentions(NamedTuple, Generic[H]):
    """The texts that mention a cue, as columns, because one question reads 10,000 mentions.

    Each row has the text, its count of the cue, its length (the sum of its counts), its thread,
    its position there, and its time (unix ms). A text without a thread has no neighbours and no
    meaningful position. No two texts share a thread and a position.
    """

    texts: Sequence[H]
    counts: Sequence[float]
    lengths: Sequence[int]
    threads: Sequence[str | None]
    positions: Sequence[int]
    said_at: Sequence[int | None]


NO_MENTIONS: Final[Mentions[Any]] = Mentions((), (), (), (), (), ())


class Told(NamedTuple):
    """The details of a text that retrieval reads for possible winners only.

    `said_at` is the day of a plan; then `told_at`, before that, is when the plan was told.
    """

    id: str
    speaker: str | None
    said_at: int | None
    told_at: int | None = None

    @property
    def heard_at(self) -> int | None:
        """The time from which the text was known."""
        return self.said_at if self.told_at is None else self.told_at


class Corpus(NamedTuple):
    """The number of texts and their mean length; both may be slightly stale."""

    texts: int
    mean_length: float


class Index(Protocol[H]):
    """A store's texts by their terms. All methods raise what the store raises."""

    def count(self, cue: str) -> int:
        """Return how many texts mention *cue*, without reading them; 0 if there is no such term."""

    def counts(self, cues: Collection[str], most: int) -> Mapping[str, int]:
        """Return the counts of *cues*; one above *most* may be too low, but stays above *most*."""

    def near(self, cue: str) -> Sequence[Neighbour]:
        """Return the neighbours of *cue* that texts mention, without first names of speakers."""

    def mentions(self, cue: str) -> Mentions[H]:
        """Return the texts that mention *cue*, in any order."""

    def expect_mentions(self, cues: Collection[str]) -> None:
        """Prefetch the mentions of *cues*."""

    def about(self, texts: Sequence[H]) -> Mentions[H]:
        """Return a mention of each of *texts*, with a count of 1."""

    def terms(self, texts: Sequence[H]) -> list[list[str]]:
        """Return the terms that each of *texts* mentions, without first names of speakers."""

    def beside(self, text: H, offset: int) -> H | None:
        """Return the text *offset* positions further along the thread, if that position has one."""

    def expect(self, texts: Sequence[tuple[H, int]]) -> None:
        """Prefetch texts and their neighbours, each given as the arguments of `beside`.

        The caller will read most of them, if not all. An offset of 0 is the text itself.
        """

    def expect_nodes(self, texts: Sequence[H]) -> None:
        """Prefetch the nodes of *texts*, because the caller filters by them next."""

    def tell(self, text: H) -> Told:
        """Return the text's key, speaker and times."""


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
