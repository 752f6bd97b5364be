"""The processor time of a `recall` of several installed versions, over MCP alone.

    python -m benchmarks.beside PYTHON ...

PYTHON is the interpreter of an environment in which a version is installed; the first one is the
baseline. The versions take turns. Only their command is used.

* stdio: one user with forty memories asks a dozen messages over and over, in a store file.
* HTTP: 32 users with forty memories each call without a pause, in a store file.
* Memgraph: as over stdio, sixty messages that name entities and concepts among 3,000 memories. Each
  version has a server of its own, started with MEMGRAPH_TEST_SERVER (see docs/develop.md).

The time is that of all threads of the MCP server, and of Memgraph. With one client, the least time
of each message counts, because other programs on the machine only add to it.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import cycle, islice
from pathlib import Path
from statistics import mean, median
from time import perf_counter, time
from typing import Any, Final

import click

from concept_graph_mcp.file_formats import native
from concept_graph_mcp.http.access import SCOPES
from concept_graph_mcp.http.tokens import Tokens
from conceptgraph_core import __version__

from . import everyday
from .harness import machine
from .http_clients import SERVE, Served, question, running, turn, user
from .large import server_of, worked_ms
from .other_servers import QUESTIONS, texts
from .stdio import Server
from .stores import NOW_MS

_CLIENTS: Final = 32
_MEMORIES: Final = 40
_MANY: Final = 3_000
_MESSAGES: Final = 60
_ROUNDS: Final = 9
_SECONDS: Final = 4.0
# No message is asked twice in a row in the same words.
_BEGINNINGS: Final = ("", "And ", "So ")
_TIMES: Final = ("created_at", "accessed_at", "last_activated", "valid_from")

Record = Mapping[str, Any]


class Version:
    """An installed version, with a folder and a Memgraph of its own, and its running servers."""

    def __init__(self, python: str, folder: Path, stack: ExitStack) -> None:
        self._command = (python, "-m", "concept_graph_mcp")
        self.name = self._run("--version", MEMGRAPH_URI="").split()[-1]
        self._folder, self._stack = folder, stack
        folder.mkdir()

    def in_file(self) -> Callable[[str], float]:
        """Return what asks a message over stdio, and returns the milliseconds of processor."""
        at = f"--embedded={self._folder / 'one.db'}"
        self._import(_told(1), at)
        return self._asking((at, "--no-worker"), {"CONCEPT_GRAPH_USER": user(0)})

    def in_memgraph(self, program: str) -> Callable[[str], float]:
        """Return what asks a message over stdio; the milliseconds are those of Memgraph too."""
        modules = self._folder / "modules"
        modules.mkdir()
        self._run("install-modules", str(modules), MEMGRAPH_URI="")
        start = [program, "PORT", str(self._folder / "data"), str(modules)]
        uri = f"bolt://127.0.0.1:{self._stack.enter_context(running(start, {}))}"
        self._import(_named(), MEMGRAPH_URI=uri)
        ask = self._asking((), {"MEMGRAPH_URI": uri})
        database = server_of(uri)

        def both(message: str) -> float:
            before = worked_ms(database)
            return ask(message) + worked_ms(database) - before

        return both

    def over_http(self) -> Callable[[], tuple[float, float]]:
        """Return what lets 32 clients call; it returns the milliseconds a call, and the rate."""
        at, tokens = f"--embedded={self._folder / 'many.db'}", str(self._folder / "tokens.db")
        self._import(_told(_CLIENTS), at)
        known = [Tokens(Path(tokens)).add(user(one), SCOPES, None) for one in range(_CLIENTS)]
        serve = [*self._command, "--toolsets=everyday", at, "--no-worker", "serve", "--http"]
        environment = _environment({"CONCEPT_GRAPH_TOKENS": tokens})
        port = self._stack.enter_context(running([*serve, "PORT", *SERVE], environment))
        served = Served(self.name, port, "recall", lambda one: {"message": question(one)}, known)
        process = server_of(f"http://127.0.0.1:{port}")

        def call() -> tuple[float, float]:
            before, begun = worked_ms(process), perf_counter()
            rate, _ = asyncio.run(turn(served, _CLIENTS, _SECONDS))
            calls = rate * (perf_counter() - begun)
            return (worked_ms(process) - before) / calls, rate

        call()
        return call

    def _asking(
        self, options: Sequence[str], environment: Mapping[str, str]
    ) -> Callable[[str], float]:
        command = (*self._command, "--toolsets=everyday", *options)
        cache = self._folder / "cache"
        server = self._stack.enter_context(Server(command, cache, _environment(environment)))
        server.initialize()
        process = Path(f"/proc/{server.process.pid}")

        def ask(message: str) -> float:
            before = worked_ms(process)
            server.call_plain("recall", message=message)
            return worked_ms(process) - before

        return ask

    def _import(self, records: Iterable[Record], *options: str, **environment: str) -> None:
        file = self._folder / "records.jsonl"
        lines = map(json.dumps, (native.header(__version__), *records))
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self._run(*options, "import", str(file), **environment)

    def _run(self, *words: str, **environment: str) -> str:
        return subprocess.run(
            [*self._command, *words],
            env={**os.environ, **_environment(environment)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    return {"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDINGS": "none", **more}


def _told(users: int) -> Iterator[Record]:
    """Iterate over forty memories of each of *users*."""
    told = [text for text in texts() if not text.startswith("Note ")][:_MEMORIES]
    for number in range(users):
        for at, text in enumerate(told):
            yield {
                "kind": "memory", "id": f"{number}-{at}", "user_id": user(number), "content": text
            }  # fmt: skip


def _named() -> Iterator[Record]:
    """Iterate over the records of `everyday`, of the last month."""
    since = int(time() * 1_000) - NOW_MS
    for record in everyday.records(_MANY):
        yield {key: one + since if key in _TIMES else one for key, one in record.items()}


def _least(asking: Sequence[Callable[[str], float]], messages: Sequence[str]) -> list[float]:
    """Return for each of *asking* the mean of the least times of the messages."""
    taken: list[list[list[float]]] = [[[] for _ in messages] for _ in asking]
    for beginning in islice(cycle(_BEGINNINGS), _ROUNDS + 1):
        for number, message in enumerate(messages):
            for ask, times in zip(asking, taken, strict=True):
                times[number].append(ask(f"{beginning}{message}"))
    # Nothing is warm in the first round.
    return [mean(min(one[1:]) for one in times) for times in taken]


def _rows(versions: Sequence[Version]) -> Iterator[tuple[str, list[float], str]]:
    """Iterate over what is measured, of all versions."""
    asked = [question(number) for number in range(len(QUESTIONS))]
    yield "stdio", _least([one.in_file() for one in versions], asked), "ms"
    calling = [one.over_http() for one in versions]
    turns = [[call() for call in calling] for _ in range(_ROUNDS)]
    for unit, number, of in (("ms", 0, min), ("/s", 1, median)):
        yield "HTTP", [of(one[number] for one in each) for each in zip(*turns, strict=True)], unit
    program = os.environ.get("MEMGRAPH_TEST_SERVER")
    if program is not None:
        named = list(everyday.messages(_MANY, _MESSAGES))
        yield "Memgraph", _least([one.in_memgraph(program) for one in versions], named), "ms"


def main(pythons: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="concept-graph-bench-") as folder, ExitStack() as stack:
        versions = [
            Version(python, Path(folder) / str(number), stack)
            for number, python in enumerate(pythons)
        ]
        click.echo(f"{'':10}" + "".join(f"{one.name:>20}" for one in versions))
        for what, figures, unit in _rows(versions):
            row = (f"{one:9.2f} {unit} = {one / figures[0]:.2f}" for one in figures)
            click.echo(f"{what:10}" + "".join(f"{one:>20}" for one in row))
        click.echo(machine(False))


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
