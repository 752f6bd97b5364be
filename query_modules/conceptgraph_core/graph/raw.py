"""Work on the vertices and edges below `mgp`, or on stand-ins if a later `mgp` hides them.

Through `mgp`, each step of a walk costs a validity check and an exception wrapper, about forty of
them an edge. Working on the objects below (`vertex._vertex`) halves the time of a recall on both
hosts. They are valid only during the call. `_PublicVertex` and `_PublicEdge` offer the same over
the public API.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import mgp


def raw_vertex(vertex: Any) -> Any:
    return vertex._vertex if hasattr(vertex, "_vertex") else _PublicVertex(vertex)


def keep(raw: Any, name: str, make: Callable[[Any], Any]) -> Any:
    """Return what *make* makes of the properties of a vertex, and of nothing else.

    A host that keeps vertices between calls keeps that too, by *name*, until a property changes.
    """
    kept = getattr(raw, "keep", None)
    return make(raw) if kept is None else kept(name, make)


def public_vertex(raw: Any) -> mgp.Vertex:
    return raw.public if isinstance(raw, _PublicVertex) else mgp.Vertex(raw)


def public_edge(raw: Any) -> mgp.Edge:
    return raw.public if isinstance(raw, _PublicEdge) else mgp.Edge(raw)


def yield_edges(edges: Iterable[Any]) -> list[Any]:
    """Return *edges* as a procedure yields them, so that Lab can draw them."""
    return [edge.public if edge.__class__ is _PublicEdge else edge for edge in edges]


def records(rows: Iterable[dict[str, Any]]) -> list[Any]:
    """Return *rows*, maps that nobody else keeps, as a procedure returns them.

    `mgp.Record(**row)` copies each row twice through a wrapper, which for many rows takes longer
    than finding them.
    """
    made = []
    new, kind = mgp.Record.__new__, mgp.Record
    for row in rows:
        record = new(kind)
        record.fields = row
        made.append(record)
    return made


def raw_graph(graph: Any) -> Any:
    return graph._graph if hasattr(graph, "_graph") else _PublicGraph(graph)


def create_vertex(
    graph: Any, label: str, properties: Mapping[str, Any], vectors: Collection[str] = ()
) -> Any:
    """Create a vertex, in one step if the graph can: property by property takes longer.

    *vectors* are the names of those properties that have a vector index.
    """
    at_once = getattr(graph, "create_labelled", None)
    if at_once is not None:
        return at_once(label, properties)
    raw = graph.create_vertex()
    for key, value in properties.items():
        if key not in vectors:
            raw.set_property(key, value)
    # The label comes late: every property set on a labelled vertex is looked up in the indexes.
    raw.add_label(label)
    # Memgraph 3.12.0 cannot restart after a vertex with a vector got its label, so vectors come
    # last.
    for key in vectors:
        if properties.get(key) is not None:
            raw.set_property(key, properties[key])
    return raw


def create_edges(
    graph: Any, source: Any, edge_type: str, name: str, targets: Sequence[Any], given: Sequence[Any]
) -> None:
    """Create an edge from *source* to each of *targets*, with its *given* property *name*.

    A graph that creates many at once gets them together, because a long text has hundreds.
    """
    at_once = getattr(graph, "create_edges", None)
    if at_once is not None:
        at_once(source, edge_type, name, targets, given)
        return
    create = graph.create_edge
    for target, value in zip(targets, given, strict=True):
        create(source, target, edge_type).set_property(name, value)


def labels(raw: Any) -> list[str]:
    return [raw.label_at(index) for index in range(raw.labels_count())]


class _PublicIterator:
    def __init__(self, edges: Iterator[Any]) -> None:
        self._edges = edges
        self._current = next(edges, None)

    def get(self) -> "_PublicEdge | None":
        return None if self._current is None else _PublicEdge(self._current)

    def next(self) -> "_PublicEdge | None":
        self._current = next(self._edges, None)
        return self.get()


class _PublicGraph:
    """The raw graph interface over the public one alone."""

    def __init__(self, graph: Any) -> None:
        self._public = graph

    def get_vertex_by_id(self, vertex_id: int) -> "_PublicVertex":
        return _PublicVertex(self._public.get_vertex_by_id(vertex_id))

    def create_vertex(self) -> "_PublicVertex":
        return _PublicVertex(self._public.create_vertex())

    def create_edge(
        self, source: "_PublicVertex", target: "_PublicVertex", edge_type: str
    ) -> "_PublicEdge":
        made = self._public.create_edge(source.public, target.public, mgp.EdgeType(edge_type))
        return _PublicEdge(made)


class _PublicVertex:
    """The raw vertex interface over the public one alone."""

    def __init__(self, vertex: Any) -> None:
        self.public = vertex

    def get_id(self) -> int:
        return int(self.public.id)

    def add_label(self, label: str) -> None:
        self.public.add_label(label)

    def labels_count(self) -> int:
        return len(self.public.labels)

    def label_at(self, index: int) -> str:
        return str(self.public.labels[index].name)

    def get_property(self, name: str) -> Any:
        return self.public.properties.get(name)

    def set_property(self, name: str, value: Any) -> None:
        self.public.properties.set(name, value)

    def iter_out_edges(self) -> _PublicIterator:
        return _PublicIterator(iter(self.public.out_edges))

    def iter_in_edges(self) -> _PublicIterator:
        return _PublicIterator(iter(self.public.in_edges))


class _PublicEdge:
    """The raw edge interface over the public one alone."""

    def __init__(self, edge: Any) -> None:
        self.public = edge

    def get_type_name(self) -> str:
        return str(self.public.type.name)

    def to_vertex(self) -> _PublicVertex:
        return _PublicVertex(self.public.to_vertex)

    def from_vertex(self) -> _PublicVertex:
        return _PublicVertex(self.public.from_vertex)

    def get_property(self, name: str) -> Any:
        return self.public.properties.get(name)

    def set_property(self, name: str, value: Any) -> None:
        self.public.properties.set(name, value)
