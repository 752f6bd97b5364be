"""Know the calendar: the words of each language for its parts, and the days of these.

The words for days, weeks, months, seasons and years are data: `language/*/calendar`. Their days are
also counted from a day.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

from .. import language

_TOPIC: Final = "calendar"
_ASKING: Final = "asking"
# So many words of a language tell it.
_TELLING: Final = 2

DAY: Final = "day"
WEEK: Final = "week"
WEEKEND: Final = "weekend"
MONTH: Final = "month"
YEAR: Final = "year"
# A wildcard, as in "ge*t", stands for whole words of so many letters.
_SHORTEST: Final = 6

# The kinds of phrases that name a time, and those that may stand before them.
_NAMING: Final = (*("month", "weekday", "short weekday", "season", "unit", "day", "part", "soon"),)
_STARTING: Final = (
    *(
        *_NAMING,
        "last",
        "before last",
        "next",
        "after next",
        "this",
        "on",
        "in",
        "in season",
        "in year",
    ),
    *("ago before", "ahead before", "number"),
)

# A phrase: its words, and its value, such as the number of a month.
_Phrase = tuple[tuple[str, ...], Any]


class Calendar:
    """The phrases of one language by kind, such as "month" or "last"; see the data files.

    `starts` has the words that a period can begin with, and `naming` those of which it has one, if
    no number.
    """

    def __init__(self, spoken: str) -> None:
        self.language = spoken
        self._phrases: dict[str, dict[str, list[_Phrase]]] = {}
        for name, phrases in language.load(spoken, _TOPIC).items():
            kind, value = _parse_name(name)
            of_kind = self._phrases.setdefault(kind, {})
            for phrase in phrases:
                words = tuple(phrase.split())
                of_kind.setdefault(words[0], []).append((words, value))
        for of_kind in self._phrases.values():
            for some in of_kind.values():
                some.sort(key=lambda one: -len(one[0]))
        self.starts = self._first_words(_STARTING)
        self.naming = self._first_words(_NAMING)
        every = (word for kind in self._phrases for words, _ in self.every(kind) for word in words)
        self._words = language.words(_ASKING, "function", (spoken,)).union(every)

    def _first_words(self, kinds: Collection[str]) -> frozenset[str]:
        return frozenset(word for kind in kinds for word in self._phrases.get(kind, ()))

    def phrases(self, kind: str, word: str) -> Sequence[_Phrase]:
        """Return the phrases of *kind* that begin with *word*, the longest first."""
        return self._phrases.get(kind, {}).get(word, ())

    def every(self, kind: str) -> Iterator[_Phrase]:
        """Yield all phrases of *kind*."""
        for some in self._phrases.get(kind, {}).values():
            yield from some

    def known(self, words: Collection[str]) -> int:
        """Return how many of *words* belong to the language: the letters of "what's" do to none."""
        return sum(len(word) > 1 and word in self._words for word in set(words))

    @cached_property
    def tenses(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The phrases of the past, and those of what is and will be."""
        past, plans = (
            tuple(" ".join(words) for words, _ in self.every(kind)) for kind in ("past", "plans")
        )
        return past, plans


def _parse_name(name: str) -> tuple[str, Any]:
    """Return the kind and the value of a name in the data: "month 3", "unit week", "last"."""
    kind, _, value = name.rpartition(" ")
    if kind in {"month", "weekday", "short weekday", "day", "number"}:
        return kind, int(value)
    return (kind, value) if kind in {"unit", "season"} else (name, True)


def tense(calendars: Sequence[Calendar], words: Sequence[str]) -> tuple[bool, bool]:
    """Return whether *words* speak of the past, and else whether of what is or will be."""
    said = " ".join(("", *words, ""))
    pasts, plans = zip(*(one.tenses for one in calendars), strict=True)
    no_past = {phrase for phrases in plans for phrase in phrases}
    others = [word for word in words if word not in no_past]
    is_past = any(_is_in(phrase, said, others) for phrases in pasts for phrase in phrases)
    return is_past, not is_past and any(f" {phrase} " in said for phrase in no_past)


def _is_in(phrase: str, said: str, words: Sequence[str]) -> bool:
    if "*" not in phrase:
        return f" {phrase} " in said
    begin, _, end = phrase.partition("*")
    return any(
        len(word) >= _SHORTEST and word.startswith(begin) and word.endswith(end) for word in words
    )


@cache
def _calendars() -> tuple[Calendar, ...]:
    return tuple(map(Calendar, language.LANGUAGES))


def likely(words: Collection[str]) -> list[Calendar]:
    """Return the calendars of the languages that *words* may be of; all, if hardly one tells.

    "Hier" is yesterday in French, and here in German; "was" asks in German.
    """
    known = [(one.known(words), one) for one in _calendars()]
    most = max(count for count, _ in known)
    return [one for count, one in known if count == most or most < _TELLING]


