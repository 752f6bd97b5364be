"""Store vertices and edges as rows."""

import functools
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from . import bulk_edges, checksums
from .bulk_edges import Fan
from .cache import size
from .database import Database, Row
from .elements import EdgeElement, VertexElement
from .values import encode


class ElementRows:
    """Writes elements within the open transaction, and adds up their size in memory.

    `written` counts the bytes of the vertices, `written_of_edges` those of the edges.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.written = self.written_of_edges = 0

    def write_vertices(
        self,
        changed: Collection[VertexElement],
        created: Collection[VertexElement],
        deleted: Collection[VertexElement],
    ) -> None:
        """Store the current state of vertices, except the *deleted* ones."""
        self._write(
            # Faster than an update, which fires a trigger.
            "REPLACE INTO vertex (id, labels, properties, checksum) VALUES (?, ?, ?, ?)",
            self._vertex_row,
            changed,
        )
        columns = "vertex (id, labels, properties, checksum)"
        self._database.insert(columns, 4, map(self._vertex_row, created))
        self._write("DELETE FROM vertex WHERE id = ?", lambda v: (v.id,), deleted)

    def write_edges(
        self,
        changed: Collection[EdgeElement],
        created: Collection[EdgeElement],
        deleted: Collection[EdgeElement],
        shared: Iterable[dict[str, Any]],
        spread: Sequence[Fan],
    ) -> None:
        """Store the current state of edges; *shared* are property maps that many of them share.

        Also creates the edges of *spread*.
        """
        write = self._database.write
        # The stored form of shared properties.
        texts = [(one, encode(one)) for one in shared] if changed or created else []
        known = {id(one): (text, size(text)) for one, text in texts}
        if changed:
            write(
                "UPDATE edge SET properties = ?5, checksum = ?6 WHERE id = ?1",
                self._edge_rows(changed, known),
            )
        new = self._edge_rows(created, known)
        if spread:
            # In the order of ids, in which the table grows.
            new = iter(sorted((*new, *bulk_edges.rows(spread)), key=operator.itemgetter(0)))
        columns = "edge (id, type, source, target, properties, checksum)"
        self._database.insert(columns, 6, new)
        self._write("DELETE FROM edge WHERE id = ?", lambda e: (e.id,), deleted)

    def write_vector(self, table: str, vertex: int, vector: bytes | None) -> None:
        """Store the vector of a vertex, or remove it."""
        if vector is None:
            self._database.write(f'DELETE FROM "{table}" WHERE vertex = ?', [(vertex,)])
        else:
            row = (vertex, vector, checksums.of(vertex, vector))
            self._database.write(f'INSERT OR REPLACE INTO "{table}" VALUES (?, ?, ?)', [row])

    def _write(self, statement: str, row: Callable[[Any], Row], elements: Collection[Any]) -> None:
        """Execute *statement* with the row of each of *elements*, made on demand."""
        # Most calls need few of these statements, and each has a cost even without rows.
        if elements:
            self._database.write(statement, map(row, elements))

    def _vertex_row(self, vertex: VertexElement) -> Row:
        text = encode(vertex.properties)
        self.written += size(text)
        return _checked(vertex.id, _encoded_labels(vertex.labels), text)

    def _edge_rows(
        self, edges: Iterable[EdgeElement], known: dict[int, tuple[str, int]]
    ) -> Iterator[Row]:
        """Iterate over the rows of *edges*: hundreds of thousands in a long call."""
        checksum = checksums.of_edge
        source, kind, alike = -1, "", ""
        written = 0
        for edge in edges:
            found = known.get(id(edge.properties))
            if found is None:
                text = encode(edge.properties)
                found = text, size(text)
            text, taken = found
            written += taken
            if edge.source.id != source or edge.type != kind:
                source, kind = edge.source.id, edge.type
                alike = checksums.in_edges(kind, source)
            edge_id, target = edge.id, edge.target.id
            yield edge_id, kind, source, target, text, checksum(edge_id, alike, target, text)
        self.written_of_edges += written


@functools.cache
def _encoded_labels(labels: tuple[str, ...]) -> str:
    """Return *labels* in their stored form; cached, because there are few."""
    return encode(labels)


def _checked(*row: Any) -> Row:
    """Return *row* with its checksum."""
    return (*row, checksums.of(*row))
