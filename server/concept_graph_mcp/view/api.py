"""Answer the page's requests as JSON: you, people, memories, doubts, what changed, and the poster.

Requests only read, but for those sent by POST, which only the page itself may send (see `guard`).
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from conceptgraph_core import __version__
from conceptgraph_core.entities.schema import USER
from conceptgraph_core.memories import schema

from .. import answers, calls
from ..errors import Refused, StoreError
from ..session import Session
from . import cards, drawing, memories, people, portrait

Row = dict[str, Any]
# The fields of a request with their types, and the change.
Change = tuple[Mapping[str, type], Callable[[Session, Row], Awaitable[Row]]]

_TAKEN_BACK: Final = "taken back"


def _undone_by(change: str, **given: Any) -> Row:
    return {"undo": {"change": change, "given": given}}


async def _revise(session: Session, given: Row) -> Row:
    memory_id = given["memory_id"]
    call = calls.memories.revise(session.user_id, memory_id, given["seen"], given["changes"])
    [row] = await session.run(call)
    latest = versions(row["metadata"])[-1]
    return _undone_by("unrevise", memory_id=memory_id, at=latest["at"])


async def _unrevise(session: Session, given: Row) -> Row:
    """Set the fields of a memory back to what they were before the revision of that time."""
    memory_id, at = given["memory_id"], given["at"]
    [now] = await session.run(calls.memories.show(memory_id))
    earlier = next((one for one in versions(now["metadata"]) if one["at"] == at), None)
    if earlier is None:
        raise Refused("at: no change of that time can be taken back")
    fields = [one for one in earlier["fields"] if one in ("content", "summary", "importance")]
    seen = {field: now[field] for field in fields}
    changes = {field: earlier.get(field, "") for field in fields}
    await session.run(calls.memories.revise(session.user_id, memory_id, seen, changes, at))
    return {"undo": None}


async def _forget(session: Session, given: Row) -> Row:
    given = {**given, "reason": given["reason"] or None}
    await session.run(session.call(calls.everyday.forget, **given))
    return _undone_by("restore", id=given["id"])


async def _restore(session: Session, given: Row) -> Row:
    [row] = await session.run(session.call(calls.everyday.restore, **given))
    return (
        _undone_by("forget", id=given["id"], reason=_TAKEN_BACK)
        if row["restored"]
        else {"undo": None}
    )


async def _end_fact(session: Session, given: Row) -> Row:
    """End a fact: it is so no longer."""
    value = given["value"]
    call = calls.entities.fact(
        given["entity_id"], given["predicate"], ends=given["id"], speaker=USER, text=value
    )
    await session.run(call)
    return _undone_by("begin_fact", **given)


async def _begin_fact(session: Session, given: Row) -> Row:
    """State an ended fact anew, and leave its end out."""
    value, since = given["value"], given.get("since")
    call = calls.entities.fact(
        *(given["entity_id"], given["predicate"], value, None, since), speaker=USER, text=value
    )
    await session.run(call)
    forgotten = {"id": given["id"], "reason": _TAKEN_BACK}
    await session.run(session.call(calls.everyday.forget, **forgotten))
    return {"undo": None}


async def _end_memory(session: Session, given: Row) -> Row:
    """Note that a memory is so no longer, in its place."""
    [now] = await session.run(calls.memories.show(given["id"]))
    text = f"No longer so: {now['content']}"
    row, _ = await answers.remember(session, text, replaces=given["id"])
    return _undone_by("forget", id=row["id"], reason=_TAKEN_BACK)


async def _answer(session: Session, given: Row) -> Row:
    pair = given["one_id"], given["other_id"]
    [row] = await session.run(calls.entities.answer(*pair, given["same"], given["reason"]))
    return _undone_by("unmerge", merge_id=row["merge_id"], reason=_TAKEN_BACK)


async def _unmerge(session: Session, given: Row) -> Row:
    await session.run(calls.entities.unmerge(given["merge_id"], given["reason"]))
    return {"undo": None}


_FACT: Final = {"id": str, "entity_id": str, "predicate": str, "value": str}
CHANGES: Mapping[str, Change] = {
    "revise": ({"memory_id": str, "seen": dict, "changes": dict}, _revise),
    "unrevise": ({"memory_id": str, "at": int}, _unrevise),
    "forget": ({"id": str, "reason": str}, _forget),
    "restore": ({"id": str}, _restore),
    "end_fact": (_FACT, _end_fact),
    "begin_fact": (_FACT, _begin_fact),
    "end_memory": ({"id": str}, _end_memory),
    "answer": ({"one_id": str, "other_id": str, "same": bool, "reason": str}, _answer),
    "unmerge": ({"merge_id": str, "reason": str}, _unmerge),
}


def versions(metadata: Mapping[str, Any]) -> list[Row]:
    """Return the earlier versions of a memory, the latest last."""
    known = metadata.get(schema.REVISIONS)
    return [dict(one) for one in known] if isinstance(known, (list, tuple)) else []


_MOST_BYTES = 1_000_000
_CARDS, _MOST_CARDS = 12, 48
# The hosts that are this computer; a file has none.
_HERE: Final = (None, "localhost", "127.0.0.1", "::1")


class Api:
    """The answers over the session that *asked* returns, in each request that of its user."""

    def __init__(self, asked: Callable[[], Session], name: str | None) -> None:
        self._asked = asked
        self._name = name

    def routes(self) -> list[Route]:
        answers: dict[str, Callable[[Session, Request], Awaitable[Row]]] = {
            "about": self._about,
            "you": lambda session, _: cards.tell_you(session),
            "people": lambda session, request: cards.list_cards(
                session,
                _number(request, "first", 0, 10_000, 0),
                _number(request, "most", 1, _MOST_CARDS, _CARDS),
            ),
            "person": lambda session, request: cards.show_card(session, _text(request, "id")),
            "memories": lambda session, request: memories.list_days(
                session, _day(request, "before")
            ),
            "search": lambda session, request: memories.search(
                session,
                " ".join(_text(request, "q").split()),
                _text(request, "about"),
                _day(request, "since"),
            ),
            "learned": lambda session, _: memories.list_learned(session),
            "doubts": lambda session, _: cards.list_doubts(session),
            "changes": lambda session, _: memories.list_changes(session),
            "poster": _poster,
        }
        asked = [Route(f"/api/{name}", self._answering(one)) for name, one in answers.items()]
        made = [
            Route(f"/api/{name}", self._changing(*change), methods=["POST"])
            for name, change in CHANGES.items()
        ]
        return [*asked, *made]

    def _answering(
        self, answer: Callable[[Session, Request], Awaitable[Row]]
    ) -> Callable[[Request], Awaitable[JSONResponse]]:
        async def answered(request: Request) -> JSONResponse:
            return JSONResponse(await answer(self._asked(), request))

        return answered

    def _changing(
        self, fields: Mapping[str, type], change: Callable[[Session, Row], Awaitable[Row]]
    ) -> Callable[[Request], Awaitable[JSONResponse]]:
        """Return the handler that makes *change* with the *fields* that the page sends."""

        async def changed(request: Request) -> JSONResponse:
            session = self._asked()
            if session.until_ms is not None:
                raise HTTPException(400, "looking back, nothing can be changed; start without --at")
            given = await _read_body(request)
            wrong = [name for name, kind in fields.items() if type(given.get(name)) is not kind]
            if wrong:
                kinds = ", ".join(f"{name}: {fields[name].__name__}" for name in wrong)
                raise HTTPException(400, f"must be sent {kinds}")
            return JSONResponse(await change(session, given))

        return changed

    async def _about(self, session: Session, _: Request) -> Row:
        """Return the store, its clock, and the entity to show first, if a name was given."""
        unwritable = "looking back" if session.until_ms is not None else session.unwritable
        return {
            # Where a server keeps its users' memories is its owner's business.
            "location": session.store.location if session.is_owner else None,
            "is_local": session.is_owner and urlsplit(session.store.location).hostname in _HERE,
            "user": session.user_id,
            "version": __version__,
            "today": people.today(session).isoformat(),
            "time_zone": session.zone.key,
            "changes": unwritable is None,
            "unwritable": unwritable,
            "first": await people.find_called(session, self._name) if self._name else None,
        }


async def _poster(session: Session, request: Request) -> Row:
    """Return the poster of the last twelve months as SVG; without `names`, circles alone."""
    drawn = await portrait.draw_portrait(session)
    with_names = request.query_params.get("names") != "0"
    draw = partial(drawing.draw_card, drawn, None, names=with_names)
    svg = await to_thread.run_sync(draw) if drawn.names else None
    return {"sentence": drawn.sentence(), "svg": svg}


async def answer_error(_: Request, error: Exception) -> JSONResponse:
    """Return the error as a response of one line."""
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code, error.headers)
    status = 400 if isinstance(error, Refused) else 503
    return JSONResponse({"error": str(error)}, status)


HANDLERS: dict[Any, Any] = {HTTPException: answer_error, StoreError: answer_error}


async def _read_body(request: Request) -> Row:
    """Return the request's body, a JSON object of limited size."""
    sent = b""
    async for part in request.stream():
        sent += part
        if len(sent) > _MOST_BYTES:
            raise HTTPException(413, f"at most {_MOST_BYTES} bytes")
    try:
        given = json.loads(sent)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise HTTPException(400, "must be sent a JSON object")
    return given


def _text(request: Request, name: str) -> str:
    return request.query_params.get(name, "")


def _day(request: Request, name: str) -> date | None:
    given = _text(request, name)
    try:
        day = date.fromisoformat(given) if given else None
    except ValueError:
        raise HTTPException(400, f"{name}: must be a date, not {given[:40]!r}") from None
    if day is not None and not 1971 <= day.year <= 9000:
        raise HTTPException(400, f"{name}: the year must be between 1971 and 9000, not {given}")
    return day


def _number(request: Request, name: str, least: int, most: int, default: int) -> int:
    text = request.query_params.get(name, str(default))
    # int() would also accept blanks, underscores and digits of other scripts.
    if not (text.isascii() and text.removeprefix("-").isdigit()) or len(text) > 18:
        raise HTTPException(400, f"{name}: must be an integer, not {text[:40]!r}")
    if not least <= int(text) <= most:
        raise HTTPException(400, f"{name}: must be between {least} and {most}, not {text}")
    return int(text)
