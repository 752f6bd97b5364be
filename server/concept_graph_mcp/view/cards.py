"""Show the user, and people, places and projects as cards: a line on each, one of them whole."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from conceptgraph_core.entities import schema
from conceptgraph_core.entities import schema as entity_schema
from conceptgraph_core.entities.language import kin
from conceptgraph_core.everyday.lines import AHEAD, ME
from conceptgraph_core.recall.budgets import MAX_BUDGET
from conceptgraph_core.texts.dates import DAY_MS
from conceptgraph_core.verbs.errors import NotFound
from conceptgraph_core.verbs.limits import MOST_FOUND

from .. import answers, calls
from ..errors import Refused
from ..session import Session
from . import people
from .people import is_person

_BUDGET: Final = 2_000
_AHEAD_DAYS: Final = 366
_NAME: Final = "name"
_AGE: Final = "age"
Row = dict[str, Any]
_SAID_BY: Final = {
    "user": "You said so",
    "assistant": "Your assistant said so",
    None: "Noted by your assistant",
}


async def tell_you(session: Session) -> Row:
    """Return `name` (None: unknown), the number of `memories`, and lines: `now`, `always`, `ahead`.

    Relatives and friends are on their own cards. Raises StoreError.
    """
    day = people.today(session)
    ends = day, day + timedelta(days=_AHEAD_DAYS)
    since, until = (people.begin_of(session, one) for one in ends)
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
    [known] = await people.read(session, [found[0]["entity_id"]], 1)
    called = (people.bare(one) for one in known["labels"] if one != entity_schema.SELF)
    facts = await session.run(calls.entities.history(known["entity_id"]))
    own = [{**one, "entity_id": known["entity_id"]} for one in facts]
    return [one for one in own if holds(session, one)], next(called, None)


async def list_others(session: Session, most: int) -> tuple[list[Row], list[Row]]:
    """Return *most* of the names spoken of last but the user's own; and the user's facts."""
    facts, _ = await own_facts(session)
    own = {one["value"] for one in facts if one["predicate"] in (_NAME, "occupation")}
    rows = await people.list_latest(session, most)
    return [row for row in rows if row["kind"] or people.bare(row["label"]) not in own], facts


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
    told = _SAID_BY.get(memory["speaker"], f"{memory['speaker']} said so")
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
    is_this_year = day.year == people.today(session).year or str(day.year) in text
    return "" if is_named and is_this_year else show_day(session, at)


def show_day(session: Session, at: int) -> str:
    return f"{session.local(at).day} {session.local(at):%B %Y}"


_LATEST: Final = 400
# A name that is no longer spoken of is half as present after so many days.
_HALF_DAYS: Final = 45
_BRIEF: Final = 3
_SAID: Final = 20
# Words on a name, of which the page shows the first that are on no other card.
_CHOICE: Final = 6
# Characters of messages searched for names.
_READ: Final = 2_000
_YEARS: Final = 5
_FORMER: Final = "former "
# "The dog" is often another's.
_PETS: Final = frozenset(("dog", "cat", "baby"))
_SPEAKERS: Final = {
    **dict.fromkeys(("“user” said", "the user"), "you"),
    **dict.fromkeys(("“assistant” said", "“model” said", "the model"), "your assistant"),
    "note": "noted by your assistant",
}
# "Cashews, not walnuts" ends what never was so.
_WRONG: Final = "(?:not|nicht|instead of|statt)"


async def list_cards(session: Session, first: int, most: int) -> Row:
    """Return *most* `cards` from number *first* on, the most present first, and how many `more`.

    A card has id, name, who ("your nephew"), line (what is known), said (words on it, the best
    first) and is_person. Raises StoreError.
    """
    rows, facts = await list_others(session, _LATEST)
    now_ms = session.clock.now_ms()

    ties = {one["value"]: one for one in facts if kin.relation(one["predicate"])}

    def present(row: Row) -> float:
        days = max(0, now_ms - row["last_activated"]) / DAY_MS
        kind = row["kind"] or ""
        is_close = kind in kin.CLOSE or people.bare(row["label"]) in ties
        close = is_close and kin.relation(kind) not in _PETS
        share = 2.0 if close else 0.5 if kind.startswith(_FORMER) else 1.0
        return float(share * math.log1p(0.1 + row["trust"]) * 0.5 ** (days / _HALF_DAYS))

    rows.sort(key=lambda row: (-present(row), row["entity_id"]))
    chosen = [row["entity_id"] for row in rows[first : first + most]]
    known = await people.read(session, chosen)
    cards = [_brief(session, one, ties) for one in known]
    doubts = [doubt for one in known for doubt in _list_contested(one)]
    return {"cards": cards, "doubts": doubts, "more": max(0, len(rows) - first - most)}


def _brief(session: Session, known: Mapping[str, Any], ties: Mapping[str, Row]) -> Row:
    name = people.bare(known["labels"][0])
    kind = (known["kind"] or "").removeprefix(_FORMER)
    said = [one["context"] for one in known["mentions"] if one["context"]]
    facts = [
        f"{one['predicate'].replace('_', ' ')}: {one['value']}"
        for one in known["facts"]
        if one["value"] and one["predicate"] != kind
    ]
    words = "; ".join(facts[:_BRIEF])

    def fit(text: str) -> tuple[bool, bool]:
        # It says something, and begins with the name: "Grandma Elsie asked", not "Mum, Elsie and".
        before, found, _ = text.partition(name)
        return len(text.split()) <= _BRIEF, not found or len(before.split()) > 1 or "," in before

    return {
        "id": known["entity_id"],
        "name": name,
        "who": _say_who(session, known, ties.get(name)),
        "line": f"{words[:1].upper()}{words[1:]}" if facts else None,
        "said": sorted(dict.fromkeys(said), key=fit)[:_CHOICE],
        "is_person": is_person(known["kind"], name, said),
    }


async def show_card(session: Session, entity_id: str) -> Row:
    """Return the whole card of an entity: lines that are so `now`, were `before`, and lie `ahead`.

    `tie` is the fact that it is somebody to the user. `with` are those most tied to it, `said` the
    latest words on it. Raises StoreError.
    """
    [known] = await people.read(session, [entity_id], _SAID)
    entity_id = known["entity_id"]
    name = people.bare(known["labels"][0])
    facts = [
        {**one, "entity_id": entity_id}
        for one in await session.run(calls.entities.history(entity_id))
    ]
    own, _ = await own_facts(session)
    ties = [one for one in own if one["value"] == name and kin.relation(one["predicate"])]
    contested = [*_list_contested(known)]
    doubtful = {answer["forgets"] for one in contested for answer in one["answers"]}
    facts = [one for one in facts if one["fact_id"] not in doubtful]
    now_ms = session.clock.now_ms()
    now = [one for one in facts if holds(session, one)]
    believed = [one for one in facts if one["known_until"] is None]
    plans = [one for one in believed if (one["valid_from"] or 0) > now_ms]
    values = {(one["predicate"], one["value"]) for one in believed}
    before = [
        {**one, "corrected_at": _find_correction(one, now)}
        for one in facts
        # A correction of its times alone leaves a fact as it was.
        if one not in (*now, *plans)
        and (one in believed or (one["predicate"], one["value"]) not in values)
    ]
    told = await tell_about(session, name, entity_id) or {}
    said = told.get("said", [])
    coming = sorted((one for one in said if one["at"] > now_ms), key=lambda one: one["at"])
    who = _say_who(session, known, ties[0] if ties else None)
    tie = next(say_facts(session, ties), None)
    return {
        "id": entity_id,
        "name": name,
        "who": who,
        "tie": tie and {**tie, "label": "", "text": who, "aside": ""},
        "since": await _say_since(session, entity_id),
        "now": [*say_facts(session, now)],
        "before": [*say_facts(session, before)],
        "ahead": [*say_facts(session, plans), *(_plan(session, one) for one in coming)],
        "doubts": [*contested, *await list_questions(session, entity_id)],
        "with": await _list_with(session, known),
        "said": _list_said(session, known, said),
    }


def _find_correction(fact: Row, now: Sequence[Row]) -> int | None:
    """Return when the user said that *fact* never was so, if that is known."""
    corrected_at: int | None = fact["known_until"]
    if corrected_at is not None or not fact["value"]:
        return corrected_at
    wrong = re.compile(rf"\b{_WRONG} {re.escape(fact['value'])}\b", re.IGNORECASE)
    told = (
        one["known_from"]
        for one in now
        if one["predicate"] == fact["predicate"] and wrong.search(one["text"] or "")
    )
    return next((at for at in told if at == fact["valid_until"]), None)


async def tell_about(session: Session, name: str, entity_id: str) -> Row | None:
    """Return the result of `about`, the latest messages first; None if nothing is stored."""
    try:
        row, _ = await answers.about(session, name, MOST_FOUND, entity_id, embeds=False)
    except Refused as error:
        if issubclass(error.kind, NotFound):
            return None
        raise
    return {**row, "said": sorted(row["said"], key=lambda one: -one["at"])}


async def list_doubts(session: Session) -> Row:
    """Return as `doubts` the open questions, and the user's facts that cannot both be true."""
    facts, _ = await own_facts(session)
    own = await people.read(session, [one["entity_id"] for one in facts[:1]], 1)
    contested = [doubt for one in own for doubt in _list_contested(one, "your")]
    return {"doubts": [*contested, *await list_questions(session)]}


