"""Take a word that no text has for one that is spelt nearly alike: alergic for allergic.

Two neighbouring letters may be swapped; in a word of five letters and more, one may be missing, be
too many or be another, though not the first. These spellings are looked up like other terms, so no
term of the scope is scanned. A word that is right in a language of the question is left alone, and
so is anything with a digit.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from .. import language
from ..words import families, readings
from ..words.languages import language as stemmed
from ..words.splitting import split
from .index import Index

# For each term: how likely it is, the least first, and its word.
Meant = Mapping[str, tuple[int, str]]

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzäöüßáéíóúãõçêñ"
_SHORTEST: Final = 4
_SHORTEST_CHANGED: Final = 5
_LONGEST: Final = 30
# The most words of a question, the longest ones.
_MOST: Final = 3
# A swap is likelier than another slip, and a word of the family of what was meant comes last.
_SWAPPED, _CHANGED, _FAMILY = range(3)


def doubtful(text: str, languages: Sequence[str]) -> dict[str, str]:
    """Return the words of *text* that may be misspelt, each with its term.

    Raises LibraryMissing.
    """
    spoken = language.likely(split(text))
    right = language.spoken(split(text), "asking", "asking", "function", "telling", "what", "past")
    found = {
        word: reading.own[0]
        for word, reading in readings(text, languages).items()
        if _SHORTEST <= len(word) <= _LONGEST
        and word.isalpha()
        and word not in right
        and not families.knows(reading.stems, spoken, languages)
    }
    return dict(sorted(found.items(), key=lambda one: (-len(one[0]), one[0]))[:_MOST])


def spellings(text: str, languages: Sequence[str]) -> dict[str, Meant]:
    """Return the terms that each doubtful word of *text* may be meant for, by its term."""
    spoken = language.likely(split(text))
    return {
        term: _meant(word, term, spoken, languages)
        for word, term in doubtful(text, languages).items()
    }


def corrected(index: Index[int], text: str, languages: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return the terms of *text* that no text has, each with the likeliest one, and its word."""
    found = []
    for term, meant in spellings(text, languages).items():
        known = [] if index.count(term) else [one for one in meant if index.count(one)]
        if known:
            best = _best(index, meant, known)
            found.append((term, best, meant[best][1]))
    return found


def _best(index: Index[int], meant: Meant, known: Sequence[str]) -> str:
    return min(known, key=lambda one: (meant[one][0], -index.count(one), one))


def _meant(word: str, term: str, spoken: Sequence[str], languages: Sequence[str]) -> Meant:
    found: dict[str, tuple[int, str]] = {}
    changes = len(word) >= _SHORTEST_CHANGED
    for one in map(stemmed, languages):
        near = list(_near(word, changes))
        stems = list(map(one.stem, near))
        for number, (stem, meant) in enumerate(zip(stems, near, strict=True)):
            found.setdefault(stem, (_SWAPPED if number < len(word) - 1 else _CHANGED, meant))
        stem = one.stem(word)
        for changed in _changed(stem) if changes else ():
            found.setdefault(changed, (_CHANGED, changed + word[len(stem) :]))
        for member, meant in families.of(stems, spoken, languages).items():
            found.setdefault(member, (_FAMILY, meant))
    found.pop(term, None)
    return found


def _near(word: str, changes: bool) -> Iterator[str]:
    """Yield *word* with two letters swapped; then with one left out, and with one doubled."""
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for at in range(1, len(word)) if changes else ():
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]


def _changed(stem: str) -> Iterator[str]:
    """Yield *stem* with one letter more, or another one."""
    for at in range(1, len(stem) + 1):
        for letter in _LETTERS:
            yield stem[:at] + letter + stem[at:]
            yield stem[:at] + letter + stem[at + 1 :]
