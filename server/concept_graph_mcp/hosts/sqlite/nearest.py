"""Find the nearest vectors by comparing all of them: exact, and with NumPy in milliseconds.

The extras that compute vectors install NumPy. Without it the result is the same and takes a hundred
times as long.
"""

import heapq
import importlib
import json
import math
import operator
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from conceptgraph_core.graph.primitives import Nearest
from conceptgraph_core.retrieval.ranks import cosine

from . import cancellation
from .indexes import Catalogue, unpack_vector
from .values import Condition, make_conditions, read_values

if TYPE_CHECKING:
    from .matrix import Matrix

# Bytes of all matrices together; further vectors are read for each query.
MAX_BYTES = 1 << 29
_BATCH = 4_096


class Reading(Protocol):
    """The part of the open database that is needed here; the database itself holds `Vectors`."""

    catalogue: Catalogue

    def execute(self, statement: str, parameters: Iterable[Any] = ()) -> sqlite3.Cursor: ...

    def position(self) -> int: ...

    def changes_after(self, position: int) -> tuple[set[int], set[int]] | None: ...


class Vectors:
    """The vectors that this process has read, kept as matrices between calls."""

    def __init__(self) -> None:
        self._matrices: dict[tuple[str, int], Matrix] = {}

    def clear(self) -> None:
        self._matrices.clear()

    def nearest(self, database: Reading, lookup: Nearest) -> list[int]:
        """Return the ids of the vertices that *lookup* asks for, nearest first."""
        table = database.catalogue.vector((lookup.label,), lookup.property)
        if table is None:
            raise LookupError(f"no vectors of :{lookup.label}({lookup.property}) are declared")
        if not math.hypot(*lookup.vector) or lookup.limit < 1:
            return []
        asked = make_conditions(lookup)
        if _numpy() is None:
            scored = _compare_all(database, table.name, lookup.vector, asked)
        else:
            scored = (
                one
                for matrix in self._load_matrices(database, table.name, len(lookup.vector), asked)
                for one in matrix.nearest(lookup.vector, lookup.limit, asked)
            )
        best = heapq.nlargest(lookup.limit, ((near, -vertex) for near, vertex in scored))
        return [-vertex for _, vertex in best]

    def cosines(
        self, database: Reading, table: str, vector: Sequence[float], vertices: Collection[int]
    ) -> dict[int, float]:
        """Return the cosines of *vertices* to *vector*, as far as they need no reading."""
        kept = self._matrices.get((table, len(vector)))
        if kept is None or kept.position != database.position() or not math.hypot(*vector):
            return {}
        return kept.cosines(vector, vertices)

    def _load_matrices(
        self, database: Reading, table: str, dimension: int, names: Collection[str]
    ) -> Iterator["Matrix"]:
        """Iterate over matrices with all vectors: one from the cache, or parts if it is too big."""
        kept = self._matrices.get((table, dimension))
        if kept is not None and set(names) <= kept.columns.keys():
            changed = _find_changed(database, kept.position)
            if changed is not None:
                rows = _rows(database, table, changed, list(kept.columns))
                # All changes or none: if an error stops this, the matrix is built anew.
                kept.position = -1
                kept.replace(changed, rows)
                kept.position = database.position()
                yield kept
                if sum(matrix.bytes for matrix in self._matrices.values()) > MAX_BYTES:
                    self.clear()
                return
        yield from self._make_matrices(
            database, table, dimension, [*(kept.columns if kept else ()), *names]
        )

    def _make_matrices(
        self, database: Reading, table: str, dimension: int, names: Sequence[str]
    ) -> Iterator["Matrix"]:
        from .matrix import Matrix

        self._matrices.pop((table, dimension), None)
        names = list(dict.fromkeys(names))
        [(count,)] = database.execute(f'SELECT count(*) FROM "{table}"')
        known = sum(matrix.bytes for matrix in self._matrices.values())
        if 4 * dimension * count > MAX_BYTES - known:
            for rows in _batches(database, table, names):
                yield Matrix(dimension, names, rows)
            return
        matrix = Matrix(dimension, names)
        for rows in _batches(database, table, names):
            matrix.add(rows)
        matrix.position = database.position()
        self._matrices[table, dimension] = matrix
        yield matrix


# A vertex, its stored vector, and the values of the properties in the filters.
VectorRow = tuple[int, bytes, list[Any]]


def _batches(database: Reading, table: str, names: list[str]) -> Iterator[list[VectorRow]]:
    last = 0
    while rows := _read(
        database, table, "i.vertex > ? ORDER BY i.vertex LIMIT ?", (last, _BATCH), names
    ):
        cancellation.check()
        yield rows
        last = rows[-1][0]


def _rows(database: Reading, table: str, ids: Collection[int], names: list[str]) -> list[VectorRow]:
    given = [json.dumps(list(ids))]
    within = "i.vertex IN (SELECT value FROM json_each(?))"
    return _read(database, table, within, given, names) if ids else []


def _read(
    database: Reading, table: str, condition: str, given: Sequence[Any], names: list[str]
) -> list[VectorRow]:
    statement = (
        f'SELECT i.vertex, i.vector, v.properties FROM "{table}" i JOIN vertex v ON v.id = i.vertex'
        f" WHERE {condition}"
    )
    return [
        (vertex, blob, read_values(properties, names))
        for vertex, blob, properties in database.execute(statement, given)
    ]


def _find_changed(database: Reading, position: int) -> set[int] | None:
    """Return the vertices changed since *position*; None if the log has no answer."""
    if database.position() == position:
        return set()
    changes = database.changes_after(position)
    return None if changes is None else changes[0]


def _compare_all(
    database: Reading, table: str, vector: Sequence[float], asked: dict[str, Condition]
) -> Iterator[tuple[float, int]]:
    for rows in _batches(database, table, list(asked)):
        for vertex, blob, values in rows:
            if all(map(operator.call, asked.values(), values)):
                near = cosine(vector, unpack_vector(blob))
                if near is not None:
                    yield near, vertex


def _numpy() -> Any:
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None
