"""Restrict the viewer to pages that know its token, on this machine."""

import hmac

from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
