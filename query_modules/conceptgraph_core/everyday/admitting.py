"""Decide which matches count at all: a replaced text and a long one need more than one word.

A replaced text stands for the one that replaced it, which may share nothing with the message. A
long one has some word of nearly every message.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final

from .. import budgets
from ..memories.search import Finder, Found
from ..memories.view import Graph
from ..retrieval.question import LEADS
from ..words.splitting import split
from .passages import LONG

# Two words of a long text belong together within so many characters: a passage.
_PASSAGE: Final = 400


def admit(
    graph: Graph,
    finder: Finder,
    found: Sequence[Found],
    names: Collection[str],
    is_of_past: bool = False,
) -> list[Found]:
    """Return *found* without what only one word of several in a message leads to.

    This is of texts that another one replaced, unless the message *is_of_past*, and of long ones.
    One of the words *names* is enough, and so is being near in meaning.
    """
    kept = []
    for one in found:
        is_long = budgets.size(one.node.content) > LONG
        is_over = not is_of_past and graph.ended(one.node) is not None
        if not (is_long or is_over) or _is_asked_for(finder, one, names, is_long):
            kept.append(one)
    return kept


def _is_asked_for(finder: Finder, one: Found, names: Collection[str], is_long: bool) -> bool:
    if finder.is_near(one):
        return True
    words = finder.evidence(one).keys()
    if not words.isdisjoint(names) or (words and finder.content <= words):
        return True
    return len(words & finder.content) > 1 and (not is_long or _are_together(finder, one))


def _are_together(finder: Finder, one: Found) -> bool:
    """Tell whether two words of the message stand in one passage of the text of *one*."""
    terms = list(_terms(finder, one))
    said = _fold(one.node.content) if len({word for word, _ in terms}) > 1 else ""
    places = sorted((at, word) for word, term in terms for at in _places(term, said))
    if len({word for _, word in places}) < 2:
        # It has another form of the word, or it was heard with the text.
        return True
    return any(
        word != next_word and next_at - at <= _PASSAGE
        for (at, word), (next_at, next_word) in pairwise(places)
    )


def _fold(text: str) -> str:
    """Return *text* folded as `split` does; plain ASCII needs no splitting for it."""
    return text.lower() if text.isascii() else " ".join(split(text))


def _places(term: str, said: str) -> Iterator[int]:
    """Yield where a word of *said* begins with *term*."""
    place = said.find(term)
    while place >= 0:
        if not said[place - 1 : place].isalnum():
            yield place
        place = said.find(term, place + 1)


def _terms(finder: Finder, one: Found) -> Iterator[tuple[str, str]]:
    """Yield the words of the message with the terms of the text that each led to."""
    for cue, term in () if one.hit is None else one.hit.found.own_terms:
        said = cue.said.partition(LEADS)[0]
        if said in finder.content:
            yield said, term
