"""Say in sentences what is known of one name: who, since when, now, before, ahead, and in doubt.

Each sentence is made of a row that `about` returns; the page's card of a name has no other source.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from conceptgraph_core.entities import schema
from conceptgraph_core.entities.language import kin

from .. import calls
from ..session import Session
from . import entities, names
from .portrait import is_name

Row = dict[str, Any]

_MONTHS: Final = 60
_WITH: Final = 3
# More ties are read, because dates and numbers are among them.
_TIED: Final = 12
# "The dog" is often another's.
_PETS: Final = frozenset(("dog", "cat", "baby"))
_SAID: Final = 12
# A mean feeling closer to 0 than that is none.
_FELT: Final = 0.2
_FORMER: Final = "former "
# The card speaks to the user.
_SPEAKERS: Final = {
    **dict.fromkeys(("“user” said", "the user"), "you said"),
    **dict.fromkeys(("“assistant” said", "“model” said", "the model"), "your agent said"),
}


async def speak_of(session: Session, entity_id: str) -> Row:
    """Return the card of an entity: texts, and for each doubt its two answers.

    It has id, name, who, since, now, before, ahead (lists of sentences), doubts, and said (the
    latest messages: id, text, day and who). A doubt has a question and two answers: whether two are
    the same, or which of two facts is wrong. Raises StoreError.
    """
    bounds = entities.months(session, _MONTHS)
    [known] = await session.run(calls.entities.get(entity_id, limit=_SAID))
    [counted] = await session.run(calls.entities.presence([entity_id], bounds))
    name = entities.bare(known["labels"][0])
    told = await names.tell_about(session, name, known["entity_id"]) or {}
    now_ms = session.clock.now_ms()
    contested = [*_list_contested(known)]
    doubtful = {answer["forgets"] for one in contested for answer in one["answers"]}
    facts = [one for one in told.get("facts", []) if one["id"] not in doubtful]
    over = [one for one in facts if one["until"] is not None and one["until"] <= now_ms]
    plans = [one for one in facts if one not in over and (one["since"] or 0) > now_ms]
    said = told.get("said", [])
    coming = sorted((one for one in said if one["at"] > now_ms), key=lambda one: one["at"])
    return {
        "id": known["entity_id"],
        "name": name,
        "who": _say_who(session, known, await _find_tie(session, known, name)),
        "since": _say_since(session, counted, bounds),
        "with": await _list_with(session, known),
        "feeling": _say_feeling(told.get("feeling")),
        "now": [_say(session, one) for one in facts if one not in over and one not in plans],
        "before": [_say(session, one) for one in over],
        "ahead": [_say(session, one) for one in plans]
        + [f"{_show_day(session, one['at'])}: {one['text']}" for one in coming],
        "doubts": [*contested, *await _list_questions(session, known["entity_id"])],
        "said": _list_said(session, known, said),
    }


async def _list_with(session: Session, known: Mapping[str, Any]) -> list[str]:
    """Return those it is tied to most; before its sessions end, those its messages name."""
    ids = [one["entity_id"] for one in known["edges"] if one["type"] != schema.SAME_AS]
    if not ids:
        texts = [one["context"] for one in known["mentions"] if one["context"]]
        ids = [one for one in await entities.named_in(session, texts) if one != known["entity_id"]]
    nodes = await entities.read(session, ids[:_TIED], 1)
    found = {node["entity_id"]: node["labels"][0] for node in nodes if is_name(node)}
    labels = (entities.bare(found[one]) for one in ids if one in found)
    return [one for one in dict.fromkeys(labels) if one != known["labels"][0]][:_WITH]


async def _find_tie(session: Session, known: Mapping[str, Any], name: str) -> Row | None:
    """Return the user's own fact that it is what its kind says: "boss: Delphine"; None: no such."""
    base = (known["kind"] or "").removeprefix(_FORMER)
    if kin.relation(base) is None:
        return None
    own = await names.tell_about(session, schema.SELF) or {}
    facts = (one for one in own.get("facts", []) if one["value"] == name)
    return next((one for one in facts if one["predicate"] == base), None)


