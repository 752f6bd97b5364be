"""Define the tables of a store file: create them, migrate earlier ones, and recognise other files.

A file records an id and the path where it got the id. A file that was moved or restored by hand
keeps its id. A copy has the id too; if the original is still at its path, the copy is a store of
its own, whose id is derived from the original's and the copy's path.
"""

import math
import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...errors import Misdeployed, StoreError, Unavailable
from . import indexes
from .indexes import Catalogue
from .opening import (
    APPLICATION_ID,
    Access,
    Opening,
    Unsound,
    access,
    code,
    no_store,
    when_free,
)

_TABLE = "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
_ID, _HOME = "id", "home"
# Offset of the application id in SQLite's header, which identifies a file before it is opened.
_APPLICATION_ID_AT = 68


@dataclass(frozen=True, slots=True)
class Identity:
    """The id of a store, and the path where it got the id."""

    id: str
    home: str


def read_identity(connection: sqlite3.Connection) -> Identity | None:
    """Return the identity recorded in the file; None if it has none."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
        return None
    values = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    try:
        return Identity(str(uuid.UUID(values[_ID])), os.fsdecode(values[_HOME]))
    except (KeyError, ValueError, AttributeError, TypeError):
        return None


def write_identity(connection: sqlite3.Connection, identity: Identity) -> None:
    """Write *identity* into the file, in the caller's transaction if there is one."""
    connection.execute(_TABLE)
    connection.executemany(
        "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
        # Bytes, because not every path is valid text.
        [(_ID, identity.id), (_HOME, os.fsencode(identity.home))],
    )


def identify(connection: sqlite3.Connection, path: Path) -> Identity:
    """Return the identity of the file at *path*, whether or not it is recorded yet."""
    said, here = read_identity(connection), _resolve(path)
    if said is None:
        # Deterministic until it is recorded, so that earlier backups belong to the store too.
        return Identity(_derive_id(uuid.NAMESPACE_URL, f"{here} {path.stat().st_ino}"), here)
    if said.home != here and _is_at_home(said, path):
        return Identity(_derive_id(uuid.UUID(said.id), here), here)
    return Identity(said.id, here)


def _is_at_home(said: Identity, path: Path) -> bool:
    """Return whether another file than *path* is at the recorded path and is that store."""
    home = Path(said.home)
    try:
        if not home.is_file() or home.samefile(path) or not _may_be_ours(home):
            return False
        with closing(access(home, Opening.EXISTING)) as opened:
            there = read_identity(opened.connection)
    except (OSError, ValueError, sqlite3.Error, Unsound, StoreError):
        return False
    return there is not None and there.id == said.id


def _may_be_ours(file: Path) -> bool:
    """Return whether *file* is safe to open, because any file may have recorded its path."""
    with file.open("rb") as stream:
        mark = stream.read(_APPLICATION_ID_AT + 4)[_APPLICATION_ID_AT:]
    # An empty file is valid: its first data may be in the log only.
    return mark in (APPLICATION_ID.to_bytes(4, "big"), bytes(4))


def _derive_id(namespace: uuid.UUID, text: str) -> str:
    return str(uuid.uuid5(namespace, ascii(text)))


def _resolve(path: Path) -> str:
    return str(path.resolve())


FORMAT = 5
# That of 0.3.0, which is read and written as it is: its rows have checksums, which nobody reads.
OLDEST = 4

_SCHEMA = (
    "CREATE TABLE vertex ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, labels TEXT NOT NULL, properties TEXT NOT NULL)",
    "CREATE TABLE edge ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL,"
    " source INTEGER NOT NULL, target INTEGER NOT NULL, properties TEXT NOT NULL)",
    "CREATE INDEX edge_source ON edge (source)",
    # One row per writing transaction: the elements that it changed, as JSON arrays of ids.
    "CREATE TABLE change ("
    " position INTEGER PRIMARY KEY AUTOINCREMENT, vertices TEXT NOT NULL, edges TEXT NOT NULL)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {FORMAT}",
)


