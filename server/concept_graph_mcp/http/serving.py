"""Run the HTTP server on a socket until it is asked to end; then calls in flight end first."""

import logging
import socket
from collections.abc import Sequence
from dataclasses import replace

import anyio
import uvicorn

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
from .metrics import Metrics
from .page import page_of

# The most bytes of a request's headers; a token of an issuer takes some thousand.
_MOST_HEADERS = 32_768
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
    # Our own events, and of libraries only what is no client's fault: each request with a wrong
    # Host would otherwise be a line of the client's choice.
    _OURS.setLevel(logging.INFO)
    for library in ("mcp.server.transport_security", "uvicorn.error"):
        logging.getLogger(library).setLevel(logging.ERROR)

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
        http="h11",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        backlog=_BACKLOG,
        h11_max_incomplete_event_size=_MOST_HEADERS,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=[*trusted],
        timeout_graceful_shutdown=int(web.limits.timeout_s) + _DRAINED_AFTER_S,
    )
    served = {"url": web.url, **({"page": page_of(web.url)} if web.page else {})}
    return Server(config, lambda: tell(_OURS, "serving", **served, users=web.users))
