"""A checksum in every row that nothing else could be made from.

SQLite notices a page that is not formed as it must be, not a text that became another one.
"""

import sqlite3
import struct
import zlib
from typing import Any


class Unsound(Exception):
    """What is wrong with a file, in a line."""


# What the reading of a file raises; the last two where SQLite cannot even say what is wrong, and
# where a vector has no whole number of numbers.
FAILURES = (sqlite3.Error, Unsound, UnicodeDecodeError, struct.error)
# The function of that name in SQL.
FUNCTION = "checksum_of"
# What is checked of each row, besides being there. A row without a checksum was written by hand.
CHECKED = {
    "vertex": ("id", "labels", "properties"),
    "edge": ("id", "type", "source", "target", "properties"),
    "change": ("position", "vertices", "edges"),
}
# By how many values are joined: no row has more than five beside its checksum.
_JOINED = tuple("\0".join(["%s"] * count) for count in range(6))


def of(*values: object) -> int:
    """Return the checksum of a row with *values*."""
    # Only a vector is no text or number, and comes last.
    if values and values[-1].__class__ is bytes:
        values = (*values[:-1], values[-1].hex())
    return zlib.crc32((_JOINED[len(values)] % values).encode())


def in_edges(kind: str, source: int) -> str:
    """Return what is alike, for `of_edge`, in the edges of a type that leave a vertex."""
    return f"\0{kind}\0{source}\0"


def of_edge(edge: int, alike: str, target: int, properties: str) -> int:
    """Return what `of` does of the row of an edge: they are written by the hundred thousand."""
    return zlib.crc32(f"{edge}{alike}{target}\0{properties}".encode())


def is_wrong(checksum: object, *values: object) -> bool:
    """Tell whether a row with *values* is not as it was written."""
    return checksum is not None and checksum != of(*values)


def is_wrong_row(row: tuple[Any, ...]) -> bool:
    """Tell whether *row*, its checksum last, is not as it was written."""
    # As `is_wrong`, but of thousands of rows that a walk reads: nothing is taken apart.
    checksum, joined = row[-1], _JOINED[len(row) - 1]
    return checksum is not None and checksum != zlib.crc32((joined % row[:-1]).encode())


def register(connection: sqlite3.Connection) -> None:
    """Let statements of *connection* compute checksums."""
    connection.create_function(FUNCTION, -1, of, deterministic=True)


def triggers() -> list[str]:
    """Return the statements that make what forgets the checksum of a row changed by hand."""
    made = []
    for table, columns in CHECKED.items():
        changed = " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in columns)
        made.append(
            f"CREATE TRIGGER {table}_by_hand AFTER UPDATE ON {table}"
            f" WHEN NEW.checksum = OLD.checksum AND ({changed})"
            f" BEGIN UPDATE {table} SET checksum = NULL WHERE rowid = NEW.rowid; END"
        )
    return made
