"""Load the words of the languages that users write in, from data files beside this module.

`en/kin.txt` has the words for kin in English. A line is `name: word, word`; an indented line goes
on with it, and `#` begins a comment. A word may have blanks ("fim de semana"). All words are
case-folded.

A user may write in any of these languages, whatever `CONCEPT_GRAPH_LANGUAGES` names: that setting
says which language's stems the index has.
"""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Final

LANGUAGES: Final = ("en", "de", "pt", "es", "fr")


# These files are constants and no state: a reload that empties the cache changes nothing.
@cache
def load(language: str, topic: str) -> Mapping[str, tuple[str, ...]]:
    """Return the words of *topic* in *language*, by name, in the order of the file."""
    found: dict[str, tuple[str, ...]] = {}
    for said in lines(language, topic):
        if not said[0].isspace():
            name, _, said = said.partition(":")  # noqa: PLW2901
            found[name] = ()
        words = (word.strip().casefold() for word in said.split(","))
        found[name] += tuple(word for word in words if word)
    return found


@cache
def words(topic: str, name: str, languages: tuple[str, ...] = LANGUAGES) -> frozenset[str]:
    """Return the words called *name* of *topic*, in all *languages* together."""
    return frozenset(word for one in languages for word in load(one, topic).get(name, ()))


def read_spoken(said: Iterable[str], topic: str, *names: str) -> frozenset[str]:
    """Return the words called *names* of *topic* in the languages that *said* may be of."""
    languages = likely(said)
    return frozenset().union(*(words(topic, name, languages) for name in names))


def likely(said: Iterable[str]) -> tuple[str, ...]:
    """Return the languages that the case-folded words *said* may be of; all, if none tells.

    These are those with the most function words among them. "Art" asks for a kind in German, and
    for paintings in English.
    """
    return _likely(tuple(said))


# A call asks for that of its message ten times.
@lru_cache(32)
def _likely(said: tuple[str, ...]) -> tuple[str, ...]:
    hits = {one: len(_function_words(one).intersection(said)) for one in LANGUAGES}
    return tuple(one for one in LANGUAGES if hits[one] == max(hits.values()))


@cache
def _function_words(language: str) -> frozenset[str]:
    return words("asking", "function", (language,))


def lines(language: str, topic: str) -> list[str]:
    """Return the lines of the file of *topic* in *language*, without comments."""
    said = (line.partition("#")[0].rstrip() for line in raw_lines(language, topic))
    return [line for line in said if line]


def raw_lines(language: str, topic: str) -> list[str]:
    """Return the lines of the file of *topic* in *language* as they are."""
    return _text(f"{language}/{topic}.txt").split("\n")


def _text(path: str) -> str:
    # Not `pathlib`, which a reload would drop; and the import system reads from a zip too.
    data: bytes = __loader__.get_data(f"{__path__[0]}/{path}")  # type: ignore
    return data.decode()
