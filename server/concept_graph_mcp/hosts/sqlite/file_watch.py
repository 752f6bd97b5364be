"""Notice that a store's files were removed or replaced while it is open.

SQLite does not notice: it goes on with deleted files, and their data are lost when the process
ends.
"""

import os
import sqlite3
from pathlib import Path

from ...errors import Unavailable
from .opening import spare_of

# Files that SQLite keeps beside a store: the newest changes, and the processes' shared memory.
_LOG, _SHARED = "-wal", "-shm"

Inode = tuple[int, int] | None


class Presence:
    """The files of a store in the state in which it was opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log, _ = beside = _list_beside(path)
        self._files = {file: _inode(file) for file in (path, *beside)}
        # Texts, because a Path would be converted at each check.
        self._looked_at = [(str(file), inode) for file, inode in self._files.items() if inode]

    @property
    def is_intact(self) -> bool:
        """Return whether all files are in their original state."""
        return all(_inode(file) == inode for file, inode in self._looked_at)

    def check(self, otherwise: str) -> None:
        """Raise Unavailable, with *otherwise*, unless all files are in their original state."""
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
        """Return whether the file at the store's path is the original one."""
        return _inode(self._path) == self._files[self._path]

    @property
    def has_its_log(self) -> bool:
        """Return whether the log beside the store, if any, is the original one."""
        return _inode(self._log) in (None, self._files[self._log])


def remove(path: Path) -> list[Path]:
    """Delete a store that no data are left in, and return its files. Raises OSError.

    The file goes last, so that a kill leaves no log that another store could take for its own.
    """
    there = [one for one in (spare_of(path), *_list_beside(path), path) if one.exists()]
    for file in there:
        file.unlink(missing_ok=True)
    return there


def abandon(connection: sqlite3.Connection) -> None:
    """Leave *connection* open for as long as the process lives.

    SQLite writes the log into the file when the last connection to it closes. If that log was
    deleted and another process has begun a new one, all commits of the other would be lost. From
    Python 3.12 on, `setconfig(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)` can replace this.
    """
    import ctypes  # Rarely needed.

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _list_beside(path: Path) -> tuple[Path, Path]:
    """Return the files that SQLite keeps beside a store: its log, and what processes share."""
    return path.with_name(path.name + _LOG), path.with_name(path.name + _SHARED)


def _inode(file: Path | str) -> Inode:
    try:
        state = os.stat(file)  # noqa: PTH116 - takes half as long
    except OSError:
        return None
    return state.st_dev, state.st_ino
