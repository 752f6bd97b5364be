"""Define the tables of a store file: create them, migrate earlier ones, and recognise other files.

A file records an id and the path where it got the id. A file that was moved or restored by hand
keeps its id. A copy has the id too; if the original is still at its path, the copy is a store of
its own, whose id is derived from the original's and the copy's path.
"""

import json
import logging
import math
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from conceptgraph_core.concepts import schema as concepts
from conceptgraph_core.layers import SHARED

from ...errors import Misdeployed, StoreError
from . import checksums, derivation
from .checksums import Unsound
from .indexes import Catalogue, Row
from .opening import (
    APPLICATION_ID,
    Access,
    Opening,
    access,
    code,
    copy_store,
    no_store,
    private_copy,
    when_free,
)
from .values import encode

_TABLE = "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
_ID, _HOME = "id", "home"
# Offset of the application id in SQLite's header, which identifies a file before it is opened.
_APPLICATION_ID_AT = 68


@dataclass(frozen=True, slots=True)
class Identity:
    """The id of a store, and the path where it got the id."""

    id: str
    home: str


def make_identity(path: Path) -> Identity:
    return Identity(str(uuid.uuid4()), _resolve(path))


def read_identity(connection: sqlite3.Connection) -> Identity | None:
    """Return the identity recorded in the file, or None for one of version 0.1.0."""
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


_SHARED_ALL = "SELECT id, labels, properties FROM main.vertex WHERE id > ? ORDER BY id LIMIT ?"
_BATCH = 1_000
logger = logging.getLogger(__name__)


def keep_as_it_was(uri: str, path: Path, version: int) -> None:
    """Copy the store beside itself, once, before its format changes from *version*.

    The caller holds the store's write lock. So no other process copies or migrates it now, and an
    unfinished copy is left from a killed one. SQLite cannot copy through the connection that holds
    the lock, hence the *uri*.
    """
    kept = path.with_name(f"{path.name}.format-{version}")
    if kept.exists() or not os.access(path.parent, os.W_OK):
        return
    unfinished = path.with_name(f".{kept.name}.partial")
    _remove(unfinished)
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with closing(sqlite3.connect(uri, uri=True)) as store, copy_store(store, unfinished):
            pass
        unfinished.replace(kept)
    finally:
        _remove(unfinished)
    logger.info("store %s: gets a new format; as it was it is kept in %s", path, kept)


def _remove(file: Path) -> None:
    # SQLite would apply a leftover journal to the next file of that name.
    for beside in ("", "-journal", "-wal", "-shm"):
        file.with_name(file.name + beside).unlink(missing_ok=True)


def _to_2(connection: sqlite3.Connection) -> None:
    """Add checksums, and drop the two tables of names that version 0.1.0 had instead of indexes."""
    for table in ("search_text", "searchable", "unique_value"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    for table, columns in checksums.CHECKED.items():
        connection.execute(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER")
        connection.execute(
            f"UPDATE {table} SET checksum = {checksums.FUNCTION}({', '.join(columns)})"
        )
    for statement in checksums.triggers():
        connection.execute(statement)


def _to_3(connection: sqlite3.Connection) -> None:
    """In format 2 no two users had a concept or an episode of one name."""
    share_all(connection.execute, connection.executemany)
    for label in concepts.LABELS:
        # It is made anew, for names that several may have.
        connection.execute(f'DROP TABLE IF EXISTS "index {label}(name)"')


def share_all(
    execute: Callable[..., sqlite3.Cursor], write: Callable[[str, Iterable[Row]], object]
) -> None:
    """Say of all concepts and episodes that all users share them, as up to format 2."""
    last_id = 0
    while rows := execute(_SHARED_ALL, (last_id, _BATCH)).fetchall():
        last_id = rows[-1][0]
        scoped = []
        for vertex, labels, text in rows:
            if not set(concepts.LABELS).isdisjoint(json.loads(labels)):
                properties = encode({**json.loads(text), concepts.SCOPE: SHARED})
                checksum = checksums.compute_checksum(vertex, labels, properties)
                scoped.append((properties, checksum, vertex))
        write("UPDATE main.vertex SET properties = ?, checksum = ? WHERE id = ?", scoped)


def _to_4(connection: sqlite3.Connection) -> None:
    """Have indexes made anew that a writer of format 3 does not keep up to date."""
    for columns in ("user_id, said_at", "user_id, state, own, id"):
        connection.execute(f'DROP TABLE IF EXISTS "index Memory({columns})"')


# The step from each format to the next, within the caller's transaction.
STEPS: Mapping[int, Callable[[sqlite3.Connection], None]] = MappingProxyType(
    {1: _to_2, 2: _to_3, 3: _to_4}
)


FORMAT = 4

_SCHEMA = (
    "CREATE TABLE vertex ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, labels TEXT NOT NULL, properties TEXT NOT NULL,"
    " checksum INTEGER)",
    "CREATE TABLE edge ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL,"
    " source INTEGER NOT NULL, target INTEGER NOT NULL, properties TEXT NOT NULL,"
    " checksum INTEGER)",
    "CREATE INDEX edge_source ON edge (source)",
    # One row per writing transaction: the elements that it changed, as JSON arrays of ids.
    "CREATE TABLE change ("
    " position INTEGER PRIMARY KEY AUTOINCREMENT, vertices TEXT NOT NULL, edges TEXT NOT NULL,"
    " checksum INTEGER)",
    *checksums.triggers(),
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {FORMAT}",
)


def open_tables(path: Path, opening: Opening, catalogue: Catalogue) -> Access:
    """Open the store *path* and create its missing parts. Raises as `Database` does."""
    found = access(path, opening)
    try:
        _prepare(found, path, opening, catalogue)
        if _is_up_to_date(found.connection, catalogue):
            return found
        if found.writable:
            _bring_up_to_date(found, path, catalogue)
            return found
        # A store that cannot be written is read from a writable copy.
        found.close()
        found = private_copy(path)
        _prepare(found, path, Opening.EXISTING, catalogue)
        _bring_up_to_date(found, path, catalogue)
        found.connection.execute("PRAGMA query_only = ON")
    except BaseException:
        found.close()
        raise
    return found


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
    checksums.register(connection)
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
            derivation.make(connection, catalogue)
            write_identity(connection, make_identity(path))


def _is_up_to_date(connection: sqlite3.Connection, catalogue: Catalogue) -> bool:
    if not _pragma(connection, "schema_version"):
        return True
    return _pragma(connection, "user_version") == FORMAT and derivation.is_made(
        connection, catalogue
    )


def _bring_up_to_date(found: Access, path: Path, catalogue: Catalogue) -> None:
    """Migrate to this version's format step by step, and create the declared indexes."""
    connection = found.connection
    with _writing(connection):
        # Another process may have done it meanwhile.
        version = _pragma(connection, "user_version")
        if version < FORMAT and found.writable:
            keep_as_it_was(found.uri, path, version)
        for step in range(version, FORMAT):
            STEPS[step](connection)
        derivation.make(connection, catalogue)
        connection.execute(f"PRAGMA user_version = {FORMAT}")


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
    """Raise Misdeployed if a newer version has migrated the store."""
    found = _pragma(connection, "user_version")
    if found > FORMAT:
        raise Misdeployed(
            f"store {path}: has format {found}, this version reads up to {FORMAT};"
            " install a newer concept-graph-mcp"
        )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
