"""Manage a directory of backups: names, and writing files whole.

A name has the time in UTC and the beginning of the id of the backup's store:
"20250615-150640Z-3f2a9c1b04de.db", with "-2" and so on before the suffix for further backups of the
same second. The copy made by a restore has "-replaced" after the id.
"""

import contextlib
import itertools
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio

if sys.platform != "win32":
    import fcntl

_STAMP = "%Y%m%d-%H%M%S"
REPLACED = "-replaced"
_NAME = (
    rf"(?P<stamp>\d{{8}}-\d{{6}})Z-(?P<store>[0-9a-f]{{12}})(?P<replaced>{REPLACED})?"
    r"(?:-(?P<number>[1-9]\d{0,8}))?"
)
_PARTIAL = ".partial"
# Files that SQLite may leave beside a database when its process is killed.
_BESIDE = ("", "-journal", "-wal", "-shm")
# A partial file not written to for this long has no process any more.
_ABANDONED = timedelta(days=1)
_PAUSE_S = 0.05


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file, its time, and the store in its name.

    `replaced` marks a copy of the graph before a restore, which is never the latest backup.
    """

    file: Path
    made_at: datetime
    store: str
    replaced: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The backups in a directory, the oldest first, and names that only resemble a backup's."""

    backups: list[Backup]
    strange: list[str]

    def find_own(self, store_id: str | None) -> list[Backup]:
        """Return the backups of the store *store_id*, without the copies made by its restores."""
        wanted = "" if store_id is None else _short(store_id)
        return [one for one in self.backups if one.store == wanted and not one.replaced]


def listing(directory: Path, suffix: str) -> Listing:
    """Return the backups with *suffix* in *directory*, which need not exist."""
    pattern = re.compile(_NAME + re.escape(suffix))
    found: list[tuple[datetime, int, Backup]] = []
    strange: list[str] = []
    for file in sorted(directory.iterdir()) if directory.is_dir() else ():
        if not file.name.endswith(suffix):
            continue
        match = pattern.fullmatch(file.name) if file.is_file() else None
        try:
            made_at = datetime.strptime(f"{match['stamp']}+0000", f"{_STAMP}%z") if match else None
        except ValueError:
            made_at = None
        if match is None or made_at is None:
            strange.append(file.name)
        else:
            number = int(match["number"] or 1)
            backup = Backup(file, made_at, match["store"], match["replaced"] is not None)
            found.append((made_at, number, backup))
    ordered = sorted(found, key=lambda each: (*each[:2], each[2].file.name))
    return Listing([backup for *_, backup in ordered], strange)


@asynccontextmanager
async def turn(directory: Path, waiting: Callable[[], None]) -> AsyncIterator[None]:
    """Wait until no other process writes a backup to *directory*; remove files of killed ones.

    *waiting* is called once if another process is writing.
    """
    # The lock ends with the process, however that ends.
    handle = None if sys.platform == "win32" else os.open(directory, os.O_RDONLY)
    try:
        if (alone := _lock(handle)) is False:
            waiting()
        while alone is False:
            await anyio.sleep(_PAUSE_S)
            alone = _lock(handle)
        _sweep(directory, alone is True)
        yield
    finally:
        if handle is not None:
            os.close(handle)


@contextmanager
def write_backup(
    directory: Path, store_id: str, mark: str, suffix: str, now: datetime
) -> Iterator[tuple[Path, Path]]:
    """Yield a new empty file, and rename it to its final name at the end unless an error occurs.

    The name is reserved for this process, and the file is for its owner only. *mark* is "" or
    REPLACED.
    """
    name = f"{now.astimezone(UTC):{_STAMP}}Z-{_short(store_id)}{mark}"
    partial, file = _begin_file(directory, name, suffix)
    try:
        yield partial, file
        _synchronise(partial, os.O_RDWR)
        partial.replace(file)
        # Not every system can sync a directory.
        with contextlib.suppress(OSError):
            _synchronise(directory, os.O_RDONLY)
    finally:
        for beside in _BESIDE:
            partial.with_name(partial.name + beside).unlink(missing_ok=True)


def _begin_file(directory: Path, name: str, suffix: str) -> tuple[Path, Path]:
    for number in itertools.count(1):
        file = directory / f"{name}{f'-{number}' if number > 1 else ''}{suffix}"
        partial = file.with_name(file.name + _PARTIAL)
        try:
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            continue
        # Only the owner of the partial file creates the final one, so the name stays free until
        # then.
        if not os.path.lexists(file):
            return partial, file
        partial.unlink()
    raise AssertionError("there are always more numbers")


def _sweep(directory: Path, alone: bool) -> None:
    """Remove the unfinished files of killed processes."""
    ours = re.compile(rf"{_NAME}\..*{re.escape(_PARTIAL)}(?:-journal|-wal|-shm)?")
    now = datetime.now(UTC)
    for file in directory.iterdir():
        if ours.fullmatch(file.name) is None:
            continue
        with contextlib.suppress(OSError):
            if alone or now - datetime.fromtimestamp(file.lstat().st_mtime, UTC) > _ABANDONED:
                file.unlink()


def _lock(handle: int | None) -> bool | None:
    """Lock the directory.

    False if another process holds the lock, None if locks are unavailable.
    """
    if sys.platform == "win32" or handle is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Not every file system has locks, or allows one on a directory.
        return None
    return True


def _synchronise(path: Path, mode: int) -> None:
    handle = os.open(path, mode)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _short(store_id: str) -> str:
    return store_id.replace("-", "")[:12]
