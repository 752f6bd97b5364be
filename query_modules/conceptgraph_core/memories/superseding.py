"""Tell whether a text may take the place of an older one: both are of one matter of one subject.

"The user lives in Cacilhas" and "The user has a flat in Benfica" share no word that says so. The
words of the matters are data (`language/*/once.txt`). Imports nothing of Memgraph.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from .. import language
from ..entities.language import dated
from ..language import oneself
from ..retrieval.question import asking
from ..texts.words import missing, terms
from ..texts.words.phrase_files import has_phrase
from ..texts.words.splitting import split

_TOPIC: Final = "once"
_PUNCTUATION: Final = ".,;:!?\"'()[]“”„…"
_SCHEDULE, _DOSE = "schedule", "unit dose"
# The subject of a text is among so many words.
_FIRST: Final = 6
# A long text is of many matters.
LONGEST: Final = 300
# "Has not stopped"
_NOT: Final = frozenset(("not", "nicht"))
# So many texts are remembered as read.
_READ, _FEW_READ = 1_024, 16


class Stated(NamedTuple):
    """The parts of a text that tell what it may take the place of."""

    text: str
    is_of_user: bool
    # Stems that say what the text is about, and those of its subject among them.
    content: frozenset[str]
    subject: frozenset[str]
    # Those that are written as names.
    named: frozenset[str]
    # Those that stand behind "new".
    renewed: frozenset[str]
    # The numbers, by what their units measure; for days and hours, `_SCHEDULE`.
    amounts: Mapping[str, str]
    # The words for kin, whose it may be.
    kin: frozenset[str]


def may_replace(new: str, old: str, languages: Sequence[str]) -> bool:
    """Tell whether *new* may say how it is now what *old* says.

    Both are about the user, or begin with the same subject, and have words of one matter that one
    has once at a time; or both tell a number, a day or an hour of the same thing; or *new* says
    that its subject, of which *old* tells, has changed.
    """
    if missing() or max(len(new), len(old)) > LONGEST:
        return False
    if share_matter(new, old):
        return True
    one, other = _read_text(new, tuple(languages)), _read_text(old, tuple(languages))
    if _is_stopped(one, other) or (one.subject & other.subject and _share_words(new, old)):
        return True
    shares = one.content & other.content
    if (shares and one.amounts.keys() & other.amounts.keys()) or one.renewed & other.content:
        return True
    # "Anna moved to Turin" says nothing of what else is known of Anna.
    is_of_whom = bool(_matters_of(new)) and one.subject <= one.named
    changed = one.subject & other.content and not is_of_whom
    return bool(changed) and has_phrase(new, _TOPIC, "changed")


def share_matter(new: str, old: str) -> bool:
    """Tell whether both texts are on one matter of the user's, of which there is one at a time."""
    return is_of_matter(new) and _share_words(new, old) and oneself.names_user(old)


def is_of_matter(text: str) -> bool:
    """Tell whether *text* is on a matter of the user's: then texts on the user are compared."""
    return len(text) <= LONGEST and bool(_matters_of(text)) and oneself.names_user(text)


def _share_words(new: str, old: str) -> bool:
    """Tell whether *old* has words of a matter of *new*."""
    is_brief = len(old) <= LONGEST
    return is_brief and any(oneself.has_matter(old, wanted) for wanted in _matters_of(new))


@lru_cache(_FEW_READ)
def _matters_of(text: str) -> tuple[frozenset[str], ...]:
    """Return the words of each matter that *text* has words of."""
    return tuple(wanted for wanted in _matters() if oneself.has_matter(text, wanted))


def tells_other_dose(new: str, old: str, languages: Sequence[str]) -> bool:
    """Tell whether *new* says another number of the same thing than *old*, or that it is over."""
    if missing() or max(len(new), len(old)) > LONGEST:
        return False
    one, other = _read_text(new, tuple(languages)), _read_text(old, tuple(languages))
    return _is_another_amount(one, other) or _is_stopped(one, other)


