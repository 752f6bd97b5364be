"""Log which elements each of the last writing transactions changed.

Another process uses the log to update its cache, without reading the whole graph again.
"""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, Protocol

from . import checksums
from .values import listed

TABLE = "change"
# The number of transactions that the log covers for other processes; older ones are removed once in
# this many transactions.
KEPT = 1_024
REMOVED_EVERY = 64
# A transaction's number has the epoch above this bit and a counter below it. Replacing the graph
# starts a new epoch.
_EPOCH_BIT = 40


class Execute(Protocol):
    """Executes a statement within the open transaction."""

    def __call__(self, statement: str, parameters: Iterable[Any] = (), /) -> sqlite3.Cursor: ...


def position(execute: Execute) -> int:
    """Return the number of the last writing transaction."""
    row = execute("SELECT position FROM change ORDER BY position DESC LIMIT 1").fetchone()
    return 0 if row is None else int(row[0])


def after(execute: Execute, position: int) -> tuple[set[int], set[int]] | None:
    """Return the ids of vertices and edges changed since *position*, or None.

    The log has no answer after too many changes, or after the graph was replaced.
    """
    rows = execute(
        "SELECT position, vertices, edges, checksum FROM change"
        " WHERE position > ? ORDER BY position",
        [position],
    ).fetchall()
    if not rows or rows[0][0] != position + 1 or rows[-1][0] != position + len(rows):
        return None
    vertices: set[int] = set()
    edges: set[int] = set()
    for number, vertex_ids, edge_ids, checksum in rows:
        if checksums.is_wrong(checksum, number, vertex_ids, edge_ids):
            return None
        try:
            vertices.update(json.loads(vertex_ids))
            edges.update(json.loads(edge_ids))
        except (ValueError, TypeError):
            return None
    return vertices, edges


def record(execute: Execute, position: int, vertices: Iterable[int], edges: Iterable[int]) -> None:
    """Record the changes of the transaction *position*, and remove outdated entries."""
    row = (position, listed(vertices), listed(edges))
    execute(
        "INSERT INTO change (position, vertices, edges, checksum) VALUES (?, ?, ?, ?)",
        (*row, checksums.of(*row)),
    )
    if position % REMOVED_EVERY == 0:
        execute("DELETE FROM change WHERE position <= ?", [position - KEPT])


def begin_epoch(execute: Execute) -> None:
    """Record that the whole graph is replaced."""
    epoch = (position(execute) >> _EPOCH_BIT) + 1
    execute("DELETE FROM main.change")
    execute(
        "INSERT INTO main.change (position, vertices, edges) VALUES (?, '[]', '[]')",
        [epoch << _EPOCH_BIT],
    )
