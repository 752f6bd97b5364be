"""Tell the texts that differ only in dates and times: what happens again and again.

Imports nothing of Memgraph.
"""

from functools import cache
from typing import Final, NamedTuple

from .. import language
from ..words.splitting import split

# So many texts of different days are a routine.
LEAST: Final = 3
_PUNCTUATION: Final = ".,;:!?\"'()[]“”„…"
_HALVES: Final = frozenset(("am", "pm", "uhr", "a.m", "p.m"))
_ORDINALS: Final = ("st", "nd", "rd", "th", ".", "º", "er")
_MOST_DAYS: Final = 31
_LONG_NUMBER: Final = 3
_YEARS: Final = range(1900, 2100)


class Reading(NamedTuple):
    """The words of a text without its dates and times, and its dates."""

    words: tuple[str, ...]
    dates: tuple[str, ...]


def read(text: str) -> Reading:
    """Return *text* as a routine would have it: "Milo had judo on 4 May" is "milo had judo on".

    A number counts as a date or a time only if it is written as one, so that a dose stays a dose.
    """
    tokens = [one.strip("\"'“”„()[],;:!?") for one in text.casefold().split()]
    kept: list[str] = []
    dates: list[str] = []
    for at, token in enumerate(tokens):
        bare = token.strip(_PUNCTUATION)
        # Nearly all words are neither, and a recall reads hundreds of texts.
        if not bare[:1].isdigit() and bare not in _words_of_time():
            kept.append(token)
            continue
        before = tokens[at - 1] if at else ""
        after = tokens[at + 1] if at + 1 < len(tokens) else ""
        if _is_date(token, before, after):
            dates.append(token.strip(_PUNCTUATION))
        elif not _is_time(token, before, after):
            kept.append(token)
    return Reading(tuple(split(" ".join(kept))), tuple(dates))


def _is_date(token: str, before: str, after: str) -> bool:
    bare = token.strip(_PUNCTUATION)
    if bare in _weekdays():
        return True
    if bare in _months():
        return _is_day(before) or _is_day(after) or _is_year(after)
    if _is_day(token):
        return _is_month(before) or _is_month(after)
    if _is_year(token):
        return _is_month(before) or (before.endswith(".") and _is_day(before))
    return _has_parts(bare, "-", 3) or _has_parts(bare, "/", 3) or _is_dotted(token)


def _is_time(token: str, before: str, after: str) -> bool:
    bare = token.strip(_PUNCTUATION)
    if bare in _HALVES:
        return before[:1].isdigit()
    is_hour = after.strip(_PUNCTUATION) in _HALVES and bare.replace(".", "").isdigit()
    ends = bare.removesuffix("am").removesuffix("pm")
    return is_hour or _has_parts(ends, ":", 2) or (ends != bare and ends.isdigit())


def _is_dotted(token: str) -> bool:
    """Tell whether *token* is a German date: 18.5. and 18.5.2026, but not 18.5."""
    return _has_parts(token.rstrip(",;:!?"), ".", 3, blank=True)


def _has_parts(token: str, mark: str, parts: int, blank: bool = False) -> bool:
    """Tell whether *token* has so many numbers with a *mark* between; the last may be blank."""
    found = token.split(mark)
    if blank and len(found) == parts and not found[-1]:
        found.pop()
    return token.count(mark) == parts - 1 and all(map(str.isdecimal, found))


def _is_day(token: str) -> bool:
    bare = token.strip(",;:!?")
    for end in _ORDINALS:
        bare = bare.removesuffix(end)
    return bare.isdecimal() and len(bare) < _LONG_NUMBER and 0 < int(bare) <= _MOST_DAYS


def _is_year(token: str) -> bool:
    bare = token.strip(_PUNCTUATION)
    return bare.isdecimal() and len(bare) == len("2026") and int(bare) in _YEARS


def _is_month(token: str) -> bool:
    return token.strip(_PUNCTUATION) in _months()


@cache
def _words_of_time() -> frozenset[str]:
    return _months() | _weekdays() | _HALVES


@cache
def _months() -> frozenset[str]:
    return _of_calendar("month")


@cache
def _weekdays() -> frozenset[str]:
    return _of_calendar("weekday") | _of_calendar("short weekday")


def _of_calendar(kind: str) -> frozenset[str]:
    return frozenset(
        word
        for one in language.LANGUAGES
        for name, words in language.load(one, "calendar").items()
        if name.rpartition(" ")[0] == kind
        for word in words
    )
