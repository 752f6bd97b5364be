"""Python processes that begin with the program's modules in memory, as forks of a template.

Most of what a short process costs is importing what it needs, which tells a test nothing. So tests'
processes are forked by default: each has its own id, streams, environment, signals and end, and is
a child of the tests like any other. With TEST_EXAMPLES=all each starts as a person starts it.
"""

import ctypes
import functools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.examples import HAS_ALL

TEMPLATE = Path(__file__).with_name("forked_template.py")
# What an interpreter reads as it starts, which a fork does not.
READ_AT_START = ("PYTHON", "LANG", "LC_")
OPTIONS = {"stdin", "stdout", "stderr", "env", "cwd", "start_new_session", "text"}
PR_SET_CHILD_SUBREAPER = 36


def start_process(command: Sequence[str], **options: Any) -> "subprocess.Popen[Any]":
    """Start *command* like `subprocess.Popen`, as a fork where that makes no difference."""
    if _can_fork(command, options):
        return Forked(command, **options)
    return subprocess.Popen(command, **options)


def run_process(
    command: Sequence[str], *, input: Any = None, timeout: float | None = None, **options: Any
) -> "subprocess.CompletedProcess[Any]":
    """Run *command* like `subprocess.run` with `capture_output`, as a fork like `start_process`."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if input is not None:
        pipes["stdin"] = subprocess.PIPE
    with start_process(command, **pipes, **options) as process:
        try:
            said = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, *said)


def _can_fork(command: Sequence[str], options: Mapping[str, Any]) -> bool:
    return (
        not HAS_ALL
        and sys.platform == "linux"
        and command[0] == sys.executable
        and options.keys() <= OPTIONS
        and _read_at_start(options.get("env") or os.environ) == _read_at_start(os.environ)
    )


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: environment[name] for name in environment if name.startswith(READ_AT_START)}


class Forked(subprocess.Popen[Any]):
    """A process that the template forks; all the rest is as of any other."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        environment = options.get("env")
        self._wanted = {
            # No flag for bytecode: what is imported later is little.
            "arguments": [argument for argument in command[1:] if argument != "-B"],
            "directory": str(options.get("cwd") or Path.cwd()),
            "environment": dict(os.environ if environment is None else environment),
            "in_new_session": options.get("start_new_session", False),
        }
        super().__init__(command, **options)

    def _execute_child(self, *given: Any) -> None:
        """Have it forked; the ends of the pipes are the same arguments in each Python since 3.7."""
        ends = given[10:16]
        theirs = (ends[0], ends[3], ends[5])
        streams = [own if end == -1 else end for own, end in enumerate(theirs)]
        try:
            self.pid = _start_template().fork(self._wanted, streams)
        finally:
            self._close_pipe_fds(*ends)  # type: ignore[attr-defined]
        self._child_created = True


class Template:
    """A process that has imported the program, and forks itself."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, str(TEMPLATE), str(theirs.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )

    def fork(self, wanted: Mapping[str, Any], streams: Sequence[int]) -> int:
        """Return the id of a new child of this process, which has these *streams*."""
        adopt = ctypes.CDLL(None).prctl
        adopt(PR_SET_CHILD_SUBREAPER, 1)
        try:
            socket.send_fds(self._socket, [json.dumps(wanted).encode() + b"\n"], streams)
            answer = self._socket.recv(32)
        finally:
            adopt(PR_SET_CHILD_SUBREAPER, 0)
        assert answer, "the template has ended"
        return int(answer)


@functools.cache
def _start_template() -> Template:
    return Template()
