"""What is known of a language: which of its words say nothing, and the stem of the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from ..errors import UnknownLanguage
from . import english, libraries
from .splitting import split

DEFAULT: Final = ("english",)
# The one place where a process is told its languages.
VARIABLE: Final = "CONCEPT_GRAPH_LANGUAGES"

# ISO 639-1 -> (name, whether Snowball has a stemmer of that name). Each has a list of stop words.
_STEMMED: Final = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "hi": "hindi",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
_NOT_STEMMED: Final = {
    "bg": "bulgarian",
    "he": "hebrew",
    "ja": "japanese",
    "ko": "korean",
    "sk": "slovak",
    "uk": "ukrainian",
    "vi": "vietnamese",
    "zh": "chinese",
}
KNOWN: Final = _STEMMED | _NOT_STEMMED

# A word is almost always one that was said before; Snowball in Python takes 10 µs for a new one.
_REMEMBERED_TERMS: Final = 65_536

# Shorter is no word (a letter of "o'clock"), longer is none either (a key, an image in base 64).
MIN_LENGTH: Final = 2
MAX_LENGTH: Final = 100


class Language(NamedTuple):
    """Stop words, case-folded, and the function from a case-folded word to its stem.

    `term` is that too, but nothing is left of a stop word, and of what is no word.
    """

    name: str
    stop_words: frozenset[str]
    stem: Callable[[str], str]
    term: Callable[[str], str]


def configured(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the languages that *environment* names, as `terms` takes them.

    Raises UnknownLanguage, whose line says which there are.
    """
    return named(environment.get(VARIABLE, "").split(","))


def named(names: Iterable[str]) -> tuple[str, ...]:
    """Return *names* ("de", "German") as `terms` takes them, each once; none are the default.

    Raises UnknownLanguage, whose line says which there are.
    """
    found = dict.fromkeys(_named(name.strip().casefold()) for name in names if name.strip())
    return tuple(found) or DEFAULT


def _named(name: str) -> str:
    if name in KNOWN.values():
        return name
    if name not in KNOWN:
        known = ", ".join(f"{code} {language}" for code, language in sorted(KNOWN.items()))
        raise UnknownLanguage(f"languages: unknown {name!r}; known are {known}")
    return KNOWN[name]


# A cache of what is the same for ever, not state: a reload that empties it changes nothing.
@cache
def language(name: str) -> Language:
    """Return the language that is *named* so. Raises LibraryMissing."""
    if name == "english":
        listed: Iterable[str] = english.STOP_WORDS
    else:
        listed = libraries.stop_words(name)
    # Cut as texts are: of "don't" stands "don" in a text.
    stop_words = frozenset(word for entry in listed for word in split(entry))
    stem = libraries.stemmer(name) if name in _STEMMED.values() else str

    def term(word: str) -> str:
        is_one = MIN_LENGTH <= len(word) <= MAX_LENGTH and word not in stop_words
        return stem(word) if is_one else ""

    return Language(name, stop_words, stem, _Remembered(term).__getitem__)


class _Remembered(dict[str, str]):
    """What *term* returns for words, which is asked of each word of every text."""

    def __init__(self, term: Callable[[str], str]) -> None:
        super().__init__()
        self._term = term

    def __missing__(self, word: str) -> str:
        if len(self) >= _REMEMBERED_TERMS:
            self.clear()
        found = self[word] = self._term(word)
        return found


def stop_words(names: Sequence[str]) -> frozenset[str]:
    """Return the words that say nothing in any of the languages *names*. Raises LibraryMissing."""
    return frozenset().union(*(language(name).stop_words for name in names))


def spoken(words: Iterable[str], names: Sequence[str]) -> list[Language]:
    """Return the language of *names* most of whose stop words are among the case-folded *words*.

    Several if they have equally many: a line of two nouns belongs to each, and is to be found from
    a question in either.
    """
    known = [language(name) for name in names]
    if len(known) == 1:
        return known
    words = list(words)
    hits = [sum(word in one.stop_words for word in words) for one in known]
    return [one for one, count in zip(known, hits, strict=True) if count == max(hits)]
