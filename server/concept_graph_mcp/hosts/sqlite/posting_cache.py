"""Cache the edges into vertices as columns: a query reads thousands of mentions of a word.

Columns are cached between calls, because a few common words account for most of the reads.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conceptgraph_core.graph.primitives import Incoming

from .cache import decode
from .database import Database
from .elements import VertexElement
from .values import Column, write_ids

_FIRST_COUNT = 512
# The most rows kept, and the bytes of one.
MOST_KEPT = 500_000
_BYTES_A_ROW = 150
# The most edge counts kept.
_MOST_COUNTS = 50_000
# After more changed edges than this, reading anew is faster than finding their targets.
_MANY = 2_000


def incoming(
    database: Database,
    cache: "PostingCache",
    lookup: Incoming,
    found: Sequence[VertexElement],
    later: Sequence[VertexElement] = (),
) -> dict[str, Any]:
    """Return the `degrees` of *found* and *later*, found by *lookup*, and the `incoming`."""
    cache.catch_up(database, lookup)
    of_label = [vertex for vertex in found if lookup.label in vertex.labels]
    last = []
    if lookup.last:
        names = frozenset(lookup.last)
        last = [one for one in of_label if one.properties.get(lookup.by) in names]
        of_label = [one for one in of_label if one.properties.get(lookup.by) not in names]
        last = [one for one in last if lookup.unless not in one.properties]
    wanted = [one for one in of_label if lookup.unless not in one.properties] or of_label
    degrees = _degrees(database, cache, [vertex.id for vertex in wanted], lookup.most)
    wanted.sort(key=lambda vertex: (degrees[vertex.id], vertex.properties.get(lookup.by)))
    after = {one.id: cache.degree(database, one.id, lookup.few + 1) for one in later}
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
        columns.append((vertex.id, *cache.columns(database, vertex.id)))
        read += degree
    left = max(lookup.most - read, lookup.few)
    degrees |= {one.id: cache.degree(database, one.id, left + 1) for one in last}
    last.sort(key=lambda vertex: (degrees[vertex.id], vertex.properties.get(lookup.by)))
    for vertex in last:
        left -= degrees[vertex.id]
        if left < 0:
            break
        columns.append((vertex.id, *cache.columns(database, vertex.id)))
    every = [degrees.get(vertex.id, 0) for vertex in (*found, *later)]
    return {"degrees": every, "incoming": columns}


class Leading(NamedTuple):
    """The edges into one vertex, for a call that has written nothing there."""

    database: Database
    kept: "PostingCache"
    vertex: int

    def degree(self, most: int) -> int:
        """Return how many edges lead there; of more than *most* it may be fewer than all."""
        return self.kept.degree(self.database, self.vertex, most)

    def columns(self) -> tuple[Column, ...]:
        """Return them as `incoming` has them."""
        return self.kept.columns(self.database, self.vertex)


class PostingCache:
    """The edges into recently read vertices, as of one writing transaction."""

    def __init__(self) -> None:
        self._lookup: Incoming | None = None
        self._position = -1
        # The highest ids known; newer vertices and edges have higher ones.
        self._last_vertex = self._last_edge = 0
        self._read: dict[int, tuple[Column, ...]] = {}
        # The highest edge id when each vertex was read.
        self._read_to: dict[int, int] = {}
        # The vertices that got further edges since.
        self._behind: set[int] = set()
        self._rows = 0
        self._counts: dict[int, _Count] = {}
        # The targets of edges that this process has deleted since.
        self._gone: dict[int, int] = {}

    @property
    def bytes(self) -> int:
        """Return about how many bytes are kept."""
        return self._rows * _BYTES_A_ROW

    def clear(self) -> None:
        self._read.clear()
        self._read_to.clear()
        self._behind.clear()
        self._counts.clear()
        self._gone.clear()
        self._rows = 0

    def note_gone(self, edges: Mapping[int, int]) -> None:
        """Record the targets of deleted edges, by id, because the file no longer has them."""
        if self._counts:
            self._gone |= edges
            if len(self._gone) > _MANY:
                self.clear()

    def catch_up(self, database: Database, lookup: Incoming) -> None:
        """Drop the columns that *lookup* would read differently now."""
        if self._lookup is None or _form(lookup) != _form(self._lookup):
            self.clear()
        self._lookup = lookup
        position = database.position()
        if position == self._position:
            return
        if self._counts:
            changes = database.changes_after(self._position)
            if changes is None or not self._take_over(database, *changes):
                self.clear()
        self._gone.clear()
        [(vertex, edge)] = database.execute(
            "SELECT (SELECT max(id) FROM vertex), (SELECT max(id) FROM edge)"
        )
        self._last_vertex, self._last_edge = vertex or 0, edge or 0
        self._position = position

    def degree(self, database: Database, vertex: int, most: int) -> int:
        """Return how many edges lead to *vertex*.

        For more than *most* the number may be too low.
        """
        count = self._counts.get(vertex)
        if count is None:
            if len(self._counts) >= _MOST_COUNTS:
                self.clear()
            count = self._counts[vertex] = _Count(vertex)
        return count.up_to(database, most)

    def columns(self, database: Database, vertex: int) -> tuple[Column, ...]:
        """Return the columns of the edges into *vertex*."""
        assert self._lookup is not None
        read = self._read.pop(vertex, None)
        if read is None:
            read = tuple(_columns(database, self._lookup, vertex))
            self._rows += len(read[0])
            self._read_to[vertex] = self._last_edge
        elif vertex in self._behind:
            more = _columns(database, self._lookup, vertex, self._read_to[vertex])
            self._rows -= len(read[0])
            read = tuple(Column(one + other) for one, other in zip(read, more, strict=True))
            self._rows += len(read[0])
            self._read_to[vertex] = self._last_edge
        self._behind.discard(vertex)
        # Keeps the most recently used columns longest.
        self._read[vertex] = read
        while self._rows > MOST_KEPT and len(self._read) > 1:
            self._forget(next(iter(self._read)))
        return read

    def _take_over(self, database: Database, vertices: set[int], edges: set[int]) -> bool:
        """Drop the outdated columns; return whether the rest are up to date."""
        if len(edges) > _MANY or len(vertices) > _MANY:
            return False
        # Most calls count accesses, and change no edge.
        targets = self._read_targets(database, edges) if edges else {}
        for edge in edges:
            target = targets.get(edge, self._gone.get(edge))
            if target is None:
                # Another process deleted this edge, so its target is unknown.
                return False
            if edge > self._last_edge and edge in targets:
                # A new edge only adds rows; the columns read so far stay valid.
                if target in self._read:
                    self._behind.add(target)
                if target in self._counts:
                    self._counts[target].go_on()
            else:
                self._forget(target)
                self._counts.pop(target, None)
        for target in self._led_to(database, vertices):
            self._forget(target)
        return True

    @staticmethod
    def _read_targets(database: Database, edges: Collection[int]) -> dict[int, int]:
        rows = database.execute(
            "SELECT id, target FROM edge WHERE id IN (SELECT value FROM json_each(?))",
            [write_ids(edges)],
        )
        return dict(rows.fetchall())

    def _forget(self, vertex: int) -> None:
        read = self._read.pop(vertex, None)
        self._read_to.pop(vertex, None)
        self._behind.discard(vertex)
        self._rows -= 0 if read is None else len(read[0])

    def _led_to(self, database: Database, vertices: Collection[int]) -> list[int]:
        """Return the targets of those of *vertices* whose columns may have changed."""
        assert self._lookup is not None
        table = database.catalogue.columns_of(self._lookup.columns.label)
        # New vertices come with new edges, which are handled above.
        found = database.execute(
            f'SELECT DISTINCT e.target FROM "{table.name}" c JOIN edge e ON e.source = c.vertex'
            " WHERE c.vertex <= ? AND c.vertex IN (SELECT value FROM json_each(?))",
            [self._last_vertex, write_ids(vertices)],
        )
        return [target for (target,) in found]


def _form(lookup: Incoming) -> tuple[Any, ...]:
    return lookup.edges, lookup.weight, lookup.columns


def _degrees(
    database: Database, cache: PostingCache, vertices: Sequence[int], most: int
) -> dict[int, int]:
    """Return how many edges lead to each of *vertices*, or enough to decide which to read.

    Large degrees are counted only as far as needed, doubling, to show that they are too large.
    """
    counted: dict[int, int] = {}
    unknown, cap = list(vertices), _FIRST_COUNT
    while unknown:
        for vertex in unknown:
            counted[vertex] = cache.degree(database, vertex, cap)
        unknown = [vertex for vertex in unknown if counted[vertex] >= cap]
        few = sum(count for count in counted.values() if count < cap)
        if few and few + cap > most:
            break
        cap *= 2
    return counted


class _Count:
    """The number of edges into a vertex, counted on from where the last count stopped."""

    def __init__(self, vertex: int) -> None:
        self._vertex = vertex
        self._count = self._last = 0
        self._is_whole = False

    def go_on(self) -> None:
        """Record that further edges lead to the vertex."""
        self._is_whole = False

    def up_to(self, database: Database, most: int) -> int:
        if not self._is_whole and self._count < most:
            [(count, last)] = database.execute(
                "SELECT count(*), max(id) FROM"
                " (SELECT id FROM edge WHERE target = ? AND id > ? ORDER BY id LIMIT ?)",
                (self._vertex, self._last, most - self._count),
            )
            self._count, self._last = self._count + count, last or self._last
            self._is_whole = self._count < most
        return self._count


class _Weights(dict[str, Any]):
    """A property of edges by its stored form, because few values differ."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __missing__(self, stored: str) -> Any:
        value = self[stored] = decode(stored).get(self._name)
        return value


def _columns(database: Database, lookup: Incoming, vertex: int, after: int = 0) -> Iterator[Column]:
    """Yield the columns of the edges to *vertex* that are later than the edge *after*."""
    table = database.catalogue.columns_of(lookup.columns.label)
    values = ", ".join(f"c.k{table.properties.index(one)}" for one in lookup.columns.properties)
    rows = database.execute(
        f"SELECT e.source, e.properties, {values} FROM edge e"
        f' JOIN "{table.name}" c ON c.vertex = e.source WHERE e.target = ? AND e.id > ?'
        f" AND e.type IN ({', '.join('?' * len(lookup.edges))})",
        (vertex, after, *lookup.edges),
    ).fetchall()
    columns = list(zip(*rows, strict=True)) or [()] * (len(lookup.columns.properties) + 2)
    columns[1] = tuple(map(_Weights(lookup.weight).__getitem__, columns[1]))
    # Interned, because names of threads recur.
    known: dict[Any, Any] = {}
    return (
        Column(map(known.setdefault, one, one) if one and one[0].__class__ is str else one)
        for one in columns
    )
