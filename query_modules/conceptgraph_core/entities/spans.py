"""Whether a text says something, and where: origin is found out, never believed.

Compared is as `names.canonical` does it, and on the borders of words: "Ann" is not in "Annual". In
a script without blanks every border of a character is one. Curled quotes and typed ones are the
same: telephones write “don’t”, and models quote "don't".
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from ..words.splitting import in_words, is_unspaced
from .schema import MAX_CONTEXT, MODEL, USER

# And a full stop, where it is one.
_SENTENCE_ENDS = "!?…。！？\n"
_TITLES = frozenset(("Dr", "Mr", "Mrs", "Ms", "Prof", "St"))
_LONGEST_TITLE = max(map(len, _TITLES)) + 1
_TYPED = str.maketrans("‘’‚‛“”„‟‐‑", "''''\"\"\"\"--")


@dataclass(frozen=True, slots=True)
class Span:
    """Where something stands in a text, from `start` to before `end`, and the sentence around."""

    start: int
    end: int
    sentence: str


class Said:
    """A message's text, made ready once for all that is looked for in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        folded: list[str] = []
        # Of each character of the folded text the part of the text that it is from.
        self._sources: list[tuple[int, int]] = []
        for start, end in _clusters(text):
            for character in _folded(text[start:end]):
                if character == " " and folded[-1:] in ([], [" "]):
                    continue
                folded.append(character)
                self._sources.append((start, end))
        self._folded = "".join(folded)

    def find(self, wanted: str) -> Span | None:
        """Return where *wanted* first stands as words of their own; None if nowhere."""
        folded = "".join(_folded(wanted[start:end]) for start, end in _clusters(wanted))
        sought = " ".join(folded.split())
        start = self._folded.find(sought) if sought else -1
        while start >= 0:
            end = start + len(sought)
            if self._is_border(start) and self._is_border(end):
                first, last = self._sources[start][0], self._sources[end - 1][1]
                return Span(first, last, self._sentence(first, last))
            start = self._folded.find(sought, start + 1)
        return None

    def _is_border(self, place: int) -> bool:
        """Tell whether no word goes on from before *place* to behind it."""
        if place in (0, len(self._folded)):
            return True
        around = self._folded[place - 1 : place + 1]
        return not all(map(in_words, around)) or any(map(is_unspaced, around))

    def _sentence(self, start: int, end: int) -> str:
        """Return the sentence of the text that has what stands there, cut if it is long."""
        text = self._text
        first, last = self._first(start), self._last(end)
        if last - first > MAX_CONTEXT:
            cut = start - MAX_CONTEXT // 2
            if cut > first:
                # Between words, where there are blanks.
                first = max(cut, text.find(" ", cut, start))
            cut = first + MAX_CONTEXT
            if cut < last:
                blank = text.rfind(" ", end, cut)
                last = blank if blank >= 0 else cut
        return text[first:last].strip()

    def _first(self, start: int) -> int:
        """Return where the sentence begins, or a place so far before it that it is cut anyway."""
        text, least = self._text, max(0, start - MAX_CONTEXT - 1)
        first = max(least, *(text.rfind(mark, least, start) + 1 for mark in _SENTENCE_ENDS))
        stop = text.rfind(".", first, start)
        while stop >= 0 and not self._is_full_stop(stop):
            stop = text.rfind(".", first, stop)
        return max(first, stop + 1)

    def _last(self, end: int) -> int:
        """Return where the sentence is over, or a place so far behind that it is cut anyway."""
        text, most = self._text, min(len(self._text), end + MAX_CONTEXT + 1)
        ends = (text.find(mark, end, most) for mark in _SENTENCE_ENDS)
        last = min((found + 1 for found in ends if found >= 0), default=most)
        stop = text.find(".", end, last)
        while stop >= 0 and not self._is_full_stop(stop):
            stop = text.find(".", stop + 1, last)
        return last if stop < 0 else stop + 1

    def _is_full_stop(self, place: int) -> bool:
        """Tell whether a stop is none of a number, of an address, or after a title: 2.46, Dr."""
        text = self._text
        following = text[place + 1 : place + 2]
        if following and in_words(following) and not is_unspaced(following):
            return False
        start = place
        while start > 0 and in_words(text[start - 1]) and place - start < _LONGEST_TITLE:
            start -= 1
        return text[start:place] not in _TITLES


@dataclass(frozen=True, slots=True)
class Found:
    """Whose a mention is, and where it stands; `refused`: a span was claimed that does not."""

    origin: str
    span: Span | None
    refused: bool


def origin(said: Said, speaker: str, label: str, span: str | None) -> Found:
    """Return who mentioned *label*: the user, if the user speaks and it stands in what is said.

    What must stand there is the *span*, or the label where none is claimed.
    """
    found = said.find(label if span is None else span)
    is_users = speaker == USER and found is not None
    return Found(USER if is_users else MODEL, found, span is not None and found is None)


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Iterate over from and to of each character with the marks that combine with it."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not unicodedata.combining(text[place]):
            yield start, place
            start = place


def _folded(cluster: str) -> str:
    """Return the form of one character in which texts are compared, a blank for any blank."""
    # Some signs are compatible with a blank and a mark.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cluster).casefold())
    folded = folded.translate(_TYPED)
    return "".join(" " if character.isspace() else character for character in folded)
