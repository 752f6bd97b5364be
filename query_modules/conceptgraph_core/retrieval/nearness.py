"""What is near a question in meaning: the texts that a store's vectors are nearest to its own."""

from collections.abc import Mapping
from math import log10
from typing import Final, Generic, NamedTuple

from .index import H, Index, Mentions

# Among more texts, one is near by chance: what must lie between, in standard deviations, among the
# fewest texts, and so much more among ten times as many.
_FEWEST: Final = 8
_AMONG_THE_FEWEST: Final = 0.55
_AMONG_TEN_TIMES: Final = 0.45


class Near(NamedTuple, Generic[H]):
    """The texts that are nearest to a question, by cosine.

    One that no word leads to must have a cosine of *least* to be found.
    """

    texts: Mapping[H, float]
    least: float = -1.0

    def mentions(self, index: Index[H]) -> Mentions[H]:
        """Return what a mention tells of each, with its cosine as the count."""
        return index.about(list(self.texts))._replace(counts=list(self.texts.values()))


def least_alone(near_nothing: tuple[float, float] | None, texts: int) -> float:
    """Return the cosine from which a text is near enough without a word, among so many *texts*.

    *near_nothing* are the greatest cosine of the question to remarks that ask for nothing that
    anybody keeps (`concept_graph_mcp.embedding.nothing`), and the standard deviation of all these:
    the question must be nearer to the text than to any remark. None: all that is nearest is taken.
    """
    if near_nothing is None:
        return -1.0
    greatest, deviation = near_nothing
    more = _AMONG_TEN_TIMES * log10(max(texts, _FEWEST) / _FEWEST)
    return greatest + deviation * (_AMONG_THE_FEWEST + more)
