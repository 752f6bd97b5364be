"""Recognize dates in texts, English and German: "3 May", "May 3rd" and "3. Mai" are one."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from ...retrieval.calendar import MONTHS, ORDINALS, SMALL_MONTHS, WEEKDAYS
from ...texts.folding import fold_marks

# These separate the parts of a date. A line's end does not: "June 7th\n2. Flights".
_GAPS: Final = frozenset(
    ("", " ", ", ", ". ", ".", " of ", " the ", " of the ", ",", " den ", " de ", "er ")
)
_MOST_PARTS: Final = 3
_BEFORE_SMALL: Final = (" ", " de ", "er ")
_ENGLISH_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


# After an unabbreviated name, a stop ends the sentence.
_WHOLE: Final = frozenset(
    fold_marks(one) for one in (*_ENGLISH_MONTHS, "Januar", "Juni", "Juli", "Mai")
)


@dataclass(frozen=True, slots=True)
class Dated:
    """A date from `start` to before `end` of a text; a missing part is None."""

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def label(self) -> str:
        """Return the label that all spellings of a date share: "3 May 2025"."""
        month = None if self.month is None else _ENGLISH_MONTHS[self.month - 1]
        return " ".join(str(part) for part in (self.day, month, self.year) if part is not None)

    def states(self, other: "Dated") -> bool:
        """Tell whether this date contains all parts of *other*."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(wanted is None or said == wanted for said, wanted in pairs)


@dataclass(frozen=True, slots=True)
class _Part:
    """A number, or the name of a month."""

    kind: str
    value: int
    start: int
    end: int


def dates(text: str) -> Iterator[Dated]:
    """Iterate over the dates of *text* with a day and a month, or a month and a year."""
    run: list[_Part] = []
    for part in _parts(text):
        fits = run and len(run) < _MOST_PARTS and _goes_on(text, run, part)
        if run and not fits:
            yield from _date(run)
            run = []
        run.append(part)
    yield from _date(run)


def whole(text: str) -> Dated | None:
    """Return the date that *text* is as a whole; None: it is none, or says more."""
    stripped = text.strip()
    found = next(dates(stripped), None)
    if found is None or (found.start, found.end) != (0, len(stripped.rstrip("."))):
        return None
    return found


def _parts(text: str) -> Iterator[_Part]:
    place, behind_number = 0, 0
    for kind, group in groupby(text, key=_kind):
        start, place = place, place + sum(1 for _ in group)
        word = text[start:place]
        if kind == "digits" and len(word) <= 4:
            behind_number = place
            yield _Part("number", int(word), start, place + _ordinal(text, place))
        elif kind == "letters" and _is_small_month(word, text[behind_number:start]):
            yield _Part("month", SMALL_MONTHS[fold_marks(word)], start, place)
        elif kind == "letters" and fold_marks(word) in MONTHS and word[0].isupper():
            end = place + (text[place : place + 1] == "." and fold_marks(word) not in _WHOLE)
            yield _Part("month", MONTHS[fold_marks(word)], start, end)


def _is_small_month(word: str, gap: str) -> bool:
    """Tell whether *word* is a month with a small letter, behind a day: "12 de maio"."""
    return (
        word[0].islower() and fold_marks(word) in SMALL_MONTHS and fold_marks(gap) in _BEFORE_SMALL
    )


def _ordinal(text: str, place: int) -> int:
    """Return the length of the "rd" after the number of "3rd"."""
    following = text[place : place + 3]
    is_one = fold_marks(following[:2]) in ORDINALS and not following[2:].isalpha()
    return 2 if is_one else 0


def _kind(character: str) -> str:
    if character.isdecimal():
        return "digits"
    return "letters" if character.isalpha() else "gap"


def _goes_on(text: str, run: list[_Part], part: _Part) -> bool:
    last = run[-1]
    gap = fold_marks(text[last.end : part.start])
    if last.kind == part.kind == "number" and "month" not in [one.kind for one in run]:
        return gap in ("-", ".", ". ")
    if last.kind == "month" and part.value < 1000 and not {",", "."}.isdisjoint(gap):
        # "In May, 7 nights"; "in May. 7 people"
        return False
    return gap in _GAPS and (last.kind != part.kind or part.value >= 1000)


def _date(run: list[_Part]) -> Iterator[Dated]:
    """Yield the date that *run* is, if it is one."""
    if len(run) < 2:
        return
    values: dict[str, int] = {}
    by_name = any(one.kind == "month" for one in run)
    for place, one in enumerate(run):
        values.setdefault(_name(one, place, run, by_name), one.value)
    year, month, day = (values.get(name) for name in ("year", "month", "day"))
    is_known = month is not None and 1 <= month <= 12 and len(values) == len(run)
    # "1.8.0" is a version.
    is_known &= year is None or year >= 1000
    if not is_known or (day is None and year is None) or not 1 <= (day or 1) <= 31:
        return
    yield Dated(run[0].start, run[-1].end, year, month, day)


def _name(part: _Part, place: int, run: list[_Part], by_name: bool) -> str:
    """Return which part of a date it is: by a month's name, by ISO 8601, or as in "3.5.2025"."""
    if part.kind == "month":
        return "month"
    if part.value >= 1000:
        return "year"
    if by_name:
        return "day"
    is_iso = run[0].value >= 1000
    if len(run) == 2 and not is_iso:
        return "number"
    return ("year", "month", "day")[place] if is_iso else ("day", "month", "year")[place]


def is_calendar(word: str) -> bool:
    """Tell whether a folded word names a month or a day of the week."""
    return word in MONTHS or word in WEEKDAYS
