"""Copy a store file and restore such copies while other processes use the store."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from conceptgraph_core.layers import Layer
from conceptgraph_core.registry import LAYERS

from ...errors import NoStore, Unavailable, one_line
from ..backup_files import BadBackup, Contents
from . import derivation, tables
from .database import Database
from .indexes import Catalogue
from .integrity import read_through
from .opening import APPLICATION_ID, Access, Opening, Unsound, access, code
from .tables import FORMAT, OLDEST
from .values import encode

# Only these tables and the vectors are copied; everything else is derived from them.
_TABLES = {"vertex": "id, labels, properties", "edge": "id, type, source, target, properties"}
# Matches stored labels, because the labels of a damaged row may be invalid JSON.
_STAYS = "labels IN (SELECT value FROM json_each(?))"


def copy(source: Path, target: Path, catalogue: Catalogue) -> None:
    """Copy the store *source* to the empty file *target*, from one snapshot.

    Raises Unavailable if *target* cannot be written.
    """
    # On a connection of its own, so that calls go on meanwhile.
    with closing(Database(source, Opening.EXISTING, catalogue)) as original:
        try:
            original.copy_to(target)
        except sqlite3.Error as error:
            full = code(error) == sqlite3.SQLITE_FULL
            reason = "No space left on device" if full else one_line(error)
            raise Unavailable(f"{target.parent}: {reason}; no backup was made") from error


def contents(file: Path, layers: Sequence[Layer] = LAYERS) -> Contents:
    """Read the whole store *file* and return its contents. Raises BadBackup."""
    with closing(_open_backup(file)) as found:
        connection = found.connection
        try:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise BadBackup(file, "is not a backup of a concept graph")
            noted = tables.read_identity(connection)
            return replace(
                read_through(connection, layers), store=None if noted is None else noted.id
            )
        except Unsound as error:
            raise BadBackup(file, f"is damaged: {error}") from None
        except sqlite3.DatabaseError as error:
            raise BadBackup(file, f"is damaged or of another kind: {one_line(error)}") from None


def put_back(database: Database, file: Path | None, layers: Sequence[Layer]) -> None:
    """Replace the graph in *database* by that of the store *file*, or by an empty one.

    Nodes whose labels the *layers* declare as staying are not replaced. One transaction: other
    processes see the old graph or the new one.
    """
    labels = [label for layer in layers if layer.stays for label in layer.labels]
    staying = json.dumps([encode((label,)) for label in labels])
    if file is None:
        _replace(database, staying, restored=False)
        return
    with closing(_open_backup(file)) as found:
        database.execute("ATTACH ? AS restored", [found.uri])
        try:
            _replace(database, staying, restored=True)
        finally:
            database.execute("DETACH restored")


def _replace(database: Database, staying: str, restored: bool) -> None:
    vectors = {table.name: "vertex, vector" for table in database.catalogue.vectors}
    if not database.in_transaction:
        database.begin(exclusive=True)
    try:
        database.begin_epoch()
        kept = database.execute(
            f"SELECT labels, properties FROM main.vertex WHERE {_STAYS} AND json_valid(properties)",
            [staying],
        ).fetchall()
        for table, columns in (_TABLES | vectors).items():
            database.execute(f'DELETE FROM main."{table}"')
            if restored and (table in _TABLES or _has(database, table)):
                database.execute(
                    f'INSERT INTO main."{table}" ({columns})'
                    f' SELECT {columns} FROM restored."{table}"'
                )
        # They take the place of the backup's nodes of the same labels, which have no edges.
        database.execute(f"DELETE FROM main.vertex WHERE {_STAYS}", [staying])
        database.write("INSERT INTO main.vertex (labels, properties) VALUES (?, ?)", kept)
        derivation.remake(database, database.catalogue)
        database.commit()
    finally:
        database.rollback()


def _has(database: Database, table: str) -> bool:
    """Return whether the backup has *table*, which earlier versions may lack."""
    found = database.execute("SELECT 1 FROM restored.sqlite_schema WHERE name = ?", [table])
    return found.fetchone() is not None


def _open_backup(file: Path) -> Access:
    if not file.is_file():
        raise BadBackup(file, "No such file")
    try:
        found = access(file, Opening.EXISTING)
        version = found.connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise BadBackup(file, f"is damaged or of another kind: {one_line(error)}") from None
    except Unsound as error:
        raise BadBackup(file, f"is damaged: {error}") from None
    except NoStore:
        raise BadBackup(file, "is empty") from None
    if OLDEST <= version <= FORMAT or not version:
        return found
    found.close()
    if version > FORMAT:
        raise BadBackup(file, "was made by a newer version; install that one")
    raise BadBackup(file, "was made before 0.3.0; open it with 0.3.0 first")
