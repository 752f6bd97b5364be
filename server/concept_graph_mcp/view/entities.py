"""Read entities, and part time into the days and months of a session's zone."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final

from conceptgraph_core.entities import schema
from conceptgraph_core.entities.language import kin
from conceptgraph_core.language import oneself

from .. import calls
from ..session import Session

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
