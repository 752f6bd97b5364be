"""Know the stop words of a language, and the stems of its other words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from ... import language as data
from ...verbs.errors import UnknownLanguage
from . import libraries
from .splitting import split

# The English words that say nothing about the subject of a text; the library has others.
STOP_WORDS: Final = data.words("stop", "words", ("en",))


DEFAULT: Final = ("english",)
# The one source of a process's languages.
VARIABLE: Final = "CONCEPT_GRAPH_LANGUAGES"

# ISO 639-1 -> the name of Snowball's stemmer. Each has a list of stop words.
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

# Most words repeat, and the Python version of Snowball takes 10 µs for a new one.
_REMEMBERED_TERMS: Final = 65_536

# A shorter one is no word (a letter of "o'clock"), and neither is a longer one (a key, an image in
# base 64).
MIN_LENGTH: Final = 2
MAX_LENGTH: Final = 100


class Language(NamedTuple):
    """The stop words, case-folded, and the function from a case-folded word to its stem.

    `term` is that function, but returns nothing for stop words and for runs that are no words.
    """

    name: str
    stop_words: frozenset[str]
    stem: Callable[[str], str]
    term: Callable[[str], str]


def read_configured(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the languages that *environment* names, as `terms` takes them.

    Raises UnknownLanguage, whose line lists the known ones.
    """
    return name_languages(environment.get(VARIABLE, "").split(","))


def name_languages(names: Iterable[str]) -> tuple[str, ...]:
    """Return *names* ("de", "German") as `terms` takes them, each once; none are the default.

    Raises UnknownLanguage, whose line lists the known ones.
    """
    found = dict.fromkeys(_name_language(name.strip().casefold()) for name in names if name.strip())
    return tuple(found) or DEFAULT


def _name_language(name: str) -> str:
    if name in KNOWN.values():
        return name
    if name not in KNOWN:
        known = ", ".join(f"{code} {language}" for code, language in sorted(KNOWN.items()))
        raise UnknownLanguage(f"languages: unknown {name!r}; known are {known}")
    return KNOWN[name]


# This caches constants and is no state: a reload that empties it changes nothing.
@cache
def language(name: str) -> Language:
    """Return the language of that name. Raises LibraryMissing."""
    if name == "english":
        listed: Iterable[str] = STOP_WORDS
    else:
        listed = libraries.stop_words(name)
    # Split like texts: a text has "don" for "don't".
    stop_words = frozenset(word for entry in listed for word in split(entry))
    stem = libraries.stemmer(name) if name in _STEMMED.values() else str

    def term(word: str) -> str:
        is_one = MIN_LENGTH <= len(word) <= MAX_LENGTH and word not in stop_words
        return stem(word) if is_one else ""

    return Language(name, stop_words, stem, _Remembered(term).__getitem__)


class _Remembered(dict[str, str]):
    """A cache of *term*, which is called for each word of every text."""

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


def detect_languages(words: Iterable[str], names: Sequence[str]) -> list[Language]:
    """Return the language of *names* with the most stop words among the case-folded *words*.

    Ties return several: a line of two nouns belongs to each language, and a question in either one
    must find it.
    """
    known = [language(name) for name in names]
    if len(known) == 1:
        return known
    words = list(words)
    hits = [sum(word in one.stop_words for word in words) for one in known]
    return [one for one, count in zip(known, hits, strict=True) if count == max(hits)]
