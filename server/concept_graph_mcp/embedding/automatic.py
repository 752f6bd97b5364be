"""Choose between the two models that are there without a setting, by the language of the texts."""

from collections.abc import Sequence
from typing import Final

from conceptgraph_core import language
from conceptgraph_core.words.splitting import split

from . import minilm, multilingual
from .base import NotInstalled

_ENGLISH: Final = "en"
# German, Dutch and Italian have it too, and not every language is among those with a list.
_SHARED: Final = frozenset({"in"})
# English has more function words than this; a text that has fewer words says nothing of it.
_LEAST_SHARE: Final = 0.12
_FEWEST_WORDS: Final = 6


# By the names under which a store records them.
MODELS: Final = {one.NAME: one for one in (minilm, multilingual)}


def is_installed() -> bool:
    """Return whether either is installed."""
    return bool(names())


def not_installed() -> NotInstalled:
    """Return the error that names what they need."""
    return minilm.not_installed()


def names() -> list[str]:
    """Return the names of those that are installed."""
    return [name for name, one in MODELS.items() if one.is_installed()]


def choose_model(texts: Sequence[str]) -> str:
    """Return the name of the one that suits *texts*: minilm if half of them may be English.

    Where only one is installed, it is that one.
    """
    there = names()
    if len(there) == 1:
        return there[0]
    english = sum(map(_may_be_english, texts))
    return minilm.NAME if 2 * english >= len(texts) else multilingual.NAME


def _may_be_english(text: str) -> bool:
    letters = [one for one in text if one.isalpha()]
    if 2 * sum(one.isascii() for one in letters) < len(letters):
        return False
    words = split(text)
    of_each = {one: _function_words(one) for one in language.LANGUAGES}
    english = of_each.pop(_ENGLISH)
    others = frozenset().union(*of_each.values())
    hits = sum(one in english - others - _SHARED for one in words)
    of_others = max(sum(one in some - english for one in words) for some in of_each.values())
    is_enough = len(words) < _FEWEST_WORDS or hits > _LEAST_SHARE * len(words)
    return hits >= of_others and is_enough


def _function_words(spoken: str) -> frozenset[str]:
    return language.words("asking", "function", (spoken,))
