"""Describe, read and list backups, and write each whole or not at all."""

import contextlib
import gzip
import itertools
import json
import os
import re
import sys
import uuid
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio

from conceptgraph_core.graph.layers import Layer
from conceptgraph_core.transfer.registry import LAYERS

from ..errors import StoreError, one_line
from ..file_formats import native
from ..file_formats.lines import FormatError, Row

STORE = "store"
# The longest first line, in characters.
_LONGEST_HEAD = 1 << 16


class BadBackup(StoreError):
    """A file that cannot be restored: damaged, or of another kind."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Contents:
    """The size of a graph: its nodes by measure, and its relations of all kinds.

    Unused layers are left out. `newest_accessed_at` is in unix ms, 0 for an empty graph.

    `store` is the id of the backup's store; None if the backup does not name it.
    """

    nodes: Mapping[str, int]
    relations: int
    newest_accessed_at: int
    store: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """The result of a backup.

    `damage` describes a store so damaged that only its file could be copied; then `contents` is
    unknown.
    """

    contents: Contents | None
    damage: str | None = None


def header(version: str, store_id: str) -> dict[str, Any]:
    """Return the first line of a backup that is an export: an export's, with the store."""
    return native.header(version) | {STORE: store_id}


def rows(file: Path, layers: Sequence[Layer] = LAYERS) -> Iterator[Row]:
    """Iterate over the records of a backup that is a compressed export. Raises BadBackup."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            _head(file, stream.readline(_LONGEST_HEAD))
            stream.seek(0)
            yield from native.rows(stream, layers)
    except (EOFError, OSError, ValueError, zlib.error, FormatError) as error:
        reason = one_line(error) or type(error).__name__
        raise BadBackup(file, f"is damaged or of another kind: {reason}") from None


def contents(
    counted: Mapping[str, int],
    relations: int,
    newest: int,
    store: str | None = None,
    layers: Sequence[Layer] = LAYERS,
) -> Contents:
    """Return the contents for these amounts of nodes by measure, in the layers' order."""
    measures = [
        kind.measure
        for layer in layers
        for kind in layer.nodes
        if layer is layers[0] or counted.get(kind.measure)
    ]
    return Contents({name: counted.get(name, 0) for name in measures}, relations, newest, store)


def contents_of(file: Path, layers: Sequence[Layer] = LAYERS) -> Contents:
    """Read *file*, a compressed export, and return its contents. Raises BadBackup."""
    kinds: Counter[str] = Counter()
    newest = 0
    for record in (row.record for row in rows(file, layers)):
        kinds[str(record.get("kind"))] += 1
        accessed_at = record.get("accessed_at")
        if isinstance(accessed_at, int) and accessed_at > newest:
            newest = accessed_at
    nodes = {kind.measure: kinds[kind.kind] for layer in layers for kind in layer.nodes}
    relations = sum(kinds[kind] for kind in {layer.edge_kind for layer in layers})
    return contents(nodes, relations, newest, _store(file), layers)


def known_id(value: object) -> str | None:
    """Return *value* if it is a valid store id."""
    try:
        return str(uuid.UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _store(file: Path) -> str | None:
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        return known_id(_head(file, stream.readline(_LONGEST_HEAD)).get(STORE))


def _head(file: Path, line: str) -> dict[str, Any]:
    head = json.loads(line or "null")
    if not isinstance(head, dict) or head.get("kind") != native.NATIVE:
        raise BadBackup(file, "is not a backup of a concept graph")
    return head


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
