"""What is near a question in meaning: the texts that a store's vectors are nearest to its own."""

from collections.abc import Mapping
from math import log10
from typing import Final, Generic, NamedTuple

from .index import H, Index, Mentions

# Among more texts, one is near by chance; among few, hardly any: so much for ten times as many.
_BY_SIZE: Final = 0.1
_SIZE: Final = 100


class Near(NamedTuple, Generic[H]):
    """The texts that are nearest to a question, by cosine.

    One that no word leads to must have a cosine of *least* to be found.
    """

    texts: Mapping[H, float]
    least: float = -1.0

    def mentions(self, index: Index[H]) -> Mentions[H]:
        """Return what a mention tells of each, with its cosine as the count."""
        return index.about(list(self.texts))._replace(counts=list(self.texts.values()))


def least_alone(of_nothing: float | None, texts: int) -> float:
    """Return the cosine from which a text is near enough without a word, among so many *texts*.

    *of_nothing* is that of the nearest of remarks that ask for nothing that anybody keeps
    (`concept_graph_mcp.embedding.nothing`): what is asked must be nearer to the text than to these.
    None: whoever asks has none, and takes what is nearest.
    """
    return -1.0 if of_nothing is None else of_nothing + _BY_SIZE * log10(max(1, texts) / _SIZE)
