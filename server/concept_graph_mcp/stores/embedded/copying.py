"""Copying a store file as it is at one moment, whoever writes to it meanwhile."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def copied(source: sqlite3.Connection, file: Path) -> Iterator[sqlite3.Connection]:
    """Copy all that *source* has to *file*, in place of what is there; the copy, still open."""
    with closing(sqlite3.connect(file, isolation_level=None)) as copy:
        source.backup(copy)
        # So that it is one file and needs no write-ahead log beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
        yield copy