def _say_who(session: Session, known: Mapping[str, Any], tie: Row | None) -> str:
    kind = known["kind"] or ("" if known["type"] == schema.THING else known["type"])
    base = kind.removeprefix(_FORMER)
    relation = kin.relation(base)
    ended = None if tie is None else tie["until"]
    is_over = base != kind or (ended is not None and ended <= session.clock.now_ms())
    if tie is not None or (base in kin.CLOSE and relation not in _PETS):
        kind = f"your {_FORMER if is_over else ''}{relation}"
    word = "until" if is_over else "since"
    at = None if tie is None else tie[word]
    since = "" if at is None else f" {word} {_show_day(session, at)}"
    also = [entities.bare(one) for one in known["labels"][1:]]
    parts = [
        f"{kind[:1].upper()}{kind[1:]}{since}",
        f"also called {', '.join(dict.fromkeys(also))}" if also else "",
    ]
    return ", ".join(filter(None, parts))


def _say_since(session: Session, counted: Row, bounds: list[int]) -> str:
    months = [sum(pair) for pair in zip(counted["user"], counted["model"], strict=True)]
    spoken = [number for number, count in enumerate(months) if count]
    if not spoken:
        return "Not spoken of for years."
    first, last = (session.local(bounds[one]) for one in (spoken[0], spoken[-1]))
    # A name that was spoken of last month is still spoken of.
    if spoken[-1] >= len(months) - 2:
        return f"Spoken of since {first:%B %Y}." if spoken[0] else "Spoken of for years."
    if first == last:
        return f"Spoken of in {first:%B %Y}."
    if not spoken[0]:
        return f"Spoken of for years, last in {last:%B %Y}."
    begun = f"{first:%B}" if first.year == last.year else f"{first:%B %Y}"
    return f"Spoken of from {begun} to {last:%B %Y}."


def _say_feeling(feeling: float | None) -> str | None:
    if feeling is None or abs(feeling) < _FELT:
        return None
    return "Mostly a good feeling." if feeling > 0 else "Mostly a bad feeling."


def _say(session: Session, fact: Row) -> str:
    """Return a fact as a sentence: "Home: Lindau, since 2026-03-01."."""
    predicate = fact["predicate"].replace("_", " ")
    times = [
        f"{word} {_show_day(session, fact[word])}"
        for word in ("since", "until")
        if fact[word] is not None
    ]
    guess = ["a guess"] if fact["who"] == "the model" else []
    said = ", ".join([f"{predicate[:1].upper()}{predicate[1:]}: {fact['value']}", *times, *guess])
    return f"{said}."


def _list_said(session: Session, known: Mapping[str, Any], kept: list[Row]) -> list[Row]:
    """Return what was kept until now, and sentences that no memory has, the latest first."""
    texts = "\n".join(one["text"] for one in kept)
    heard = [
        {"id": None, "text": one["context"], "at": one["created_at"], "who": f"the {one['origin']}"}
        for one in known["mentions"]
        if one["context"] and one["context"] not in texts
    ]
    past = [one for one in kept if one["at"] <= session.clock.now_ms()]
    every = sorted([*past, *heard], key=lambda one: -one["at"])
    return [_quote(session, one) for one in every[:_SAID]]


def _show_day(session: Session, at: int) -> str:
    return f"{session.local(at).day} {session.local(at):%B %Y}"


def _quote(session: Session, one: Row) -> Row:
    return {
        "id": one["id"],
        "text": one["text"],
        "day": _show_day(session, one["at"]),
        "who": _SPEAKERS.get(one["who"], one["who"]),
    }


def _list_contested(known: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a doubt for each two facts that cannot both be true: the one chosen stays."""
    for one in known["conflicts"]:
        if "fact_ids" not in one:
            continue
        predicate = one["predicate"].replace("_", " ")
        [first, second], [first_id, second_id] = one["values"], one["fact_ids"]
        yield {
            "kind": "fact",
            "question": f"{predicate[:1].upper()}{predicate[1:]}: which is right?",
            # The answer is right, so the other fact is forgotten.
            "answers": [
                {"label": first, "forgets": second_id, "text": f"{predicate}: {second}"},
                {"label": second, "forgets": first_id, "text": f"{predicate}: {first}"},
            ],
        }


async def _list_questions(session: Session, entity_id: str) -> list[Row]:
    rows = await session.run(calls.entities.questions(user_id=session.user_id))
    return [
        {**row, "kind": "same", "question": f"Are {_name_both(row)} the same?"}
        for row in rows
        if entity_id in (row["one_id"], row["other_id"])
    ]


def _name_both(row: Row) -> str:
    """Return the names of a question; those of one name are told apart by a kind, if one has it."""
    if row["one"] != row["other"]:
        return f"{row['one']} and {row['other']}"
    kind = row["one_kind"] or row["other_kind"]
    return f"{row['one']}{f' ({kind})' if kind else ''} and the other {row['one']}"
