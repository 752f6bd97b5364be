"""Whether two texts say the same, but for a word or two."""

from typing import Final

from ..words import stop_words

# Three words in a row, and what share of them two texts have in common: after Broder, "On the
# resemblance and containment of documents" (1997).
_RUN: Final = 3
_NEAR: Final = 0.9
_PUNCTUATION: Final = dict.fromkeys(map(ord, '.,;:!?"()…“”'))


class Said:
    """What a text says, in whatever case and punctuation."""

    __slots__ = ("_runs", "_words")

    def __init__(self, text: str) -> None:
        words = text.casefold().translate(_PUNCTUATION).split()
        self._words = tuple(words)
        count = len(words) - _RUN + 1
        self._runs = frozenset(self._words[start : start + _RUN] for start in range(count))

    def is_like(self, other: "Said", languages: tuple[str, ...]) -> bool:
        """Tell whether *other* says the same, or nearly.

        What differs by a number or by a word such as "not", "isn't" or "before" says another thing.
        """
        if self._words == other._words:
            return True
        common, every = len(self._runs & other._runs), len(self._runs | other._runs)
        if not common or common < _NEAR * every:
            return False
        different = set(self._words) ^ set(other._words)
        telling = stop_words(languages)
        return not any(word in telling or not word.isalpha() for word in different)
