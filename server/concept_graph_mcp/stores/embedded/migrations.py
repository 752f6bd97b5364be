"""Bringing the file of an earlier version to the format of this one, step by step."""

import logging
import os
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from . import checksums
from .copying import copied

logger = logging.getLogger(__name__)


def keep_as_it_was(connection: sqlite3.Connection, path: Path) -> None:
    """Copy the store beside itself, before its format changes; once, whoever else does too."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    kept = path.with_name(f"{path.name}.format-{version}")
    if kept.exists() or not os.access(path.parent, os.W_OK):
        return
    # Private, and of a name that nobody else has: others may be doing the same.
    handle, name = tempfile.mkstemp(".partial", f".{kept.name}.", path.parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        with copied(connection, unfinished):
            pass
        unfinished.replace(kept)
    finally:
        unfinished.unlink(missing_ok=True)
    logger.info("store %s: gets a new format; as it was it is kept in %s", path, kept)


def _to_2(connection: sqlite3.Connection) -> None:
    """Version 0.1.0 had no checksums, and two tables of its own for names instead of indexes."""
    for table in ("search_text", "searchable", "unique_value"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    for table, columns in checksums.CHECKED.items():
        connection.execute(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER")
        connection.execute(
            f"UPDATE {table} SET checksum = {checksums.FUNCTION}({', '.join(columns)})"
        )
    for statement in checksums.triggers():
        connection.execute(statement)


# The step that leads on from each format, within the transaction of the caller.
STEPS: Mapping[int, Callable[[sqlite3.Connection], None]] = MappingProxyType({1: _to_2})
