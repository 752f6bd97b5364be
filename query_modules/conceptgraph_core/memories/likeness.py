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

    __slots__ = ("runs", "words")

    def __init__(self, text: str) -> None:
        words = text.casefold().translate(_PUNCTUATION).split()
        self.words = tuple(words)
        count = len(words) - _RUN + 1
        self.runs = frozenset(self.words[start : start + _RUN] for start in range(count))

    def is_like(self, other: "Said", languages: tuple[str, ...]) -> bool:
        """Tell whether *other* says the same, or nearly.

        What differs by a number or by a word such as "not", "isn't" or "before" says another thing.
        """
        if self.words == other.words:
            return True
        common, every = len(self.runs & other.runs), len(self.runs | other.runs)
        if not common or common < _NEAR * every:
            return False
        different = set(self.words) ^ set(other.words)
        telling = stop_words(languages)
        return not any(word in telling or not word.isalpha() for word in different)


class Sayings:
    """What was said so far; a further text is compared only with what has words of it."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self._languages = languages
        self._whole: set[tuple[str, ...]] = set()
        self._by_run: dict[tuple[str, ...], list[Said]] = {}

    def add(self, said: Said) -> bool:
        """Add *said* unless something says the same, or nearly; tell whether it was added."""
        if said.words in self._whole:
            return False
        others = {id(one): one for run in said.runs for one in self._by_run.get(run, ())}
        if any(said.is_like(one, self._languages) for one in others.values()):
            return False
        self._whole.add(said.words)
        for run in said.runs:
            self._by_run.setdefault(run, []).append(said)
        return True
