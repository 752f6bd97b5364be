"""Run the viewer's web server, on the loopback interface only, until it is interrupted.

Refuse all that is not the page itself.
"""

import hmac
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import StoreError
from ..session import Session
from .api import HANDLERS, Api
from .cards import list_cards, tell_you


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on *port* of *host* (0: any free port). Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.create_server((host, port), family=family)
    # asyncio sends a small piece at once only if the socket names its protocol. Otherwise the body
    # of an answer waits until the client has acknowledged its head, 40 ms later.
    return socket.socket(made.family, made.type, socket.IPPROTO_TCP, made.detach())


class Server(uvicorn.Server):
    """Ends quietly on a signal; uvicorn's own server would raise it again afterwards.

    *ready* is called once signals are handled, because a user who sees the address may interrupt.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            # The main thread handles signals.
            self._ready()
            yield
            return
        kinds = (signal.SIGINT, signal.SIGTERM)
        before: dict[signal.Signals, Any] = {
            kind: signal.signal(kind, self.handle_exit) for kind in kinds
        }
        try:
            self._ready()
            yield
        finally:
            for kind, handler in before.items():
                signal.signal(kind, handler)


HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:;"
        " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_READING = ("GET", "HEAD")
_HEADERS = [(key.encode(), value.encode()) for key, value in HEADERS.items()]


def guard_answers(send: Send) -> Send:
    """Return *send* for answers of the page, which get its headers."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *_HEADERS]}
        await send(message)

    return sent


class Guard:
    """Middleware that admits requests for `/TOKEN/…` made to this very host and port.

    The token is the first part of the path, so that every relative link carries it. The `Host` is
    checked because another site's name can be made to point here. A request that changes anything
    must also come from the page itself, as its browser states in `Origin`.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        # Lists, because each header must occur exactly once.
        self._hosts = [[f"{name}:{port}".encode()] for name in ("127.0.0.1", "localhost")]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        send = guard_answers(send)
        token, slash, path = scope["path"].removeprefix("/").partition("/")
        if _host(scope) not in self._hosts:
            await _refuse(421, "this page is only served to this machine")(scope, receive, send)
        elif not hmac.compare_digest(token.encode(errors="replace"), self._token):
            await _refuse(403, "the address lacks the token")(scope, receive, send)
        elif scope["method"] not in _READING and not self._is_own(scope):
            await _refuse(403, "only the page itself may change anything")(scope, receive, send)
        elif not slash:
            # Otherwise every relative link of the page would lose the token.
            await RedirectResponse(f"/{token}/", 308)(scope, receive, send)
        else:
            await self._app({**scope, "path": f"/{path}"}, receive, send)

    def _is_own(self, scope: Scope) -> bool:
        """Return whether the page that sends a request was loaded from this very host."""
        origins = [value for key, value in scope["headers"] if key == b"origin"]
        return [b"http://" + host for host in _host(scope)] == origins


def _host(scope: Scope) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == b"host"]


def _refuse(status: int, reason: str) -> JSONResponse:
    return JSONResponse({"error": reason}, status)


STATIC = Path(__file__).with_name("static")

# `mimetypes` is not used, because its type for scripts depends on the machine.
_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


class StaticFiles:
    """The files below `static/`; names that are not listed are never looked up."""

    def __init__(self) -> None:
        self._files = {
            path.relative_to(STATIC).as_posix(): path
            for path in STATIC.rglob("*")
            if path.suffix in _TYPES
        }

    async def file(self, request: Request) -> Response:
        name = request.path_params["name"] or "index.html"
        if name not in self._files:
            raise HTTPException(404, "no such page")
        path = self._files[name]
        return Response(path.read_bytes(), media_type=_TYPES[path.suffix])


_HOST = "127.0.0.1"


def build(session: Session, name: str | None, token: str, port: int) -> ASGIApp:
    """Return the guarded web application; the card of *name* is open."""
    pages = Route("/{name:path}", StaticFiles().file)
    routes = [*Api(lambda: session, name).routes(), pages]
    return Guard(Starlette(routes=routes, exception_handlers=HANDLERS), token, port)


async def serve(
    session: Session,
    name: str | None,
    port: int,
    announce: Callable[[str], None],
    *,
    open_browser: bool,
) -> None:
    """Serve on *port* (0: a free one) until interrupted; *announce* gets the address."""
    with listening(_HOST, port) as opened:
        bound: int = opened.getsockname()[1]
        token = secrets.token_urlsafe(24)
        address = f"http://{_HOST}:{bound}/{token}/"
        config = uvicorn.Config(
            build(session, name, token, bound),
            lifespan="off",
            ws="none",
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_warm, session)
            if open_browser:
                tasks.start_soon(_open, address)
            await Server(config, lambda: announce(address)).serve([opened])
            tasks.cancel_scope.cancel()


async def _warm(session: Session) -> None:
    """Load the modules, and read what is shown first, while the browser starts."""
    # The page itself says what is wrong with a store.
    with suppress(StoreError):
        await tell_you(session)
        await list_cards(session, 0, 1)


async def _open(address: str) -> None:
    # In a thread, because opening some browsers blocks.
    await anyio.to_thread.run_sync(webbrowser.open, address, abandon_on_cancel=True)