def _is_stopped(one: Stated, other: Stated) -> bool:
    """Tell whether by *one* nobody takes the dose any more that *other* tells."""
    if _DOSE not in other.amounts or one.amounts or not has_phrase(one.text, _TOPIC, "stopped"):
        return False
    is_denied = not _NOT.isdisjoint(split(one.text))
    return not is_denied and _are_of_one(one, other) and one.content >= other.content


def _is_another_amount(one: Stated, other: Stated) -> bool:
    """Tell whether *one* says another number of the same thing, of the same person."""
    measured = (one.amounts.keys() & other.amounts.keys()) - {_SCHEDULE}
    if not any(one.amounts[kind] != other.amounts[kind] for kind in measured):
        return False
    if not _are_of_one(one, other):
        return False
    if has_phrase(one.text, _TOPIC, "adjusted"):
        return one.content <= other.content or other.content <= one.content
    return one.content == other.content and bool(_words("states") & set(split(one.text)))


def _are_of_one(one: Stated, other: Stated) -> bool:
    """Tell whether both are of the same person, and share a word for the thing."""
    is_of_one = one.is_of_user == other.is_of_user and one.kin == other.kin
    return is_of_one and bool(one.content & other.content)


@lru_cache(_READ)
def _read_text(text: str, languages: tuple[str, ...]) -> Stated:
    words = split(text)
    generic = _words("beside", "states", "changed") | _units().keys() | asking(text)
    telling = [
        word
        for word in words
        if word not in generic and not word[0].isdigit() and not dated.is_calendar(word)
    ]
    begins = [word for word in words[: _FIRST + len(words) - len(telling)] if word in telling]
    fresh = language.words("change", "new")
    renewed = [word for before, word in pairwise(words) if before in fresh and word in telling]
    called = " ".join(one for one in text.split() if one[:1].isupper())
    return Stated(
        text,
        oneself.names_user(text),
        frozenset(terms(" ".join(telling), languages)),
        frozenset(terms(" ".join(begins[:2]), languages)),
        frozenset(terms(called, languages)),
        frozenset(terms(" ".join(renewed), languages)),
        _amounts(text),
        _kin().intersection(one.removesuffix("'s") for one in words),
    )


def _amounts(text: str) -> dict[str, str]:
    """Return the last number of *text* by what its unit measures: "50 mcg" is a dose."""
    found: dict[str, str] = {}
    symbols = "".join(one for one in _units() if len(one) == 1 and not one.isalnum())
    raw = [one.strip(_PUNCTUATION) for one in text.casefold().split()]
    for place, one in enumerate(raw):
        if dated.is_calendar(one) or dated.is_calendar(one.removesuffix("s")):
            found[_SCHEDULE] = one
        number = one.strip(symbols)
        digits = number.rstrip("abcdefghijklmnopqrstuvwxyzµμ")
        if not digits[-1:].isdigit() or not digits.lstrip("-")[0].isdigit():
            continue
        beside = number[len(digits) :] or one.replace(number, "")
        kind = _units().get(beside or (raw[place + 1] if place + 1 < len(raw) else ""))
        if kind is not None:
            found[kind] = digits
        elif ":" in digits or raw[max(0, place - 1)] in _words("hours"):
            found[_SCHEDULE] = digits
    return found


@cache
def _words(*names: str) -> frozenset[str]:
    """Return the words of the lines called *names*, those of phrases each by itself."""
    each = (one for name in names for one in language.words(_TOPIC, name))
    return frozenset(word for one in each for word in one.split())


@cache
def _matters() -> tuple[frozenset[str], ...]:
    names = (name for name in language.load("en", _TOPIC) if name.startswith("once "))
    return tuple(language.words(_TOPIC, name) for name in names)


@cache
def _units() -> Mapping[str, str]:
    return {
        unit: name
        for name in language.load("en", _TOPIC)
        if name.startswith("unit ")
        for unit in language.words(_TOPIC, name)
    }


@cache
def _kin() -> frozenset[str]:
    return frozenset(
        word
        for one in language.LANGUAGES
        for name, words in language.load(one, "kin").items()
        if name not in language.load("en", "kin_groups")["trades"]
        for word in words
    )
