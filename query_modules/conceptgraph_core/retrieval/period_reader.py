"""Read the words of a question from left to right for the periods that they name."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import groupby
from typing import Any, Final, NamedTuple

from .calendar_words import Calendar
from .spans import Days

# So many words may stand before the one that names a time: "over the next couple of weeks".
_LONGEST: Final = 6
# The words between a number and the rest of a date may not have these between them.
_ENDS: Final = frozenset(".?!;:()")


class Token(NamedTuple):
    """A case-folded run of letters, or a number, with the characters before it as `gap`."""

    text: str
    number: int | None
    gap: str

    @property
    def year(self) -> int | None:
        return self.number if self.number is not None and 1000 <= self.number < 3000 else None


class Read(NamedTuple):
    """The days that the tokens from `start` to before `end` name; `weekday`, if they name one.

    `is_vague`: they name a time to come without saying which.
    """

    days: Days
    start: int
    end: int
    weekday: int | None = None
    is_vague: bool = False


_NOTHING: Final = Token("", None, "")


def tokens(text: str) -> list[Token]:
    """Return the runs of letters and of digits in *text*."""
    found: list[Token] = []
    gap = ""
    for kind, run in groupby(text, key=_kind):
        piece = "".join(run)
        if kind == "gap":
            gap = piece
            continue
        # No number of a date has more digits than a year.
        number = int(piece) if kind == "digits" and len(piece) <= 4 else None
        found.append(Token(piece, number, gap))
        gap = ""
    return found


# Cached, because a question repeats few characters.
@lru_cache(1_024)
def _kind(character: str) -> str:
    if character.isdecimal():
        return "digits"
    return "letters" if character.isalpha() else "gap"


Found = tuple[Days, int, int | None] | None
"""The days that a pattern found, the number of its tokens, and the weekday that it names."""
Pattern = Callable[["Reader", int], Found]


class Reader:
    """Reads tokens from left to right; a pattern returns what begins at a token, if it does.

    With *is_ahead*, a day without a year is the coming one, else the latest.
    """

    def __init__(
        self, found: list[Token], today: date, calendar: Calendar, *, is_ahead: bool = False
    ) -> None:
        self._tokens = found
        self._calendar = calendar
        self.today = today
        self.is_ahead = is_ahead

    def periods(self, patterns: Sequence[Pattern]) -> Iterator[Read]:
        at, named = 0, self._find_names()
        while at < len(self._tokens):
            token = self._tokens[at]
            found = None
            if named[at] and (token.number is not None or token.text in self._calendar.starts):
                found = next(filter(None, (pattern(self, at) for pattern in patterns)), None)
            if found is None:
                at += 1
                continue
            days, length, weekday = found
            yield Read(days, at, at + length, weekday, bool(self.match("soon", at)[1]))
            at += length

    def _find_names(self) -> list[bool]:
        """Return for each token whether one that may name a time stands at most `_LONGEST` on."""
        named, distance = [], _LONGEST + 1
        for token in reversed(self._tokens):
            names = token.number is not None or token.text in self._calendar.naming
            distance = 0 if names else distance + 1
            named.append(distance <= _LONGEST)
        return named[::-1]

    def token(self, at: int) -> Token:
        return self._tokens[at] if 0 <= at < len(self._tokens) else _NOTHING

    def match(self, kind: str, at: int) -> tuple[Any, int]:
        """Return the value and the length of the longest phrase of *kind* at *at*; 0: none."""
        for words, value in self._calendar.phrases(kind, self.token(at).text):
            others = (self.token(at + offset) for offset in range(1, len(words)))
            if all(
                one.text == word and _ENDS.isdisjoint(one.gap)
                for one, word in zip(others, words[1:], strict=True)
            ):
                return value, len(words)
        return None, 0

    def goes_on(self, at: int) -> bool:
        """Return whether the token at *at* is in one sentence with the one before it."""
        return _ENDS.isdisjoint(self.token(at).gap) and bool(self.token(at).text)

    def follows(self, kind: str, at: int) -> bool:
        """Return whether a phrase of *kind* ends before *at*."""
        return any(self.match(kind, at - length)[1] == length for length in (1, 2))

    def number(self, at: int) -> tuple[int | None, int]:
        token = self.token(at)
        return (token.number, 1) if token.number is not None else self.match("number", at)


def read(days: Days | None, length: int, weekday: int | None = None) -> Found:
    return None if days is None else (days, length, weekday)
