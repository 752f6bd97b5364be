"""Identify a store by an id that stays with the file wherever it is moved.

A file records its id and the path where it got the id. A file that was moved or restored by hand
keeps its id. A copy has the id too; if the original is still at its path, the copy is a store of
its own, whose id is derived from the original's and the copy's path.
"""

import os
import sqlite3
import uuid
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ...errors import StoreError
from .checksums import Unsound
from .opening import APPLICATION_ID, Opening, access

_TABLE = "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
_ID, _HOME = "id", "home"
# Offset of the application id in SQLite's header, which identifies a file before it is opened.
_APPLICATION_ID_AT = 68


@dataclass(frozen=True, slots=True)
class Identity:
    """The id of a store, and the path where it got the id."""

    id: str
    home: str


def new(path: Path) -> Identity:
    return Identity(str(uuid.uuid4()), _home(path))


def noted(connection: sqlite3.Connection) -> Identity | None:
    """Return the identity recorded in the file, or None for one of version 0.1.0."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
        return None
    values = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    try:
        return Identity(str(uuid.UUID(values[_ID])), os.fsdecode(values[_HOME]))
    except (KeyError, ValueError, AttributeError, TypeError):
        return None


def note(connection: sqlite3.Connection, identity: Identity) -> None:
    """Write *identity* into the file, in the caller's transaction if there is one."""
    connection.execute(_TABLE)
    connection.executemany(
        "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
        # Bytes, because not every path is valid text.
        [(_ID, identity.id), (_HOME, os.fsencode(identity.home))],
    )


def of(connection: sqlite3.Connection, path: Path) -> Identity:
    """Return the identity of the file at *path*, whether or not it is recorded yet."""
    said, here = noted(connection), _home(path)
    if said is None:
        # Deterministic until it is recorded, so that earlier backups belong to the store too.
        return Identity(_derived(uuid.NAMESPACE_URL, f"{here} {path.stat().st_ino}"), here)
    if said.home != here and _lives(said, path):
        return Identity(_derived(uuid.UUID(said.id), here), here)
    return Identity(said.id, here)


def _lives(said: Identity, path: Path) -> bool:
    """Return whether another file than *path* is at the recorded path and is that store."""
    home = Path(said.home)
    try:
        if not home.is_file() or home.samefile(path) or not _may_be_ours(home):
            return False
        with closing(access(home, Opening.EXISTING)) as opened:
            there = noted(opened.connection)
    except (OSError, ValueError, sqlite3.Error, Unsound, StoreError):
        return False
    return there is not None and there.id == said.id


def _may_be_ours(file: Path) -> bool:
    """Return whether *file* is safe to open, because any file may have recorded its path."""
    with file.open("rb") as stream:
        mark = stream.read(_APPLICATION_ID_AT + 4)[_APPLICATION_ID_AT:]
    # An empty file is valid: its first data may be in the log only.
    return mark in (APPLICATION_ID.to_bytes(4, "big"), bytes(4))


def _derived(namespace: uuid.UUID, text: str) -> str:
    return str(uuid.uuid5(namespace, ascii(text)))


def _home(path: Path) -> str:
    return str(path.resolve())
