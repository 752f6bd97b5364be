"""Copy a store file and restore such copies while other processes use it; find what is damaged."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from conceptgraph_core.graph.layers import Layer
from conceptgraph_core.retrieval.schema import LAYER as WORDS
from conceptgraph_core.transfer.registry import LAYERS

from ...errors import NoStore, Unavailable, one_line
from .. import backup_files
from ..backup_files import BadBackup, Contents
from . import cancellation, indexes, tables
from .cache import parse
from .database import Database
from .indexes import Catalogue
from .opening import APPLICATION_ID, FAILURES, Access, Opening, Unsound, access, code
from .tables import FORMAT, OLDEST
from .values import encode

# Only these tables and the vectors are copied; everything else is derived from them.
_TABLES = {"vertex": "id, labels, properties", "edge": "id, type, source, target, properties"}
# Matches stored labels, because the labels of a damaged row may be invalid JSON.
_STAYS = "labels IN (SELECT value FROM json_each(?))"

Execute = Callable[[str], sqlite3.Cursor]
_NOT = "(CASE WHEN json_valid({0}) THEN json_type({0}) END) IS NOT '{1}'"
# Rows that no procedure can read.
_DAMAGED = {
    "node {}: is not as it is stored": (
        f"SELECT id FROM vertex WHERE {_NOT.format('labels', 'array')}"
        f" OR {_NOT.format('properties', 'object')}"
    ),
    "relation {}: is not as it is stored": (
        f"SELECT id FROM edge WHERE {_NOT.format('properties', 'object')}"
    ),
    "relation {}: has an end that is not there": (
        "SELECT id FROM edge WHERE source NOT IN (SELECT id FROM vertex)"
        " OR target NOT IN (SELECT id FROM vertex)"
    ),
}
_COUNT = (
    "SELECT labels, count(*), max(CASE WHEN json_type(properties, '$.accessed_at')"
    " IN ('integer', 'real') THEN json_extract(properties, '$.accessed_at') END)"
    " FROM vertex GROUP BY labels"
)


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
        execute = found.connection.execute
        try:
            if execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise BadBackup(file, "is not a backup of a concept graph")
            for damage in find_damage(execute):
                raise BadBackup(file, f"is damaged: {damage}")
            noted = tables.read_identity(found.connection)
            return count(execute, layers, None if noted is None else noted.id)
        except Unsound as error:
            raise BadBackup(file, f"is damaged: {error}") from None
        except sqlite3.DatabaseError as error:
            raise BadBackup(file, f"is damaged or of another kind: {one_line(error)}") from None


def count(execute: Execute, layers: Sequence[Layer], store: str | None) -> Contents:
    """Return what a file of sound rows contains."""
    kinds = {kind.label: kind for layer in layers for kind in layer.nodes}
    nodes: Counter[str] = Counter()
    newest = 0
    for labels, number, accessed_at in execute(_COUNT):
        known = [kinds[name] for name in parse(labels, list) if name in kinds]
        nodes.update({kind.measure: number for kind in known[:1] if kind.exported})
        newest = max(newest, int(accessed_at or 0))
    every = (*layers, WORDS)
    uncounted = {kind.type for layer in every for kind in layer.edges if not kind.exported}
    types = execute("SELECT type, count(*) FROM edge GROUP BY type")
    relations = sum(number for edge_type, number in types if edge_type not in uncounted)
    return backup_files.contents(nodes, relations, newest, store, layers)


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
        indexes.remake(database, database.catalogue)
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


def find_damage(execute: Execute) -> Iterator[str]:
    """Yield a line for each damaged page or row of the file."""
    for (state,) in execute("PRAGMA integrity_check(10)"):
        if state != "ok":
            yield state.splitlines()[-1]
    for told, rows in _DAMAGED.items():
        yield from (told.format(row) for (row,) in execute(rows))


def problems(database: Database) -> list[str]:
    """Return the problems of the file of *database*, one line each."""
    found: list[str] = []
    try:
        database.begin(exclusive=False)
        found.extend(find_damage(database.execute))
        if not found and database.is_writable:
            database.rollback()
            # The full-text indexes are checked by what counts as a write.
            database.begin(exclusive=True)
            for text in database.catalogue.texts:
                database.execute(
                    f'INSERT INTO "{text.trigrams}" ("{text.trigrams}", rank)'
                    " VALUES ('integrity-check', 1)"
                )
    except FAILURES as error:
        cancellation.check()
        if isinstance(error, sqlite3.Error) and code(error) == sqlite3.SQLITE_BUSY:
            raise
        found.append(one_line(error))
    finally:
        database.rollback()
    return list(dict.fromkeys(found))
