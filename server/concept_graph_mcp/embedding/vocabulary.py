"""Find the words of a static embedding's vocabulary that are nearest to the words of a question."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

import anyio.to_thread

from conceptgraph_core.retrieval.groups import MOST
from conceptgraph_core.texts.words import missing, readings, terms
from conceptgraph_core.texts.words.splitting import split

from ..calls.call import Neighbour, spoken
from .base import Embedding, LocalEmbedding

# Measured on conversations; `python -m benchmarks.retrieval` measures their effect.
_LEAST_COSINE: Final = 0.4
# Several words have one stem, so more words than wanted terms are looked at.
_NEAREST_WORDS: Final = 100
# A longer text says what it is about in several words. Each takes time.
_MOST_WORDS: Final = 32
# A token with one of these begins a word; in a vocabulary that has any, others are parts of words.
_BEGINNINGS: Final = ("▁", "Ġ")


class StaticEmbedding(LocalEmbedding):
    """An embedding that has a vector for each of its *tokens*, whatever the text around it."""

    def __init__(
        self, name: str, dimension: int, encode: Callable[[list[str]], Any], tokens: Collection[str]
    ) -> None:
        super().__init__(name, dimension, encode)
        self._tokens = tokens

    async def neighbours(self, text: str, languages: Sequence[str]) -> list[Neighbour]:
        """Return the terms nearest to those of the question *text*, which has none of them.

        A row has the term of the question, the other term, a word of it, and their cosine. Names
        have none, because Anna is not Nora. Raises LibraryMissing.
        """
        return await anyio.to_thread.run_sync(
            lambda: list(self._neighbours(text, tuple(languages)))
        )

    def _neighbours(self, text: str, languages: tuple[str, ...]) -> Iterator[Neighbour]:
        read, names = readings(text, languages), _names(text)
        said = {term for reading in read.values() for term in reading}
        asked = [word for word in read if names.isdisjoint(split(word))][:_MOST_WORDS]
        if not asked:
            return
        words, vectors = self._vocabulary
        for word, cosines in zip(
            asked, _normalise_rows(self._encode(asked)) @ vectors.T, strict=True
        ):
            near = (cosines >= _LEAST_COSINE).nonzero()[0]
            nearest = near[(-cosines[near]).argsort()][:_NEAREST_WORDS]
            found: dict[str, tuple[str, float]] = {}
            for one in nearest:
                for term in terms(words[one], languages).keys() - said:
                    found.setdefault(term, (words[one], min(1.0, float(cosines[one]))))
            others = list(found.items())[:MOST]
            yield from ((of, term, *one) for of in read[word] for term, one in others)

    @cached_property
    def _vocabulary(self) -> tuple[list[str], Any]:
        """The words of the vocabulary, and a row for each: its vector, with a length of 1."""
        marked = [one[1:] for one in self._tokens if one.startswith(_BEGINNINGS)]
        words = [one for one in marked or self._tokens if one.isalpha() and len(one) > 1]
        return words, _normalise_rows(self._encode(words))


async def neighbours(embedding: Embedding, text: str) -> Sequence[Neighbour]:
    """Return the terms nearest to those of *text*; none if *embedding* is not static."""
    if not isinstance(embedding, StaticEmbedding) or missing():
        return ()
    return await embedding.neighbours(text, spoken())


def _names(text: str) -> set[str]:
    """Return the words that *text* capitalises every time, except its first word."""
    pieces = text.split()
    small = {word for one in pieces if not one[0].isupper() for word in split(one)}
    return {word for one in pieces[1:] if one[0].isupper() for word in split(one)} - small


def _normalise_rows(rows: Any) -> Any:
    """Return *rows*, each divided by its length; zero stays zero."""
    # Models may keep half the precision, in which NumPy multiplies far slower.
    rows = rows.astype("float32")
    lengths = (rows * rows).sum(axis=1, keepdims=True) ** 0.5
    return rows / (lengths + (lengths == 0))
