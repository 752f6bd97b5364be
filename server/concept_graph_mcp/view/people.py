"""Tell people from other names: by their kind, or without a kind by what is said of them.

Only a picture asks that. A name that nothing is known of counts as no person.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from conceptgraph_core import language
from conceptgraph_core.entities import kinds, names
from conceptgraph_core.entities.language import kin
from conceptgraph_core.entities.rule_extractor.naming import JOINS, SELVES
from conceptgraph_core.entities.rule_extractor.people import FIRST_NAMES, SAFE_NAMES

_FAMILY: Final = frozenset(("person", "family", "relative", "friend"))
_ACTING: Final = language.words("whose", "acting")
# Stands for the name that is asked about.
_NAME: Final = "\x00"
_WITH: Final = language.words("whose", "with")
# "Keiko said", but "Tidewater wants" and "the parcel came" are said of firms and things too.
_LIVING: Final = _ACTING - language.words("whose", "being") - language.words("whose", "offering")


def is_person(kind: str | None, label: str = "", said: Iterable[str] = ()) -> bool:
    """Tell whether *kind* is one of people: a sister, a dentist, the family.

    Without a kind, the first name of *label* tells it, or what it does in the texts *said*: "Keiko
    said", "Owen and I", "Tamsin sent me", "our host Keiko met". A first name that is also a word or
    a place needs company: "with Ines and Rory".
    """
    if kind:
        whole = names.canonical(kind)
        relation = kin.relation(whole) or kin.relation(whole.rpartition("-")[2]) or ""
        path = kinds.path(kind) or kinds.path(relation) or ""
        return path.partition("/")[0] == "person" or kind in _FAMILY
    first, *_ = names.canonical(label).split() or [""]
    if first in SAFE_NAMES:
        return True
    # Patterns of many words take long to compile, so the name gives way to a sign in the texts.
    name = re.compile(rf"\b{re.escape(label)}\b", re.IGNORECASE)
    texts = [name.sub(_NAME, one) for one in said]
    is_company = first in FIRST_NAMES and any(map(_find_company().search, texts))
    return is_company or any(map(_find_acts().search, texts))


@lru_cache(maxsize=1)
def _find_acts() -> re.Pattern[str]:
    acting = _any_of(_ACTING)
    forms = (
        rf"{_NAME} (?:{_any_of(_LIVING)}|(?:{_any_of(JOINS)}) (?:{_any_of(SELVES)}))",
        rf"{_NAME} (?:{acting}) (?:me|us)",
        rf"\b(?:{_any_of(kin.OWN)}) (?:[a-zß-ÿ-]+ ){{1,2}}{_NAME} (?:{acting})",
    )
    return re.compile(rf"(?:{'|'.join(forms)})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _find_company() -> re.Pattern[str]:
    others = rf"(?:\w+,? (?:(?:{_any_of(JOINS)}) )?)?"
    return re.compile(rf"\b(?:{_any_of(_WITH)}) {others}{_NAME}", re.IGNORECASE)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words)))
