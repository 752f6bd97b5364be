"""Given names and their short forms: Elizabeth, and Liz, Beth or Betty."""

import functools
from collections.abc import Mapping
from typing import Final

from ... import language
from . import libraries

# Elisabeth and Elizabeth, Marc and Mark, Stefan and Stephan.
_SPELT: Final = (("s", "z"), ("z", "s"), ("c", "k"), ("k", "c"), ("f", "ph"), ("ph", "f"))


def are_forms(one: str, other: str) -> bool:
    """Tell whether one of two folded names is short for the other, or both for a third.

    Both for a third counts only if either is a nickname and no name of its own (Liz and Lizzy).
    """
    return other in short_forms(one) | long_forms(one) or bool(
        long_forms(one) & long_forms(other) and not (short_forms(one) and short_forms(other))
    )


def short_forms(name: str) -> frozenset[str]:
    """Return the short forms of a folded given name, in all spellings."""
    return _read_names(_tables()[0], name)


def long_forms(name: str) -> frozenset[str]:
    """Return the names that a folded one is short for, in all spellings."""
    return frozenset(spelt for long in _read_names(_tables()[1], name) for spelt in _spell(long))


def _read_names(table: Mapping[str, frozenset[str]], name: str) -> frozenset[str]:
    return frozenset().union(*(table.get(one, frozenset()) for one in _spell(name)))


def _spell(name: str) -> set[str]:
    return {name, *(name.replace(one, other) for one, other in _SPELT)}


def count_forms(name: str) -> int:
    """Return how well known a given name is: the number of forms listed for it."""
    return len(short_forms(name)) + len(long_forms(name))


@functools.cache
def _tables() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    listed = language.load("de", "given_names")
    short = {name: set(forms) for name, forms in listed.items()}
    long: dict[str, set[str]] = {}
    for name, forms in libraries.nicknames()[0].items():
        short.setdefault(name, set()).update(forms)
    for name, forms in short.items():
        for form in forms:
            long.setdefault(form, set()).add(name)
    return (
        {name: frozenset(forms) for name, forms in short.items()},
        {name: frozenset(forms) for name, forms in long.items()},
    )
