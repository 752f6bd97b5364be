"""A file that a command writes: whole or not at all, for its owner only."""

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
    """Return where *file* is to be written, behind its link if it is one.

    Raises Failure if something is there that must not be replaced: with *force*, anything but a
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
    # Whoever made such a link would choose where the file comes to lie.
    if status is None and not force and file.is_symlink():
        raise Failure(f"{file}: is a link to a file that is not there; --force writes that")
    return Path(os.path.realpath(file))


@contextmanager
def replacing(file: Path, force: bool) -> Iterator[BinaryIO]:
    """A stream whose content becomes that of *file* at the end, unless an error ends it.

    It is written to a file of its own beside *file*, for the owner only; one that is replaced hands
    its mode and its owner on. Raises Failure.
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
            # Somebody may have put something there meanwhile.
            place(file, force)
            _take_after(partial, _status(target))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def told(file: Path) -> Iterator[None]:
    """Turn what the system refuses into a Failure about *file*."""
    try:
        yield
    except OSError as error:
        # A reader of stdout that has left is click's to deal with.
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
        # Only root may give a file away, and only root's export would take it away.
        if hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):
                os.chown(partial, replaced.st_uid, replaced.st_gid)


def _short(file: Path) -> str:
    name = str(file)
    return name if len(name) <= 200 else f"{name[:199]}…"
