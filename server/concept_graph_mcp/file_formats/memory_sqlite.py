"""Read a SQLite file with the tables `memory_nodes` and `memory_edges`."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ..errors import one_line
from .lines import FormatError, Naming, Record, Row, Tally, shorten_key
from .memories import Memories

MEMORY_SQLITE = "memory-sqlite"
MAGIC = b"SQLite format 3\0"
_NODES, _EDGES = "memory_nodes", "memory_edges"
# In bytes; more than any content has.
_MOST_IN_A_VALUE = 2**24
# The source columns, by our names.
_COLUMNS = {
    "last_accessed": "accessed_at",
    "source_node_id": "from",
    "target_node_id": "to",
    "edge_type": "type",
    "weight": "strength",
}
_OF_NODES = {
    *("id", "content", "summary", "source", "tags", "embedding", "access_count", "created_at"),
    "last_accessed",
}
_OF_EDGES = {
    *("id", "source_node_id", "target_node_id", "weight", "edge_type", "created_at"),
    "last_strengthened",
}


def read(path: Path, naming: Naming, tally: Tally) -> Iterator[Row]:
    """Read the nodes of the file *path*, then its edges, without writing. Raises FormatError."""
    made = Memories(naming, tally)
    try:
        with closing(_open_read_only(path)) as file:
            for table, known, records in (
                (_NODES, _OF_NODES, made.memory),
                (_EDGES, _OF_EDGES, made.link),
            ):
                for number, row in enumerate(_rows(file, table, known, tally), 1):
                    place = f"{table} row"
                    for record in records(f"{place} {number}", row):
                        yield Row(number, record, place)
    except sqlite3.Error as error:
        raise FormatError(f"cannot be read as SQLite: {one_line(error)}") from None


def count(path: Path) -> int | None:
    """Return the number of rows to read, or None if it cannot be counted."""
    try:
        with closing(_open_read_only(path)) as file:
            counts = [
                file.execute(f"SELECT count(*) FROM {table}").fetchone()
                for table in (_NODES, _EDGES)
                if _columns(file, table)
            ]
            return sum(int(one) for (one,) in counts)
    except (sqlite3.Error, FormatError):
        return None


def _open_read_only(path: Path) -> sqlite3.Connection:
    """Open the file *path* read-only and without trust, because it may come from anybody."""
    file = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    file.row_factory = sqlite3.Row
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_IN_A_VALUE)
    file.execute("PRAGMA trusted_schema = OFF")
    return file


def _rows(file: sqlite3.Connection, table: str, known: set[str], tally: Tally) -> Iterator[Record]:
    columns = _columns(file, table)
    if not columns:
        raise FormatError(
            f"is a SQLite file without the table {table}; a store of this program is moved by"
            " export and import"
        )
    for name in columns:
        if name not in known:
            tally.left_out("columns of no meaning here", shorten_key(name))
    # Columns are selected by name, because a computed column might run anything. Rows come in the
    # order of their creation, so that an import is the same every time.
    wanted = [name for name in columns if name in known] or ["rowid"]
    for row in file.execute(f"SELECT {', '.join(wanted)} FROM {table} ORDER BY rowid"):
        yield {_COLUMNS.get(name, name): row[name] for name in wanted if name in known}


def _columns(file: sqlite3.Connection, table: str) -> list[str]:
    """Return the stored columns of *table*. Raises FormatError if it is no plain table."""
    asked = "SELECT type, rootpage FROM sqlite_schema WHERE name = ? COLLATE NOCASE"
    # Without a page of its own it is a view or a virtual table, and reading it may never end.
    if any(kind != "table" or not page for kind, page in file.execute(asked, [table])):
        raise FormatError(f"has {table} as something else than a plain table")
    return [row["name"] for row in file.execute(f"PRAGMA table_info({table})")]
