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
            # "month 3", "unit week", "last"
            kind, _, number = name.rpartition(" ")
            value: Any = number
            if kind in {"month", "weekday", "short weekday", "day", "number"}:
                value = int(number)
            elif kind not in {"unit", "season"}:
                kind, value = name, True
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


def tense(calendars: Sequence[Calendar], words: Sequence[str]) -> tuple[bool, bool]:
    """Return whether *words* speak of the past, and else whether of what is or will be."""
    said = " ".join(("", *words, ""))
    pasts, plans = zip(*(one.tenses for one in calendars), strict=True)
    no_past = {phrase for phrases in plans for phrase in phrases}
    others = [word for word in words if word not in no_past]

    def is_in(phrase: str) -> bool:
        if "*" not in phrase:
            return f" {phrase} " in said
        begin, _, end = phrase.partition("*")
        long = (word for word in others if len(word) >= _SHORTEST)
        return any(word.startswith(begin) and word.endswith(end) for word in long)

    is_past = any(is_in(phrase) for phrases in pasts for phrase in phrases)
    return is_past, not is_past and any(f" {phrase} " in said for phrase in no_past)


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
    except (OverflowError, ValueError):
        return None


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


def find_day(today: date, month: int, day: int, *, is_ahead: bool) -> Days | None:
    """Return the latest day with that date that is not after *today*; *is_ahead*: the coming one.

    The coming one may be today too.
    """
    # The last 29 February is at most eight years back.
    step = 1 if is_ahead else -1
    for year in range(today.year, today.year + 9 * step, step):
        found = of_day(year, month, day)
        if found is not None and (found.first - today).days * step >= 0:
            return found
    return None


def find_weekday(today: date, weekday: int, away: int, *, is_ahead: bool) -> Days | None:
    """Return the latest such weekday (Monday is 0) up to *away* days before *today*.

    If it *is_ahead*, return the first one later than so many days after today. Return None beyond
    the dates of Python.
    """
    try:
        if is_ahead:
            first = today + timedelta(days=away + 1)
            return from_day(first + timedelta(days=(weekday - first.weekday()) % 7), 1)
        latest = today - timedelta(days=away)
        return from_day(latest - timedelta(days=(latest.weekday() - weekday) % 7), 1)
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
