"""MCP servers as processes, spoken to in plain lines, so that no client's costs are measured."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ECHO = (sys.executable, str(Path(__file__).with_name("echo_server.py")))


def embedded(path: Path) -> Sequence[str]:
    """Return the command of our server of concepts over the store at *path*."""
    return (*MEMGRAPH, "--embedded", str(path))


MEMGRAPH = (sys.executable, "-m", "concept_graph_mcp", "--toolsets", "concept")


class Server:
    """A running server. Bytecode goes to *cache*, as an installed package has it ready."""

    def __init__(
        self, command: Sequence[str], cache: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        given = {**os.environ, "TZ": "UTC", "PYTHONPYCACHEPREFIX": str(cache)}
        given.pop("PYTHONDONTWRITEBYTECODE", None)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**given, **(environment or {})},
        )
        self._requests = 0

    def initialize(self) -> None:
        """Shake hands."""
        client = {"name": "benchmark", "version": "0"}
        self._request(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call *tool* and return what it returns."""
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        return result["structuredContent"]

    def call_plain(self, tool: str, **arguments: Any) -> str:
        """Call *tool* and return the text of what it returns."""
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        text: str = result["content"][0]["text"]
        if result.get("isError"):
            raise RuntimeError(text)
        return text

    def resident_bytes(self) -> int:
        """Return how much of the machine's memory the process has."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def _request(self, method: str, parameters: dict[str, Any]) -> Any:
        self._requests += 1
        self._send({"jsonrpc": "2.0", "id": self._requests, "method": method, "params": parameters})
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(30)
