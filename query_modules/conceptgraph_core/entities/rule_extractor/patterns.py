"""Read the patterns of statements, and the words around these, from the data of the languages."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Final

from ... import language
from ..schema import AFTER, BESIDE, OVER

_TOPIC: Final = "statements"
# In a pattern these stand for the one it is about, and for a few words of any kind.
SUBJECT, OWNER, ANY = "@", "@'s", "*"
NAME, PHRASE, DATE, AGE, NUMBER = "name", "phrase", "date", "age", "number"
# Without a value: "I quit my job <all>" ends every one.
ALL: Final = "all"
# Over, if it was so at all: "I don't live in Bath".
_DENIED: Final = "denied"
# Predicate -> type, kind and valence of the thing in its value, a node of its own.
NODES: Final = {
    "likes": ("preference", None, 0.5),
    "dislikes": ("preference", None, -0.5),
    "allergy": ("topic", None, None),
    "occupation": ("topic", None, None),
    "employer": ("entity", "company", None),
    "home": ("entity", "place", None),
    "origin": ("entity", "place", None),
}
_NO_PRONOUN: Final = language.words(_TOPIC, "pronouns", ("pt", "es"))


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a language that tell whether a statement is one, and where its value ends."""

    fillers: frozenset[str]
    supposed: frozenset[str]
    forgetting: frozenset[str]
    denied: frozenset[str]
    recalling: frozenset[str]
    negations: frozenset[str]
    before_nouns: frozenset[str]
    breaks: frozenset[str]
    subjects: frozenset[str]
    joins: frozenset[str]
    none: frozenset[str]
    stops: frozenset[str]
    before_names: frozenset[str]
    articles: frozenset[str]
    no_phrases: frozenset[str]
    goes_on: frozenset[str]
    no_places: frozenset[str]
    nowhere: frozenset[str]
    behind_age: frozenset[str]
    behind_end: frozenset[str]
    at: frozenset[str]
    passing: frozenset[str]
    pronouns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words with alternatives, then a value; of `followed`, if there are any, one stands behind it.

    The value is a name, a phrase, a date, an age, or one of the words `listed`. `mode` relates the
    fact to an earlier one, which it may need.
    """

    words: tuple[frozenset[str], ...]
    slot: str
    listed: frozenset[str]
    followed: frozenset[str]
    predicate: str
    mode: str
    spoken: Words
    needs_known: bool = False

    @property
    def is_without_pronoun(self) -> bool:
        """Return whether its verb needs no "he" or "she" in its language: "vive en"."""
        return SUBJECT in self.words[0] and _NO_PRONOUN.issuperset(self.spoken.pronouns)

    @property
    def is_contrast(self) -> bool:
        """Return whether its value is what one thing is not: "allergic to cashews, not walnuts"."""
        return self.mode == OVER and any(ANY in word for word in self.words)


def _read(code: str) -> Iterator[Pattern]:
    data = language.load(code, _TOPIC)
    spoken = Words(*(frozenset(data.get(_key(one.name), ())) for one in fields(Words)))
    unreal = language.words("change", "unreal", (code,))
    spoken = replace(spoken, supposed=spoken.supposed | unreal)
    for key, each in data.items():
        predicate, _, mode = key.partition(" ")
        is_denied = mode == _DENIED
        mode = OVER if is_denied else mode or BESIDE
        if mode not in (BESIDE, AFTER, OVER):
            continue
        for one in each:
            before, _, rest = one.partition("<")
            slot, _, behind = rest.partition(">")
            if slot:
                words = tuple(frozenset(word.split("|")) for word in before.split())
                followed = frozenset(behind.strip().split("|") if behind.strip() else ())
                listed = frozenset(data.get(f"{slot}s", ()))
                value = words, slot, listed, followed
                yield Pattern(*value, predicate, mode, spoken, is_denied)


def _key(field: str) -> str:
    return field.replace("_", " ")


def _list_contractions() -> Iterator[tuple[str, tuple[str, str]]]:
    for one in language.words(_TOPIC, "contractions"):
        short, _, whole = one.partition(" = ")
        first, _, second = whole.partition(" ")
        yield short, (first, second)


PATTERNS: Final = tuple(pattern for code in language.LANGUAGES for pattern in _read(code))
OCCUPATIONS: Final = language.words(_TOPIC, "occupations")
WORKPLACES: Final = language.words(_TOPIC, "workplaces")
# "I'm" -> its two words.
CONTRACTIONS: Final = dict(_list_contractions())
# "Moved" of "Moved to Leeds" -> the user's "I".
DIARY: Final = {
    word: own
    for code, own in (("en", "i"), ("de", "ich"))
    for word in language.load(code, _TOPIC)["diary"]
}
# The first word of a pattern -> the patterns, in their order.
BY_FIRST: Final = {
    first: tuple(one for one in PATTERNS if first in one.words[0])
    for first in frozenset().union(*(one.words[0] for one in PATTERNS))
}
# Words that may follow the one it is about. They mark a second clause without a subject.
VERBS: Final = frozenset(
    verb
    for one in PATTERNS
    if one.words[0] & {"i", "ich", "je", SUBJECT}
    for verb in one.words[1]
    if verb != ANY
)
