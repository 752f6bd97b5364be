"""Represent vertices and edges in memory, with one object for each id and cache."""

from typing import Any, Protocol

# Bytes of an element beyond its properties, and of its properties per stored character: measured on
# stores of 1,000 to 100,000 concepts.
_BYTES_AN_ELEMENT, _BYTES_A_CHARACTER = 350, 4


class DeletedObjectError(Exception):
    """The exception of `_mgp` for a read of a deleted element."""


class Reading(Protocol):
    """Reads the stored state of a vertex."""

    def read(self, vertex: "VertexElement") -> None: ...


class VertexElement:
    """A vertex; its edge lists are None until they are first read."""

    __slots__ = ("id", "in_edges", "kept", "labels", "out_edges", "properties", "reading")
    labels: tuple[str, ...]
    # Values that procedures made of the properties, by name, until one of them changes.
    kept: dict[str, Any] | None
    properties: dict[str, Any]

    def __init__(self, vertex_id: int, labels: tuple[str, ...], properties: dict[str, Any]) -> None:
        self.id = vertex_id
        self.labels = labels
        self.properties = properties
        self.kept = None
        self.out_edges: list[EdgeElement] | None = None
        self.in_edges: list[EdgeElement] | None = None
        self.reading: Reading | None = None

    def become(self, labels: tuple[str, ...], properties: dict[str, Any]) -> None:
        """Take over the stored state."""
        self.labels, self.properties, self.reading, self.kept = labels, properties, None, None
        self.__class__ = VertexElement


class UnreadVertex(VertexElement):
    """A vertex known only as the end of an edge, without labels and properties.

    `reading` adds both when one of them is first read, which for most never happens. Then the class
    changes to VertexElement: a class with `__getattr__` reads its attributes four times as slowly.
    """

    __slots__ = ()

    def __init__(self, vertex_id: int, reading: Reading) -> None:
        self.id = vertex_id
        self.out_edges = self.in_edges = self.kept = None
        self.reading = reading

    def __getattr__(self, name: str) -> Any:
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


class Deleted(dict[str, Any]):
    """The properties of a deleted element."""

    def get(self, *_: Any) -> Any:
        raise DeletedObjectError("Accessing deleted object.")

    __getitem__ = __iter__ = get


def differs(old: Any, value: Any) -> bool:
    """Return whether *value* must replace *old*; large values are not compared."""
    if old is None:
        return value is not None
    return old.__class__ is not value.__class__ or isinstance(old, (tuple, dict)) or old != value


def size(properties: str) -> int:
    """Estimate the bytes of an element from its stored *properties*."""
    return _BYTES_AN_ELEMENT + _BYTES_A_CHARACTER * len(properties)
