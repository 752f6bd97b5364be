"""Find questions about the user: "Where do I work?", "Wann habe ich Geburtstag?".

A sentence is such a question if it has a question mark or a question word, a first person, and a
word for a fact: from its predicate, a word that stands for that, or its whole value. So a greeting
asks nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ...words.languages import STOP_WORDS
from .. import schema
from ..language import kin
from ..language.folded import folded, word_set
from ..language.inflection import bases, is_german, tokens
from ..language.ordinary import GERMAN

_ASKING: Final = word_set("""
what where when who whom whose which how remind tell was wo wann wer wen wem wie welche welcher
welches sag
""")
# Words for one subject, in English and German.
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
# These words of a predicate are no subject: "food" asks for "favourite food".
_SAYING_NOTHING: Final = (STOP_WORDS | GERMAN) - _KNOWN | {"favourite", "favorite", "current"}


# Only so many sentences of a message are read.
_MOST_SENTENCES: Final = 20
_MOST_WORDS: Final = 100


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A question about the user: its words, with all base forms they may have.

    `matters` has the words that stand for the same subjects.
    """

    words: frozenset[str]
    matters: frozenset[str]
    german: bool

    def has(self, predicate: str, value: str) -> bool:
        wanted, said = self._telling(predicate), self._telling(value)
        known = self.words | self.matters
        is_matter = any(not one.isdisjoint(known) for one in wanted)
        return is_matter or (bool(said) and all(not one.isdisjoint(self.words) for one in said))

    def _telling(self, text: str) -> list[set[str]]:
        words = [one.form for one in tokens(text.replace("_", " "))]
        return [bases(one, self.german) for one in words if one not in _SAYING_NOTHING]


@dataclass(frozen=True, slots=True)
class Asked:
    """The sentences of a message that ask about the user."""

    sentences: tuple[_Sentence, ...]

    def is_of(self, predicate: str, value: str) -> bool:
        """Tell whether a fact of the user's is asked for."""
        return any(one.has(predicate, value) for one in self.sentences)


# A call asks for those of its message three times.
@lru_cache(32)
def asked(message: str) -> Asked:
    """Return the questions of *message* about the user."""
    sentences = []
    for found in _sentences(message):
        words = [one.form for one in tokens(found)][:_MOST_WORDS]
        asks = found.endswith("?") or not _ASKING.isdisjoint(words)
        if asks and not schema.FIRST_PERSON.isdisjoint(words):
            sentences.append(_sentence(words))
    return Asked(tuple(sentences[:_MOST_SENTENCES]))


def _sentence(words: list[str]) -> _Sentence:
    german = is_german(words)

    def forms(several: Iterable[str]) -> frozenset[str]:
        return frozenset(form for one in several for form in bases(one, german))

    said = forms(words)
    matters = [one for one in map(forms, _MATTERS) if not one.isdisjoint(said)]
    own = forms(kind for _, word in kin.named(words) for kind in kin.kinds(word))
    return _Sentence(said, own.union(*matters), german)


def _sentences(message: str) -> Iterator[str]:
    """Yield the sentences of *message*, each with its final mark."""
    start = 0
    for place, character in enumerate(message, 1):
        if character in ".!?\n":
            yield message[start:place]
            start = place
    yield message[start:]
