"""Vertices and edges in memory. Identity is object identity: one element per id and cache."""

from typing import Any, Protocol, Self


class Reading(Protocol):
    """What reads what is stored of a vertex."""

    def read(self, vertex: "VertexElement") -> None: ...


class VertexElement:
    """A vertex; its edge lists are None until they are first asked for.

    So are its labels and properties missing where it is but the end of an edge: `reading` gives it
    both when one of them is asked for, which of most is never.
    """

    __slots__ = ("id", "in_edges", "labels", "out_edges", "properties", "reading")
    labels: tuple[str, ...]
    properties: dict[str, Any]

    def __init__(self, vertex_id: int, labels: tuple[str, ...], properties: dict[str, Any]) -> None:
        self.id = vertex_id
        self.labels = labels
        self.properties = properties
        self.out_edges: list[EdgeElement] | None = None
        self.in_edges: list[EdgeElement] | None = None
        self.reading: Reading | None = None

    @classmethod
    def unread(cls, vertex_id: int, reading: Reading) -> Self:
        made = cls.__new__(cls)
        made.id = vertex_id
        made.out_edges = made.in_edges = None
        made.reading = reading
        return made

    def become(self, labels: tuple[str, ...], properties: dict[str, Any]) -> None:
        """Be as it is stored now."""
        self.labels, self.properties, self.reading = labels, properties, None

    def __getattr__(self, name: str) -> Any:
        # Asked only for what is missing, so that what is there costs no more than an attribute.
        if self.reading is None or name not in ("labels", "properties"):
            raise AttributeError(name)
        self.reading.read(self)
        return getattr(self, name)


class EdgeElement:
    """An edge from `source` to `target`."""

    __slots__ = ("id", "properties", "source", "target", "type")

    def __init__(
        self,
        edge_id: int,
        edge_type: str,
        source: VertexElement,
        target: VertexElement,
        properties: dict[str, Any],
    ) -> None:
        self.id = edge_id
        self.type = edge_type
        self.source = source
        self.target = target
        self.properties = properties
