"""Offer our own server's tools to the steps, over MCP and in a process of its own."""

import os
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any
from zoneinfo import ZoneInfo

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import Tool

from ..errors import one_line
from .conversation import Answer, Chat
from .steps import WorkingStoreError

# No call takes this long unless the server hangs.
_ANSWER_S = 120.0
# Settings of the user's own server, which this one must not inherit.
_OFFERING = ("--enable-set-time", "--toolsets", "concept")


class Toolbox:
    """The tools of a server that offers `set_time`."""

    def __init__(self, client: Client, tools: Sequence[Tool], log: IO[str]) -> None:
        self._client = client
        self._tools = {tool.name: tool for tool in tools}
        self._log = log

    def describe_tools(self, names: Sequence[str]) -> list[Chat]:
        """Return the descriptions of the tools *names* for a model."""
        return [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": self._tools[name].description or "",
                    "parameters": self._tools[name].input_schema,
                },
            }
            for name in names
        ]

    async def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Call a tool. Raises WorkingStoreError if the server is gone."""
        try:
            result = await self._client.call_tool(name, arguments)
        except (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise WorkingStoreError(f"the server has failed: {_reason(self._log, error)}") from None
        text = "\n".join(getattr(content, "text", "") for content in result.content)
        return Answer(text, failed=bool(result.is_error))

    async def set_time(self, now_ms: int) -> None:
        """Stop the server's clock at *now_ms*. Raises WorkingStoreError."""
        answer = await self.call("set_time", {"now_ms": now_ms})
        if answer.failed:
            raise WorkingStoreError(answer.text)


@asynccontextmanager
async def serve_toolbox(store: Path, zone: ZoneInfo) -> AsyncIterator[Toolbox]:
    """Yield the tools of a new server process over the file *store*, in the time zone *zone*."""
    # The server must not see the model's key.
    inherited = {name: value for name, value in os.environ.items() if not _is_ours(name)}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "concept_graph_mcp", f"--embedded={store}", *_OFFERING],
        env=inherited | {"TZ": zone.key},
    )
    # The server's log lines would break the progress bar.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        failure = ""
        try:
            client = Client(stdio_client(server, errlog=log), read_timeout_seconds=_ANSWER_S)
            async with client:
                yield Toolbox(client, (await client.list_tools()).tools, log)
        except* (MCPError, OSError) as group:
            failure = _reason(log, _first(group))
        # Raised out here, because the client would wrap it in a group.
        if failure:
            raise WorkingStoreError(f"the server has failed: {failure}")


def _is_ours(name: str) -> bool:
    return name.startswith("OPENAI_")


def _reason(log: IO[str], error: BaseException) -> str:
    """Return the server's last log line, or else the message of *error*."""
    log.seek(0)
    lines = [line.strip() for line in log if line.strip()]
    return lines[-1] if lines else one_line(error) or type(error).__name__


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    found: BaseException = group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
