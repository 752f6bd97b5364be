"""Run the viewer's web server, on the loopback interface only, until it is interrupted."""

import secrets
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ..errors import StoreError
from ..session import Session
from ..web import Server, listening
from .api import HANDLERS, Api
from .cards import list_cards
from .guard import Guard
from .you import tell_you

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
