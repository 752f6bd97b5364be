"""What comes in on stdin, made readable for the SDK's parser where it would not answer at all."""

import io
import re
import sys
from types import SimpleNamespace
from typing import Any, BinaryIO, cast

# A surrogate pair, a lone surrogate, or any other escape, so that "\\ud800" is not misread.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>u[dD][89abcdefABCDEF][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def guard_stdin() -> None:
    """Let lone surrogates in JSON through as NUL characters, which the tools refuse in one line.

    The SDK drops a message that holds one, and the client would wait for its answer forever.
    """
    buffer = io.BufferedReader(_Guarded(sys.stdin.buffer))
    sys.stdin = cast(Any, SimpleNamespace(buffer=buffer))


def without_lone_surrogates(line: bytes) -> bytes:
    """Return a JSON text with every lone surrogate escape replaced by that of a NUL."""
    if b"\\u" not in line:
        return line
    return _ESCAPE.sub(lambda match: rb"\u0000" if match["lone"] else match[0], line)


class _Guarded(io.RawIOBase):
    """The lines of a stream, each one read as soon as it is there."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        if not self._rest:
            self._rest = without_lone_surrogates(self._stream.readline())
        chunk = self._rest[: len(target)]
        self._rest = self._rest[len(chunk) :]
        target[: len(chunk)] = chunk
        return len(chunk)
