"""Migrate the file of an earlier version to the current format, step by step."""

import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

from conceptgraph_core.concepts import schema as concepts
from conceptgraph_core.layers import SHARED

from . import checksums
from .indexes import Row
from .opening import copied
from .values import encode

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
        with closing(sqlite3.connect(uri, uri=True)) as store, copied(store, unfinished):
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
                checksum = checksums.of(vertex, labels, properties)
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
