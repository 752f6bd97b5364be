"""Fold texts and claims into the form in which they are compared; make lists of words in it."""

import unicodedata
from typing import Final

_TYPED: Final = str.maketrans("‘’‚‛“”„‟‐‑", "''''\"\"\"\"--")


def folded(text: str) -> str:
    """Return *text* in the form in which texts are compared, each blank as a space.

    The form is NFKC, case-folded, with straight quotes.
    """
    # NFKC turns some signs into a blank and a mark.
    form = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(" " if one.isspace() else one for one in form.translate(_TYPED))


def word_set(words: str) -> frozenset[str]:
    """Return *words*, separated by blanks and line ends, as a set."""
    return frozenset(words.split())
