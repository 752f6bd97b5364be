"""Requests to a web application without a socket, in the event loop that its store lives in."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from anyio.from_thread import BlockingPortal

TOKEN = "a-token"
PORT = 4321
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def content(self) -> Any:
        """The body as JSON; a constant such as NaN, which is none, fails."""

        def refuse(name: str) -> None:
            raise AssertionError(f"{name} is no JSON")

        return json.loads(self.body, parse_constant=refuse)


class Asked:
    """An application that is asked as a browser asks it."""

    def __init__(self, app: Any, portal: BlockingPortal) -> None:
        self._app = app
        self._portal = portal

    def get(self, path: str, **parameters: Any) -> Answer:
        """Ask with the token, as the page does."""
        return self.raw(f"/{TOKEN}/{path}", [HOST], urlencode(parameters, doseq=True))

    def post(self, path: str, content: Any, *origins: str) -> Answer:
        """Send *content* as the page does, which comes from *origins*."""
        sent = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self.raw(f"/{TOKEN}/{path}", [HOST], "", "POST", sent, origins)

    def raw(
        self,
        path: str,
        hosts: list[str],
        query: str = "",
        method: str = "GET",
        body: bytes = b"",
        origins: Sequence[str] = (),
    ) -> Answer:
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path).encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [
                *((b"host", host.encode()) for host in hosts),
                *((b"origin", origin.encode()) for origin in origins),
            ],
            "server": ("127.0.0.1", PORT),
            "client": ("127.0.0.1", 1),
        }
        answer = Answer()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {key.decode(): value.decode() for key, value in message["headers"]}
            else:
                answer.body += message.get("body", b"")

        self._portal.call(self._app, scope, receive, send)
        return answer


class Counting:
    """A store that notes which procedures are called."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.called: list[str] = []

    async def call(self, call: Any, context: Any) -> Any:
        self.called.append(call.procedure.name)
        return await self._store.call(call, context)
