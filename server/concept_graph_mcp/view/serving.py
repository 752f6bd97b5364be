"""Run the viewer's web server, on the loopback interface only, until it is interrupted."""

import secrets
import webbrowser
from collections.abc import Callable
from contextlib import suppress

import anyio
import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from conceptgraph_core.concepts.schema import DEFAULT_MAX_HOP, DEFAULT_NEIGHBOURS

from ..errors import StoreError
from ..session import Session
from ..web import Server, listening
from . import names
from .api import HANDLERS, NOTHING_MORE, Answers, Api
from .guard import Guard
from .mcp_app import StaticFiles
from .portrait import draw_portrait

_HOST = "127.0.0.1"


def build(
    session: Session,
    name: str | None,
    token: str,
    port: int,
    *,
    more: Answers = NOTHING_MORE,
) -> ASGIApp:
    """Return the guarded web application; *name* is shown first, *more* is answered too."""
    pages = Route("/{name:path}", StaticFiles().file)
    routes = [*Api(lambda: session, name, more).routes(), pages]
    return Guard(Starlette(routes=routes, exception_handlers=HANDLERS), token, port)


async def serve(
    session: Session,
    name: str | None,
    port: int,
    announce: Callable[[str], None],
    *,
    open_browser: bool,
    more: Answers,
) -> None:
    """Serve on *port* (0: a free one) until interrupted; *announce* gets the address.

    *more* is answered too, by path.
    """
    with listening(_HOST, port) as opened:
        bound: int = opened.getsockname()[1]
        token = secrets.token_urlsafe(24)
        address = f"http://{_HOST}:{bound}/{token}/"
        config = uvicorn.Config(
            build(session, name, token, bound, more=more),
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
    """Load the modules, and read what is drawn first, while the browser starts."""
    # The page itself says what is wrong with a store.
    with suppress(StoreError):
        await draw_portrait(session)
        kind, seeds = await names.begin(session)
        await names.draw_picture(session, kind, seeds, DEFAULT_MAX_HOP, DEFAULT_NEIGHBOURS)


async def _open(address: str) -> None:
    # In a thread, because opening some browsers blocks.
    await anyio.to_thread.run_sync(webbrowser.open, address, abandon_on_cancel=True)
