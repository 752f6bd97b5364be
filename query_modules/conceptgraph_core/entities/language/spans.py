"""Tell whether a text contains a phrase, and where.

Texts are compared in the form of `names.canonical`, at word borders: "Ann" is not in "Annual". In a
script without blanks, every character has a border. Curly and straight quotes are equal: telephones
write “don’t”, and models quote "don't".
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...texts.folding import fold_marks
from ...texts.words.splitting import in_words, is_unspaced
from ..schema import MAX_CONTEXT
from .dated import is_calendar
from .inflection import Token, is_german, tokens

# Besides these, a full stop.
_SENTENCE_ENDS = "!?…。！？\n"
_TITLES = frozenset(("Dr", "Mr", "Mrs", "Ms", "Prof", "St"))
_LONGEST_TITLE = max(map(len, _TITLES)) + 1
_LONGEST_MONTH = 14


@dataclass(frozen=True, slots=True)
class Span:
    """The place of a phrase in a text, from `start` to before `end`, and the sentence around it."""

    start: int
    end: int
    sentence: str


class Said:
    """A message's text, prepared once for many searches."""

    def __init__(self, text: str) -> None:
        self.text = text
        folded: list[str] = []
        # For each character of the folded text, its place in the text.
        self._sources: list[tuple[int, int]] = []
        for start, end in _clusters(text):
            for character in fold_marks(text[start:end]):
                if character == " " and folded[-1:] in ([], [" "]):
                    continue
                folded.append(character)
                self._sources.append((start, end))
        self._folded = "".join(folded)

    @cached_property
    def tokens(self) -> list[Token]:
        return tokens(self.text)

    @cached_property
    def is_german(self) -> bool:
        return is_german([one.form for one in self.tokens])

    def find(self, wanted: str) -> Span | None:
        """Return the first place of *wanted* as whole words; None if there is none."""
        folded = "".join(fold_marks(wanted[start:end]) for start, end in _clusters(wanted))
        sought = " ".join(folded.split())
        start = self._folded.find(sought) if sought else -1
        while start >= 0:
            end = start + len(sought)
            if self._is_border(start) and self._is_border(end):
                first, last = self._sources[start][0], self._sources[end - 1][1]
                return self.at(first, last)
            start = self._folded.find(sought, start + 1)
        return None

    def at(self, start: int, end: int) -> Span:
        """Return the part of the text from *start* to before *end*, with its sentence."""
        return Span(start, end, self._sentence(start, end))

    def sentences(self) -> Iterator[tuple[int, int]]:
        """Iterate over the start and end of each sentence, and of the parts of a long one."""
        start = 0
        while start < len(self.text):
            end = self._last(start)
            yield start, end
            start = end

    def _is_border(self, place: int) -> bool:
        """Tell whether no word crosses *place*."""
        if place in (0, len(self._folded)):
            return True
        around = self._folded[place - 1 : place + 1]
        return not all(map(in_words, around)) or any(map(is_unspaced, around))

    def _sentence(self, start: int, end: int) -> str:
        """Return the sentence around a place in the text, cut if it is long."""
        text = self.text
        first, last = self._first(start), self._last(end)
        if last - first > MAX_CONTEXT:
            cut = start - MAX_CONTEXT // 2
            if cut > first:
                # Cut between words, if there are blanks.
                first = max(cut, text.find(" ", cut, start))
            cut = first + MAX_CONTEXT
            if cut < last:
                blank = text.rfind(" ", end, cut)
                last = blank if blank >= 0 else cut
        return text[first:last].strip()

    def _first(self, start: int) -> int:
        """Return the start of the sentence, or a place so far before that it is cut anyway."""
        text, least = self.text, max(0, start - MAX_CONTEXT - 1)
        first = max(least, *(text.rfind(mark, least, start) + 1 for mark in _SENTENCE_ENDS))
        stop = text.rfind(".", first, start)
        while stop >= 0 and not self._is_full_stop(stop):
            stop = text.rfind(".", first, stop)
        return max(first, stop + 1)

    def _last(self, end: int) -> int:
        """Return the end of the sentence, or a place so far behind that it is cut anyway."""
        text, most = self.text, min(len(self.text), end + MAX_CONTEXT + 1)
        ends = (text.find(mark, end, most) for mark in _SENTENCE_ENDS)
        last = min((found + 1 for found in ends if found >= 0), default=most)
        stop = text.find(".", end, last)
        while stop >= 0 and not self._is_full_stop(stop):
            stop = text.find(".", stop + 1, last)
        return last if stop < 0 else stop + 1

    def _is_full_stop(self, place: int) -> bool:
        """Tell whether a stop ends a sentence, unlike that of 2.46, of Dr. or of 3. Mai."""
        text = self.text
        following = text[place + 1 : place + 2]
        if following and in_words(following) and not is_unspaced(following):
            return False
        start = place
        while start > 0 and in_words(text[start - 1]) and place - start < _LONGEST_TITLE:
            start -= 1
        before, behind = text[start:place], text[place + 1 : place + _LONGEST_MONTH].split()
        is_day = before.isdigit() and len(before) <= 2 and bool(behind)
        if is_day and is_calendar(fold_marks(behind[0].rstrip(".,"))):
            return False
        return before not in _TITLES


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Iterate over the start and end of each character with its combining marks."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not unicodedata.combining(text[place]):
            yield start, place
            start = place
