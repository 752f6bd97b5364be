"""Store a checksum in every row that cannot be derived from other rows.

SQLite notices a malformed page, but not a text that has become another text.
"""

import sqlite3
import struct
import zlib
from typing import Any


class Unsound(Exception):
    """Damage in a file, described in one line."""


# Exceptions while a file is read; the last two occur when SQLite cannot report the damage, and when
# a vector has a fraction of a number.
FAILURES = (sqlite3.Error, Unsound, UnicodeDecodeError, struct.error)
# The name of the SQL function.
FUNCTION = "checksum_of"
# The columns covered by each table's checksum. A row without a checksum was written by hand in SQL.
CHECKED = {
    "vertex": ("id", "labels", "properties"),
    "edge": ("id", "type", "source", "target", "properties"),
    "change": ("position", "vertices", "edges"),
}
# Formats that join values, by their number: a row has at most five besides its checksum.
_JOINED = tuple("\0".join(["%s"] * count) for count in range(6))


def compute_checksum(*values: object) -> int:
    """Return the checksum of a row with *values*."""
    # Only a vector is neither text nor number, and it comes last.
    if values and values[-1].__class__ is bytes:
        values = (*values[:-1], values[-1].hex())
    return zlib.crc32((_JOINED[len(values)] % values).encode())


def in_edges(kind: str, source: int) -> str:
    """Return the part of an edge's checksum text shared by edges of a type that leave a vertex."""
    return f"\0{kind}\0{source}\0"


def of_edge(edge: int, alike: str, target: int, properties: str) -> int:
    """Return the checksum of an edge's row.

    Faster than `compute_checksum`, for hundreds of thousands of edges.
    """
    return zlib.crc32(f"{edge}{alike}{target}\0{properties}".encode())


def is_wrong(checksum: object, *values: object) -> bool:
    """Return whether the *checksum* of a row does not match its *values*."""
    return checksum is not None and checksum != compute_checksum(*values)


def is_wrong_row(row: tuple[Any, ...]) -> bool:
    """Return whether the checksum of *row*, its last column, does not match."""
    # Like `is_wrong`, without slicing, because a walk checks thousands of rows.
    checksum, joined = row[-1], _JOINED[len(row) - 1]
    return checksum is not None and checksum != zlib.crc32((joined % row[:-1]).encode())


def register(connection: sqlite3.Connection) -> None:
    """Let statements of *connection* compute checksums."""
    connection.create_function(FUNCTION, -1, compute_checksum, deterministic=True)


def triggers() -> list[str]:
    """Return the triggers that clear the checksum of a row changed by hand in SQL."""
    made = []
    for table, columns in CHECKED.items():
        changed = " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in columns)
        made.append(
            f"CREATE TRIGGER {table}_by_hand AFTER UPDATE ON {table}"
            f" WHEN NEW.checksum = OLD.checksum AND ({changed})"
            f" BEGIN UPDATE {table} SET checksum = NULL WHERE rowid = NEW.rowid; END"
        )
    return made
