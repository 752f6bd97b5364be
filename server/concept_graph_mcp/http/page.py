"""Serve the page of `view` to the users: the same answers, as the user whose token a request has.

The page itself has no data, so it needs no token. It sends the token that its user enters in the
header `Authorization` alone: no browser adds that header on its own, so no other website can make
it ask for anything.
"""

import logging
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import Unavailable
from ..view.api import HANDLERS, Api, answer_error
from ..view.serving import StaticFiles, guard_answers
from .access import Forbidden, current
from .calls import Calls, Limited, Metrics
from .guard import Guard, refusal

logger = logging.getLogger(__name__)

PATH = "/page"
_METHODS = ("GET", "HEAD", "POST")
_STATUSES = {"rate": 429, "busy": 429, "timeout": 503}


def page_of(url: str) -> str:
    """Return the address of the page, beside the endpoint at *url*."""
    return f"{url.rpartition('/')[0]}{PATH}/"


def pages(
    url: str,
    hosts: Sequence[str],
    admitting: Callable[[ASGIApp], ASGIApp],
    calls: Calls,
    metrics: Metrics,
    *,
    most_bytes: int,
) -> list[BaseRoute]:
    """Return the routes of the page; *admitting* lets requests with a token through to its answers.

    *url* is the address of the endpoint, beside which the page is.
    """
    answers = RequestBodyLimitMiddleware(_Answers(calls), most_bytes)
    inside = Starlette(
        routes=[
            Route("/api/{name}", _FromItself(admitting(answers), url)),
            Route("/{name:path}", StaticFiles().file),
        ],
        exception_handlers=HANDLERS,
    )
    # `_FromItself` admits only the one of the request's own host.
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    app = Guard(inside, [*hosts], origins, metrics, _METHODS)
    return [Route(PATH, _with_slash), Mount(PATH, _Sealed(app))]


async def _with_slash(_: Request) -> Response:
    # The address is relative, because a proxy may have changed host and path.
    return RedirectResponse(f"{PATH.removeprefix('/')}/", 308)


class _Sealed:
    """Adds the page's headers to each answer: no script of others, and no frame around it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, guard_answers(send))


class _FromItself:
    """Refuses the requests of other pages, as the browser says in `Origin` and `Sec-Fetch-Site`."""

    def __init__(self, app: ASGIApp, url: str) -> None:
        self._app = app
        parts = urlsplit(url)
        self._public = f"{parts.scheme}://{parts.netloc}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, app = Request(scope), self._app
        origin, host = request.headers.get("origin"), request.headers["host"]
        own = (self._public, f"http://{host}", f"https://{host}")
        # A browser leaves the origin out of what only reads. How long a search takes is no other
        # site's business either.
        is_other = request.headers.get("sec-fetch-site", "same-origin") != "same-origin"
        if is_other or origin not in (own if request.method == "POST" else (None, *own)):
            app = refusal(403, "only the page itself may ask")
        await app(scope, receive, send)


class _Answers:
    """Answers a request as the user of its token, within their limits, counted and logged."""

    def __init__(self, calls: Calls) -> None:
        api = Api(current, None).routes()
        self._app = Starlette(routes=api, exception_handlers={**HANDLERS, **_HANDLERS})
        self._calls = calls
        self._paths = {route.path for route in api}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        user, name = scope["user"], f"/api/{scope['path_params']['name']}"
        assert isinstance(user, AuthenticatedUser)
        tool = f"page{name}" if name in self._paths else "unknown"
        answer: list[Message] = []

        async def answered(message: Message) -> None:
            # A slow reader must not take up a turn, so the answer is sent after it.
            answer.append(message)

        async def asked() -> int:
            await self._app(scope, receive, answered)
            return int(answer[0]["status"])

        # This is not the owner's own `view`, even if no token says who asks.
        with self._calls.asked_by(user, is_owner=False) as gate:
            met = await self._calls.count_call(
                tool, user, gate, asked, lambda status: status >= 400
            )
        if isinstance(met, Limited):
            refused = JSONResponse({"error": met.line}, _STATUSES[met.limit])
            await refused(scope, receive, send)
            return
        for message in answer:
            await send(message)


async def _forbidden(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 403)


async def _unavailable(request: Request, error: Exception) -> Response:
    # The person who runs the server must know, and does not see the page.
    logger.warning("%s", error)
    return await answer_error(request, error)


_HANDLERS = {Forbidden: _forbidden, Unavailable: _unavailable}
