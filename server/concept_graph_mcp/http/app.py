"""Build the web application: the MCP endpoint for users with tokens, health and metrics."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

import anyio
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

from .. import calls
from ..errors import StoreError
from ..hosts.per_user import UserFiles
from ..session import Session
from .asking import READ, SCOPES
from .calls import Calls
from .guard import Admitted, Guard, Probed, refusal
from .limits import REQUESTS_A_CALL, Limits, Rate
from .metrics import Metrics
from .oidc import Issuer, Verifier
from .page import pages
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
