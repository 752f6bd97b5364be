"""Tell whether a text is about a name: by whole words, in any case, with or without accents.

"Tom" is not in "tomatoes". A name may have the -s of a genitive or a plural ("Annas Hund"), and a
word that is no name any ending of its number. A script without blanks is searched by substring.
Imports nothing of Memgraph.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..folding import plain
from ..retrieval.question import asked_terms
from ..words.splitting import is_unspaced, split
from .language.inflection import is_german, is_one_word


class _Name(NamedTuple):
    """A name in its plain form, and its words; no words if only the whole form is searched for."""

    form: str
    first: list[str]
    last: str
    is_proper: bool

    def is_in(self, text: str, words: list[str]) -> bool:
        """Tell whether the plain *text* with these *words* has the name."""
        if not self.last:
            return self.form in text
        ends = range(len(self.first), len(words))
        return any(
            self._is_form(words[end], words)
            for end in ends
            if words[end - len(self.first) : end] == self.first
        )

    def _is_form(self, word: str, words: Sequence[str]) -> bool:
        if word in (self.last, f"{self.last}s"):
            return True
        # Most words differ at once.
        is_near = not self.is_proper and word[:2] == self.last[:2]
        return is_near and is_one_word(self.last, word, is_german(words), verbs=False)


class Subject:
    """Something that texts are about, by all its *names*."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._names = list(map(_read, self.names))

    def is_in(self, texts: Iterable[str]) -> bool:
        """Tell whether any of *texts* has one of the names."""
        for text in map(plain, texts):
            words = split(text)
            if any(name.is_in(text, words) for name in self._names):
                return True
        return False


def _read(name: str) -> _Name:
    words = [] if any(map(is_unspaced, name)) else split(plain(name))
    *first, last = words or [""]
    return _Name(plain(name), first, last, name.rsplit(maxsplit=1)[-1][:1].isupper())


def terms(name: str, languages: Sequence[str]) -> Iterator[list[str]]:
    """Yield for each word of *name* the terms of which a text with that word has one.

    Words that the index leaves out or cuts otherwise are skipped. Raises LibraryMissing.
    """
    for word in dict.fromkeys(split(name)):
        stems = [] if is_unspaced(word[0]) else asked_terms(word, languages)
        if stems:
            yield list(dict.fromkeys((*stems, *asked_terms(f"{word}s", languages))))
