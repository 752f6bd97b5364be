"""Check that a store file has only tables, indexes and triggers that this program creates.

A file may come from anybody, and SQLite executes parts of its schema: a trigger at a write, a view,
a computed column or an expression at a read. So a file is read only if it has nothing but plain
tables, plain indexes, our own triggers and our own text search.
"""

import re
import sqlite3

from . import checksums

_NAME = r"""(?:\w+|"[^"]+"|'[^']+')"""
_COLUMNS = rf"\( ?{_NAME}(?: DESC)?(?:, {_NAME}(?: DESC)?)*\)"
_COLUMN = (
    rf"{_NAME}(?: (?:INTEGER|TEXT|REAL|BLOB))?(?: PRIMARY KEY)?(?: AUTOINCREMENT)?(?: NOT NULL)?"
)
_PART = rf"(?:PRIMARY KEY ?{_COLUMNS}|{_COLUMN})"
_PLAIN = {
    "table": re.compile(
        rf"CREATE TABLE {_NAME} ?\( ?{_PART}(?:, ?{_PART})*\)(?: WITHOUT ROWID)?"
        rf"|CREATE VIRTUAL TABLE {_NAME} USING fts5\( \w+, content='[^']+', content_rowid='vertex',"
        " tokenize='trigram case_sensitive 1'\\)"
    ),
    "index": re.compile(rf"CREATE INDEX {_NAME} ON {_NAME} {_COLUMNS}(?: WHERE plain <> '')?"),
    "trigger": re.compile("|".join(map(re.escape, checksums.triggers()))),
}
# Tables that SQLite creates itself: for a key, and for ANALYZE.
_ITS_OWN = re.compile(r"sqlite_(?:autoindex_.+|sequence|stat[1-4])")


def check(connection: sqlite3.Connection) -> None:
    """Raise Unsound if the database has anything of another form."""
    for kind, name, statement in connection.execute("SELECT type, name, sql FROM sqlite_schema"):
        if kind in ("table", "index") and _ITS_OWN.fullmatch(str(name)):
            continue
        if kind not in _PLAIN or not _PLAIN[kind].fullmatch(str(statement)):
            raise checksums.Unsound(f"has a {kind} that no store has: {name!r}")