async def list_questions(session: Session, entity_id: str | None = None) -> list[Row]:
    """Return the questions whether two are the same; those of *entity_id* alone, if it is given.

    Each has the latest words on both: `said`, with name, who and text.
    """
    doubts = []
    for row in await session.run(calls.entities.questions()):
        if entity_id in (None, row["one_id"], row["other_id"]):
            both = await people.read(session, [row["one_id"], row["other_id"]], 1)
            asked = {"kind": "same", "question": f"Are {_name_both(row)} the same?"}
            doubts.append({**row, **asked, "said": [_evidence(session, one) for one in both]})
    return doubts


def _evidence(session: Session, known: Mapping[str, Any]) -> Row:
    said = next((one for one in known["mentions"] if one["context"]), None)
    return {
        "name": people.bare(known["labels"][0]),
        "who": _say_who(session, known, None),
        "text": said and said["context"],
        "day": said and show_day(session, said["created_at"]),
    }


def _name_both(row: Row) -> str:
    """Return the names of a question; those of one name are told apart by a kind, if one has it."""
    if row["one"] != row["other"]:
        return f"{row['one']} and {row['other']}"
    kind = row["one_kind"] or row["other_kind"]
    return f"{row['one']}{f' ({kind})' if kind else ''} and the other {row['one']}"


