"""Tell what a text says by the phrases of the languages' data files.

Imports nothing of Memgraph.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from ... import language
from .splitting import split

# A phrase has this for one to so many words of any kind.
_ANY: Final = "*"
_MOST: Final = 4

Phrase = tuple[str, ...]


def has_phrase(text: str, topic: str, *names: str) -> bool:
    """Tell whether *text* has one of the phrases called *names* of *topic*, in any language."""
    words, phrases = split(text), _phrases(topic, *names)
    # Few texts have even the first word of one, and a recall reads hundreds.
    return not phrases.keys().isdisjoint(words) and any(
        _is_at(place, words, phrase)
        for place, word in enumerate(words)
        for phrase in phrases.get(word, ())
    )


@cache
def _phrases(topic: str, *names: str) -> Mapping[str, Sequence[Phrase]]:
    """Return the phrases by their first word."""
    found: dict[str, list[Phrase]] = {}
    for one in sorted({one for name in names for one in language.words(topic, name)}):
        first, *others = (split(part) for part in one.split(_ANY))
        phrase = (*first, *(word for part in others for word in (_ANY, *part)))
        found.setdefault(phrase[0], []).append(phrase)
    return found


def _is_at(place: int, words: Sequence[str], phrase: Phrase) -> bool:
    """Tell whether *phrase* begins at *place* among *words*."""
    for number, part in enumerate(phrase):
        if part == _ANY:
            behind = range(place + number + 1, place + number + _MOST + 1)
            return any(_is_at(one, words, phrase[number + 1 :]) for one in behind)
        if words[place + number : place + number + 1] != [part]:
            return False
    return True


# The words for an end or its opposite, by what ends.
_ENDS: Final = (("parted", "together", "former"), ("dead", "alive"))


def says_new_end(text: str, said: str) -> bool:
    """Tell whether *text* says that a couple or a life ended, or did not, and *said* neither."""
    return any(
        has_phrase(text, "change", *names) and not has_phrase(said, "change", *names)
        for names in _ENDS
    )
