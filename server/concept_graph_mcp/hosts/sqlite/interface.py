"""Provide the `_mgp` interface, on which the genuine `mgp` package is built, over our transactions.

This module is installed as ``sys.modules["_mgp"]``; its names and behaviour are those of the
interface inside Memgraph.
"""

import logging
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from . import values
from .cache import DeletedObjectError, EdgeElement, VertexElement
from .lookups import Postings
from .values import CypherType

_CONTAINERS = frozenset({tuple, dict})
# Values of these types can always be stored unchanged.
_KEPT = frozenset({float, bool, type(None)})


class LogicErrorError(Exception):
    """The exception of `_mgp` for what cannot be done."""


class ImmutableObjectError(Exception):
    """The exception of `_mgp` for a write of a procedure that reads."""


class _ItemIterator:
    """An iterator: `get()` returns the current item, `next()` moves on; None is the end."""

    __slots__ = ("_current", "_items")

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = iter(items)
        self._current = next(self._items, None)

    def get(self) -> Any:
        return self._current

    def next(self) -> Any:
        self._current = next(self._items, None)
        return self._current


class _Element:
    """The common part of vertices and edges: an identity and properties."""

    __slots__ = ("_element", "_graph")

    def __init__(self, graph: "Graph", element: Any) -> None:
        self._graph = graph
        self._element = element

    def is_valid(self) -> bool:
        return self._graph.transaction is not None

    def underlying_graph_is_mutable(self) -> bool:
        return self._graph.is_mutable()

    def get_id(self) -> int:
        return self._element.id  # type: ignore[no-any-return]

    def get_property(self, name: str) -> Any:
        value = self._element.properties.get(name)
        kind = value.__class__
        if kind is str or kind is int:
            # Nearly all are, and a recall reads thousands.
            return value
        if value is None:
            graph = self._graph
            return (
                graph.reading().vector(self._element, name) if name in graph.vector_names else None
            )
        # Containers are copied, because a procedure's changes to one must not reach the store. Most
        # are empty lists, stored as immutable tuples.
        is_copied = kind in _CONTAINERS and value != ()
        return values.to_stored(value) if is_copied else value

    def iter_properties(self) -> _ItemIterator:
        properties = dict(self._element.properties)
        if isinstance(self, Vertex):
            properties |= self._graph.reading().vectors(self._element)
        return _ItemIterator(list(values.to_stored(properties).items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._element is other._element

    def __hash__(self) -> int:
        return hash(self._element.id)


class Vertex(_Element):
    __slots__ = ()
    _element: VertexElement

    def keep(self, name: str, make: Callable[["Vertex"], Any]) -> Any:
        """Return what *make* makes of the properties; the next calls get it too.

        This exists only here, and changes nothing but the speed.
        """
        kept = self._element.kept
        if kept is None:
            kept = self._element.kept = {}
        if name not in kept:
            kept[name] = make(self)
        return kept[name]

    def set_property(self, name: str, value: Any) -> None:
        graph = self._graph
        stored = value if value.__class__ in _KEPT else values.to_stored(value)
        if name in graph.vector_names:
            graph.writing().set_vector(self._element, name, stored)
        else:
            graph.writing().set_property(self._element, name, stored)

    def labels_count(self) -> int:
        return len(self._element.labels)

    def label_at(self, index: int) -> str:
        return self._element.labels[index]

    def add_label(self, label: str) -> None:
        self._graph.writing().add_label(self._element, label)

    def remove_label(self, label: str) -> None:
        self._graph.writing().remove_label(self._element, label)

    def iter_out_edges(self) -> _ItemIterator:
        return self._iterate(self._element.out_edges, True)

    def iter_in_edges(self) -> _ItemIterator:
        return self._iterate(self._element.in_edges, False)

    def _iterate(self, known: list[EdgeElement] | None, outgoing: bool) -> _ItemIterator:
        graph = self._graph
        edges: Iterable[EdgeElement] = (
            graph.reading().edges.stream(self._element, outgoing)
            if known is None
            # Those that there are now: a list of edges only grows; a removal replaces the list.
            else islice(known, len(known))
        )
        return _ItemIterator(map(partial(Edge, graph), edges))


class Edge(_Element):
    __slots__ = ()
    _element: EdgeElement

    def set_property(self, name: str, value: Any) -> None:
        stored = value if value.__class__ in _KEPT else values.to_stored(value)
        self._graph.writing().edges.set_property(self._element, name, stored)

    def get_type_name(self) -> str:
        return self._element.type

    def from_vertex(self) -> Vertex:
        return Vertex(self._graph, self._element.source)

    def to_vertex(self) -> Vertex:
        return Vertex(self._graph, self._element.target)


class Path:
    """A start and the edges followed from it."""

    __slots__ = ("_edges", "_graph", "_vertices")

    def __init__(self, start: Vertex) -> None:
        self._graph = start._graph
        self._vertices = [start._element]
        self._edges: list[EdgeElement] = []

    @staticmethod
    def make_with_start(vertex: Vertex) -> "Path":
        return Path(vertex)

    def is_valid(self) -> bool:
        return self._graph.is_valid()

    def expand(self, edge: Edge) -> None:
        element, last = edge._element, self._vertices[-1]
        if last is element.source:
            self._vertices.append(element.target)
        elif last is element.target:
            self._vertices.append(element.source)
        else:
            raise LogicErrorError("The current last vertex is not part of the given edge")
        self._edges.append(element)

    def size(self) -> int:
        return len(self._edges)

    def vertex_at(self, index: int) -> Vertex:
        return Vertex(self._graph, self._vertices[index])

    def edge_at(self, index: int) -> Edge:
        return Edge(self._graph, self._edges[index])


class Graph:
    """The graph during one call; `invalidate` ends the access."""

    __slots__ = ("_must_abort", "_mutable", "answer", "postings", "transaction", "vector_names")

    def __init__(
        self,
        transaction: Any,
        mutable: bool,
        must_abort: Callable[[], bool] = lambda: False,
        vector_names: Collection[str] = frozenset(),
    ) -> None:
        self.transaction = transaction
        self._mutable = mutable
        self._must_abort = must_abort
        # Large properties, which are stored apart from the others.
        self.vector_names = vector_names
        # Makes a look-up, amid the call, and returns the keys of the context that it tells.
        self.answer: Callable[[Any], dict[str, Any]] | None = None
        # By vertex, what leads there, where a look-up reads that as columns.
        self.postings: Postings | None = None

    def invalidate(self) -> None:
        self.transaction = None
        self._mutable = False

    def is_valid(self) -> bool:
        return self.transaction is not None

    def is_mutable(self) -> bool:
        return self._mutable

    def must_abort(self) -> bool:
        return self._must_abort()

    def reading(self) -> Any:
        if self.transaction is None:
            raise LogicErrorError("The call that this graph belongs to has ended")
        return self.transaction

    def writing(self) -> Any:
        if not self._mutable:
            raise ImmutableObjectError("Cannot modify the graph in a read procedure")
        return self.transaction

    def get_vertex_by_id(self, vertex_id: int) -> Vertex:
        element = self.reading().vertex(vertex_id)
        if element is None:
            raise IndexError("Unable to find the vertex with given ID.")
        return Vertex(self, element)

    # These exist only here: they change nothing but the speed, and Memgraph needs none of them.

    def look_up(
        self, label: str, properties: Sequence[str], values: Sequence[Sequence[Any]]
    ) -> list[Vertex] | None:
        found = self.reading().look_up(label, properties, values)
        return None if found is None else [Vertex(self, element) for element in found]

    def degrees_to(self, vertex_ids: Collection[int], most: int) -> dict[int, int] | None:
        return None if self.postings is None else self.postings.degrees(vertex_ids, most)

    def columns_to(self, vertex_ids: Collection[int]) -> dict[int, Any] | None:
        return None if self.postings is None else self.postings.columns(vertex_ids)

    def expect_vertices(self, vertex_ids: Collection[int]) -> None:
        self.reading().expect_vertices(vertex_ids)

    def expect_vectors(self, vertices: Sequence[Vertex], name: str) -> None:
        self.reading().expect_vectors([one._element for one in vertices], name)

    def cosines(
        self, vertices: Sequence[Vertex], name: str, vector: Sequence[float]
    ) -> dict[int, float]:
        return self.reading().cosines(  # type: ignore[no-any-return]
            [one._element for one in vertices], name, vector
        )

    def expect_edges(self, vertices: Iterable[Vertex], outgoing: bool) -> None:
        self.reading().edges.expect([vertex._element for vertex in vertices], outgoing)

    def read_ends(
        self, vertices: Sequence[Vertex], types: Container[str], names: Sequence[str]
    ) -> list[list[tuple[Any, ...]]]:
        """Return where the edges of *types* from each vertex lead, with those properties."""
        reading = self.reading()
        reading.edges.expect([vertex._element for vertex in vertices], True)
        ends: list[list[VertexElement]] = [
            [edge.target for edge in reading.edges.of(vertex._element, True) if edge.type in types]
            for vertex in vertices
        ]
        unread = [end.id for some in ends for end in some if end.reading is not None]
        if unread:
            reading.expect_vertices(unread)
        return [
            [(Vertex(self, end), *map(end.properties.get, names)) for end in some] for some in ends
        ]

    def iter_vertices(self) -> _ItemIterator:
        return _ItemIterator(Vertex(self, element) for element in self.reading().vertices())

    def create_vertex(self) -> Vertex:
        return Vertex(self, self.writing().create_vertex())

    def create_labelled(self, label: str, properties: Mapping[str, Any]) -> Vertex:
        """Create a vertex as `create_vertex`, `add_label` and `set_property` would."""
        vectors = [name for name in properties if name in self.vector_names]
        stored = {
            name: value if value.__class__ in _KEPT else values.to_stored(value)
            for name, value in properties.items()
            if value is not None and name not in vectors
        }
        vertex = Vertex(self, self.writing().create_vertex((label,), stored))
        for name in vectors:
            vertex.set_property(name, properties[name])
        return vertex

    def delete_vertex(self, vertex: Vertex) -> None:
        transaction, element = self.writing(), vertex._element
        if transaction.edges.any_of(element, False) or transaction.edges.any_of(element, True):
            raise LogicErrorError("Cannot delete a vertex that has edges")
        transaction.delete_vertex(element)

    def detach_delete_vertex(self, vertex: Vertex) -> None:
        transaction, element = self.writing(), vertex._element
        transaction.edges.delete(
            {*transaction.edges.of(element, True), *transaction.edges.of(element, False)}
        )
        transaction.delete_vertex(element)

    def create_edge(self, source: Vertex, target: Vertex, edge_type: str) -> Edge:
        return Edge(self, self.writing().edges.create(source._element, target._element, edge_type))

    def create_edges(
        self,
        source: Vertex,
        edge_type: str,
        name: str,
        targets: Sequence[Vertex],
        given: Sequence[Any],
    ) -> None:
        """Create edges with one property each, as repeated calls of `create_edge` would."""
        stored = values.all_stored(given)
        ends = [target._element for target in targets]
        self.writing().edges.create_each(source._element, edge_type, name, ends, stored)

    def delete_edge(self, edge: Edge) -> None:
        self.writing().edges.delete([edge._element])


__all__ = [
    "Callback",
    "DeletedObjectError",
    "Edge",
    "Graph",
    "ImmutableObjectError",
    "LogicErrorError",
    "Module",
    "Path",
    "Vertex",
]

# The others of its exceptions, which `mgp` catches and raises under its own names.
globals().update(
    (name, type(name, (Exception,), {}))
    for name in (
        *("AuthorizationError", "InsufficientBufferError", "InvalidArgumentError"),
        *("KeyAlreadyExistsError", "OutOfRangeError", "SerializationError"),
        *("UnableToAllocateError", "UnknownError", "ValueConversionError"),
    )
)

SOURCE_TYPE_KAFKA = "SOURCE_TYPE_KAFKA"
SOURCE_TYPE_PULSAR = "SOURCE_TYPE_PULSAR"
_LOGGER = logging.getLogger("concept_graph_mcp.modules")


class Message:
    """A stand-in: this host has no streams."""


class Messages:
    """A stand-in: this host has no streams."""


# Registration: for the decorators of `mgp`


class Callback:
    """A registered procedure or function: `run(graph, arguments)` and its signature."""

    def __init__(self, name: str, run: Callable[[Any, tuple[Any, ...]], Any], writes: bool) -> None:
        self.name = name
        self.run = run
        self.writes = writes
        self.arguments: list[tuple[str, CypherType]] = []
        self.defaults: list[Any] = []
        self.results: dict[str, CypherType] = {}

    def add_arg(self, name: str, cypher_type: CypherType) -> None:
        self.arguments.append((name, cypher_type))

    def add_opt_arg(self, name: str, cypher_type: CypherType, default: Any) -> None:
        self.arguments.append((name, cypher_type))
        self.defaults.append(default)

    def add_result(self, name: str, cypher_type: CypherType) -> None:
        self.results[name] = cypher_type

    add_deprecated_result = add_result


class Module:
    """One query module and what its decorators registered."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.procedures: dict[str, Callback] = {}
        self.functions: dict[str, Callback] = {}

    def add_read_procedure(self, wrapper: Any) -> Callback:
        return self._add(self.procedures, wrapper, writes=False)

    def add_write_procedure(self, wrapper: Any) -> Callback:
        return self._add(self.procedures, wrapper, writes=True)

    def add_function(self, wrapper: Any) -> Callback:
        return self._add(self.functions, wrapper, writes=False)

    def add_transformation(self, wrapper: Any) -> None:
        raise NotImplementedError("The embedded host has no streams and no transformations")

    def _add(self, registry: dict[str, Callback], wrapper: Any, writes: bool) -> Callback:
        callback = Callback(f"{self.name}.{wrapper.__name__}", wrapper, writes)
        registry[wrapper.__name__] = callback
        return callback


# Types


def type_any() -> CypherType:
    return CypherType("ANY", lambda value: value is not None)


type_bool = partial(values.exactly, "BOOLEAN", bool)
type_string = partial(values.instance_of, "STRING", str)
type_int = partial(values.exactly, "INTEGER", int)
type_float = partial(values.exactly, "FLOAT", float)
type_number = partial(values.exactly, "NUMBER", int, float)
type_map = partial(values.instance_of, "MAP", dict, Vertex, Edge)
type_node = partial(values.instance_of, "NODE", Vertex)
type_relationship = partial(values.instance_of, "RELATIONSHIP", Edge)
type_path = partial(values.instance_of, "PATH", Path)
# No value has these types: the embedded store refuses temporal values.
type_date = partial(values.exactly, "DATE")
type_local_time = partial(values.exactly, "LOCAL_TIME")
type_local_date_time = partial(values.exactly, "LOCAL_DATE_TIME")
type_duration = partial(values.exactly, "DURATION")
type_nullable = values.nullable
type_list = values.list_of

# The module that is being imported, whose decorators register with it.
_MODULE = Module("none")
