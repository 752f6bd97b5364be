"""Read the edges into vertices as columns: a query reads thousands of mentions of a word."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from conceptgraph_core.graph.primitives import Incoming

from .cache import decode
from .database import Database
from .elements import VertexElement
from .values import Column

_FIRST_COUNT = 512


def incoming(
    postings: "Postings",
    lookup: Incoming,
    found: Sequence[VertexElement],
    later: Sequence[VertexElement] = (),
) -> dict[str, Any]:
    """Return the `degrees` of *found* and *later*, found by *lookup*, and the `incoming`."""
    of_label = [vertex for vertex in found if lookup.label in vertex.labels]
    last = []
    if lookup.last:
        names = frozenset(lookup.last)
        last = [one for one in of_label if one.properties.get(lookup.by) in names]
        of_label = [one for one in of_label if one.properties.get(lookup.by) not in names]
        last = [one for one in last if lookup.unless not in one.properties]
    wanted = [one for one in of_label if lookup.unless not in one.properties] or of_label
    degrees = _degrees(postings, [vertex.id for vertex in wanted], lookup.most)
    wanted.sort(key=lambda vertex: (degrees[vertex.id], vertex.properties.get(lookup.by)))
    after = postings.degrees([one.id for one in later], lookup.few + 1)
    degrees = after | degrees
    first = {one.id for one in wanted}
    few = [one for one in later if one.id not in first and after[one.id] <= lookup.few]
    few.sort(key=lambda vertex: (after[vertex.id], vertex.properties.get(lookup.by)))
    read = 0
    columns = []
    for vertex in (*wanted, *few):
        degree = degrees[vertex.id]
        if read and read + degree > lookup.most:
            break
        columns.append((vertex.id, *postings.columns(vertex.id)))
        read += degree
    left = max(lookup.most - read, lookup.few)
    degrees |= postings.degrees([one.id for one in last], left + 1)
    last.sort(key=lambda vertex: (degrees[vertex.id], vertex.properties.get(lookup.by)))
    for vertex in last:
        left -= degrees[vertex.id]
        if left < 0:
            break
        columns.append((vertex.id, *postings.columns(vertex.id)))
    every = [degrees.get(vertex.id, 0) for vertex in (*found, *later)]
    return {"degrees": every, "incoming": columns}


class Postings:
    """The edges into vertices, as one call reads them: each column once."""

    def __init__(self, database: Database, lookup: Incoming) -> None:
        self._database = database
        self._lookup = lookup
        self._read: dict[int, tuple[Column, ...]] = {}
        # The count of each vertex, and how far it was counted.
        self._counted: dict[int, tuple[int, int]] = {}

    def degree(self, vertex: int, most: int) -> int:
        """Return how many edges lead to *vertex*, counting no more than *most*."""
        count, upto = self._counted.get(vertex, (0, 0))
        if count >= upto and most > upto:
            [(count,)] = self._database.execute(
                "SELECT count(*) FROM (SELECT 1 FROM edge WHERE target = ? LIMIT ?)", (vertex, most)
            )
            self._counted[vertex] = count, most
        return min(int(count), most)

    def degrees(self, vertices: Sequence[int], most: int) -> dict[int, int]:
        """Return how many edges lead to each of *vertices*, counting no more than *most*."""
        statement = (
            "SELECT value, (SELECT count(*) FROM (SELECT 1 FROM edge WHERE target = value LIMIT ?))"
            " FROM json_each(?)"
        )
        counts = dict(self._database.execute(statement, (most, json.dumps(list(vertices)))))
        self._counted |= {vertex: (count, most) for vertex, count in counts.items()}
        return counts

    def columns(self, vertex: int) -> tuple[Column, ...]:
        """Return the columns of the edges into *vertex*."""
        read = self._read.get(vertex)
        if read is None:
            read = self._read[vertex] = tuple(_columns(self._database, self._lookup, vertex))
        return read

    def leading(self, vertex: int) -> "Leading":
        """Return the edges into *vertex*, for a call that has written nothing there."""
        return Leading(partial(self.degree, vertex), partial(self.columns, vertex))


class Leading(NamedTuple):
    """The edges into one vertex: how many there are, up to a bound, and their columns."""

    degree: Callable[[int], int]
    columns: Callable[[], tuple[Column, ...]]


def _degrees(postings: Postings, vertices: Sequence[int], most: int) -> dict[int, int]:
    """Return how many edges lead to each of *vertices*, or enough to decide which to read.

    Large degrees are counted only as far as needed, doubling, to show that they are too large.
    """
    counted: dict[int, int] = {}
    unknown, cap = list(vertices), _FIRST_COUNT
    while unknown:
        counted |= postings.degrees(unknown, cap)
        unknown = [vertex for vertex in unknown if counted[vertex] >= cap]
        few = sum(count for count in counted.values() if count < cap)
        if few and few + cap > most:
            break
        cap *= 2
    return counted


class _Weights(dict[str, Any]):
    """A property of edges by its stored form, because few values differ."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __missing__(self, stored: str) -> Any:
        value = self[stored] = decode(stored).get(self._name)
        return value


def _columns(database: Database, lookup: Incoming, vertex: int) -> Iterator[Column]:
    """Yield the columns of the edges to *vertex*."""
    table = database.catalogue.columns_of(lookup.columns.label)
    values = ", ".join(f"c.k{table.properties.index(one)}" for one in lookup.columns.properties)
    rows = database.execute(
        f"SELECT e.source, e.properties, {values} FROM edge e"
        f' JOIN "{table.name}" c ON c.vertex = e.source WHERE e.target = ?'
        f" AND e.type IN ({', '.join('?' * len(lookup.edges))})",
        (vertex, *lookup.edges),
    ).fetchall()
    columns = list(zip(*rows, strict=True)) or [()] * (len(lookup.columns.properties) + 2)
    columns[1] = tuple(map(_Weights(lookup.weight).__getitem__, columns[1]))
    # Interned, because names of threads recur.
    known: dict[Any, Any] = {}
    return (
        Column(map(known.setdefault, one, one) if one and one[0].__class__ is str else one)
        for one in columns
    )