def open_tables(path: Path, opening: Opening, catalogue: Catalogue) -> Access:
    """Open the store *path* and create its missing parts. Raises as `Database` does."""
    found = access(path, opening)
    try:
        _prepare(found, path, opening, catalogue)
        is_new = not _pragma(found.connection, "schema_version")
        if is_new or indexes.is_made(found.connection, catalogue):
            return found
        if not found.writable:
            raise Unavailable(
                f"store {path}: cannot be read: was last written by another version, and its"
                " indexes cannot be made here; open it once where it can be written"
            )
        with _writing(found.connection):
            # Another process may have done it meanwhile.
            indexes.make(found.connection, catalogue)
        return found
    except BaseException:
        found.close()
        raise


def note_identity(connection: sqlite3.Connection, store: sqlite3.Connection, path: Path) -> None:
    """Write the store's identity into a database: the *store* itself or a copy of it."""
    try:
        identified = identify(store, path)
        noted = read_identity(connection)
    except sqlite3.DatabaseError as error:
        # A damaged file is copied without an identity, because much of it may still be readable.
        if code(error) != sqlite3.SQLITE_CORRUPT:
            raise
        return
    if identified != noted:
        with _writing(connection):
            write_identity(connection, identified)


def _prepare(found: Access, path: Path, opening: Opening, catalogue: Catalogue) -> None:
    connection = found.connection
    # A file without any of the three is new, or being created by another process.
    if any(
        _pragma(connection, name) for name in ("schema_version", "application_id", "user_version")
    ):
        _check_kind(connection, path)
    elif opening is Opening.EXISTING or not found.writable:
        raise no_store(path)
    if found.writable:
        _log_ahead(found)
    connection.execute("PRAGMA synchronous = FULL")
    # Purged data are overwritten, whatever the default of the SQLite build.
    connection.execute("PRAGMA secure_delete = ON")
    # On macOS a plain sync lets the disk delay the write; elsewhere these change nothing.
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute("PRAGMA checkpoint_fullfsync = ON")
    try:
        connection.execute("SELECT ln(1.0)")
    except sqlite3.OperationalError:
        # Some builds of SQLite lack this setting.
        connection.create_function("ln", 1, math.log, deterministic=True)
    connection.execute("PRAGMA cache_size = -65536")
    if found.writable and opening is not Opening.EXISTING:
        _make(connection, path, catalogue)
        _check_kind(connection, path)
        if opening is Opening.CREATE:
            note_identity(connection, connection, path)


def _log_ahead(found: Access) -> None:
    try:
        # If several processes open a new file, or a backup, at once, SQLite lets some fail
        # immediately.
        when_free(lambda: found.connection.execute("PRAGMA journal_mode = WAL"))
    except sqlite3.OperationalError as error:
        # A writable file in a folder that is not can still be read.
        if code(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise
        found.writable = False


def _make(connection: sqlite3.Connection, path: Path, catalogue: Catalogue) -> None:
    if _pragma(connection, "schema_version"):
        return
    with _writing(connection):
        # Checked again, because another process may have created it meanwhile.
        if not _pragma(connection, "schema_version"):
            for statement in _SCHEMA:
                connection.execute(statement)
            indexes.make(connection, catalogue)
            write_identity(connection, Identity(str(uuid.uuid4()), _resolve(path)))


@contextmanager
def _writing(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise Misdeployed(f"store {path}: is a database of another kind; name another file")
    if _pragma(connection, "user_version") < 1:
        raise Misdeployed(f"store {path}: is damaged: has no format; restore a backup")
    check_format(connection, path)


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise Misdeployed if the store is of a newer version, or of one before 0.3.0."""
    found = _pragma(connection, "user_version")
    if found < OLDEST:
        raise Misdeployed(f"store {path}: is of a version before 0.3.0; open it with 0.3.0 first")
    if found > FORMAT:
        raise Misdeployed(
            f"store {path}: has format {found}, this version reads up to {FORMAT};"
            " install a newer concept-graph-mcp"
        )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
