"""The neighbours of a word, which count with it as one cue.

* `words.families` has the words that are derived from it: allergic from allergy.
* `worker.latent` finds words that occur with the same words in the texts of a scope, by latent
  semantic analysis (Deerwester and others, "Indexing by Latent Semantic Analysis", JASIS 41, 1990).
* A static embedding has a vector for each word of its vocabulary. `concept_graph_mcp.embedding`
  finds the words nearest to a word of the question; nothing of that is stored.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

# A word of the same family means nearly the same. By itself it is no answer to a question that has
# another word as rare: "How do I center a div?" does not ask for what is central.
FAMILY_SHARE: Final = 0.8
_FAMILY_COVERS: Final = 0.8
# Less than 1: explanations tell a misspelt word from one of the family by it.
SPELT_COSINE: Final = 0.99
# A part of a compound says less than the word, and does not cover it whole.
_PART_SHARE: Final = 0.5
_PART_COVERS: Final = 0.8
# Measured on conversations; `python -m benchmarks.retrieval` measures their effect. A long text
# says what its words mean; the words of short texts hardly occur together.
SHARE: Final = 0.3
LENGTH: Final = 80
# A neighbour by a static embedding may have another meaning than the texts, so the words around it
# must not be many.
STATIC_SHARE: Final = 0.8
STATIC_LENGTH: Final = 12
_LEAST_SHARE: Final = 0.1
# RealMem's texts of 64 words lose by them.
_LEAST_STATIC_SHARE: Final = 0.2

# Smaller scopes gain nothing: most of their words are near one another.
MIN_TEXTS: Final = 300
# A scope is computed again when its number of texts changed by this part.
_CHANGED: Final = 0.1

# The most neighbours of a term.
MOST: Final = 10


class Neighbour(NamedTuple):
    """A term near another one, a word of that term, and their cosine.

    Its mention weighs `share` · `cosine` of a mention of the other term, and covers `covers` of it
    (see `Search.covered`).
    """

    term: str
    word: str
    cosine: float
    share: float
    covers: float = 0.0

    @property
    def weight(self) -> float:
        """The weight of its mention beside a mention of the other term."""
        return self.share * self.cosine


def share(mean_length: float) -> float:
    """Return the weight of a neighbour beside the word itself, at a cosine of 1; 0 for none.

    *mean_length* is the mean number of words of the scope's texts.
    """
    return _enough(SHARE * min(1.0, mean_length / LENGTH), _LEAST_SHARE)


def static_share(mean_length: float) -> float:
    """Return the same of a neighbour by a static embedding."""
    return _enough(STATIC_SHARE * min(1.0, STATIC_LENGTH / mean_length), _LEAST_STATIC_SHARE)


def _enough(found: float, least: float) -> float:
    return found if found >= least else 0.0


def wants(texts: int, length: int) -> bool:
    """Return whether a scope of *texts* texts with *length* words in all should have groups."""
    return texts >= MIN_TEXTS and share(length / texts) > 0


def are_stale(texts: int, grouped: int | None) -> bool:
    """Return whether groups of *grouped* texts are out of date in a scope of *texts* texts."""
    return grouped is None or abs(texts - grouped) >= _CHANGED * max(1, grouped)


def of_family(family: Mapping[str, str]) -> tuple[Neighbour, ...]:
    """Return the terms of *family*, each with a word, as neighbours."""
    return tuple(
        Neighbour(term, word, 1.0, FAMILY_SHARE, _FAMILY_COVERS) for term, word in family.items()
    )


def make_meant(term: str, word: str, is_part: bool = False) -> Neighbour:
    """Return the term that a misspelt one was meant for, or a part of a compound."""
    if is_part:
        return Neighbour(term, word, _PART_SHARE, _PART_SHARE, _PART_COVERS)
    return Neighbour(term, word, SPELT_COSINE, FAMILY_SHARE, 1.0)


def of_term(stored: Any, static: Iterable[tuple[str, str, float]], mean: float) -> list[Neighbour]:
    """Return the neighbours of a term, none if its share is 0.

    *stored* is the property `near` of the term, or None; *static* has its neighbours by a static
    embedding; *mean* is the mean number of words of the scope's texts.
    """
    kinds = (share(mean), stored or ()), (static_share(mean), static)
    return [
        Neighbour(term, word, cosine, weight)
        for weight, ones in kinds
        if weight
        for term, word, cosine in ones
    ]
