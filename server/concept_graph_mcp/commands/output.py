"""Write a command's output file: whole or not at all, readable by its owner only."""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .common import Failure


def place(file: Path, force: bool) -> Path:
    """Return the path to write *file* to, which a symbolic link may lead to.

    Raises Failure if a file there must not be replaced: without *force* any, with it all but a
    regular file.
    """
    with told(file):
        status = _status(file)
    if status is not None and not stat.S_ISREG(status.st_mode):
        is_directory = stat.S_ISDIR(status.st_mode)
        what = "is a directory" if is_directory else 'is not a regular file; "-" is stdout'
        raise Failure(f"{file}: {what}")
    if status is not None and not force:
        raise Failure(f"{file}: exists already; --force overwrites it")
    # The creator of such a link would choose where the file ends up.
    if status is None and not force and file.is_symlink():
        raise Failure(f"{file}: is a link to a file that is not there; --force writes that")
    return Path(os.path.realpath(file))


@contextmanager
def replacing(file: Path, force: bool) -> Iterator[BinaryIO]:
    """Yield a stream that replaces the content of *file* at the end, unless an error occurs.

    It writes to a temporary file beside *file*, readable by the owner only. A replaced file passes
    on its mode and owner. Raises Failure.
    """
    target = place(file, force)
    with told(file):
        handle, name = tempfile.mkstemp(".partial", ".concept-graph-", target.parent)
        partial = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            # Another program may have created a file there meanwhile.
            place(file, force)
            _take_after(partial, _status(target))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def told(file: Path) -> Iterator[None]:
    """Turn errors of the operating system into a Failure about *file*."""
    try:
        yield
    except OSError as error:
        # Click handles a stdout whose reader has gone.
        if error.errno == errno.EPIPE:
            raise
        raise Failure(f"{_short(file)}: {error.strerror or error}") from None


def _status(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except FileNotFoundError:
        return None


def _take_after(partial: Path, replaced: os.stat_result | None) -> None:
    if replaced is not None:
        partial.chmod(stat.S_IMODE(replaced.st_mode))
        # Only root may change a file's owner, and a file that root exports must stay the user's.
        if hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):
                os.chown(partial, replaced.st_uid, replaced.st_gid)


def _short(file: Path) -> str:
    name = str(file)
    return name if len(name) <= 200 else f"{name[:199]}…"
