"""Hold vectors as rows of one matrix, with the properties that filter them. Needs NumPy."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .values import Condition

_FIRST_ROOM = 1_024
# If fewer rows than one in this many match the filters, only these are multiplied.
_SPARSE = 8

VectorRow = tuple[int, bytes, list[Any]]


class _Column:
    """One property's values as numbers.

    Few are distinct, and each distinct value is tested once.
    """

    def __init__(self) -> None:
        self.codes = np.zeros(_FIRST_ROOM, dtype=np.int32)
        self._values: dict[Any, int] = {}

    def code(self, value: Any) -> int:
        return self._values.setdefault(value, len(self._values))

    def fulfilling(self, condition: Condition, count: int) -> Any:
        allowed = np.fromiter(map(condition, self._values), dtype=bool, count=len(self._values))
        return allowed[self.codes[:count]]


class Matrix:
    """The vectors of *dimension* by vertex, with the properties *names* of each.

    `position` is the writing transaction whose state the matrix shows. Vectors of another
    dimension, or of length zero, are left out.
    """

    def __init__(
        self, dimension: int, names: Sequence[str], rows: Sequence[VectorRow] = ()
    ) -> None:
        self.position = -1
        self.columns = {name: _Column() for name in names}
        self._dimension = dimension
        self._count = 0
        self._places: dict[int, int] = {}
        self._vertices = np.zeros(_FIRST_ROOM, dtype=np.int64)
        self._numbers = np.zeros((_FIRST_ROOM, dimension), dtype=np.float32)
        self._lengths = np.ones(_FIRST_ROOM, dtype=np.float32)
        self.add(rows)

    @property
    def bytes(self) -> int:
        return int(self._numbers.nbytes)

    def replace(self, vertices: Collection[int], rows: Sequence[VectorRow]) -> None:
        """Replace all rows of *vertices* by *rows*."""
        for vertex in vertices:
            self._remove(vertex)
        self.add(rows)

    def add(self, rows: Sequence[VectorRow]) -> None:
        rows = [row for row in rows if len(row[1]) == 4 * self._dimension]
        if not rows:
            return
        joined = b"".join(blob for _, blob, _ in rows)
        numbers = np.frombuffer(joined, dtype="<f4").reshape(len(rows), self._dimension)
        lengths = np.sqrt(np.einsum("ij,ij->i", numbers, numbers, dtype=np.float64))
        usable = np.isfinite(lengths) & (lengths > 0)
        kept = [row for row, is_usable in zip(rows, usable, strict=True) if is_usable]
        first, beyond = self._count, self._count + len(kept)
        self._make_room(beyond)
        self._numbers[first:beyond] = numbers[usable]
        self._lengths[first:beyond] = lengths[usable]
        self._vertices[first:beyond] = [vertex for vertex, _, _ in kept]
        self._places.update((row[0], first + place) for place, row in enumerate(kept))
        for number, column in enumerate(self.columns.values()):
            column.codes[first:beyond] = [column.code(values[number]) for _, _, values in kept]
        self._count = beyond

    def nearest(
        self, vector: Sequence[float], limit: int, asked: Mapping[str, Condition]
    ) -> Iterator[tuple[float, int]]:
        """Iterate over (cosine, vertex) of the nearest *limit*, or more, that match *asked*."""
        chosen = self._choose(asked)
        question = _of_length_one(vector)
        near = self._roughly(question.astype(np.float32), chosen)
        # Rough products of equal vectors may differ, so the best ones are computed again exactly.
        if len(near) > (most := 2 * limit + 16):
            best = np.argpartition(-near, most)[:most]
            chosen = best if chosen is None else chosen[best]
        rows = slice(0, self._count) if chosen is None else chosen
        exact = self._exactly(question, rows)
        return zip(exact.tolist(), self._vertices[rows].tolist(), strict=True)

    def cosines(self, vector: Sequence[float], vertices: Iterable[int]) -> dict[int, float]:
        """Return the cosines of those of *vertices* that have a vector."""
        places = {one: self._places[one] for one in vertices if one in self._places}
        exact = self._exactly(_of_length_one(vector), list(places.values()))
        return dict(zip(places, exact.tolist(), strict=True))

    def _exactly(self, question: Any, rows: Any) -> Any:
        numbers = self._numbers[rows].astype(np.float64)
        return (numbers * question).sum(axis=1) / np.sqrt((numbers**2).sum(axis=1))

    def _choose(self, asked: Mapping[str, Condition]) -> Any:
        """Return the rows that match *asked*; None stands for all of them."""
        if not asked:
            return None
        fitting = np.ones(self._count, dtype=bool)
        for name, condition in asked.items():
            fitting &= self.columns[name].fulfilling(condition, self._count)
        return np.flatnonzero(fitting)

    def _roughly(self, question: Any, chosen: Any) -> Any:
        count = self._count
        if chosen is not None and len(chosen) * _SPARSE < count:
            return (self._numbers[chosen] @ question) / self._lengths[chosen]
        near = (self._numbers[:count] @ question) / self._lengths[:count]
        return near if chosen is None else near[chosen]

    def _remove(self, vertex: int) -> None:
        """Remove the row of *vertex*; the last row takes its place."""
        place = self._places.pop(vertex, None)
        if place is None:
            return
        self._count -= 1
        last = self._count
        if place != last:
            moved = int(self._vertices[last])
            self._places[moved] = place
            self._vertices[place] = moved
            self._numbers[place] = self._numbers[last]
            self._lengths[place] = self._lengths[last]
            for column in self.columns.values():
                column.codes[place] = column.codes[last]

    def _make_room(self, count: int) -> None:
        room = len(self._vertices)
        if count <= room:
            return
        added = max(count, room + room // 2) - room
        self._vertices = np.pad(self._vertices, (0, added))
        self._numbers = np.pad(self._numbers, ((0, added), (0, 0)))
        self._lengths = np.pad(self._lengths, (0, added))
        for column in self.columns.values():
            column.codes = np.pad(column.codes, (0, added))


def _of_length_one(vector: Sequence[float]) -> Any:
    question = np.array(vector, dtype=np.float64)
    return question / np.sqrt(question @ question)