def _single(kind: str, *languages: str) -> dict[str, Any]:
    """Return the phrases of *kind* in *languages* that are one word, with their values."""
    some = (one for one in _calendars() if one.language in languages)
    return {words[0]: value for one in some for words, value in one.every(kind) if len(words) == 1}


# The names that entities read as dates. 1 … 12 and 0 … 6, as `datetime` counts them.
MONTHS: Final = _single("month", "en", "de")
WEEKDAYS: Final = _single("weekday", "en", "de")
# In these languages months begin with a small letter.
SMALL_MONTHS: Final = _single("month", "pt", "es", "fr")
ORDINALS: Final = frozenset({"st", "nd", "rd", "th"})


class Days(NamedTuple):
    """From `first` up to, not including, `end`."""

    first: date
    end: date


def count_back(today: date, unit: str, count: int) -> Days | None:
    """Return the calendar day, week, weekend, month or year that is *count* before today's.

    Return None if that is before the first date of Python.
    """
    try:
        return _count_back(today, unit, count)
    except (OverflowError, ValueError):
        return None


def _count_back(today: date, unit: str, count: int) -> Days:
    if unit == DAY:
        return from_day(today - timedelta(days=count), 1)
    if unit in {WEEK, WEEKEND}:
        monday = today - timedelta(days=today.weekday() + 7 * count)
        saturday = monday + timedelta(days=5)
        return from_day(monday, 7) if unit == WEEK else from_day(saturday, 2)
    if unit == MONTH:
        months = 12 * today.year + today.month - 1 - count
        return Days(_first_of(months), _first_of(months + 1))
    return Days(date(today.year - count, 1, 1), date(today.year - count + 1, 1, 1))


def in_year(days: Days, year: int) -> Days:
    """Return *days*, whole months, as they are in another *year*."""
    first = 12 * year + days.first.month - 1
    count = 12 * (days.end.year - days.first.year) + days.end.month - days.first.month
    return Days(_first_of(first), _first_of(first + count))


def _first_of(months: int) -> date:
    """Return the first day of the month with that number; January of the year 0 is 0."""
    return date(months // 12, months % 12 + 1, 1)


def from_day(first: date, count: int) -> Days:
    """Return *count* days from *first* on."""
    return Days(first, first + timedelta(days=count))


def of_year(year: int) -> Days | None:
    """Return the days of a year."""
    return count_back(date(year, 1, 1), YEAR, 0)


def of_month(year: int, month: int) -> Days | None:
    """Return the days of a month; None if the number is no month."""
    return count_back(date(year, month, 1), MONTH, 0) if 1 <= month <= 12 else None


def of_day(year: int, month: int, day: int) -> Days | None:
    """Return a day; None if the date does not exist."""
    try:
        return from_day(date(year, month, day), 1)
    except (OverflowError, ValueError):
        return None


def latest_day(today: date, month: int, day: int) -> Days | None:
    """Return the latest day with that date that is not after *today*."""
    # The last 29 February is at most eight years back.
    for year in range(today.year, max(0, today.year - 9), -1):
        found = of_day(year, month, day)
        if found is not None and found.first <= today:
            return found
    return None


def latest_weekday(today: date, weekday: int, back: int = 0) -> Days | None:
    """Return the latest such weekday (Monday is 0) up to *back* days before *today*.

    Return None if that is before the first date of Python.
    """
    try:
        latest = today - timedelta(days=back)
        return from_day(latest - timedelta(days=(latest.weekday() - weekday) % 7), 1)
    except OverflowError:
        return None


def coming_day(today: date, month: int, day: int) -> Days | None:
    """Return the first day with that date that is not before *today*."""
    for year in range(today.year, min(9999, today.year + 9)):
        found = of_day(year, month, day)
        if found is not None and found.first >= today:
            return found
    return None


def coming_weekday(today: date, weekday: int, ahead: int = 0) -> Days | None:
    """Return the first such weekday (Monday is 0) later than *ahead* days after *today*.

    Return None after the last date of Python.
    """
    try:
        after = today + timedelta(days=ahead)
        return from_day(after + timedelta(days=(weekday - after.weekday() - 1) % 7 + 1), 1)
    except OverflowError:
        return None


def count_around(today: date, unit: str, count: int) -> Days | None:
    """Return the *count* units from *today* on, today included; with a negative one, up to it."""
    try:
        days = count * {WEEK: 7, MONTH: 30, YEAR: 365}.get(unit, 1)
        first, last = sorted((today, today + timedelta(days=days)))
        return Days(first, last + timedelta(days=1))
    except OverflowError:
        return None


_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def of_season(year: int, name: str) -> Days | None:
    """Return a season of the northern calendar; winter begins in December of *year*."""
    try:
        first = 12 * year + _SEASONS[name] - 1
        return Days(_first_of(first), _first_of(first + 3))
    except ValueError:
        return None


def seasons(today: date, name: str) -> list[Days]:
    """Return the seasons of that name around *today*, the earliest first."""
    found = (of_season(today.year + offset, name) for offset in range(-3, 3))
    return [one for one in found if one is not None]
