"""Check each request before its body is read; end what its client no longer waits for."""

import ipaddress
import math
import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp.types import INVALID_REQUEST, ErrorData, JSONRPCError
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .calls import Metrics
from .limits import Rate

# The most values in a JSON body, and the most levels: no call of ours has a hundredth of either.
MOST_VALUES: Final = 10_000
MOST_DEPTH: Final = 64
# A request counts once more for each so many values and bytes: parsing them takes as long.
VALUES_A_REQUEST: Final = 500
BYTES_A_REQUEST: Final = 50_000
# Up to the end if it is not closed: each quote would otherwise be tried as a beginning.
_STRINGS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKETS: Final = re.compile(rb"[][{}]")
# Parameters by which clients pass credentials; addresses end up in logs and histories.
_SECRET = re.compile("token|auth|key|pass|secret", re.IGNORECASE)


class Guard:
    """Admits requests to the allowed hosts, from the allowed origins, that can be answered here."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: list[str],
        origins: list[str],
        metrics: Metrics,
        # There are no streams to open with GET and no sessions to end with DELETE.
        methods: Sequence[str] = ("POST",),
    ) -> None:
        self._app = app
        self._methods = methods
        self._security = TransportSecurityMiddleware(
            TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
        )
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._metrics.requests.labels(str(message["status"])).inc()
            await send(message)

        request = Request(scope)
        refused = await self._security.validate_request(request) or self._unanswerable(request)
        await (refused or self._app)(scope, receive, counted)

    def _unanswerable(self, request: Request) -> Response | None:
        """Return the refusal of a request that no server of ours answers."""
        if request.method not in (*self._methods, "OPTIONS"):
            return Response(status_code=405, headers={"allow": ", ".join(self._methods)})
        if any(
            _SECRET.search(key) for key, _ in parse_qsl(request.url.query, keep_blank_values=True)
        ):
            return refusal(
                400, "a token belongs into the header Authorization, not into the address"
            )
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            # A small body could otherwise become a huge one.
            return refusal(415, "send the body without Content-Encoding")
        return None


class Probed:
    """Serves probes, and pages of metrics, to whoever calls the server by its name or address.

    Another site's name may be made to lead here (DNS rebinding), but a browser sends that name.
    """

    def __init__(self, app: ASGIApp, hosts: list[str]) -> None:
        self._app = app
        self._security = TransportSecurityMiddleware(TransportSecuritySettings(allowed_hosts=hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        named = request.headers.get("host", "")
        refused = None if _is_address(named) else await self._security.validate_request(request)
        await (refused or self._app)(scope, receive, send)


def _is_address(host: str) -> bool:
    """Return whether *host* is an IP address, with or without a port."""
    try:
        ipaddress.ip_address(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
    return True


def refusal(status: int, line: str, headers: dict[str, str] | None = None) -> Response:
    """Return an answer of *status* whose body is a JSON-RPC error, which clients show."""
    error = JSONRPCError(
        jsonrpc="2.0", id=None, error=ErrorData(code=INVALID_REQUEST, message=line)
    )
    body = error.model_dump_json(by_alias=True, exclude_unset=True)
    return Response(body, status, headers, "application/json")


class Admitted:
    """Serves requests whose user is known: not too many, as long as the client waits.

    The body is read, measured and charged to its user before anything parses it.
    """

    def __init__(self, app: ASGIApp, rate: Rate, most_bytes: int, metadata: str | None) -> None:
        self._app = app
        self._rate = rate
        self._most_bytes = most_bytes
        self._metadata = metadata

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        user = scope["user"]
        assert isinstance(user, AuthenticatedUser)
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > self._most_bytes:
            await self._too_long()(scope, receive, send)
            return
        try:
            body = await self._read(receive)
        except ClientDisconnect:
            return
        refused = self._charge_body(str(user.access_token.subject), body)
        if refused is not None:
            await refused(scope, receive, send)
            return
        answered = anyio.Event()
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_read() -> Message:
            return unread.pop() if unread else await receive()

        async def send_noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered.set()
                message = self._name_missing_scope(scope, message)
            await send(message)

        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                if not answered.is_set():
                    tasks.cancel_scope.cancel()

            tasks.start_soon(watch)
            await self._app(scope, receive_read, send_noting)
            tasks.cancel_scope.cancel()

    async def _read(self, receive: Receive) -> bytes:
        """Return the body, or so much of it that it is too long. Raises ClientDisconnect."""
        parts: list[bytes] = []
        size, more = 0, True
        while more and size <= self._most_bytes:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            more = message.get("more_body", False)
        return b"".join(parts)

    def _charge_body(self, user_id: str, body: bytes) -> Response | None:
        """Charge *body* to the user; return the refusal if it is too much, or long to parse."""
        if len(body) > self._most_bytes:
            return self._too_long()
        if wait := self._rate.wait(user_id, 1 + len(body) // BYTES_A_REQUEST):
            return _over_rate(wait)
        values = count_values(body)
        if values > MOST_VALUES:
            return refusal(413, f"a request may have {MOST_VALUES:,} values; send less at a time")
        if values > MOST_DEPTH and depth(body) > MOST_DEPTH:
            return refusal(400, f"a request may be {MOST_DEPTH} levels deep")
        more = values // VALUES_A_REQUEST
        wait = self._rate.wait(user_id, more) if more else 0.0
        return _over_rate(wait) if wait else None

    def _too_long(self) -> Response:
        line = f"a request may have {self._most_bytes:,} bytes; send less at a time"
        return refusal(413, line)

    def _name_missing_scope(self, scope: Scope, message: Message) -> Message:
        """Return the beginning of an answer; if the call lacked a scope, as RFC 6750 has it."""
        missing = scope.get("state", {}).get("missing_scope")
        if missing is None:
            return message
        parts = ['error="insufficient_scope"', f'scope="{missing}"']
        if self._metadata is not None:
            parts.append(f'resource_metadata="{self._metadata}"')
        header = (b"www-authenticate", f"Bearer {', '.join(parts)}".encode())
        return {**message, "status": 403, "headers": [*message["headers"], header]}


def _over_rate(wait: float) -> Response:
    seconds = max(1, math.ceil(wait))
    return refusal(429, f"too many requests; wait {seconds} s", {"retry-after": str(seconds)})


def count_values(body: bytes) -> int:
    """Return a bound of the number of values in a JSON text, without parsing it."""
    count = _commas_and_brackets(body)
    # Texts may have many commas. Strings are left out only then, because that takes longer.
    return count if count <= MOST_DEPTH else _commas_and_brackets(_STRINGS.sub(b"", body))


def _commas_and_brackets(body: bytes) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{")


def depth(body: bytes) -> int:
    """Return how deep the lists and maps of a JSON text are within one another."""
    open_, deepest = 0, 0
    for bracket in _BRACKETS.findall(_STRINGS.sub(b"", body)):
        open_ += 1 if bracket in b"[{" else -1
        deepest = max(deepest, open_)
    return deepest
