"""Find the phrases of the languages' data files in a text. Imports nothing of Memgraph."""

from functools import cache

from .. import language
from ..words.splitting import split


def says_change(text: str) -> bool:
    """Tell whether *text* has words for a change in a life: broke up, moved to, died."""
    return _says(text, "change", "change")


def asks_for_each(message: str) -> bool:
    """Tell whether *message* asks for a date, for a number, or for all there is."""
    return _says(message, "listing", "listing")


def _says(text: str, topic: str, name: str) -> bool:
    said = f" {' '.join(split(text))} "
    return any(one in said for one in _phrases(topic, name))


@cache
def _phrases(topic: str, name: str) -> tuple[str, ...]:
    said = (" ".join(split(one)) for one in language.words(topic, name))
    return tuple(sorted(f" {one} " for one in said))
