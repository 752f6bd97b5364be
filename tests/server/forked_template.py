"""A process that has imported the program and forks itself for each request (see `forking.py`).

    python forked_template.py SOCKET

SOCKET is the number of a socket. A request is a line of JSON with the three standard streams as
file descriptors; its answer is the id of the process, which is a child of the one that asks.
"""

import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

# With a package, all its modules.
IMPORTED = ("asyncio", "mcp.server", "mcp.server.stdio", "concept_graph_mcp.serving")
PACKAGES = ("concept_graph_mcp.calls", "concept_graph_mcp.tools", "concept_graph_mcp.hosts.sqlite")
# More than any request.
MOST_BYTES = 1 << 20


def main(asked: socket.socket) -> None:
    """Fork for each request until the tests end; a fork then runs what was asked for."""
    import_program()
    # Ctrl-C is for the tests, which then end this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while request := receive(asked):
        wanted, streams = request
        told, telling = os.pipe()
        if (middle := os.fork()) == 0:
            # As this one ends, its child becomes one of the process that asks.
            if child := os.fork():
                os.write(telling, str(child).encode())
                os._exit(0)
            asked.close()
            os.closerange(told, telling + 1)
            become(wanted, streams)
            return
        for stream in (*streams, telling):
            os.close(stream)
        os.waitpid(middle, 0)
        asked.send(os.read(told, 32))
        os.close(told)


def import_program() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__, f"{name}."):
            importlib.import_module(module.name)
    gc.freeze()


def receive(asked: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Return the next request and its streams, or None at the end."""
    line, streams, _, _ = socket.recv_fds(asked, MOST_BYTES, 3)
    while line and not line.endswith(b"\n"):
        line += asked.recv(MOST_BYTES)
    return (json.loads(line), streams) if line else None


def become(wanted: dict[str, Any], streams: list[int]) -> None:
    """Make of this process what was asked for, and run it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if wanted["in_new_session"]:
        os.setsid()
    # What reads and writes them in Python was made for pipes, and has done neither.
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(wanted["directory"])
    os.environ.clear()
    os.environ.update(wanted["environment"])
    time.tzset()
    gc.unfreeze()
    run(wanted["arguments"])


def run(arguments: list[str]) -> None:
    """Run `-m MODULE …` or a script with its arguments, like an interpreter."""
    if arguments[0] == "-m":
        sys.argv[:] = arguments[1:]
        sys.path[0] = str(Path.cwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv[:] = arguments
        sys.path[0] = str(Path(arguments[0]).parent)
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