def _list_contested(known: Mapping[str, Any], whose: str = "") -> Iterator[Row]:
    """Yield a doubt for each two facts that cannot both be true: the one chosen stays."""
    name = whose or f"{people.bare(known['labels'][0])}, "
    for one in known["conflicts"]:
        if "fact_ids" not in one:
            continue
        predicate = one["predicate"].replace("_", " ")
        [first, second], [first_id, second_id] = one["values"], one["fact_ids"]
        asked = f"{name} {predicate}".replace(",  ", ", ")
        yield {
            "kind": "fact",
            "question": f"{asked[:1].upper()}{asked[1:]}: which is right?",
            # The answer is right, so the other fact is forgotten.
            "answers": [
                {"label": first, "forgets": second_id},
                {"label": second, "forgets": first_id},
            ],
        }


def _say_who(session: Session, known: Mapping[str, Any], tie: Row | None) -> str:
    """Return "your boss since 13 July 2026", or the kind and the other names."""
    kind = known["kind"] or ("" if known["type"] == schema.THING else known["type"])
    kind = "" if kind in ("entity", "person") else kind
    base = kind.removeprefix(_FORMER)
    relation = kin.relation(base)
    is_former = base != kind and tie is None
    is_yours = relation is not None and (is_former or base in kin.CLOSE)
    if tie is not None or (is_yours and relation not in _PETS):
        kind = f"your {_FORMER if is_former else ''}{relation or (tie or {}).get('predicate')}"
    since = None if tie is None else tie["valid_from"]
    also = [people.bare(one) for one in known["labels"][1:]]
    parts = [
        kind if since is None else f"{kind} since {show_day(session, since)}",
        f"also called {', '.join(dict.fromkeys(also))}" if also else "",
    ]
    return ", ".join(filter(None, parts))


