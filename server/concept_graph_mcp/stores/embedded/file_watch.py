"""Noticing that a store's files were taken away or replaced while it is open.

SQLite does not: it goes on with files that have no name any more, and what it acknowledges is gone
with the process.
"""

import math
import os
import sqlite3
import sys
import time
from pathlib import Path

from ...errors import Unavailable

# What SQLite keeps beside a file: the newest changes, and what its processes tell one another.
_LOG, _SHARED = "-wal", "-shm"

# So long ago a folder must have been changed for its time to tell it from any later change: what a
# file system writes as the time may be that of its last tick.
_SETTLED_NS = 2_000_000_000

Inode = tuple[int, int] | None
# What a folder looks like as long as nothing in it is made, renamed or removed.
Folder = tuple[int, int, int] | None


class Presence:
    """The files of a store as they were when it was opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(path.name + _LOG)
        beside = (self._log, path.with_name(path.name + _SHARED))
        self._files = {file: _inode(file) for file in (path, *beside)}
        # As texts, which spares making them each time.
        self._looked_at = [(str(file), *inode) for file, inode in self._files.items() if inode]
        self._folder = str(path.parent)
        # Elsewhere a folder's times say less, and what a link leads to is in another folder.
        is_told = sys.platform != "win32" and not path.is_symlink()
        # From when on its folder may tell (`time.monotonic_ns`), and what that looked like then.
        self._told_from: float = 0 if is_told else math.inf
        self._seen: Folder = None

    @property
    def is_intact(self) -> bool:
        """Tell whether all that was there is as it was."""
        # Twice a call that writes: nothing is made, and no function called, that need not be.
        try:
            folder = None
            if time.monotonic_ns() >= self._told_from:
                state = os.stat(self._folder)  # noqa: PTH116 - takes twice as long
                folder = (state.st_ino, state.st_dev, state.st_ctime_ns)
                if folder == self._seen:
                    return True
            for file, device, inode in self._looked_at:
                state = os.stat(file)  # noqa: PTH116
                if state.st_ino != inode or state.st_dev != device:
                    return False
        except OSError:
            return False
        if folder is not None:
            self._remember(folder)
        return True

    def _remember(self, folder: tuple[int, int, int]) -> None:
        """Take *folder* as what tells, if it can, that the files that were just seen are there.

        It was looked at before they were. If it was changed but now it is asked again later.
        """
        wait = folder[2] + _SETTLED_NS - time.time_ns()
        self._seen = folder if wait < 0 else None
        self._told_from = time.monotonic_ns() + min(max(0, wait), _SETTLED_NS)

    def check(self, otherwise: str) -> None:
        """Raise Unavailable, which says so and *otherwise*, unless all are as they were."""
        for file, inode in self._files.items():
            now = _inode(file)
            if now == inode or inode is None:
                continue
            what = "its file" if file == self._path else file.name
            happened, remedy = (
                ("deleted or moved away", "put it back, or restart to begin a new one")
                if now is None
                else ("replaced by another", "restart to use that")
            )
            raise Unavailable(
                f"store {self._path}: {what} was {happened} while it was open;"
                f" {otherwise}; {remedy}"
            )

    @property
    def has_its_file(self) -> bool:
        """Tell whether the file at the store's path is the one that was there."""
        return _inode(self._path) == self._files[self._path]

    @property
    def has_its_log(self) -> bool:
        """Tell whether the log that is there, if any, is the one that was there."""
        return _inode(self._log) in (None, self._files[self._log])


def abandon(connection: sqlite3.Connection) -> None:
    """Leave *connection* open for as long as the process lives.

    SQLite writes the log into the file when the last connection to it closes. If that log was
    deleted and another process has begun a new one, all that the other has committed is lost.
    From Python 3.12 on, `setconfig(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)` can replace this.
    """
    import ctypes  # Hardly anybody needs it.

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _inode(file: Path) -> Inode:
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino
