"""The neighbours of a word: words that occur with the same words in the texts of a scope.

`worker.latent` computes them by latent semantic analysis (Deerwester and others, "Indexing by
Latent Semantic Analysis", JASIS 41, 1990). A word of the question and its neighbours are one cue.
"""

from typing import Any, Final, NamedTuple

# Measured on conversations; `python -m benchmarks.retrieval` measures their effect. A long text
# says what its words mean; the words of short texts hardly occur together.
SHARE: Final = 0.3
LENGTH: Final = 80
_LEAST_SHARE: Final = 0.1

# In a smaller scope most words are near one another.
MIN_TEXTS: Final = 500
# A scope is computed again when its number of texts changed by this part.
_CHANGED: Final = 0.1

# The most neighbours of a term.
MOST: Final = 10


class Neighbour(NamedTuple):
    """A term near another one, the most frequent word of that term, and their cosine."""

    term: str
    word: str
    cosine: float


def share(mean_length: float) -> float:
    """Return the weight of a neighbour beside the word itself, at a cosine of 1; 0 for none.

    *mean_length* is the mean number of words of the scope's texts.
    """
    found = SHARE * min(1.0, mean_length / LENGTH)
    return found if found >= _LEAST_SHARE else 0.0


def wants(texts: int, length: int) -> bool:
    """Return whether a scope of *texts* texts with *length* words in all should have groups."""
    return texts >= MIN_TEXTS and share(length / texts) > 0


def are_stale(texts: int, grouped: int | None) -> bool:
    """Return whether groups of *grouped* texts are out of date in a scope of *texts* texts."""
    return grouped is None or abs(texts - grouped) >= _CHANGED * max(1, grouped)


def stored(neighbours: Any) -> list[Neighbour]:
    """Return the neighbours of a term from its property `near`; a term may lack it."""
    return [Neighbour(*one) for one in neighbours or ()]
