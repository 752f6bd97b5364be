"""Open what commands read: a file, a pipe of the shell, or stdin."""

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from .common import Failure

# The first bytes of what is compressed.
_ARCHIVES = {
    "zip": b"PK\x03\x04",
    "gzip": b"\x1f\x8b\x08",
    "xz": b"\xfd7zXZ\0",
    "7z": b"7z\xbc\xaf\x27\x1c",
    "bzip2": b"BZh",
    "zstd": b"\x28\xb5\x2f\xfd",
}


@contextmanager
def opened(file: Path) -> Iterator[TextIO]:
    """Yield the content of *file*, or of stdin for "-"; bytes outside UTF-8 become surrogates."""
    with opened_bytes(file) as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="\n")
        try:
            yield text
        finally:
            # Stdin is not closed here, because this function has not opened it.
            text.detach()


@contextmanager
def opened_bytes(file: Path) -> Iterator[BinaryIO]:
    """Yield the content of *file*, or of stdin for "-". Raises Failure for what is compressed."""
    # Opening one may wait for ever for a writer. A pipe of the shell, `<(…)`, has one.
    if file.is_fifo() and not str(file).startswith("/dev/fd/") and file.resolve().is_fifo():
        raise Failure(f"{file}: is a named pipe; name a file, or give its content to -")
    with ExitStack() as stack:
        is_stdin = str(file) == "-"
        stream = sys.stdin.buffer if is_stdin else stack.enter_context(file.open("rb"))
        begins = stream.peek(8) if isinstance(stream, io.BufferedReader) else b""
        for name, mark in _ARCHIVES.items():
            if begins.startswith(mark):
                raise Failure(f"{file}: is a {name} archive; unpack it and name the file in it")
        yield stream


def count_lines(stream: BinaryIO) -> int | None:
    """Return how many lines are left to read, or None for a stream that can be read only once."""
    try:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return None
    except io.UnsupportedOperation:
        return None
    start, count, last = stream.tell(), 0, b"\n"
    while chunk := stream.read(1 << 20):
        count += chunk.count(b"\n")
        last = chunk[-1:]
    stream.seek(start)
    return count + (last != b"\n")
