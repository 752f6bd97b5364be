"""Tell the users who they are: what is so now, what is always remembered, and what is coming."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from conceptgraph_core.entities import schema as entity_schema
from conceptgraph_core.entities.language import kin
from conceptgraph_core.everyday.lines import AHEAD, ME

from .. import calls
from ..session import Session
from . import entities

Row = dict[str, Any]

_BUDGET: Final = 2_000
_AHEAD_DAYS: Final = 366
_NAME: Final = "name"
_AGE: Final = "age"
_SPEAKERS: Final = {
    "user": "You said so",
    "assistant": "Your assistant said so",
    None: "Noted by your assistant",
}


async def tell_you(session: Session) -> Row:
    """Return `name` (None: unknown), the number of `memories`, and lines: `now`, `always`, `ahead`.

    Relatives and friends are on their own cards. Raises StoreError.
    """
    day = entities.today(session)
    ends = day, day + timedelta(days=_AHEAD_DAYS)
    since, until = (entities.begin_of(session, one) for one in ends)
    given = {"token_budget": _BUDGET, "since": since, "until": until}
    call = session.call(calls.everyday.profile, **given)
    [row] = await session.run(call)
    facts, own = await own_facts(session)
    name = next((one["value"] for one in facts if one["predicate"] == _NAME), own)
    now = [
        one
        for one in say_facts(session, facts)
        if kin.relation(one["predicate"]) is None and one["predicate"] != _NAME
    ]
    bounds = [0, session.clock.now_ms() + 1]
    [size] = await session.run(session.call(calls.everyday.sizes, bounds=bounds))
    parts: dict[str, list[Row]] = {ME: now, AHEAD: []}
    always: list[Row] = []
    for line in row["lines"]:
        if line["kind"] == "memory":
            [memory] = await session.run(calls.memories.show(line["id"]))
            at = next(one for one in line["parts"] if isinstance(one, int))
            parts.get(line["part"], always).append(say_memory(session, memory, at))
    lines = {"now": now, "always": always, "ahead": parts[AHEAD]}
    return {"name": name, "memories": size["memories"][0], **lines}


async def own_facts(session: Session) -> tuple[list[Row], str | None]:
    """Return the facts about the user that hold now, as `history` does; and the user's own name."""
    call = calls.entities.search(entity_schema.SELF, (), None, include_inactive=True)
    found = [row for row in await session.run(call) if row["label"] == entity_schema.SELF]
    if not found:
        return [], None
    [known] = await entities.read(session, [found[0]["entity_id"]], 1)
    called = (entities.bare(one) for one in known["labels"] if one != entity_schema.SELF)
    facts = await session.run(calls.entities.history(known["entity_id"]))
    own = [{**one, "entity_id": known["entity_id"]} for one in facts]
    return [one for one in own if holds(session, one)], next(called, None)


async def list_others(session: Session, most: int) -> tuple[list[Row], list[Row]]:
    """Return *most* of the names spoken of last but the user's own; and the user's facts."""
    facts, _ = await own_facts(session)
    own = {one["value"] for one in facts if one["predicate"] in (_NAME, "occupation")}
    rows = await entities.list_latest(session, most)
    return [row for row in rows if row["kind"] or entities.bare(row["label"]) not in own], facts


def holds(session: Session, fact: Mapping[str, Any]) -> bool:
    """Tell whether a row of `history` is believed, and is so now."""
    now_ms, until = session.clock.now_ms(), fact["valid_until"]
    is_over = fact["known_until"] is not None or (until is not None and until <= now_ms)
    return not is_over and (fact["valid_from"] or 0) <= now_ms


def say_facts(session: Session, facts: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield a line for each fact, with what its two changes need."""
    for fact in facts:
        predicate = fact["predicate"].replace("_", " ")
        corrected_at = fact.get("corrected_at")
        words = [("corrected on", "corrected_at")]
        if corrected_at is None:
            # One is not of an age since the day of saying it.
            since = [] if fact["predicate"] == _AGE else [("since", "valid_from")]
            words = [*since, ("until", "valid_until")]
        times = [f"{word} {show_day(session, fact[of])}" for word, of in words if fact[of]]
        told = "Your assistant thinks so" if fact["origin"] == "model" else "You said so"
        yield {
            "kind": "fact",
            "id": fact["fact_id"],
            "entity_id": fact["entity_id"],
            "predicate": fact["predicate"],
            "value": fact["value"] or "",
            "since": fact["valid_from"],
            "label": f"{predicate[:1].upper()}{predicate[1:]}",
            "text": fact["value"] or "",
            "aside": ", ".join(times),
            "is_wrong": corrected_at is not None,
            "source": fact["text"],
            "told": f"{told} on {show_day(session, fact['known_from'])}",
        }


def say_memory(session: Session, memory: Mapping[str, Any], at: int) -> Row:
    """Return a line for a whole memory, of what happens *at* that time."""
    told = _SPEAKERS.get(memory["speaker"], f"{memory['speaker']} said so")
    return {
        "kind": "memory",
        "id": memory["memory_id"],
        "at": at,
        "text": memory["content"],
        "aside": show_plan(session, memory["content"], at) if at > memory["created_at"] else "",
        "source": None,
        "told": f"{told} on {show_day(session, memory['created_at'])}",
    }


def show_plan(session: Session, text: str, at: int) -> str:
    """Return the day *at* which something is planned; "" if *text* names it."""
    day = session.local(at)
    is_named = re.search(rf"\b{day.day}(?:st|nd|rd|th)?\b", text) and f"{day:%B}" in text
    is_this_year = day.year == entities.today(session).year or str(day.year) in text
    return "" if is_named and is_this_year else show_day(session, at)


def show_day(session: Session, at: int) -> str:
    return f"{session.local(at).day} {session.local(at):%B %Y}"
