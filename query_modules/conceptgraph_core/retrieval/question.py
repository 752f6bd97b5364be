"""What is asked: the cues of a question, whom it names, and when what it asks for was said."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from itertools import chain
from typing import Final, NamedTuple

from ..dates import DAY_MS
from ..words import Reading, first_name, readings, terms
from ..words.languages import DEFAULT
from .periods import Period, periods

# Older texts fade a little; the other three raise what the question itself points at.
AGE_EXPONENT: Final = -0.05
NAMED: Final = 1.2
ASKER: Final = 1.5
PERIOD: Final = 2.0
# Between a word of the question and what it leads to, where that is explained.
LEADS: Final = " → "


_ASKING: Final = """
day days time date year month name names named called kind kinds sort sorts type types number place
thing things person people way ask asked tell told know remember still again much many often long
exactly right now today tomorrow please need help something start good check question evening hours
tag tage zeit datum jahr monat heißt heißen art sorte nummer ort ding sache weißt noch nochmal genau
viel viele oft lange jetzt heute morgen gestern bitte mal eigentlich gerade funktioniert welche
welcher welches welchem welchen wer wem wen wessen wie wann warum wieso wo an am im in zu auf
"""
# Words that ask, and of which the answer has none: which day, how much did he ask for.
ASKING: Final = frozenset(_ASKING.split())


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


class Cue(NamedTuple):
    """What counts once: a word, and the terms that it may be.

    A mention counts half where the term is `foreign`: where the word has it in another language
    than the question's, in which it may be the term of another word. `said` is how an explanation
    calls it. What a question only leads to counts `share` of what its own words do, and has a
    `why`. What a text passes on adds to that as a cube: it lifts what the question does not reach.
    """

    said: str
    own: tuple[str, ...]
    foreign: tuple[str, ...] = ()
    share: float = 1.0
    why: str | None = None
    is_passed: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """All of them."""
        return self.own + self.foreign


class Question(NamedTuple):
    """`cues` have no term in common; `named` are speakers' whole names; `asked_at` is in unix ms.

    `further` is what it leads to without saying it.
    """

    cues: tuple[Cue, ...]
    asked_at: int
    named: frozenset[str] = frozenset()
    asker: str | None = None
    periods: tuple[Period, ...] = ()
    further: tuple[Cue, ...] = ()

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
        days = max(0, self.asked_at - said_at) / DAY_MS
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

    *speakers* has, for each term that is the first name of speakers, their whole names. Such a word
    is no cue, for its speaker is named by it; if there is no other, they are the cues all the same.
    What it leads to *further* counts besides, unless the question says it itself.
    """
    words = readings(text, languages)
    named = {word for word, read in words.items() if any(map(speakers.get, read.stems))}
    own = {word: read for word, read in words.items() if word not in named} or words
    said = {term for read in words.values() for term in read.stems}
    return Question(
        cues=tuple(_once(own)),
        asked_at=asked_at,
        named=frozenset(
            speaker
            for word in named
            for term in words[word].stems
            for speaker in speakers.get(term, ())
        ),
        asker=asker,
        periods=periods(text, asked_at, zone),
        further=tuple(_led_to([one for one in further if one.term not in said], languages)),
    )


def asked_terms(text: str, languages: Sequence[str] = DEFAULT) -> list[str]:
    """Return all the terms that cues of the question *text* may have, each once."""
    every = (read.stems for read in readings(text, languages).values())
    return list(dict.fromkeys(chain.from_iterable(every)))


def _once(words: Mapping[str, Reading]) -> Iterable[Cue]:
    """Return the cues that *words* are: those with a term in common are one."""
    cue_of: dict[str, Cue] = {}
    for word, read in words.items():
        known = dict.fromkeys(cue_of[term] for term in read.stems if term in cue_of)
        own = dict.fromkeys(chain(*(cue.own for cue in known), read.own))
        foreign = dict.fromkeys(chain(*(cue.foreign for cue in known), read.foreign))
        said = next((cue.said for cue in known), word)
        joined = Cue(said, tuple(own), tuple(one for one in foreign if one not in own))
        cue_of |= dict.fromkeys(joined.terms, joined)
    return dict.fromkeys(cue_of.values())


def _led_to(further: Sequence[Further], languages: Sequence[str]) -> Iterator[Cue]:
    """Yield the cues of what a question leads to; the terms of one word there are one."""
    known: dict[tuple[str, str], dict[str, Further]] = {}
    for one in further:
        known.setdefault((one.said, one.to), {})[one.term] = one
    for (said, to), terms_ in known.items():
        for cue in _once(readings(to, languages)):
            ones = [terms_[term] for term in cue.terms if term in terms_]
            if ones:
                own = tuple(term for term in cue.own if term in terms_)
                foreign = tuple(term for term in cue.foreign if term in terms_)
                yield Cue(f"{said}{LEADS}{to}", own, foreign, ones[0].share, ones[0].why)


def speaker_terms(speaker: str, languages: Sequence[str] = DEFAULT) -> list[str]:
    """Return the terms that know *speaker*: those of the first name. None if it is a stop word."""
    return list(terms(first_name(speaker), languages))
