"""Build the web application: the MCP endpoint for users with tokens, health and metrics.

Serve it on a socket until the process is asked to end; then calls in flight end first.
"""

import logging
import math
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

import anyio
import uvicorn
from mcp.server.auth.middleware.bearer_auth import (
    AuthenticatedUser,
    BearerAuthBackend,
    RequireAuthMiddleware,
)
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, request_response
from starlette.types import ASGIApp

from .. import calls, logs, serving
from ..errors import StoreError
from ..hosts.lazy import make_served_store
from ..hosts.per_user import MOST_OPEN, UserFiles
from ..logs import Lines, tell
from ..session import Session
from ..settings import Settings
from ..view.serving import Server
from .access import READ, SCOPES, askers_session
from .calls import Calls, Metrics
from .guard import Admitted, Guard, Probed, refusal
from .limits import REQUESTS_A_CALL, Limits, Rate
from .oidc import Issuer, Verifier
from .page import page_of, pages
from .tokens import PREFIX, Tokens

PATH = "/mcp"
# Seconds within which a ready store answers, and for which that is believed.
_PATIENCE_S = 5.0
_READY_FOR_S = 1.0
_CACHED_BY_BROWSERS_S = 600
# Clients compare the issuer character by character; "https://a" must not become "https://a/".
_EXACT = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))


@dataclass(frozen=True)
class Web:
    """How the server is reached, and by whom.

    `url` is the address of the endpoint for clients. Without `tokens` and `issuer` every caller is
    the one user `alone`. With `page` the page of `view` is served too.
    """

    url: str
    hosts: Sequence[str]
    origins: Sequence[str] = ()
    tokens: Tokens | None = None
    issuer: Issuer | None = None
    alone: str | None = None
    limits: Limits = field(default_factory=Limits)
    page: bool = False

    @property
    def users(self) -> str:
        """Say who is served."""
        if self.alone is not None:
            return f"everybody on this machine is {self.alone}"
        tokens = ["those with tokens"] if self.tokens is not None else []
        issued = [f"those of {self.issuer.url}"] if self.issuer is not None else []
        return " and ".join(tokens + issued)


def build(
    server: MCPServer, session: Session, web: Web, metrics: Metrics, called: Calls
) -> Starlette:
    """Return the application that serves *server*, whose middleware *called* is.

    *session* asks whether the store is ready.
    """
    # Builds the session manager too. The guard has checked Host and Origin before it.
    server.streamable_http_app(
        stateless_http=True,
        json_response=True,
        max_request_body_size=web.limits.bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    manager = server.session_manager
    url = AnyHttpUrl(web.url)
    metadata = build_resource_metadata_url(url) if web.issuer is not None else None
    rate = Rate(web.limits.per_second * REQUESTS_A_CALL)
    backend = _backend(web)

    def admitting(app: ASGIApp) -> ASGIApp:
        """Return *app* for requests with a token that may read."""
        app = Admitted(app, rate, web.limits.bytes, str(metadata) if metadata is not None else None)
        app = RequireAuthMiddleware(app, [READ], metadata)
        return AuthenticationMiddleware(app, backend, on_error=_unknown)

    app = admitting(manager.handle_request)
    if web.origins:
        app = _shared_with(web.origins, app)
    guarded = Guard(app, [*web.hosts], [*web.origins], metrics)
    routes: list[BaseRoute] = [
        # A redirect would name the scheme and the host of the request, which are not the client's.
        *(Route(path, guarded) for path in (PATH, f"{PATH}/")),
        Route("/health", _healthy),
        Route("/ready", Probed(request_response(_Ready(session).page), [*web.hosts])),
        Route("/metrics", Probed(request_response(metrics.page), [*web.hosts])),
    ]
    if web.page:
        most = web.limits.bytes
        routes += pages(web.url, web.hosts, admitting, called, metrics, most_bytes=most)
    if web.issuer is not None:
        issuers = [_EXACT.validate_python(web.issuer.url)]
        routes += create_protected_resource_routes(url, issuers, [*SCOPES])
    made = Starlette(routes=routes, lifespan=lambda _: manager.run())
    made.router.redirect_slashes = False
    return made


class _Either:
    """Verifies tokens of our own and of an issuer (a `TokenVerifier`)."""

    def __init__(self, tokens: Tokens | None, issued: Verifier | None) -> None:
        self._tokens = tokens
        self._issued = issued

    async def verify_token(self, token: str) -> AccessToken | None:
        verifier: TokenVerifier | None = self._issued
        if token.startswith(PREFIX):
            verifier = self._tokens
        return None if verifier is None else await verifier.verify_token(token)


class _Alone(AuthenticationBackend):
    """Takes everybody for the one user of a server that only this machine reaches."""

    def __init__(self, user_id: str) -> None:
        token = AccessToken(token="", client_id="", scopes=[*SCOPES], subject=user_id)
        self._known = AuthCredentials([*SCOPES]), AuthenticatedUser(token)

    async def authenticate(
        self, conn: HTTPConnection
    ) -> tuple[AuthCredentials, AuthenticatedUser] | None:
        return self._known


def _backend(web: Web) -> AuthenticationBackend:
    if web.alone is not None:
        return _Alone(web.alone)
    issued = Verifier(web.issuer) if web.issuer is not None else None
    return BearerAuthBackend(_Either(web.tokens, issued))


def _unknown(_: HTTPConnection, error: Exception) -> Response:
    """Answer while nobody can say whether a token is valid: the client must not discard it."""
    return refusal(503, str(error), {"retry-after": "10"})


def _shared_with(origins: Sequence[str], app: ASGIApp) -> ASGIApp:
    """Let pages of *origins* read the answers of *app* in a browser."""
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=["POST"],
        allow_headers=["*"],
        expose_headers=["WWW-Authenticate", "Retry-After"],
        max_age=_CACHED_BY_BROWSERS_S,
    )


async def _healthy(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


class _Ready:
    """Says whether the store answers; it is asked once a second at most."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asking = anyio.Lock()
        self._asked = -math.inf
        self._problem = ""

    async def page(self, _: Request) -> Response:
        async with self._asking:
            if monotonic() - self._asked > _READY_FOR_S:
                self._problem = await self._find_fault()
                self._asked = monotonic()
        if self._problem:
            return JSONResponse({"status": "not ready", "reason": self._problem}, 503)
        return JSONResponse({"status": "ready"})

    async def _find_fault(self) -> str:
        """Return why the store cannot be used now; "" if it can."""
        try:
            with anyio.fail_after(_PATIENCE_S):
                await self._session.store.open()
                if not isinstance(self._session.store, UserFiles):
                    await self._session.run(calls.transfer.version())
        except TimeoutError:
            return f"the store has not answered for {_PATIENCE_S:g} s"
        except StoreError as error:
            return str(error)
        return ""


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
    logs.log_there(Lines(log == "json"))
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
