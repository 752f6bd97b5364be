"""Hold a memory server against the contract, over MCP and stdio.

    python -m tests.contract [-k TEXT] COMMAND...

COMMAND starts the server. `{store}` in it is a path where nothing is yet, anew for each case;
`{user}` is the user's name, which CONCEPT_GRAPH_USER has too. Cases whose tools the server does not
have are skipped, and so are those that let days pass on a server without the tool `set_time`.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from .cases import BEGIN_MS, USER, Case, find_breach, read_cases

_SET_TIME = "set_time"


class Server:
    """The memory behind a command: a process for each user."""

    def __init__(self, command: Sequence[str], store: Path, stack: AsyncExitStack) -> None:
        self._command, self._store, self._stack = command, store, stack
        self._clients: dict[str, Client] = {}
        self._now_ms = BEGIN_MS
        self._has_clock = False

    async def tools(self) -> set[str]:
        client = await self._client(USER)
        return {tool.name for tool in (await client.list_tools()).tools}

    async def call(self, user: str, tool: str, arguments: dict[str, Any]) -> tuple[Any, bool]:
        client = await self._client(user)
        if self._has_clock:
            # A call later is a moment later, on a clock that is set as on others.
            await self.wait(1)
        result = await client.call_tool(tool, arguments)
        text = "\n".join(getattr(one, "text", "") for one in result.content)
        answer = text if result.structured_content is None else result.structured_content
        return (text, True) if result.is_error else (answer, False)

    async def wait(self, milliseconds: int) -> None:
        self._now_ms += milliseconds
        for client in self._clients.values():
            await client.call_tool(_SET_TIME, {"now_ms": self._now_ms})

    async def _client(self, user: str) -> Client:
        if user not in self._clients:
            words = [word.format(store=self._store, user=user) for word in self._command]
            environment = {"TZ": "UTC", **os.environ, "CONCEPT_GRAPH_USER": user}
            given = StdioServerParameters(command=words[0], args=words[1:], env=environment)
            client = await self._stack.enter_async_context(Client(stdio_client(given)))
            self._clients[user] = client
            self._has_clock = _SET_TIME in {tool.name for tool in (await client.list_tools()).tools}
            if self._has_clock:
                await client.call_tool(_SET_TIME, {"now_ms": self._now_ms})
        return self._clients[user]


async def try_case(case: Case, command: Sequence[str]) -> tuple[str, str | None]:
    """Return "kept", "broken" or "skipped", and why."""
    with tempfile.TemporaryDirectory() as directory:
        async with AsyncExitStack() as stack:
            server = Server(command, Path(directory) / "store", stack)
            wanted = case.tools | ({_SET_TIME} if case.waits else set())
            if missing := wanted - await server.tools():
                return "skipped", f"{case.name}: has no {', '.join(sorted(missing))}"
            breach = await find_breach(case, server)
            return ("broken", breach) if breach else ("kept", None)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.contract", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("-k", default="", metavar="TEXT", help="only cases that have it in a name")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if not given.command:
        parser.error("COMMAND is missing")
    counts = {"kept": 0, "broken": 0, "skipped": 0}
    for case in read_cases():
        if given.k in case.name:
            verdict, why = asyncio.run(try_case(case, given.command))
            counts[verdict] += 1
            if why:
                sys.stdout.write(f"{verdict}: {why}\n")
    sys.stdout.write(", ".join(f"{count} {verdict}" for verdict, count in counts.items()) + "\n")
    return 1 if counts["broken"] or not counts["kept"] else 0


if __name__ == "__main__":
    sys.exit(main())
