"""How names are looked for by a part of them: in any case, and without accents by who types none.

A name has two forms: case-folded, and *plain*, that is without accents as well. A keyword has the
same two, unless it has accents, which it then insists on. It is in a name if one of its forms is
in one of the name's. Cypher's and SQLite's own lower-casing leave all but ASCII alone.
"""

import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

# Where a word may begin within a name; blanks of other kinds are plain blanks in its plain form.
WORD_BREAKS = (" ", "-", "_", "/", "(")

EXACT, BEGINS, WORD_BEGINS, CONTAINS, ELSEWHERE = range(5)


def folded(text: str) -> str:
    """Return *text* without its case, in any script."""
    return text.casefold()


def plain(text: str) -> str:
    """Return *text* without case, accents and kinds of blanks: "Crème  Brûlée" → "creme  brulee".

    What Unicode holds compatible becomes the same, so that "Ａｂ①" is "ab1".
    """
    if text.isascii() and text.isprintable():
        return text.casefold()
    bare = "".join(letter for letter in _decomposed(text) if not _is_accent(letter))
    composed = unicodedata.normalize("NFC", bare)
    return "".join(" " if letter.isspace() else letter for letter in composed)


def squeezed(text: str) -> str:
    """Return the plain form of *text* without blanks."""
    return plain(text).replace(" ", "")


def folded_if_other(text: str) -> str | None:
    """Return the folded form of *text*, or None where that is *text* itself."""
    form = folded(text)
    return None if form == text else form


def plain_if_other(text: str) -> str | None:
    """Return the plain form of *text*, or None where it is no other than the folded one."""
    form = plain(text)
    return None if form == folded(text) else form


class Keywords(NamedTuple):
    """What names are searched for: the forms of all keywords, and these as beginnings of words.

    `folded` are the keywords themselves, case-folded: of these the same follows.
    """

    parts: tuple[str, ...]
    words: tuple[str, ...]
    folded: tuple[str, ...]

    def place(self, name: str) -> int:
        """Return how *name* matches, the lower the better: EXACT … CONTAINS, or ELSEWHERE."""
        return self.place_of(folded(name), plain(name))

    def place_of(self, *forms: str) -> int:
        """Return the place of a name that has these *forms*."""
        parts = self.parts
        for form in forms:
            if form.startswith(parts):
                return EXACT if any(one in parts for one in forms) else BEGINS
        if _in_any(self.words, forms):
            return WORD_BEGINS
        return CONTAINS if _in_any(parts, forms) else ELSEWHERE


def _in_any(parts: tuple[str, ...], forms: tuple[str, ...]) -> bool:
    # A search asks this of thousands of names: a generator would take twice as long.
    for form in forms:
        for part in parts:
            if part in form:
                return True
    return False


def keywords(given: Iterable[str]) -> Keywords:
    """Return what to look for where *given* is asked for."""
    given = tuple(dict.fromkeys(map(folded, given)))
    parts = tuple(dict.fromkeys(form for keyword in given for form in _forms(keyword)))
    return Keywords(parts, tuple(mark + part for part in parts for mark in WORD_BREAKS), given)


def _forms(keyword: str) -> tuple[str, ...]:
    if any(map(_is_accent, _decomposed(keyword))):
        return (folded(keyword),)
    return (folded(keyword), plain(keyword))


def _decomposed(text: str) -> str:
    # Case-folded again, for some of what comes apart has a case of its own.
    return unicodedata.normalize("NFKD", text.casefold()).casefold()


def _is_accent(letter: str) -> bool:
    """Tell whether *letter* is a mark above or below another that it leaves the same letter.

    Hebrew points and Arabic vowel signs are (classes 10 to 35); the marks that make another letter
    in Japanese and in the scripts of India and Thailand are not (7 to 9, and 84 to 132).
    """
    place = unicodedata.combining(letter)
    return 10 <= place <= 35 or place >= 200
