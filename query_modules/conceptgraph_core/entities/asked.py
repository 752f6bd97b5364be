"""What a message asks of the user: "Where do I work?", "Wann habe ich Geburtstag?".

A sentence asks so that has a question's mark or word, a first person, and a word for the matter:
one of the predicate's, one that stands for it, or the whole value. So a greeting asks nothing.
"""

import re
from dataclasses import dataclass
from typing import Final

from ..words.english import STOP_WORDS
from . import kin, schema
from .folded import folded
from .inflection import is_german, is_one_word, tokens
from .ordinary import GERMAN

_ASKING: Final = frozenset(
    (
        *("what", "where", "when", "who", "whom", "whose", "which", "how", "remind", "tell"),
        *("was", "wo", "wann", "wer", "wen", "wem", "wie", "welche", "welcher", "welches", "sag"),
    )
)
# What stands for one matter, in English and German.
_MATTERS: Final = tuple(
    folded(words).split()
    for words in (
        "employer employed work job company occupation profession arbeit arbeitgeber firma beruf",
        "home live address residence wohnen wohnung wohnort adresse leben zuhause",
        "birthday birth born geburtstag geburtsdatum geboren",
        "name called heißen",
        "age old alt alter",
        "allergy allergic allergie allergisch",
        "spouse wife husband married verheiratet ehefrau ehemann frau mann",
        "like likes love enjoy favourite favorite preference mag lieben",
        "dislike dislikes hate hassen",
    )
)
_KNOWN: Final = frozenset(word for words in _MATTERS for word in words)
# Of a predicate these say nothing: "favourite food" is asked for by food.
_SAYING_NOTHING: Final = (STOP_WORDS | GERMAN) - _KNOWN | {"favourite", "favorite", "current"}


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of the sentences of a message that ask of the user."""

    sentences: tuple[tuple[tuple[str, ...], bool], ...]

    def is_of(self, predicate: str, value: str) -> bool:
        """Tell whether a fact of the user's is asked for."""
        wanted, said = _telling(predicate), _telling(value)
        for words, german in self.sentences:
            meant = {kind for _, word in kin.named(list(words)) for kind in kin.kinds(word)}
            meant |= {
                one
                for matter in _MATTERS
                if any(_has(matter, word, german) for word in words)
                for one in matter
            }
            if any(one in meant or _has(words, one, german) for one in wanted):
                return True
            if said and all(_has(words, one, german) for one in said):
                return True
        return False


def asked(message: str) -> Asked:
    """Return what *message* asks of the user."""
    sentences = []
    for sentence in re.findall(r"[^.!?\n]+[.!?\n]?", message):
        words = tuple(one.form for one in tokens(sentence))
        asks = sentence.endswith("?") or not _ASKING.isdisjoint(words)
        if asks and not schema.FIRST_PERSON.isdisjoint(words):
            sentences.append((words, is_german(words)))
    return Asked(tuple(sentences))


def _telling(text: str) -> list[str]:
    words = [one.form for one in tokens(text.replace("_", " "))]
    return [one for one in words if one not in _SAYING_NOTHING] or words


def _has(words: tuple[str, ...] | list[str], wanted: str, german: bool) -> bool:
    return any(is_one_word(one, wanted, german) for one in words)
