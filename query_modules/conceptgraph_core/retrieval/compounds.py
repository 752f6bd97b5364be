"""Take a German compound that no text has for its parts, and a word for compounds that begin so.

"Anatomieprüfung" finds texts on a Prüfung in Anatomie, and "Rente" finds the Rentenbescheid. Parts
are looked up by name, and compounds by their beginning: a few of them.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from .. import language
from ..words.languages import language as stemmed
from ..words.splitting import split
from .index import Index

# The most compounds that begin with one word.
MOST: Final = 5
_LINKS: Final = ("", "s", "es", "n", "en", "e", "er")
_SHORTEST: Final = 9
_SHORTEST_PART: Final = 4
_SHORTEST_FIRST: Final = 5


class Terms(Index[int], Protocol):
    """An index whose terms are found by their beginning."""

    def beginning(self, start: str) -> Sequence[str]:
        """Return the terms that begin with *start*, as far as the look-up found them."""


def is_german(text: str) -> bool:
    """Tell whether the function words of *text* are German."""
    spoken = language.likely(split(text))
    return "de" in spoken and "en" not in spoken


def splits(word: str, languages: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the terms of two parts that *word* may be made of, each with the part."""
    if len(word) < _SHORTEST:
        return
    for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        firsts = (word[:at].removesuffix(one) for one in _LINKS)
        for first in dict.fromkeys(one for one in firsts if len(one) >= _SHORTEST_PART):
            for one in map(stemmed, languages):
                yield {one.stem(first): first, one.stem(word[at:]): word[at:]}


def beginning(word: str, term: str) -> str | None:
    """Return how compounds with *word*, of that *term*, begin; None for a short word."""
    return next((one for one in (term, word) if len(one) >= _SHORTEST_FIRST), None)


def related(index: Terms, word: str, term: str, languages: Sequence[str]) -> list[dict[str, str]]:
    """Return rows as of `spelling.corrected`, without `meant`: the parts or compounds of *word*."""
    pairs = (pair for pair in splits(word, languages) if all(map(index.count, pair)))
    found = next(pairs, {})
    begun = beginning(word, term)
    if not found and begun is not None:
        longer = index.beginning(begun)
        long = [one for one in longer if len(one) >= len(begun) + _SHORTEST_PART]
        found = {one: one for one in long[:MOST]}
    return [{"asked": term, "said": word, "term": one, "word": part} for one, part in found.items()]
