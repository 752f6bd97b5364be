"""Open a store file in the best possible way: create it, write to it, or only read it.

SQLite must create files beside a store even to read it. On a read-only file system it cannot, so
the store is read without locks.

SQLite does not notice that a store's files were removed or replaced while it is open: it goes on
with deleted files, and their data are lost when the process ends. `Presence` notices.
"""

import enum
import os
import random
import re
import shutil
import sqlite3
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...errors import NoStore, Unavailable

# "CGrM": tells a concept graph from any other SQLite file.
APPLICATION_ID = 0x4347724D
BUSY_TIMEOUT_S = 30.0
# Ten times the size of any stored value in bytes, so that no file can fill the memory.
_MOST_IN_A_VALUE = 2**28
_PAUSE_S = (0.0005, 0.004)
# Files that SQLite keeps beside a store: the newest changes, and the processes' shared memory.
_LOG, _SHARED = "-wal", "-shm"
_SPARE = "-spare"
# The log is seldom this much larger than what the store lacks of it. Less room than the least is
# no help.
_MOST_SPARE, _LEAST_SPARE = 2**20, 2**16
# An empty name opens a database for this connection alone, in memory until it is large.
_STAND_IN = ""


class Unsound(Exception):
    """Damage in a file, described in one line."""


# Exceptions while a file is read; the last two occur when SQLite cannot report the damage, and when
# a vector has a fraction of a number.
FAILURES = (sqlite3.Error, Unsound, UnicodeDecodeError, struct.error)


class Opening(enum.Enum):
    """The treatment of a store that does not exist."""

    CREATE = "it is made"
    EXISTING = "it is an error"
    STAND_IN = "an empty graph stands in for it, for this connection alone"


@dataclass(slots=True)
class Access:
    """A connection to a store file.

    `uri` is a name by which the same file can be attached. `seen` is the file's state at its
    opening, if SQLite does not watch the file; when the state changes, the file must be opened
    again.
    """

    connection: sqlite3.Connection
    uri: str
    writable: bool
    path: Path | None = None
    seen: tuple[int, ...] | None = None

    @property
    def is_outdated(self) -> bool:
        return self.path is not None and self.seen is not None and self.seen != _looks(self.path)

    def close(self) -> None:
        self.connection.close()


def is_there(path: Path) -> bool:
    """Return whether a store exists at *path*; an empty file counts as not yet begun."""
    try:
        return path.stat().st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _cannot_be_opened(path, error) from error


def no_store(path: Path) -> NoStore:
    """Return the error for a store that does not exist and must not be created."""
    if path.is_file():
        return NoStore(
            f"store {path}: has lost all it had, or never had anything: it has 0 bytes;"
            " restore a backup; without one, the next write begins it anew"
        )
    return NoStore(f"store {path}: there is no such store yet; the first write creates it")


def check_creatable(path: Path) -> None:
    """Raise Unavailable if no store can be created at *path*; create nothing."""
    existing = next(parent for parent in (path, *path.parents, Path()) if parent.exists())
    if existing != path and not existing.is_dir():
        raise Unavailable(f"store {path}: cannot be opened: {existing} is not a directory")
    if not _may(existing, os.W_OK):
        raise Unavailable(f"store {path}: cannot be opened: {existing} cannot be written")


def access(path: Path, opening: Opening) -> Access:
    """Connect to the store file *path*.

    Raises NoStore, Unavailable, Unsound for a file that is no store, or SQLite's own errors.
    """
    if opening is Opening.STAND_IN:
        return Access(_connection(_STAND_IN), _STAND_IN, writable=True)
    if path.is_dir():
        raise Unavailable(f"store {path}: cannot be opened: is a directory; name a file in it")
    try:
        if opening is Opening.CREATE:
            path.parent.mkdir(parents=True, exist_ok=True)
            _create_private(path)
        elif not is_there(path):
            raise no_store(path)
        return _existing(path)
    except OSError as error:
        raise _cannot_be_opened(path, error) from error


