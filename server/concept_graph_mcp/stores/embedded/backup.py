"""Copies of a store file, made and put back while other processes use it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from ..backup_files import BadBackup, Contents
from .database import Database
from .opening import APPLICATION_ID, Opening
from .tables import FORMAT

_TABLES = {
    "vertex": "id, labels, properties",
    "edge": "id, type, source, target, properties",
    "unique_value": "label, property, value, vertex",
    "searchable": "vertex, name, search_name, arousal_level, accessed_at",
}


def copy(source: Path, target: Path) -> None:
    """Copy the store *source* to the file *target*: one snapshot, whoever writes meanwhile."""
    # On a connection of its own, so that calls go on meanwhile.
    with closing(Database(source, Opening.EXISTING)) as original:
        original.copy_to(target)


def contents(file: Path) -> Contents:
    """Check the store *file* through and return what it holds. Raises BadBackup."""
    with _reading(file) as connection:
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise BadBackup(f"{file}: is not a backup of a concept graph")
        if connection.execute("PRAGMA user_version").fetchone()[0] > FORMAT:
            raise BadBackup(f"{file}: was made by a newer version; install that one")
        state = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if state != "ok":
            raise BadBackup(f"{file}: is damaged: {state.splitlines()[0]}")
        labels = dict(connection.execute("SELECT labels, count(*) FROM vertex GROUP BY labels"))
        relations = connection.execute("SELECT count(*) FROM edge").fetchone()[0]
        newest = connection.execute(
            "SELECT max(json_extract(properties, '$.accessed_at')) FROM vertex"
        ).fetchone()[0]
    concepts, episodes = (labels.get(f'["{label}"]', 0) for label in ("Concept", "Episode"))
    return Contents(concepts, episodes, relations, newest or 0)


def put_back(database: Database, file: Path | None) -> None:
    """Replace all that is in *database* by what the store *file* holds, or by nothing.

    One transaction: processes that have the store open see the old graph or the new one.
    """
    if file is not None:
        database.execute("ATTACH ? AS restored", [str(file)])
    try:
        database.begin(exclusive=True)
        try:
            _replace(database, file is not None)
            database.commit()
        finally:
            database.rollback()
    finally:
        if file is not None:
            database.execute("DETACH restored")


def _replace(database: Database, restored: bool) -> None:
    database.begin_epoch()
    for table, columns in _TABLES.items():
        database.execute(f"DELETE FROM main.{table}")
        if restored:
            database.execute(
                f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM restored.{table}"
            )
    database.execute("INSERT INTO main.search_text (search_text) VALUES ('rebuild')")


@contextmanager
def _reading(file: Path) -> Iterator[sqlite3.Connection]:
    if not file.is_file():
        raise BadBackup(f"{file}: No such file")
    try:
        uri = f"file:{quote(str(file.resolve()))}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            yield connection
    except sqlite3.DatabaseError as error:
        raise BadBackup(f"{file}: is damaged or of another kind: {error}") from None
