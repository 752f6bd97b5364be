"""Read the rows of vertices, edges and vectors by id."""

import sqlite3
from collections.abc import Iterable, Iterator

from . import checksums
from .checksums import Unsound
from .database import Database, Row
from .values import listed


def vertices(database: Database, ids: Iterable[int]) -> Iterator[Row]:
    """Return (id, labels, properties, checksum) of the existing ones of *ids*."""
    given = list(ids)
    select = "SELECT id, labels, properties, checksum FROM vertex WHERE id"
    if len(given) == 1:
        return database.execute(f"{select} = ?", given)
    return database.execute(f"{select} IN (SELECT value FROM json_each(?))", [listed(given)])


def vertex(database: Database, vertex_id: int) -> Row | None:
    """Return one vertex by its id, as `vertices` does."""
    # Called by the hundred, one id at a time: a list with one id takes twice as long.
    row: Row | None = database.execute(
        "SELECT id, labels, properties, checksum FROM vertex WHERE id = ?", (vertex_id,)
    ).fetchone()
    return row


def vertices_after(database: Database, vertex_id: int, count: int) -> list[Row]:
    """Return the next *count* vertices by id, as `vertices` does."""
    return database.execute(
        "SELECT id, labels, properties, checksum FROM vertex WHERE id > ? ORDER BY id LIMIT ?",
        (vertex_id, count),
    ).fetchall()


def edges(database: Database, ids: Iterable[int]) -> list[Row]:
    """Return (id, type, source, target, properties, checksum) of the existing ones of *ids*."""
    return database.execute(
        "SELECT id, type, source, target, properties, checksum FROM edge"
        " WHERE id IN (SELECT value FROM json_each(?))",
        [listed(ids)],
    ).fetchall()


def edges_of(database: Database, vertex_id: int, outgoing: bool) -> sqlite3.Cursor:
    """Return the edges that leave (or enter) a vertex, by id, as `edges` does."""
    return database.execute(
        "SELECT id, type, source, target, properties, checksum FROM edge"
        f" WHERE {'source' if outgoing else 'target'} = ? ORDER BY id",
        [vertex_id],
    )


def edges_of_many(database: Database, vertex_ids: Iterable[int], outgoing: bool) -> sqlite3.Cursor:
    """Return all edges of some vertices, as `edges` does, those of each by id."""
    near = "source" if outgoing else "target"
    return database.execute(
        "SELECT id, type, source, target, properties, checksum FROM edge"
        f" WHERE {near} IN (SELECT value FROM json_each(?)) ORDER BY {near}, id",
        [listed(vertex_ids)],
    )


def vector(database: Database, table: str, vertex: int) -> bytes | None:
    """Return the vector of a vertex in its stored form from *table*."""
    return next((blob for _, blob in vectors(database, table, [vertex])), None)


def vectors(database: Database, table: str, vertices: Iterable[int]) -> Iterator[tuple[int, bytes]]:
    """Yield those of *vertices* that have a vector in *table*, each with its stored form."""
    rows = database.execute(
        f'SELECT vertex, vector, checksum FROM "{table}"'
        " WHERE vertex IN (SELECT value FROM json_each(?))",
        [listed(vertices)],
    )
    for vertex, stored, checksum in rows:
        if checksums.is_wrong(checksum, vertex, stored):
            raise Unsound(f"node {vertex}: its vector is not as it was written")
        yield vertex, bytes(stored)
