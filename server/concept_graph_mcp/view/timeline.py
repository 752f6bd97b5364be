"""Show time: the days of a year, one day, who was spoken of in a year, and what changed."""

from datetime import date, timedelta
from typing import Any

from conceptgraph_core import limits
from conceptgraph_core.everyday import schema

from .. import calls
from ..session import Session
from . import entities

Row = dict[str, Any]

_MONTHS = 12
_SHOWN = 24


async def days(session: Session, year: int) -> Row:
    """Return the dates of *year* with what was kept and said on each, as `everyday.days` does.

    Looking back, the dates to come are left out.
    """
    first = date(year, 1, 1)
    bounds = entities.days(session, first, date(year + 1, 1, 1))
    if session.until_ms is not None:
        past = [one for one in bounds if one <= session.until_ms]
        bounds = [*past, session.until_ms + 1]
    count = len(bounds) - 1
    dates = [(first + timedelta(days=number)).isoformat() for number in range(count)]
    if not count:
        return {"dates": [], "memories": [], "episodes": [], "mentions": []}
    call = calls.everyday.days(
        session.user_id, f"{first:%Y%m%d}", bounds, concept_scope=session.concept_scope
    )
    [row] = await session.run(call)
    return {"dates": dates, **row}


async def day(session: Session, on: date) -> list[Row]:
    """Return what was kept and said on that day, the earliest first."""
    since, until = entities.days(session, on, on + timedelta(days=1))
    call = calls.everyday.happened(
        session.user_id, f"{on:%Y%m%d}", since, until, concept_scope=session.concept_scope
    )
    return await session.run(call)


async def presence(session: Session) -> Row:
    """Return the mentions by month of the most mentioned of the latest entities."""
    bounds = entities.months(session, _MONTHS)
    ids = await entities.most_mentioned(session, _SHOWN)
    rows = await session.run(calls.entities.presence(ids, bounds)) if ids else []
    return {"months": bounds, "rows": rows}


async def changes(session: Session, since: int, until: int) -> Row:
    """Return what changed from *since* until *until* (unix ms), the latest first.

    `more` says whether there are more; `bound` is how many memories of each state were searched for
    edits and fading, if there may be others.
    """
    if session.until_ms is not None:
        until = min(until, session.until_ms + 1)
    call = calls.everyday.changes(session.user_id, since, max(until, since + 1))
    rows = await session.run(call)
    [size] = await session.run(calls.everyday.sizes(session.user_id, [0, limits.MAX_TIME_MS]))
    bound = schema.MOST_OF_A_STATE if size["memories"][0] > schema.MOST_OF_A_STATE else None
    return {"rows": rows, "more": len(rows) == schema.MOST_LISTED, "bound": bound}
