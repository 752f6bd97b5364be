"""Hold new edges from one vertex to many as columns until a caller reads one of them.

A text has an edge to each of its terms, and ingesting reads none of them. An object for each edge,
linked from both ends, would take longer to make than to store.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from . import checksums
from .database import Row
from .elements import EdgeElement, VertexElement
from .values import encode


class Fan(NamedTuple):
    """Edges of one type from `source`, each with one integer property."""

    ids: range
    edge_type: str
    source: VertexElement
    targets: Sequence[VertexElement]
    name: str
    given: Sequence[int]

    def edges(self, properties: Iterable[dict[str, Any]]) -> list[EdgeElement]:
        """Return the edges; *properties* holds those of each edge."""
        return [
            EdgeElement(edge_id, self.edge_type, self.source, target, own)
            for edge_id, target, own in zip(self.ids, self.targets, properties, strict=True)
        ]


def rows(fans: Iterable[Fan]) -> Iterator[Row]:
    """Iterate over the rows of all edges of *fans*."""
    stored: dict[str, dict[int, str]] = {}
    for fan in fans:
        known, name = stored.setdefault(fan.name, {}), fan.name
        for value in set(fan.given).difference(known):
            known[value] = encode({name: value})
        yield from _rows(fan, known)


def _rows(fan: Fan, stored: dict[int, str]) -> list[Row]:
    kind, source, crc = fan.edge_type, fan.source.id, zlib.crc32
    alike = checksums.in_edges(kind, source)
    targets = [target.id for target in fan.targets]
    # Inlines `checksums.of_edge`, to save a call for each edge.
    return [
        (edge, kind, source, target, text, crc(f"{edge}{alike}{target}\0{text}".encode()))
        for edge, target, text in zip(
            fan.ids, targets, map(stored.__getitem__, fan.given), strict=True
        )
    ]
