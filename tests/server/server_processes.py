"""The processes that tests start: workers with a store of their own, and servers over stdio."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# Only for what hangs; nothing waits as long as this where all is well.
DEADLINE_S = 60.0
# For a server that should end by itself; one that does not is waited for as long.
END_S = 20.0
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}


class LineProcess:
    """A process that takes lines on stdin and answers in lines on stdout."""

    deadline_s = DEADLINE_S

    def __init__(
        self,
        command: Sequence[str],
        stdin: Any = subprocess.PIPE,
        stderr: Any = None,
        **options: Any,
    ) -> None:
        self.process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, **options
        )

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def line(self) -> bytes | None:
        """Return the next line, or None at the end of the output."""
        assert self.process.stdout is not None
        # Nothing else ends the waiting for a process that hangs.
        watchdog = threading.Timer(self.deadline_s, self.process.kill)
        watchdog.start()
        try:
            line: bytes = self.process.stdout.readline()
        finally:
            watchdog.cancel()
        return line if line.endswith(b"\n") else None

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)

    def finish(self) -> int:
        """Close stdin, wait for the end and return the exit code."""
        try:
            if self.process.stdin is not None:
                self.process.stdin.close()
        except BrokenPipeError:
            pass
        code = self.process.wait(DEADLINE_S)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return code

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.finish()


class Worker(LineProcess):
    """A `store_worker` process."""

    def __init__(self, location: object, **options: Any) -> None:
        command = [sys.executable, "-B", str(HERE / "store_worker.py"), str(location)]
        super().__init__(command, **options)

    def ask(self, *call: Any) -> dict[str, Any]:
        """Make a call and return its answer."""
        self.send(json.dumps(call).encode())
        return self.answer()

    def rows(self, *call: Any) -> Any:
        """Make a call that must succeed and return its rows."""
        return self.ask(*call)["rows"]

    def send_calls(self, calls: Sequence[Sequence[Any]]) -> None:
        """Have *calls* made one after the other, without waiting for the answers."""
        self.send(b"\n".join(json.dumps(call).encode() for call in calls))

    def answer(self) -> dict[str, Any]:
        line = self.line()
        assert line is not None, "the worker has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def workers(location: object, count: int) -> Iterator[list[Worker]]:
    """*count* workers on one store, all of them open."""
    with ExitStack() as stack:
        started = [stack.enter_context(Worker(location)) for _ in range(count)]
        for worker in started:
            assert worker.answer() == {"rows": []}
        yield started


def all_at_once(started: Sequence[Worker], calls: Sequence[Sequence[Any]]) -> list[Any]:
    """Let each worker make all of *calls* while the others do; return all answers."""
    for worker in started:
        worker.send_calls(calls)
    return [worker.answer() for worker in started for _ in calls]


class StdioServer(LineProcess):
    """`concept-graph-mcp` with a client that writes raw JSON lines."""

    def __init__(
        self,
        *arguments: str,
        environment: Mapping[str, str | None] | None = None,
        program: Sequence[str] = (sys.executable, "-m", "concept_graph_mcp"),
    ) -> None:
        super().__init__(
            [*program, *arguments],
            env=server_environment(environment),
            stderr=subprocess.PIPE,
            # A group of its own, so that a test can see whether anything of it is left.
            start_new_session=True,
        )
        self._last_id = 0

    def initialize(self) -> dict[str, Any]:
        result = self.request("initialize", INITIALIZE)["result"]
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return result  # type: ignore[no-any-return]

    def request(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return self.raw_request(method, json.dumps(parameters))

    def raw_request(self, method: str, parameters: str) -> dict[str, Any]:
        """Send *parameters* as the text they are and return the response to it."""
        self._last_id += 1
        head = f'"jsonrpc":"2.0","id":{self._last_id},"method":"{method}"'
        self.send(f'{{{head},"params":{parameters}}}'.encode())
        while True:
            line = self.line()
            assert line is not None, "the server has ended"
            message: dict[str, Any] = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if message.get("id") == self._last_id:
                return message

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result."""
        return self.raw_call(tool, json.dumps(arguments))

    def raw_call(self, tool: str, arguments: str) -> dict[str, Any]:
        """Call a tool with arguments that are the JSON text *arguments*."""
        message = self.raw_request("tools/call", f'{{"name":"{tool}","arguments":{arguments}}}')
        assert "result" in message, message
        result: dict[str, Any] = message["result"]
        return result

    def end(self) -> tuple[int, bytes, bytes]:
        """Close stdin, if it is open; return the exit code and what is left of the output."""
        out, err = self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode, out, err


def server_environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """Return an environment of TZ, words alone and concepts; *changes* of None unset a setting."""
    ours = ("MEMGRAPH_", "CONCEPT_GRAPH_", "AROUSAL_", "TZ", "XDG_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    # No database is met by accident: nothing listens on port 1.
    words = {"CONCEPT_GRAPH_EMBEDDINGS": "none", "CONCEPT_GRAPH_TOOLSETS": "concept"}
    ours_now = {"TZ": "Asia/Tokyo", "MEMGRAPH_URI": "bolt://127.0.0.1:1", **words}
    wanted = {**kept, **ours_now, **(changes or {})}
    return {key: value for key, value in wanted.items() if value is not None}
