"""Answer the page's requests as JSON: the store, the portrait, names, time and questions.

Requests only read, but for those sent by POST, which only the page itself may send (see `guard`).
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from conceptgraph_core import __version__, limits
from conceptgraph_core.concepts import schema

from ..errors import Refused, StoreError
from ..session import Clock, Session
from . import drawing, entities, memories, names, portrait, timeline
from .speaking import speak_of

Row = dict[str, Any]

_MOST_BYTES = 1_000_000


class Api:
    """The answers over the session that *asked* returns, in each request that of its user.

    `at` (unix ms) in a request stops the clock for it. Where the session can change nothing, the
    page offers no change.
    """

    def __init__(self, asked: Callable[[], Session], name: str | None) -> None:
        self._asked = asked
        self._name = name

    @property
    def _session(self) -> Session:
        return self._asked()

    def routes(self) -> list[Route]:
        answers: dict[str, Callable[[Request], Any]] = {
            "about": self.show_store,
            "search": self.search,
            "named": self.find_named,
            "whole": self.show_entity,
            "memory": self.show_memory,
            "days": self.days,
            "day": self.day,
            "presence": self.presence,
            "changes": self.changes,
            "questions": self.questions,
            "hidden": self.list_hidden,
            "portrait": self.portrait,
            "card": self.card,
            "person": self.person,
        }
        asked = [Route(f"/api/{name}", answer) for name, answer in answers.items()]
        made = [
            Route(f"/api/{name}", self._changing(*change), methods=["POST"])
            for name, change in memories.CHANGES.items()
        ]
        return [*asked, *made]

    async def show_store(self, request: Request) -> JSONResponse:
        """Return the store, its clock, and the entity to show first, if a name was given."""
        session = self._session
        first = (await entities.most_alike(session, self._name))[0][:1] if self._name else []
        stands = session.until_ms is not None
        unwritable = "looking back" if stands else session.unwritable
        return JSONResponse(
            {
                # Where a server keeps its users' memories is its owner's business.
                "location": session.store.location if session.is_owner else None,
                "user": session.user_id,
                "version": __version__,
                "now_ms": session.clock.now_ms(),
                "time_zone": session.zone.key,
                "changes": unwritable is None,
                "unwritable": unwritable,
                "stands": stands,
                "first": first[0] if first else None,
            }
        )

    async def search(self, request: Request) -> JSONResponse:
        """Return the nodes that `q` may mean, at most `limit` of each layer."""
        words = " ".join(request.query_params.get("q", "").split())
        limit = _integer(request, "limit", schema.DEFAULT_SEARCH_LIMIT)
        return JSONResponse({"offers": await names.offers(self._session, words, limit)})

    async def find_named(self, request: Request) -> JSONResponse:
        """Return the ids of the entities called `q`, and whether the match is `exactly`."""
        called = request.query_params.get("q", "")
        found, is_exact = await entities.most_alike(self._session, called)
        return JSONResponse({"names": found, "exactly": is_exact})

    async def show_memory(self, request: Request) -> JSONResponse:
        """Return the memory `id` with its earlier versions."""
        memory_id = request.query_params.get("id", "")
        return JSONResponse(await memories.show(self._session, memory_id))

    async def show_entity(self, request: Request) -> JSONResponse:
        """Return the whole entity `id`, its namesakes, and everything stored about its name."""
        session, entity_id = self._look_back(request), request.query_params.get("id", "")
        entity = await entities.show_whole(session, entity_id)
        name = entities.bare(entity["labels"][0])
        told = await names.tell_about(session, name, entity["entity_id"])
        namesakes = await entities.namesakes(session, entity)
        return JSONResponse({"entity": entity, "namesakes": namesakes, "told": told})

    async def days(self, request: Request) -> JSONResponse:
        """Return the dates of `year`, and how much was kept and said on each."""
        year = _read_number(request, "year", 1900, 9000)
        return JSONResponse(await timeline.days(self._session, year))

    async def day(self, request: Request) -> JSONResponse:
        """Return what was kept and said on the day `date`, "2026-01-31"."""
        given = request.query_params.get("date", "")
        try:
            on = date.fromisoformat(given)
        except ValueError:
            raise HTTPException(400, f"date: must be a date, not {given[:40]!r}") from None
        if not 1900 <= on.year <= 9000:
            raise HTTPException(400, f"date: the year must be between 1900 and 9000, not {given}")
        return JSONResponse({"rows": await timeline.day(self._session, on)})

    async def presence(self, request: Request) -> JSONResponse:
        """Return who was mentioned in each of the last months."""
        return JSONResponse(await timeline.presence(self._session))

    async def changes(self, request: Request) -> JSONResponse:
        """Return what changed from `since` until `until` (unix ms)."""
        since, until = (
            _read_number(request, one, 0, limits.MAX_TIME_MS) for one in ("since", "until")
        )
        if since >= until:
            raise HTTPException(400, "since: must be before until")
        return JSONResponse(await timeline.changes(self._session, since, until))

    async def portrait(self, request: Request) -> JSONResponse:
        """Return the opening: a sentence, the picture as SVG, and its names by group.

        `limit` is the most names, `width` and `height` the frame's.
        """
        limit = _read_number(request, "limit", 1, portrait.MOST_NAMES, portrait.NAMES)
        width, height = (_read_number(request, one, 1, 100_000, 1) for one in ("width", "height"))
        drawn = await portrait.draw_portrait(self._session, limit)
        aspect = max(0.2, min(5.0, width / height))
        return JSONResponse(await to_thread.run_sync(drawing.describe, drawn, aspect))

    async def card(self, request: Request) -> JSONResponse:
        """Return the card of the last twelve months as SVG; without `names`, circles alone."""
        drawn = await portrait.draw_portrait(self._session)
        with_names = request.query_params.get("names") != "0"
        draw = partial(drawing.draw_card, drawn, None, names=with_names)
        return JSONResponse({"svg": await to_thread.run_sync(draw)})

    async def person(self, request: Request) -> JSONResponse:
        """Return what is known of the entity `id`, in sentences."""
        session, entity_id = self._look_back(request), request.query_params.get("id", "")
        return JSONResponse(await speak_of(session, entity_id))

    async def questions(self, request: Request) -> JSONResponse:
        """Return the open questions whether two entities are the same."""
        return JSONResponse({"questions": await memories.questions(self._session)})

    async def list_hidden(self, request: Request) -> JSONResponse:
        """Return the memories that were forgotten or have expired."""
        return JSONResponse({"memories": await memories.list_hidden(self._session)})

    def _changing(
        self, fields: Mapping[str, type], change: Callable[[Session, Row], Awaitable[Row]]
    ) -> Callable[[Request], Awaitable[JSONResponse]]:
        """Return the handler that makes *change* with the *fields* that the page sends."""

        async def changed(request: Request) -> JSONResponse:
            if self._session.until_ms is not None:
                raise HTTPException(400, "looking back, nothing can be changed; start without --at")
            given = await _read_body(request)
            wrong = [name for name, kind in fields.items() if type(given.get(name)) is not kind]
            if wrong:
                kinds = ", ".join(f"{name}: {fields[name].__name__}" for name in wrong)
                raise HTTPException(400, f"must be sent {kinds}")
            return JSONResponse(await change(self._session, given))

        return changed

    def _look_back(self, request: Request) -> Session:
        if "at" not in request.query_params:
            return self._session
        at = _read_number(request, "at", 0, limits.MAX_TIME_MS)
        return replace(self._session, clock=Clock(at))


async def answer_error(_: Request, error: Exception) -> JSONResponse:
    """Return the error as a response of one line."""
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code, error.headers)
    status = 400 if isinstance(error, Refused) else 503
    return JSONResponse({"error": str(error)}, status)


HANDLERS: dict[Any, Any] = {HTTPException: answer_error, StoreError: answer_error}


async def _read_body(request: Request) -> dict[str, Any]:
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


def _read_number(
    request: Request, name: str, least: int, most: int, default: int | None = None
) -> int:
    value = _integer(request, name, least - 1 if default is None else default)
    if not least <= value <= most:
        raise HTTPException(400, f"{name}: must be between {least} and {most}, not {value}")
    return value


def _integer(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, str(default))
    # int() would also accept blanks, underscores and digits of other scripts.
    if not (text.isascii() and text.removeprefix("-").isdigit()) or len(text) > 18:
        raise HTTPException(400, f"{name}: must be an integer, not {text[:40]!r}")
    return int(text)