async def _say_since(session: Session, entity_id: str) -> str:
    """Return since when it is spoken of, and until when, if that is over."""
    last_day = people.today(session)
    bounds = people.months(session, last_day.replace(year=last_day.year - _YEARS, day=1), last_day)
    [counted] = await session.run(calls.entities.presence([entity_id], bounds))
    months = zip(counted["user"], counted["model"], strict=True)
    spoken = [number for number, pair in enumerate(months) if any(pair)]
    if not spoken:
        return "Not spoken of for years."
    first, last = (session.local(bounds[one]) for one in (spoken[0], spoken[-1]))
    begun = f"since {first:%B %Y}" if spoken[0] else "for years"
    # A name that was spoken of last month is still spoken of.
    is_over = spoken[-1] < len(bounds) - 3
    return f"Spoken of {begun}{f', last in {last:%B %Y}' if is_over else ''}."


async def _list_with(session: Session, known: Mapping[str, Any]) -> list[Row]:
    """Return those it is tied to most; before its sessions end, those its messages name."""
    ids = [one["entity_id"] for one in known["edges"] if one["type"] != schema.SAME_AS.lower()]
    if not ids and (said := [one["context"] for one in known["mentions"] if one["context"]]):
        [told] = await session.run(calls.entities.context("\n".join(said)[:_READ], MAX_BUDGET))
        ids = [one for source in told["sources"] for one in source["entity_ids"][:1]]
    rows = [one for one in await people.read(session, ids[: 2 * _BRIEF], 1) if people.is_name(one)]
    return [
        {"id": one["entity_id"], "name": people.bare(one["labels"][0])}
        for one in rows
        if one["entity_id"] != known["entity_id"]
    ][:_BRIEF]


def _list_said(session: Session, known: Mapping[str, Any], kept: Sequence[Row]) -> list[Row]:
    """Return what was kept until now, and sentences that no memory has, the latest first."""
    texts = "\n".join(one["text"] for one in kept)
    heard = {
        one["context"]: {
            "id": None, "text": one["context"], "at": one["created_at"],
            "who": f"the {one['origin']}", "until": None,
        }
        for one in known["mentions"]
        if one["context"] and one["context"] not in texts
    }  # fmt: skip
    past = [one for one in kept if one["at"] <= session.clock.now_ms()]
    every = sorted([*past, *heard.values()], key=lambda one: -one["at"])
    return [_quote(session, one) for one in every[:_SAID]]


def _quote(session: Session, one: Mapping[str, Any]) -> Row:
    return {
        "kind": "memory",
        "id": one["id"],
        "text": one["text"],
        "day": show_day(session, one["at"]),
        "who": say_speaker(one["who"]),
    }


def _plan(session: Session, one: Mapping[str, Any]) -> Row:
    who = say_speaker(one["who"])
    aside = show_plan(session, one["text"], one["at"])
    return {**_quote(session, one), "aside": aside, "told": f"{who[:1].upper()}{who[1:]}"}


def say_speaker(who: str | None) -> str:
    """Return who said something, as the page calls them."""
    return _SPEAKERS.get(who or "", (who or "").removesuffix(" said").strip("“”"))