def code(error: sqlite3.Error) -> int:
    """Return SQLite's error code; errors of Python's own layer have none.

    Extended codes (such as a stale snapshot's) carry the plain one in their lowest byte.
    """
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another process holds the lock."""
    return code(error) == sqlite3.SQLITE_BUSY


def when_free(attempt: Callable[[], object], meanwhile: Callable[[], None] = lambda: None) -> None:
    """Run *attempt* once no other process is in its way, and *meanwhile* between two tries.

    Raises SQLite's error, also if another process is in the way for half a minute.
    """
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            attempt()
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
        meanwhile()
        time.sleep(random.uniform(*_PAUSE_S))


def _existing(path: Path) -> Access:
    try:
        return Access(*_touch(f"{_uri(path)}?mode=rw"), writable=_may(path, os.W_OK))
    except sqlite3.OperationalError as error:
        # A file that may not be written, in a folder that may not either, has an error of its own.
        cannot_open = code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not (cannot_open and path.is_file() and _may(path, os.R_OK)):
            raise
    log = _log(path)
    if log.exists() and log.stat().st_size:
        raise Unavailable(
            f"store {path}: cannot be read: its newest changes are in {log.name}, which"
            " takes a folder that can be written; copy both files to one"
        )
    return Access(*_touch(f"{_uri(path)}?immutable=1"), False, path, _looks(path))


def _touch(uri: str) -> tuple[sqlite3.Connection, str]:
    """Return a connection that has read from its file, because SQLite opens the file only then."""
    connection = _connection(uri)
    try:
        connection.execute("PRAGMA schema_version")
        # The caller reports a database of another kind, whatever error it has.
        if connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,):
            check_schema(connection)
    except BaseException:
        connection.close()
        raise
    return connection, uri


def _connection(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_IN_A_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _create_private(path: Path) -> None:
    """Create the file for its owner only, unless it exists; SQLite would use the umask.

    The files that SQLite puts beside it get the same mode.
    """
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        keep_spare(path)


def _uri(path: Path) -> str:
    return path.absolute().as_uri()


def _log(path: Path) -> Path:
    return path.with_name(path.name + _LOG)


def _looks(path: Path) -> tuple[int, ...]:
    """Return values that change when the file, or the log beside it, is written or replaced."""
    looks: list[int] = []
    for file in (path, _log(path)):
        if file.exists():
            state = file.stat()
            looks += [state.st_ino, state.st_size, state.st_mtime_ns]
    return tuple(looks)


def _cannot_be_opened(path: Path, error: OSError) -> Unavailable:
    return Unavailable(f"store {path}: cannot be opened: {error.strerror or error}")


def keep_spare(path: Path) -> bool:
    """Make the store's spare file, unless it is there, and return whether it is there.

    It keeps room on the disk: once that is full, nothing can be removed from the store without room
    for the log. At most half of the room is taken, so that the log, which has the other half, can
    be written into the store in its place.
    """
    spare = spare_of(path)
    if spare.exists():
        return True
    try:
        size = min(_MOST_SPARE, shutil.disk_usage(path.parent).free // 2)
        if size < _LEAST_SPARE:
            return False
        with open(os.open(spare, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:  # noqa: PTH123
            # No file system can compress this.
            file.write(os.urandom(size))
    except FileExistsError:
        return True
    except OSError:
        give_up_spare(path)
        return False
    return True


def give_up_spare(path: Path) -> bool:
    """Remove the spare file of a store, and return whether there was one."""
    try:
        spare_of(path).unlink()
    except OSError:
        return False
    return True


def spare_of(path: Path) -> Path:
    """Return the path of a store's spare file."""
    return path.with_name(path.name + _SPARE)


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


@contextmanager
def copy_store(source: sqlite3.Connection, file: Path) -> Iterator[sqlite3.Connection]:
    """Copy *source* into *file*, replacing its content; yield the open copy."""
    with closing(sqlite3.connect(file, isolation_level=None)) as copy:
        source.backup(copy)
        # Without a write-ahead log the copy is a single file.
        copy.execute("PRAGMA journal_mode = DELETE")
        yield copy


# A file may come from anybody, and SQLite executes parts of its schema: a trigger at a write, a
# view, a computed column or an expression at a read. So a file is read only if it has nothing but
# plain tables, plain indexes, our own triggers and our own text search.
_NAME = r"""(?:\w+|"[^"]+"|'[^']+')"""
_COLUMNS = rf"\( ?{_NAME}(?: DESC)?(?:, {_NAME}(?: DESC)?)*\)"
_COLUMN = (
    rf"{_NAME}(?: (?:INTEGER|TEXT|REAL|BLOB))?(?: PRIMARY KEY)?(?: AUTOINCREMENT)?(?: NOT NULL)?"
)
_PART = rf"(?:PRIMARY KEY ?{_COLUMNS}|{_COLUMN})"
_OWN_FORMS = {
    "table": re.compile(
        rf"CREATE TABLE {_NAME} ?\( ?{_PART}(?:, ?{_PART})*\)(?: WITHOUT ROWID)?"
        rf"|CREATE VIRTUAL TABLE {_NAME} USING fts5\( \w+, content='[^']+', content_rowid='vertex',"
        " tokenize='trigram case_sensitive 1'\\)"
    ),
    "index": re.compile(rf"CREATE INDEX {_NAME} ON {_NAME} {_COLUMNS}(?: WHERE plain <> '')?"),
    # Stores of 0.3.0 have these: they clear the checksum of a row that is written.
    "trigger": re.compile(
        r"CREATE TRIGGER (\w+)_by_hand AFTER UPDATE ON \1 WHEN NEW\.checksum = OLD\.checksum AND"
        r" \((?:(?: OR )?NEW\.(\w+) IS NOT OLD\.\2)+\)"
        r" BEGIN UPDATE \1 SET checksum = NULL WHERE rowid = NEW\.rowid; END"
    ),
}
# Tables that SQLite creates itself: for a key, and for ANALYZE.
_ITS_OWN = re.compile(r"sqlite_(?:autoindex_.+|sequence|stat[1-4])")


def check_schema(connection: sqlite3.Connection) -> None:
    """Raise Unsound if the file has anything but what this program creates."""
    for kind, name, statement in connection.execute("SELECT type, name, sql FROM sqlite_schema"):
        if kind in ("table", "index") and _ITS_OWN.fullmatch(str(name)):
            continue
        if kind not in _OWN_FORMS or not _OWN_FORMS[kind].fullmatch(str(statement)):
            raise Unsound(f"has a {kind} that no store has: {name!r}")
