"""The texts whose vectors are nearest to the vector of a question."""

from collections.abc import Mapping
from math import log10
from typing import Final, Generic, NamedTuple

from .index import H, Index, Mentions

# The more texts there are, the nearer one is by chance. So the margin, in standard deviations,
# starts at a value for the fewest texts, and grows with each factor of ten.
_FEWEST: Final = 8
_AMONG_THE_FEWEST: Final = 0.55
_AMONG_TEN_TIMES: Final = 0.45


class Near(NamedTuple, Generic[H]):
    """The texts that are nearest to a question, by cosine.

    A text that no word leads to needs a cosine of at least *least*.
    """

    texts: Mapping[H, float]
    least: float = -1.0

    def mentions(self, index: Index[H]) -> Mentions[H]:
        """Return a mention of each text, with its cosine as the count."""
        return index.about(list(self.texts))._replace(counts=list(self.texts.values()))


def least_alone(near_nothing: tuple[float, float] | None, texts: int) -> float:
    """Return the cosine from which a text is near enough without a word, among so many *texts*.

    `concept_graph_mcp.embedding.nothing` compares the question with remarks that no memory answers.
    *near_nothing* has the greatest of these cosines and their standard deviation. The question must
    be nearer to the text than to any remark. With None, every nearest text is near enough.
    """
    if near_nothing is None:
        return -1.0
    greatest, deviation = near_nothing
    more = _AMONG_TEN_TIMES * log10(max(texts, _FEWEST) / _FEWEST)
    return greatest + deviation * (_AMONG_THE_FEWEST + more)
