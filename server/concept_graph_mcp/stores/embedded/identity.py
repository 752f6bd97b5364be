"""Which store a file is: an id that goes with the file wherever it is moved.

A file notes its id and the path at which it was given it. A file that was moved or put back by hand
keeps its id. A copy has it too; if the file that it was made from is still where it was, the copy
is a store of its own, whose id follows from the other one and from where the copy is.
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
# Where SQLite's header has the application id, by which a file is told before it is opened.
_APPLICATION_ID_AT = 68


@dataclass(frozen=True, slots=True)
class Identity:
    """The id of a store, and the path that it has it for."""

    id: str
    home: str


def new(path: Path) -> Identity:
    return Identity(str(uuid.uuid4()), _home(path))


def noted(connection: sqlite3.Connection) -> Identity | None:
    """Return what the file says, or None for one of version 0.1.0, which did not."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
        return None
    values = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    try:
        return Identity(str(uuid.UUID(values[_ID])), os.fsdecode(values[_HOME]))
    except (KeyError, ValueError, AttributeError, TypeError):
        return None


def note(connection: sqlite3.Connection, identity: Identity) -> None:
    """Write *identity* into the file; the caller has begun a transaction, or wants none."""
    connection.execute(_TABLE)
    connection.executemany(
        "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
        # As bytes, because not every path is text.
        [(_ID, identity.id), (_HOME, os.fsencode(identity.home))],
    )


def of(connection: sqlite3.Connection, path: Path) -> Identity:
    """Return which store the file at *path* is, whether or not it says so yet."""
    said, here = noted(connection), _home(path)
    if said is None:
        # The same until it is noted, so that what was backed up before that belongs to it too.
        return Identity(_derived(uuid.NAMESPACE_URL, f"{here} {path.stat().st_ino}"), here)
    if said.home != here and _lives(said, path):
        return Identity(_derived(uuid.UUID(said.id), here), here)
    return Identity(said.id, here)


def _lives(said: Identity, path: Path) -> bool:
    """Tell whether another file than *path* is where *said* was noted, and is that store."""
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
    """Tell whether *file* is worth opening: that another file names it is no reason to."""
    with file.open("rb") as stream:
        mark = stream.read(_APPLICATION_ID_AT + 4)[_APPLICATION_ID_AT:]
    # Nothing there yet while it is in the log only.
    return mark in (APPLICATION_ID.to_bytes(4, "big"), bytes(4))


def _derived(namespace: uuid.UUID, text: str) -> str:
    return str(uuid.uuid5(namespace, ascii(text)))


def _home(path: Path) -> str:
    return str(path.resolve())
