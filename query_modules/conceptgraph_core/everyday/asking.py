"""Build the query of a message: its own text and, for a pronoun, the text just before it.

A message that asks for a time alone, such as "What did I tell you yesterday?", has no query.

Imports nothing of Memgraph: the shell looks up by the same text.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final, NamedTuple

from .. import language
from ..retrieval.periods import Named, find_periods
from ..retrieval.question import shorten
from ..texts import text as texts
from ..texts.dates import DAY_MS, Span
from ..texts.words import missing, terms
from ..texts.words.splitting import split
from ..verbs import limits, validators
from ..verbs.errors import InvalidNumber
from . import schema

# Only the end of the earlier text is read, because a pronoun refers to it.
_MOST_BEFORE: Final = 1_000
_TOPIC: Final = "asking"
_CALENDAR: Final = "calendar"
# A day has 25 hours when the clocks are put back.
_LONGEST_DAY_MS: Final = 25 * 3_600_000
# Only so many months are looked through for plans that texts tell.
_MOST_MONTHS: Final = 12
# A season.
_LONGEST_AROUND_MS: Final = 93 * DAY_MS


class Then(NamedTuple):
    """The time that a message asks for (unix ms); with `plans`, for what is planned then."""

    since: int
    until: int
    plans: bool = False
    # Whether it is only the first and the last day of that: next Tuesday may be either.
    apart: bool = False


def read_time_alone(
    message: str,
    asked_at: int,
    zone: tzinfo,
    languages: Sequence[str],
    said: Named | None = None,
) -> Then | None:
    """Return the time that *message* asks for, if for nothing else; None: it asks for something.

    No text could be found by a word of "what did I tell you yesterday?" or "what is on next
    week?". Unless it speaks of the past, a time that is not over asks for plans: "what are we doing
    today?" *asked_at* is in unix ms, and *said* what `find_periods` reads, if that is known.
    """
    said = said or find_periods(message, asked_at, zone)
    if missing() or not said.periods or len(said.periods) > 2:
        return None
    period, last = said.periods[0], said.periods[-1]
    are_days = all(one.to_ms - one.from_ms <= _LONGEST_DAY_MS for one in (period, last))
    apart = round((last.from_ms - period.from_ms) / DAY_MS) if are_days else 0
    # "Next Friday" may mean either of two.
    if last is not period and apart != schema.DAYS_AHEAD:
        return None
    plans = not said.is_past and period.to_ms > asked_at
    tells, of_user = _are(said, _TOPIC, "telling"), _are(said, _TOPIC, "own")
    is_of_the_model = bool(_are(said, _CALENDAR, "you")) and (plans or not (tells or of_user))
    is_today = period.from_ms <= asked_at < period.to_ms <= period.from_ms + _LONGEST_DAY_MS
    is_for_the_date = is_today and not (tells or of_user or _are(said, _CALENDAR, "alone"))
    asks = _are(said, _TOPIC, "what") | _are(said, _CALENDAR, "what")
    if (
        not asks
        or is_of_the_model
        or is_for_the_date
        or (said.is_past and period.from_ms > asked_at)
    ):
        return None
    others = ("asking",) if tells or of_user else ()
    allowed = _are(said, _TOPIC, "function", "telling", "own", *others)
    allowed |= _are(said, _CALENDAR, "alone") | asks
    rest = (one for one in said.words if one not in allowed and len(one) > 1)
    if any(terms(one, languages) for one in rest if not one.isdecimal()):
        return None
    return Then(period.from_ms, last.to_ms, plans, last is not period)


def name_months(since: int, until: int) -> str:
    """Return the names of the months from *since* until *until*, in any language.

    They lead to the texts that tell of plans in that time.
    """
    first = datetime.fromtimestamp(since / 1000, UTC)
    last = datetime.fromtimestamp(max(since, until - 1) / 1000, UTC)
    count = 1 + 12 * (last.year - first.year) + last.month - first.month
    months = ((first.month - 1 + more) % 12 + 1 for more in range(min(count, _MOST_MONTHS)))
    each = (sorted(language.words(_CALENDAR, f"month {one}")) for one in months)
    return " ".join(word for words in each for word in words)


def read_time_beside(
    message: str, asked_at: int, zone: tzinfo, said: Named | None = None
) -> Span | None:
    """Return the time over or begun that *message* names among other words; None: it names none.

    An example is "what did I buy in May?". A year is too long to be read through. A day lies ahead
    unless the message speaks of the past: "what could I cook on Saturday?". The arguments are those
    of `told_in`.
    """
    said = said or find_periods(message, asked_at, zone)
    if said.is_ahead or len(said.periods) != 1:
        return None
    [period] = said.periods
    length = period.to_ms - period.from_ms
    asks_what_could_be = not language.read_spoken(split(message), "oneself", "unsure").isdisjoint(
        split(message)
    )
    is_over = period.to_ms <= asked_at and length > _LONGEST_DAY_MS and not asks_what_could_be
    is_past = period.from_ms <= asked_at if said.is_past else is_over
    return Span(period.from_ms, period.to_ms) if is_past and length <= _LONGEST_AROUND_MS else None


def _are(said: Named, topic: str, *names: str) -> set[str]:
    """Return the words beside its period that are of these names of *topic*."""
    known = (language.words(topic, name, said.languages) for name in names)
    return set(said.words).intersection(frozenset().union(*known))


def has_words(query: str, languages: Sequence[str]) -> bool:
    """Return whether a text can be found by a word of *query*: "what did I tell you" has none."""
    words = split(query)
    asking = language.read_spoken(words, _TOPIC, "function", "what", "telling")
    others = (one for one in words if one not in asking)
    return bool(missing()) or any(terms(one, languages) for one in others)


def make_query(message: str, before: str | None = None) -> str:
    """Return the query text for *message*; see `shorten` for a long one. Raises InvalidText."""
    message = shorten(texts.summary(message, "message"))
    if not before:
        return message
    texts.summary(before, "before")
    if not _has(split(message), "pronouns"):
        return message
    return f"{message}\n{before[-_MOST_BEFORE:]}"[: limits.MAX_SUMMARY]


def is_of_the_user(message: str) -> bool:
    """Tell whether *message* is about the user: my knee, are we, wo wohnen wir, ¿dónde trabajo?

    "How do I boil an egg?" is not, but "How do I get to my sister?" is.
    """
    # An option of a command, as in "git rebase -i", is no "I".
    words = (one for one in message.split() if not one.startswith("-"))
    said = f" {' '.join(split(' '.join(words)))} "
    for phrase in language.words(_TOPIC, "general"):
        said = said.replace(f" {' '.join(split(phrase))} ", " ", 1)
    return _has(said.split(), "own") or _has(said.split(), "first")


def asks_what_was_done(message: str) -> bool:
    """Tell whether *message* asks for what somebody did then, not for what was said or decided."""
    return _has(split(message), "doing")


def _has(words: Sequence[str], name: str) -> bool:
    return not language.read_spoken(words, _TOPIC, name).isdisjoint(words)


def read_span(since: int | None, until: int | None) -> Span:
    """Return the time from *since* to before *until* (unix ms). Raises InvalidNumber."""
    for value, field in ((since, "since"), (until, "until")):
        if value is not None:
            validators.time(value, field)
    if since is not None and until is not None and since >= until:
        raise InvalidNumber("since: is after until, so nothing lies between; swap them")
    return Span(since, until)
