"""Tell people from other names: by their kind, or without a kind by what is said of them.

Only a picture asks that. A name that nothing is known of counts as no person. Read entities, and
part time into the days and months of a session's zone.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from conceptgraph_core import language
from conceptgraph_core.entities import kinds, names, schema
from conceptgraph_core.entities.language import kin
from conceptgraph_core.entities.rule_extractor.naming import (
    FIRST_NAMES,
    JOINS,
    SAFE_NAMES,
    SELVES,
)
from conceptgraph_core.language import oneself

from .. import calls
from ..session import Session

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


Row = dict[str, Any]

# The search score of an equal name, ignoring accents and apostrophes.
_SAME_NAME: Final = 0.95
# The latest mentions and strongest edges that are read of an entity.
MENTIONS: Final = 20
_NO_NAMES: Final = frozenset(("date", "number", "time"))


def months(session: Session, first: date, beyond: date) -> list[int]:
    """Return the beginnings (unix ms) of the months from *first* to *beyond*, and the end."""
    numbers = range(first.year * 12 + first.month - 1, beyond.year * 12 + beyond.month)
    starts = [begin_of(session, date(one // 12, one % 12 + 1, 1)) for one in numbers]
    return [*starts, begin_of(session, beyond + timedelta(days=1))]


def days(session: Session, first: date, beyond: date) -> list[int]:
    """Return the beginnings (unix ms) of the days from *first* to *beyond*, both included."""
    count = (beyond - first).days + 1
    return [begin_of(session, first + timedelta(days=number)) for number in range(count)]


def begin_of(session: Session, day: date) -> int:
    """Return when that day begins (unix ms)."""
    begun = datetime(day.year, day.month, day.day, tzinfo=session.zone)
    return round(begun.timestamp() * 1000)


def today(session: Session) -> date:
    return session.local(session.clock.now_ms()).date()


async def read(session: Session, entity_ids: Iterable[str], limit: int = MENTIONS) -> list[Row]:
    """Return these entities as `get` does, each with at most *limit* facts, edges and mentions."""
    rows = []
    for one in dict.fromkeys(entity_ids):
        rows += await session.run(calls.entities.get(one, limit=limit))
    return rows


async def find(session: Session, name: str, limit: int | None = None) -> list[Row]:
    """Return the entities with names like *name*, the closest first."""
    call = calls.entities.search(name, (), limit, include_inactive=True)
    return [row for row in await session.run(call) if is_name(row)]


async def find_called(session: Session, name: str) -> str | None:
    """Return the id of the entity that *name* means most likely."""
    rows = await find(session, name)
    same = [row for row in rows if row["score"] >= _SAME_NAME]
    return next((str(row["entity_id"]) for row in same or rows), None)


async def list_latest(session: Session, limit: int) -> list[Row]:
    """Return those of the entities mentioned last that have names of their own."""
    rows = await session.run(calls.entities.listed((), limit))
    return [row for row in rows if row["merged_into"] is None and is_name(row)]


def bare(label: str) -> str:
    """Return *label* without the suffix that distinguishes namesakes."""
    return label.partition(" (")[0]


def is_name(row: Mapping[str, Any]) -> bool:
    """Tell whether *row*, an entity, has a name of its own: no date, nor "my manager"."""
    label = row["label"] if "label" in row else row["labels"][0]
    own = {schema.SELF, *oneself.KINDS}
    of = {row["type"], row["kind"]}
    is_called = label.partition(" ")[0].casefold() not in kin.OWN
    return is_called and label not in own and not of & (_NO_NAMES | own)
