"""Find the phrases of the languages' data files in a text. Imports nothing of Memgraph."""

import re
from functools import cache
from typing import Final

from .. import language
from ..words.splitting import split

# What "*" stands for in a phrase.
_FEW_WORDS: Final = r" (?:\S+ ){1,4}"


def says_change(text: str) -> bool:
    """Tell whether *text* has words for a change in a life: broke up, moved to, died."""
    return _says(text, "change", "change")


def asks_for_each(message: str) -> bool:
    """Tell whether *message* asks for a date, for a number, or for all there is."""
    return _says(message, "listing", "listing")


def says_secret(text: str) -> bool:
    """Tell whether *text* says that somebody must not know of it."""
    return _says(text, "secret", "secret")


def _says(text: str, topic: str, name: str) -> bool:
    return _phrases(topic, name).search(" ".join(split(text))) is not None


@cache
def _phrases(topic: str, name: str) -> re.Pattern[str]:
    said = sorted(_pattern(one) for one in language.words(topic, name))
    return re.compile(f"(?<!\\S)(?:{'|'.join(said)})(?!\\S)")


def _pattern(phrase: str) -> str:
    parts = (re.escape(" ".join(split(part))) for part in phrase.split("*"))
    return _FEW_WORDS.join(parts)
