"""The words of each language for days, weeks, months, seasons and years: `language/*/calendar`."""

from collections.abc import Collection, Iterator, Sequence
from functools import cache, cached_property
from typing import Any, Final

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
