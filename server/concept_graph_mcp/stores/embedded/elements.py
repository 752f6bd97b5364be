"""Vertices and edges in memory. Identity is object identity: one element per id and cache."""

from typing import Any


class VertexElement:
    """A vertex; its edge lists are None until they are first asked for."""

    __slots__ = ("id", "in_edges", "labels", "out_edges", "properties")

    def __init__(self, vertex_id: int, labels: tuple[str, ...], properties: dict[str, Any]) -> None:
        self.id = vertex_id
        self.labels = labels
        self.properties = properties
        self.out_edges: list[EdgeElement] | None = None
        self.in_edges: list[EdgeElement] | None = None


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
