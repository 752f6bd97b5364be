"""A server over HTTP in this process, on a free port, and plain ways to ask it."""

import dataclasses
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import anyio
import httpx2
from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from concept_graph_mcp.calls import Call
from concept_graph_mcp.hosts.store import Store
from concept_graph_mcp.http.app import PATH, Web, prepare_server
from concept_graph_mcp.http.limits import Limits
from concept_graph_mcp.http.tokens import Tokens
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import listening

# The versions of the protocol that clients speak: without a handshake, and with one.
MODERN, OLDER = "2026-07-28", "2025-06-18"
DAY_MS = 86_400_000
TOOLSETS = ("everyday",)


class Running:
    """A server, and its users by their tokens."""

    def __init__(self, url: str, tokens: Tokens) -> None:
        self.url = url
        self.base = url.removesuffix(PATH)
        self.tokens = tokens
        self._users: dict[str, str] = {}

    def token(self, user: str) -> str:
        """Return the token of *user*, always the same."""
        if user not in self._users:
            scopes = ("memory:read", "memory:write")
            self._users[user] = self.tokens.add(user, scopes, None)
        return self._users[user]

    def post(
        self, method: str = "tools/list", user: str | None = "ann", **options: Any
    ) -> httpx2.Response:
        """Send one request as clients before 2026 do; *options* replace parts of it."""
        params = options.pop("params", {})
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": OLDER,
            **({"authorization": f"Bearer {self.token(user)}"} if user is not None else {}),
            **options.pop("headers", {}),
        }
        url = options.pop("url", self.url)
        if "content" not in options:
            options["json"] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return httpx2.request(
            options.pop("verb", "POST"), url, headers=headers, timeout=60, **options
        )

    def called(self, tool: str, user: str = "ann", **arguments: Any) -> dict[str, Any]:
        """Return the result of a call of *tool* by *user*, made in one older request."""
        answer = self.post("tools/call", user, params={"name": tool, "arguments": arguments})
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()["result"]
        return result

    def ask(self, tool: str, user: str = "ann", mode: str = MODERN, **arguments: Any) -> Any:
        """Return what *tool* tells *user* through the SDK's own client."""

        async def asked() -> Any:
            headers = {"authorization": f"Bearer {self.token(user)}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = streamable_http_client(self.url, http_client=http)
                async with Client(transport, mode=mode) as client:
                    result = await client.call_tool(tool, arguments)
                    assert not result.is_error, result
                    return result.structured_content

        return anyio.run(asked)

    def beginning(self, user: str | None, **headers: str) -> bytes:
        """Return the head of a POST as it goes over the wire."""
        known = {"authorization": f"Bearer {self.token(user)}"} if user is not None else {}
        lines = {
            "host": urlsplit(self.url).netloc,
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": OLDER,
            **known,
            **headers,
        }
        told = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return f"POST {PATH} HTTP/1.1\r\n{told}\r\n".encode()

    def listing(self, user: str) -> bytes:
        """Return a request for the tools as it goes over the wire."""
        return self._wire(user, {}, "tools/list", {})

    def whole(self, tool: str, user: str, version: str = OLDER, **arguments: Any) -> bytes:
        """Return the call of *tool* as it goes over the wire."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        headers = {"mcp-protocol-version": version}
        if version == MODERN:
            headers |= {"mcp-method": "tools/call", "mcp-name": tool}
            spoken = {"protocolVersion": version, "clientCapabilities": {}}
            params["_meta"] = {f"io.modelcontextprotocol/{key}": v for key, v in spoken.items()}
        return self._wire(user, headers, "tools/call", params)

    def _wire(
        self, user: str, headers: dict[str, str], method: str, params: dict[str, Any]
    ) -> bytes:
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        body = json.dumps(call).encode()
        return self.beginning(user, **headers, **{"content-length": str(len(body))}) + body

    def connected(self) -> socket.socket:
        parts = urlsplit(self.url)
        return socket.create_connection((parts.hostname, parts.port), timeout=60)

    def metrics(self) -> str:
        return httpx2.get(f"{self.base}/metrics").text


@contextmanager
def running(store: Store, tokens: Tokens, **options: Any) -> Iterator[Running]:
    """Serve *store* to the users of *tokens*; *options* are of the session, or else of `Web`.

    Calls come as fast as they are answered, so no rate limits them unless *options* say so.
    """
    of_session = {one.name for one in dataclasses.fields(Session)} & options.keys()
    given = {name: options.pop(name) for name in of_session}
    session = Session(store, DAY_MS, ZoneInfo("UTC"), Clock(), **{"concepts": "own", **given})
    toolsets = options.pop("toolsets", TOOLSETS)
    with listening("127.0.0.1", 0) as opened, start_blocking_portal() as portal:
        host = f"127.0.0.1:{opened.getsockname()[1]}"
        served = {"url": f"http://{host}{PATH}", "hosts": [host], "tokens": tokens}
        web = Web(**{**served, "limits": Limits(per_second=10_000), **options})
        server = portal.call(prepare_server, session, toolsets, web)
        ended = portal.start_task_soon(server.serve, [opened])
        try:
            yield Running(web.url, tokens)
        finally:
            server.should_exit = True
            ended.result()


class Held:
    """A store whose calls for some users wait until they are let go."""

    def __init__(self, store: Store, *users: str) -> None:
        self._store = store
        self._users = users
        self._go = threading.Event()
        self.begun = threading.Semaphore(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        if context["user_id"] in self._users:
            self.begun.release()
            await anyio.to_thread.run_sync(self._go.wait, abandon_on_cancel=True)
        return await self._store.call(call, context)

    def let_go(self) -> None:
        self._go.set()
