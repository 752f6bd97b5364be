"""Run the HTTP server on a socket until it is asked to end; then calls in flight end first.

Bound the connections: how many there are, and how long a slow client may take.
"""

import asyncio
import logging
import socket
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import anyio
import uvicorn
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from .. import serving, stderr
from ..hosts.lazy import make_served_store
from ..hosts.per_user import MOST_OPEN, UserFiles
from ..logs import Lines, tell
from ..session import Session
from ..settings import Settings
from ..web import Server
from .app import Web, build
from .asking import askers_session
from .calls import Calls
from .guard import MOST_HEADERS
from .metrics import Metrics
from .page import page_of

# Open connections; beyond that the one goes that has let the server wait longest.
MOST = 500
# Seconds within which a request must have arrived, and within which an answer must be read.
PATIENCE_S = 30.0


class Connection(H11Protocol):
    """A connection whose client cannot hold it by being slow.

    uvicorn alone waits for a request without end, and for a client that does not read.
    """

    def __init__(self, config: Config, *args: Any, **options: Any) -> None:
        super().__init__(config, *args, **options)
        self._since = monotonic()
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()
        if len(self.connections) > MOST:
            waiting = [one for one in self.connections if isinstance(one, Connection) and one.waits]
            slowest = min(waiting, key=lambda one: one._since)
            slowest.transport.abort()
            # Its end is noticed only later, and of many newcomers at a time each must find another.
            self.connections.discard(slowest)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._deadline, self._unread):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None:
            self._expect()
        super().data_received(data)
        if not self.waits and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.more_body and not self.cycle.response_complete:
            # The rest of a request whose beginning came with the one before.
            self._expect()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(PATIENCE_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        # Closing waits until the client has read, which it may never do.
        self._unread = self.loop.call_later(PATIENCE_S, self.transport.abort)

    @property
    def waits(self) -> bool:
        """Return whether the server waits for this client: for a request, or the rest of it."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _expect(self) -> None:
        """Give the client some time for a whole request, however many pieces it sends."""
        self._since = monotonic()
        self._deadline = self.loop.call_later(PATIENCE_S, self._give_up)

    def _give_up(self) -> None:
        self._deadline = None
        if self.waits:
            self.transport.abort()


# Requests that the system holds while the server accepts others.
_BACKLOG = 256
# Seconds for which an ending server waits beyond the longest call.
_DRAINED_AFTER_S = 5
_OURS = logging.getLogger("concept_graph_mcp.http")


def serve(
    settings: Settings,
    web: Web,
    listening: socket.socket,
    *,
    without_worker: bool,
    trusted: Sequence[str],
    log: str,
    most_open: int = MOST_OPEN,
) -> None:
    """Serve on *listening* until SIGTERM or SIGINT.

    Headers of a proxy (X-Forwarded-For) count from the *trusted* addresses only. At most
    *most_open* files of users are open.
    """
    stderr.log_there(Lines(log == "json"))
    _quiet()

    async def run() -> None:
        store = make_served_store(settings, most_open)
        session = replace(Session.of(store, settings), patience_s=serving.PATIENCE_S)
        works_for = None if without_worker else serving.works_along(settings)
        server = await prepare_server(session, settings.toolsets, web, trusted, works_for)
        await server.serve([listening])
        tell(_OURS, "ended")

    anyio.run(run)


async def prepare_server(
    session: Session,
    toolsets: Sequence[str],
    web: Web,
    trusted: Sequence[str] = (),
    works_for: Settings | None = None,
) -> Server:
    """Return the server that answers over *session*, as each user who asks.

    With *works_for* it also runs the due jobs of these settings.
    """
    metrics = Metrics()
    mcp = serving.build(
        session,
        watch_store=True,
        toolsets=toolsets,
        works_for=works_for,
        asked=askers_session(),
    )
    tools = [tool.name for tool in await mcp.list_tools()]
    called = Calls(session, tools, web.limits, metrics)
    mcp.middleware.append(called)
    if isinstance(session.store, UserFiles):
        metrics.show("open_files", "Store files that are open", session.store.count_open)
    config = uvicorn.Config(
        build(mcp, session, web, metrics, called),
        http=Connection,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        backlog=_BACKLOG,
        h11_max_incomplete_event_size=MOST_HEADERS,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=[*trusted],
        timeout_graceful_shutdown=int(web.limits.timeout_s) + _DRAINED_AFTER_S,
    )
    served = {"url": web.url, **({"page": page_of(web.url)} if web.page else {})}
    return Server(config, lambda: tell(_OURS, "serving", **served, users=web.users))


def _quiet() -> None:
    """Log our own events, and of libraries only what is no client's fault."""
    _OURS.setLevel(logging.INFO)
    # Each request with a wrong Host would otherwise be a line of the client's choice.
    logging.getLogger("mcp.server.transport_security").setLevel(logging.ERROR)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
