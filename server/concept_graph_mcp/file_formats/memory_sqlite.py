"""Seed 002's SQLite file: the tables `memory_nodes` and `memory_edges`."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from .lines import FormatError, Naming, Record, Row, shown
from .memories import Memories
from .tally import Tally

MEMORY_SQLITE = "memory-sqlite"
MAGIC = b"SQLite format 3\0"
_NODES, _EDGES = "memory_nodes", "memory_edges"
# Their columns, by our names of them.
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
    """Read the nodes of the file *path*, then its edges; it is not written. Raises FormatError."""
    made = Memories(naming, tally)
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            file.row_factory = sqlite3.Row
            for table, known, records in (
                (_NODES, _OF_NODES, made.memory),
                (_EDGES, _OF_EDGES, made.link),
            ):
                for number, row in enumerate(_rows(file, table, known, tally), 1):
                    place = f"{table} row"
                    for record in records(f"{place} {number}", row):
                        yield Row(number, record, place)
    except sqlite3.Error as error:
        raise FormatError(f"cannot be read as SQLite: {error}") from None


def count(path: Path) -> int | None:
    """Return how many rows there are to read, None where that cannot be told."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            counts = [
                file.execute(f"SELECT count(*) FROM {table}").fetchone()
                for table in (_NODES, _EDGES)
            ]
            return sum(int(one) for (one,) in counts)
    except sqlite3.Error:
        return None


def _rows(file: sqlite3.Connection, table: str, known: set[str], tally: Tally) -> Iterator[Record]:
    columns = [row["name"] for row in file.execute(f"PRAGMA table_info({table})")]
    if not columns:
        raise FormatError(
            f"is a SQLite file without the table {table}; a store of this program is moved by"
            " export and import"
        )
    for name in columns:
        if name not in known:
            tally.left_out("columns of no meaning here", shown(name))
    # The order in which they were made, so that an import is the same every time.
    for row in file.execute(f"SELECT * FROM {table} ORDER BY rowid"):
        yield {_COLUMNS.get(name, name): row[name] for name in columns if name in known}
