"""The form in which the words of a text and of a claim are compared, and lists of words in it."""

import unicodedata
from typing import Final

_TYPED: Final = str.maketrans("‘’‚‛“”„‟‐‑", "''''\"\"\"\"--")


def folded(text: str) -> str:
    """Return *text* in the form in which texts are compared, a blank for any blank.

    NFKC, case-folded, curled quotes as typed ones.
    """
    # Some signs are compatible with a blank and a mark.
    form = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(" " if one.isspace() else one for one in form.translate(_TYPED))


def word_set(words: str) -> frozenset[str]:
    """Return *words*, which blanks and line ends tell apart, as a set."""
    return frozenset(words.split())
