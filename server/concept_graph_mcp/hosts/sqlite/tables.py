"""Define the tables of a store file, create them, and recognise other files."""

import math
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import Misdeployed
from . import checksums, derivation, identity, migrations
from .indexes import Catalogue
from .opening import (
    APPLICATION_ID,
    Access,
    Opening,
    access,
    code,
    no_store,
    private_copy,
    when_free,
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


def opened(path: Path, opening: Opening, catalogue: Catalogue) -> Access:
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
        identified = identity.of(store, path)
        noted = identity.noted(connection)
    except sqlite3.DatabaseError as error:
        # A damaged file is copied without an identity, because much of it may still be readable.
        if code(error) != sqlite3.SQLITE_CORRUPT:
            raise
        return
    if identified != noted:
        with _writing(connection):
            identity.note(connection, identified)


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
            identity.note(connection, identity.new(path))


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
            migrations.keep_as_it_was(found.uri, path, version)
        for step in range(version, FORMAT):
            migrations.STEPS[step](connection)
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
