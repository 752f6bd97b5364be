"""What is asked: the cues of a question, whom it names, and when what it asks for was said."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Final, NamedTuple

from ..words import first_name, terms
from ..words.languages import DEFAULT
from .periods import Period, periods

# Older texts fade a little; the other three raise what the question itself points at.
AGE_EXPONENT: Final = -0.05
NAMED: Final = 1.2
ASKER: Final = 1.5
PERIOD: Final = 2.0

_DAY_MS: Final = 86_400_000


class Factors(NamedTuple):
    """What the sum over the cues is multiplied by; each is 1 where it does not apply."""

    age: float
    named: float
    asker: float
    period: float

    @property
    def product(self) -> float:
        """All four multiplied."""
        return self.age * self.named * self.asker * self.period


class Further(NamedTuple):
    """A term that a question leads to without saying it; it counts *share* of what a cue does.

    `said` is the word of the question that leads there, `to` what it leads to, and `why` how.
    """

    term: str
    share: float
    said: str
    to: str
    why: str


class Question(NamedTuple):
    """`cues` are terms, each once; `named` speakers' whole names; `asked_at` in unix ms."""

    cues: tuple[str, ...]
    asked_at: int
    named: frozenset[str] = frozenset()
    asker: str | None = None
    periods: tuple[Period, ...] = ()
    further: tuple[Further, ...] = ()

    def is_older(self, said_at: int | None) -> bool:
        """Tell whether a text of that time can be an answer: one without a time always can."""
        return said_at is None or said_at < self.asked_at

    def factors(self, speaker: str | None, said_at: int | None) -> Factors:
        """Return the factors of a text by *speaker*, said at *said_at* (unix ms); both optional."""
        return Factors(
            age=self.age(said_at),
            named=NAMED if speaker is not None and speaker in self.named else 1.0,
            asker=ASKER if speaker is not None and speaker == self.asker else 1.0,
            period=self.period(said_at),
        )

    def age(self, said_at: int | None) -> float:
        """Return (1 + age in days) ^ −0.05; 1 if the time is not known."""
        if said_at is None:
            return 1.0
        days = max(0, self.asked_at - said_at) / _DAY_MS
        return float((1 + days) ** AGE_EXPONENT)

    def period(self, said_at: int | None) -> float:
        """Return 2 if the text was said in a period that the question names, else 1."""
        if said_at is None or not self.periods:
            return 1.0
        return PERIOD if any(period.holds(said_at) for period in self.periods) else 1.0

    @property
    def most_by_speaker(self) -> float:
        """The most that a text can gain by who said it."""
        return (NAMED if self.named else 1.0) * (1.0 if self.asker is None else ASKER)

    @property
    def most_by_time(self) -> float:
        """The most that the time of a text can make of its score."""
        return PERIOD if self.periods else 1.0

    @property
    def most(self) -> float:
        """The most that the four factors can be together."""
        return self.most_by_speaker * self.most_by_time


def question(
    text: str,
    asked_at: int,
    *,
    speakers: Mapping[str, Collection[str]],
    asker: str | None = None,
    zone: tzinfo = UTC,
    languages: Sequence[str] = DEFAULT,
    further: Sequence[Further] = (),
) -> Question:
    """Return the question that *text* is, asked at *asked_at* (unix ms).

    *speakers* has, for each term that is the first name of speakers, their whole names. Such a term
    is no cue, for its speaker is named by it; if there is no other, they are the cues all the same.
    What it leads to *further* counts besides, unless the question says it itself.
    """
    found = terms(text, languages)
    names = {term: speakers[term] for term in found if speakers.get(term)}
    cues = tuple(term for term in found if term not in names) or tuple(found)
    return Question(
        cues=cues,
        asked_at=asked_at,
        named=frozenset(speaker for whole in names.values() for speaker in whole),
        asker=asker,
        periods=periods(text, asked_at, zone),
        further=tuple(one for one in further if one.term not in found),
    )


def speaker_terms(speaker: str, languages: Sequence[str] = DEFAULT) -> list[str]:
    """Return the terms that know *speaker*: those of the first name. None if it is a stop word."""
    return list(terms(first_name(speaker), languages))
