"""Parse a question: its cues, the speakers and the periods that it names."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from itertools import chain
from typing import Final, NamedTuple

from .. import language
from ..texts.dates import DAY_MS
from ..texts.words import families, first_name, readings, terms
from ..texts.words.languages import DEFAULT
from ..texts.words.splitting import split
from .groups import Neighbour, of_family
from .periods import Period, find_periods, periods

# Older texts fade slightly; the other three factors raise texts that the question points at.
AGE_EXPONENT: Final = -0.05
NAMED: Final = 1.2
ASKER: Final = 1.5
PERIOD: Final = 2.0
# The names of users, beside their id, in chat histories.
USERS: Final = ("user", "human")
# The most different words of a question, and in how many characters at a time they are counted.
MOST_WORDS: Final = 400
_COUNTED: Final = 16
# An explanation puts this between a word of the question and the term that it leads to.
LEADS: Final = " → "
# The text that passed a term on.
BY_WAY_OF: Final = "by way of "


class Factors(NamedTuple):
    """The factors of the sum over the cues; each is 1 where it does not apply."""

    age: float
    named: float
    asker: float
    period: float

    @property
    def product(self) -> float:
        """All four multiplied."""
        return self.age * self.named * self.asker * self.period


class Further(NamedTuple):
    """A term that a question leads to but does not contain; it weighs *share* of a cue.

    `said` is the word of the question, `to` the words that it leads to, and `why` the reason. A
    text with the term has the share `covers` of the word (see `Search.covered`).
    """

    term: str
    share: float
    said: str
    to: str
    why: str
    covers: float = 1.0


class Cue(NamedTuple):
    """A word that counts once, with the terms that it may stand for.

    * `said` is its name in explanations.
    * A cue that the question only leads to weighs `share` of an own word, and has a `why`.
    * A mention of one `near` counts too, instead of a mention of an own term: here, words of the
      same family.
    * A cue that a text passes on (`is_passed`) adds up as a cube, because it is to lift texts that
      the question itself does not reach.
    """

    said: str
    terms: tuple[str, ...]
    share: float = 1.0
    why: str | None = None
    is_passed: bool = False
    near: tuple[Neighbour, ...] = ()
    covers: float = 1.0

    @property
    def covering(self) -> tuple[str, ...]:
        """The terms, and those near that count as the word itself, such as of its family."""
        return self.terms + tuple(one.term for one in self.near if one.covers)


class Sought(NamedTuple):
    """A question as it is sought, asked at `asked_at` (unix ms).

    `cues` share no term; `named` has speakers' full names;
    `askers` has the case-folded names of who asks, as a speaker. `further` has the cues that the
    question leads to but does not contain.
    """

    cues: tuple[Cue, ...]
    asked_at: int
    named: frozenset[str] = frozenset()
    askers: frozenset[str] = frozenset()
    periods: tuple[Period, ...] = ()
    further: tuple[Cue, ...] = ()

    def is_older(self, heard_at: int | None) -> bool:
        """Return whether a text told then can be an answer; a text without a time always can."""
        return heard_at is None or heard_at < self.asked_at

    def factors(
        self, speaker: str | None, said_at: int | None, age: float | None = None
    ) -> Factors:
        """Return the factors of a text by *speaker* at *said_at* (unix ms); both may be None.

        *age* is its `age`, if it is known already.
        """
        return Factors(
            self.age(said_at) if age is None else age,
            NAMED if speaker is not None and speaker in self.named else 1.0,
            ASKER if speaker is not None and speaker.casefold() in self.askers else 1.0,
            self.period(said_at) if self.periods else 1.0,
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
        """The greatest factor that a speaker can give to a text."""
        return (NAMED if self.named else 1.0) * (ASKER if self.askers else 1.0)

    @property
    def most_by_time(self) -> float:
        """The greatest factor that its time can give to a text."""
        return PERIOD if self.periods else 1.0


def read_sought(
    text: str,
    asked_at: int,
    *,
    speakers: Mapping[str, Collection[str]],
    askers: Collection[str] = (),
    languages: Sequence[str] = DEFAULT,
    further: Sequence[Further] = (),
    zone: tzinfo = UTC,
) -> Sought:
    """Parse the question *text*, asked at *asked_at* (unix ms).

    *speakers* maps a term that is a first name to the full names of its speakers. A first name
    names its speaker and is no cue, unless the question has no other words. *askers* are names of
    who asks, in any case. The terms *further* count too, except those that the question contains.
    The days that it names are days of *zone*.
    """
    words = readings(text, languages)
    named = {word for word, read in words.items() if any(map(speakers.get, read))}
    own = {word: read for word, read in words.items() if word not in named} or words
    said = {term for read in words.values() for term in read}
    spoken = language.likely(split(text))
    return Sought(
        cues=tuple(
            cue._replace(
                near=of_family(
                    {
                        term: word
                        for term, word in families.find_families(
                            cue.terms, spoken, languages
                        ).items()
                        if term not in speakers
                    }
                )
            )
            for cue in _once(own)
        ),
        asked_at=asked_at,
        named=frozenset(
            speaker for word in named for term in words[word] for speaker in speakers.get(term, ())
        ),
        askers=frozenset(one.casefold() for one in askers),
        periods=periods(text, asked_at, zone),
        further=tuple(_led_to([one for one in further if one.term not in said], languages)),
    )


def shorten(text: str) -> str:
    """Return the question *text*, or of a longer one its beginning and its end.

    Together these have at most `MOST_WORDS` different words, each about half of them: a long
    message asks before or after what it quotes.
    """
    # In a script without blanks each character but the first makes a word.
    if len(text) <= MOST_WORDS or len(set(split(text))) <= MOST_WORDS:
        return text
    first, last = _measure(text), _measure(text[::-1])
    return f"{text[:first]}\n{text[-last:]}"


def _measure(text: str) -> int:
    """Return the length of the beginning of *text* that has half of the words."""
    seen: set[str] = set()
    at = 0
    # The last piece, and the rest of its last word, must fit too.
    while len(seen) < MOST_WORDS // 2 - 2 * _COUNTED:
        seen.update(split(text[at : at + _COUNTED]))
        at += _COUNTED
    # No word is cut, unless the script has no blanks.
    blank = text.find(" ", at, at + _COUNTED)
    return at if blank < 0 else blank


def asking(message: str) -> frozenset[str]:
    """Return the words that only ask, such as “which day”: the answer to *message* has none."""
    return language.read_spoken(split(message), "asking", "asking", "function")


def light(message: str) -> frozenset[str]:
    """Return the words that say little, such as “using”, in the languages of *message*."""
    return language.read_spoken(split(message), "light", "light")


def asks_of_the_past(message: str) -> bool:
    """Tell whether *message* asks for how it was before."""
    said = split(message)
    whole = f" {' '.join(said)} "
    phrases = language.read_spoken(said, "asking", "past")
    return any(f" {' '.join(split(one))} " in whole for one in phrases)


class Past(NamedTuple):
    """The time that a question asks about: from `since` to before `until`, or any time before."""

    since: int = 0
    until: int | None = None

    def had(self, since: int, until: int | None) -> bool:
        """Tell whether something was so then that was so from *since* on, *until* it ended."""
        if self.until is None:
            return until is not None
        return since < self.until and (until is None or until > self.since)

    def order(self, since: int, until: int | None) -> tuple[bool, int]:
        """Return a sort key: what was so then comes first, of that the latest."""
        return not self.had(since, until), -since


def past_of(message: str, asked_at: int, zone: tzinfo = UTC) -> Past | None:
    """Return the past that *message* asks about: a period that is over, or any time before."""
    said = find_periods(message, asked_at, zone)
    over = [one for one in said.periods if one.to_ms <= asked_at]
    if over and not said.is_ahead:
        return Past(over[-1].from_ms, over[-1].to_ms)
    return Past() if asks_of_the_past(message) else None


def asked_terms(text: str, languages: Sequence[str] = DEFAULT) -> list[str]:
    """Return all terms that the cues of the question *text* may have, without duplicates."""
    return list(dict.fromkeys(chain.from_iterable(readings(text, languages).values())))


def sought_terms(text: str, languages: Sequence[str] = DEFAULT) -> list[str]:
    """Return the terms by which a text may match the question *text*: also those of families."""
    asked = asked_terms(text, languages)
    return list(
        dict.fromkeys(
            (*asked, *families.find_families(asked, language.likely(split(text)), languages))
        )
    )


def _once(words: Mapping[str, Sequence[str]]) -> Iterable[Cue]:
    """Return the cues of *words*; words that share a term become one cue."""
    cue_of: dict[str, Cue] = {}
    for word, read in words.items():
        known = dict.fromkeys(cue_of[term] for term in read if term in cue_of)
        terms_ = dict.fromkeys(chain(*(cue.terms for cue in known), read))
        joined = Cue(next((cue.said for cue in known), word), tuple(terms_))
        cue_of |= dict.fromkeys(joined.terms, joined)
    return dict.fromkeys(cue_of.values())


def _led_to(further: Sequence[Further], languages: Sequence[str]) -> Iterator[Cue]:
    """Yield the cues that a question leads to; the terms of one word become one cue."""
    known: dict[tuple[str, str], dict[str, Further]] = {}
    for one in further:
        known.setdefault((one.said, one.to), {})[one.term] = one
    for (said, to), terms_ in known.items():
        for cue in _once(readings(to, languages)):
            ones = [terms_[term] for term in cue.terms if term in terms_]
            if ones:
                share, why, covers = ones[0].share, ones[0].why, ones[0].covers
                own = tuple(one.term for one in ones)
                yield Cue(f"{said}{LEADS}{to}", own, share, why, covers=covers)


def own_names(user_id: str) -> tuple[str, ...]:
    """Return the names that a user may have as a speaker of stored texts, as they are spelt there.

    They are "user" and "human", as programs write them, and the user's id.
    """
    names = (*USERS, user_id, *(f"{one} {user_id}" for one in USERS))
    return tuple(dict.fromkeys(form for one in names for form in (one, one[:1].upper() + one[1:])))


def speaker_terms(speaker: str, languages: Sequence[str] = DEFAULT) -> list[str]:
    """Return the terms of the first name of *speaker*; empty if it is a stop word."""
    return list(terms(first_name(speaker), languages))
