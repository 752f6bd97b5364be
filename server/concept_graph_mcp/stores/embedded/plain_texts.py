"""The plain forms of names, without accents, where they are other than the case-folded ones.

In a table of their own, which stores of version 0.1.0 lack until they are first opened to be
written; there they are made from the names as they are asked for.
"""

import sqlite3
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from conceptgraph_core import folding

if TYPE_CHECKING:
    from .database import Database, Row

_NAME = "plain_text"
TABLE = f"CREATE TABLE IF NOT EXISTS {_NAME} (vertex INTEGER PRIMARY KEY, plain TEXT NOT NULL)"
_MADE = "(SELECT vertex, plain_if_other(name) AS plain FROM searchable)"

Execute = Callable[..., sqlite3.Cursor]


def source(execute: Execute) -> str:
    """Return what to select `vertex` and `plain` from; plain is null or empty if it is no other."""
    return _NAME if are_kept(execute) else _MADE


def are_kept(execute: Execute) -> bool:
    known = execute("SELECT 1 FROM sqlite_schema WHERE name = ?", [_NAME]).fetchone()
    return known is not None


def declare(connection: sqlite3.Connection) -> None:
    """Let statements on *connection* make plain forms."""
    connection.create_function("plain_if_other", 1, folding.plain_if_other, deterministic=True)


def keep(execute: Execute) -> None:
    """Make the table in a store that lacks it, within the caller's transaction."""
    if not are_kept(execute):
        execute(TABLE)
        fill(execute)


def fill(execute: Execute) -> None:
    """Make all its rows anew, within the caller's transaction."""
    execute(f"DELETE FROM main.{_NAME}")
    execute(
        f"INSERT INTO main.{_NAME} (vertex, plain)"
        " SELECT vertex, plain_if_other(name) AS plain FROM main.searchable WHERE plain <> ''"
    )


def replace(database: "Database", gone: "Sequence[Row]", names: Sequence[tuple[int, str]]) -> None:
    """Store the forms of *names*, by vertex, and those of the vertices *gone* no more."""
    if not gone and not names:
        return
    keep(database.execute)
    forms = ((vertex, folding.plain_if_other(name)) for vertex, name in names)
    database.write(f"DELETE FROM {_NAME} WHERE vertex = ?", gone)
    database.write(
        f"INSERT OR REPLACE INTO {_NAME} VALUES (?, ?)", [row for row in forms if row[1]]
    )
