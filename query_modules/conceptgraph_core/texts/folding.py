"""Match names by substring, in any case, and without accents if the keyword has none.

A name has two forms: case-folded, and *plain*, which also has no accents. A keyword has the same
two, but a keyword with accents has no plain one. It matches if one of its forms is in one of the
name's. The lower-casing of Cypher and of SQLite covers ASCII only.
"""

import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

# A word may begin after one of these; the plain form has a space for each other blank.
WORD_BREAKS = (" ", "-", "_", "/", "(")

_TYPED = str.maketrans("‘’‚‛“”„‟‐‑", "''''\"\"\"\"--")
_BLANKS = dict.fromkeys((*range(9, 14), *range(28, 32)), " ")

EXACT, BEGINS, WORD_BEGINS, CONTAINS, ELSEWHERE = range(5)


def fold(text: str) -> str:
    """Return *text* without its case, in any script."""
    return text.casefold()


def fold_marks(text: str) -> str:
    """Return *text* in NFKC and without case, with straight quotes, each blank as a space."""
    if text.isascii():
        return text.lower().translate(_BLANKS)
    # NFKC turns some signs into a blank and a mark.
    form = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(" " if one.isspace() else one for one in form.translate(_TYPED))


def plain(text: str) -> str:
    """Return *text* without case, accents and kinds of blanks: "Crème Brûlée" → "creme brulee".

    Characters that are compatible in Unicode become one, so that "Ａｂ①" is "ab1".
    """
    if text.isascii() and text.isprintable():
        return text.casefold()
    bare = "".join([one for one in _decompose(text) if one.isascii() or not _is_accent(one)])
    composed = unicodedata.normalize("NFC", bare)
    if composed.isprintable():
        # It has no other blank than a space.
        return composed
    return "".join(" " if letter.isspace() else letter for letter in composed)


def squeeze(text: str) -> str:
    """Return the plain form of *text* without blanks."""
    return plain(text).replace(" ", "")


def folded_if_other(text: str) -> str | None:
    """Return the folded form of *text*, or None if *text* is folded already."""
    form = fold(text)
    return None if form == text else form


def plain_if_other(text: str) -> str | None:
    """Return the plain form of *text*, or None if it equals the folded one."""
    form = plain(text)
    return None if form == fold(text) else form


class Keywords(NamedTuple):
    """The query of a name search: the forms of all keywords, also as beginnings of words.

    `folded` has the keywords themselves, case-folded; the other fields follow from it.
    """

    parts: tuple[str, ...]
    words: tuple[str, ...]
    folded: tuple[str, ...]

    def place(self, name: str) -> int:
        """Return the rank of *name*, the lower the better: EXACT … CONTAINS, or ELSEWHERE."""
        return self.place_of(fold(name), plain(name))

    def place_of(self, *forms: str) -> int:
        """Return the rank of a name with these *forms*."""
        parts = self.parts
        for form in forms:
            if form.startswith(parts):
                return EXACT if any(one in parts for one in forms) else BEGINS
        if _in_any(self.words, forms):
            return WORD_BEGINS
        return CONTAINS if _in_any(parts, forms) else ELSEWHERE


def _in_any(parts: tuple[str, ...], forms: tuple[str, ...]) -> bool:
    # A search calls this for thousands of names, and a generator would take twice as long.
    for form in forms:
        for part in parts:
            if part in form:
                return True
    return False


def keywords(given: Iterable[str]) -> Keywords:
    """Return the search forms of the *given* keywords."""
    given = tuple(dict.fromkeys(map(fold, given)))
    parts = tuple(dict.fromkeys(form for keyword in given for form in _forms(keyword)))
    return Keywords(parts, tuple(mark + part for part in parts for mark in WORD_BREAKS), given)


def _forms(keyword: str) -> tuple[str, ...]:
    if any(map(_is_accent, _decompose(keyword))):
        return (fold(keyword),)
    return (fold(keyword), plain(keyword))


def _decompose(text: str) -> str:
    # Case-folded again, because some characters decompose into ones with a case.
    return unicodedata.normalize("NFKD", text.casefold()).casefold()


def _is_accent(letter: str) -> bool:
    """Tell whether *letter* is a mark on another letter that leaves it the same letter."""
    place = unicodedata.combining(letter)
    return 10 <= place <= 35 or place >= 200
