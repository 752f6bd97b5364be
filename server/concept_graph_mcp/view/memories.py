"""List memories by day, find them by their words, and list what was learned and changed."""

from datetime import date, timedelta
from typing import Any, Final

from .. import calls
from ..session import Session
from . import people
from .cards import say_speaker, tell_about

Row = dict[str, Any]

_SHOWN: Final = 12
_FOUND: Final = 30
# The first span that is read has so many days, and each further one twice as many.
_DAYS: Final = 4
_EARLIEST: Final = date(1971, 1, 1)
_CHANGED_DAYS: Final = 30
# The changes that their owner or an agent made, and that can be undone.
_MADE: Final = frozenset(("forgotten", "edited", "merge", "split", "end", "apart"))


async def list_days(session: Session, before: date | None) -> Row:
    """Return `days` with their memories, the latest first, and `before` which more are to be read.

    Without *before*, they begin with today. Raises StoreError.
    """
    beyond = before or people.today(session) + timedelta(days=1)
    rows: list[Row] = []
    span = _DAYS
    while len(rows) < _SHOWN and beyond > _EARLIEST:
        first = max(_EARLIEST, beyond - timedelta(days=span))
        since, until = (people.begin_of(session, one) for one in (first, beyond))
        given = {"day": f"{first:%Y%m%d}", "since": since, "until": until}
        call = session.call(calls.everyday.happened, **given)
        found = [row for row in await session.run(call) if row["kind"] == "memory"]
        rows += reversed(found)
        beyond, span = first, span * 2
    # Whether there are earlier ones is counted by index.
    until = people.begin_of(session, beyond)
    [size] = await session.run(session.call(calls.everyday.sizes, bounds=[0, until]))
    days: dict[date, list[Row]] = {}
    for row in rows:
        days.setdefault(session.local(row["at"]).date(), []).append(_show(row))
    return {
        "days": [{"date": day.isoformat(), "rows": told} for day, told in days.items()],
        "before": beyond.isoformat() if size["memories"][0] else None,
    }


def _show(row: Row) -> Row:
    return {
        "kind": "memory",
        "id": row["id"],
        "text": row["text"],
        "at": row["at"],
        "who": say_speaker(row["who"]),
        "until": row.get("until"),
        "matched": [one.rpartition(" → ")[2] for one in row.get("matched", ())],
    }


async def search(session: Session, words: str, about: str | None, since: date | None) -> Row:
    """Return the memories that match *words*, the best first, and the `people` so called.

    With *about*, the id of an entity, those on it alone; with *since*, those from that day on.
    Without words, all of these, the latest first.
    """
    name = None
    if about:
        [known] = await people.read(session, [about], 1)
        name = people.bare(known["labels"][0])
    start = None if since is None else people.begin_of(session, since)
    if not words:
        told = await tell_about(session, name, about or "") if name else None
        rows = [row for row in (told or {"said": []})["said"] if row["at"] >= (start or 0)]
        return {"rows": [_show(row) for row in rows], "people": []}
    given: Row = {"query": words, "kinds": ["memory"], "limit": _FOUND, "about": name}
    call = session.call(calls.everyday.search, since=start, **given)
    rows = await session.run(call)
    named = [] if about else await people.find(session, words, 4)
    return {
        "rows": [_show(row) for row in rows],
        "people": [{"id": one["entity_id"], "name": one["label"]} for one in named],
    }


async def list_learned(session: Session) -> Row:
    """Return as `rows` the memories that were stored today, the latest first."""
    now_ms = session.clock.now_ms()
    since = people.begin_of(session, people.today(session))
    call = session.call(calls.everyday.changes, since=since, until=max(now_ms, since) + 1)
    rows = await session.run(call)
    new = (row for row in rows if (row["change"], row["kind"]) == ("new", "memory"))
    return {"rows": [_show({**row, "who": None}) for row in new]}


async def list_changes(session: Session) -> Row:
    """Return as `rows` what was forgotten, edited or told apart lately, and how to undo each."""
    now_ms = session.clock.now_ms()
    since = people.begin_of(session, people.today(session) - timedelta(days=_CHANGED_DAYS))
    call = session.call(calls.everyday.changes, since=since, until=now_ms + 1)
    rows = await session.run(call)
    made = (row for row in rows if row["change"] in _MADE and row["undo"])
    return {"rows": [{**row, "undo": _undo(row)} for row in made]}


def _undo(row: Row) -> Row:
    if row["change"] == "edited":
        return {"change": "unrevise", "given": {"memory_id": row["undo"], "at": row["at"]}}
    if row["change"] == "forgotten":
        return {"change": "restore", "given": {"id": row["undo"]}}
    return {"change": "unmerge", "given": {"merge_id": row["undo"], "reason": "taken back"}}
