"""The only place that touches mgp vertices and edges.

Every step of a walk through `mgp` costs a validity check and an exception wrapper, about forty of
them an edge. This adapter therefore works on the objects underneath (`vertex._vertex`), which
halves a recall on both hosts. They are only valid during the call, so nothing here outlives it.
Should a later `mgp` hide them, `_PublicVertex` and `_PublicEdge` do the same over the public API.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import mgp

from .. import context as contexts
from .. import schema
from ..context import Context
from ..errors import InvalidContext, InvalidText, TooMuch


def decayed(level: float, accessed_at: int, context: Context) -> float:
    """Return level · exp(−(now − accessed_at)/tau), seed 000's arousal, in [0, 1].

    An access in the future counts as now.
    """
    age = context.now_ms - accessed_at
    return level * math.exp(-age / context.tau_ms) if age > 0 else level


class Node:
    """A concept or an episode as read when the call first met it, kept up with what it writes.

    `arousal` is that of the call's time. It follows from `arousal_level`, in [0, 1], as of
    `accessed_at`, unix ms; a node made by hand may lack either, which counts as never aroused.
    """

    __slots__ = (
        "accessed_at",
        "arousal",
        "arousal_level",
        "id",
        "is_episode",
        "label",
        "name",
        "raw",
        "text",
    )

    def __init__(self, raw: Any, node_id: int, label: str, context: Context) -> None:
        # A recall builds thousands of these: no property is read that it does not need.
        name = raw.get_property("name")
        level = raw.get_property("arousal_level")
        accessed_at = raw.get_property("accessed_at")
        if level.__class__ is not float or accessed_at.__class__ is not int:
            level, accessed_at = _real(level) or 0.0, int(_real(accessed_at) or 0)
        self.raw = raw
        self.id = node_id
        self.label = label
        self.name: str = name if name.__class__ is str else ""
        self.is_episode = label == schema.EPISODE
        self.text: str = (self.summary or self.name) if self.is_episode else self.name
        self.arousal_level: float = level
        self.accessed_at: int = accessed_at
        self.arousal = decayed(level, accessed_at, context)

    @property
    def summary(self) -> str | None:
        """What stands for an episode in a proposition; a concept is stood for by its name."""
        summary = self.raw.get_property("summary")
        return summary if isinstance(summary, str) else None

    @property
    def valence(self) -> float | None:
        valence = self.raw.get_property("valence")
        return valence if valence.__class__ is float else _real(valence)


_LABELS = frozenset(schema.LABELS)
# Steps of a walk or a scan between two looks at whether the query was cancelled.
_ABORT_EVERY = 1_000


class Graph:
    """One call's view of the graph: its context, its nodes, and all writing."""

    def __init__(self, ctx: Any, context: Mapping[str, Any]) -> None:
        self.context = contexts.parse(context)
        self._ctx = ctx
        self._graph = ctx.graph
        self._nodes: dict[int, Node | None] = {}
        self._steps = 0
        self._read_edges = 0
        self._most_edges: float = math.inf
        self._advice = ""
        self._next_look: float = _ABORT_EVERY

    def check_abort(self) -> None:
        """Raise if the query was cancelled or timed out; Python has no other way to notice."""
        self._ctx.check_must_abort()

    def step(self) -> None:
        """Count a step of a loop over the graph; now and then, check whether to go on."""
        self._steps += 1
        if self._steps % _ABORT_EVERY == 0:
            self.check_abort()

    def bound_edges(self, most: int, advice: str) -> None:
        """Let this call read at most *most* edges, counted from each end that they are read from.

        The one too many raises TooMuch with *advice*.
        """
        self._most_edges, self._advice = most, advice
        self._next_look = min(self._next_look, most + 1)

    # Reading

    def node(self, vertex: Any) -> Node | None:
        """Return the node of an `mgp.Vertex`, or None if it is neither a concept nor an episode."""
        return self._node(_raw_vertex(vertex))

    def split(self, values: Sequence[Any]) -> tuple[list[Any], list[Node]]:
        """Return those of *values* that are no vertices, and the nodes of those that are."""
        others = [value for value in values if not isinstance(value, mgp.Vertex)]
        nodes = [self.node(value) for value in values if isinstance(value, mgp.Vertex)]
        if None in nodes:
            raise InvalidText("seeds: a node is neither a concept nor an episode")
        return others, [node for node in nodes if node is not None]

    def named(self, wanted: Callable[[str], bool]) -> list[Node]:
        """Return the nodes whose name is *wanted*: among those found by index, else by a scan."""
        return [node for node in self.nodes() if wanted(node.name)]

    def find(self, names: Collection[str]) -> dict[str, list[Node]]:
        """Return the nodes of each of *names*, episodes first; unknown names are absent."""
        found: dict[str, list[Node]] = {}
        asked = frozenset(names)
        for node in self.named(asked.__contains__):
            found.setdefault(node.name, []).append(node)
        for nodes in found.values():
            nodes.sort(key=lambda node: (not node.is_episode, node.id))
        return found

    def nodes(self) -> Iterator[Node]:
        """Iterate over the nodes that an index look-up found, or over all where none was made."""
        found = self.context.found
        if found is not None:
            for vertex in dict.fromkeys(found):
                self.step()
                if not isinstance(vertex, mgp.Vertex):
                    raise InvalidContext("context: found must hold nodes only")
                node = self.node(vertex)
                if node is not None:
                    yield node
            return
        for vertex in self._graph.vertices:
            self.step()
            node = self.node(vertex)
            if node is not None:
                yield node

    def edges(self, node: Node) -> Iterator[tuple[Any, str, Node, bool]]:
        """Iterate over (edge, relation type, other end, whether the edge leaves *node*)."""
        self.step()
        names, nodes = schema.RELATION_NAMES, self._nodes
        for outgoing in (True, False):
            edge_iterator = node.raw.iter_out_edges() if outgoing else node.raw.iter_in_edges()
            edge = edge_iterator.get()
            while edge is not None:
                self._read_edges += 1
                if self._read_edges >= self._next_look:
                    self._look_up()
                relation = names.get(edge.get_type_name())
                if relation is not None:
                    far = edge.to_vertex() if outgoing else edge.from_vertex()
                    far_id = far.get_id()
                    other = nodes[far_id] if far_id in nodes else self._new_node(far, far_id)
                    if other is not None:
                        yield edge, relation, other, outgoing
                edge = edge_iterator.next()

    def edges_between(self, source: Node, target: Node, edge_type: str) -> list[Any]:
        """Return all edges of one type from *source* to *target*.

        Both ends are read in turn and the shorter list decides, so that a hub costs no more than
        the other end has.
        """
        ends = (
            (source.raw.iter_out_edges(), "to_vertex", target.id),
            (target.raw.iter_in_edges(), "from_vertex", source.id),
        )
        matches: tuple[list[Any], list[Any]] = ([], [])
        current = [edge_iterator.get() for edge_iterator, _, _ in ends]
        while True:
            self.step()
            for side, (edge_iterator, far_end, far_id) in enumerate(ends):
                edge = current[side]
                if edge is None:
                    return matches[side]
                if (
                    edge.get_type_name() == edge_type
                    and getattr(edge, far_end)().get_id() == far_id
                ):
                    matches[side].append(edge)
                current[side] = edge_iterator.next()

    def weight(self, edge: Any) -> float:
        """Return an edge's weight; one made by hand without any counts as new."""
        weight = edge.get_property("weight")
        if weight.__class__ is float:
            return weight
        return schema.INITIAL_WEIGHT if _real(weight) is None else float(weight)

    def relation(self, edge: Any) -> Any:
        """Return *edge* as a procedure yields it, so that Lab can draw it."""
        return edge.public if isinstance(edge, _PublicEdge) else edge

    # Writing

    def create_node(self, label: str, **properties: Any) -> Node:
        """Create a node with that one label; a name taken meanwhile shows only at commit."""
        vertex = self._graph.create_vertex()
        vertex.add_label(label)
        raw = _raw_vertex(vertex)
        for key, value in properties.items():
            raw.set_property(key, value)
        node = Node(raw, raw.get_id(), label, self.context)
        self._nodes[node.id] = node
        return node

    def update(self, node: Node, **properties: Any) -> None:
        """Set properties of *node*, in the database and in this view."""
        for key, value in properties.items():
            node.raw.set_property(key, value)
        self._nodes[node.id] = node
        node.__init__(node.raw, node.id, node.label, self.context)  # type: ignore[misc]

    def arouse(self, node: Node, level: float) -> None:
        """Set the arousal of *node* to *level*, now."""
        node.raw.set_property("arousal_level", level)
        node.raw.set_property("accessed_at", self.context.now_ms)
        node.arousal = node.arousal_level = level
        node.accessed_at = self.context.now_ms

    def create_edge(self, source: Node, target: Node, edge_type: str, weight: float) -> None:
        """Create an edge, conflicting on every Memgraph version with whoever creates it too."""
        # Later versions let two transactions add edges to one vertex; they never let both write it.
        source.raw.set_property("name", source.name)
        edge = self._graph.create_edge(
            _public_vertex(source.raw), _public_vertex(target.raw), mgp.EdgeType(edge_type)
        )
        edge.properties.set("weight", weight)

    def set_weight(self, edge: Any, weight: float) -> None:
        edge.set_property("weight", weight)

    def delete_edge(self, edge: Any) -> None:
        self._graph.delete_edge(_public_edge(edge))

    def delete_node(self, node: Node) -> None:
        """Delete *node* with all of its edges."""
        self._graph.detach_delete_vertex(_public_vertex(node.raw))
        self._nodes[node.id] = None

    def _look_up(self) -> None:
        """Check, amid the edges of a node, whether there are too many or the query was ended."""
        if self._read_edges > self._most_edges:
            raise TooMuch(f"would read more than {self._most_edges:,} relations; {self._advice}")
        self.check_abort()
        self._next_look = min(self._read_edges + _ABORT_EVERY, self._most_edges + 1)

    def _node(self, raw: Any) -> Node | None:
        node_id = raw.get_id()
        return self._nodes[node_id] if node_id in self._nodes else self._new_node(raw, node_id)

    def _new_node(self, raw: Any, node_id: int) -> Node | None:
        label = _label(raw)
        node = None if label is None else Node(raw, node_id, label, self.context)
        self._nodes[node_id] = node
        return node


def arousal_of(vertex: mgp.Vertex, context: Context) -> float | None:
    """Return the arousal of a vertex outside of any call's view; None if it is foreign."""
    raw = _raw_vertex(vertex)
    label = _label(raw)
    return None if label is None else Node(raw, raw.get_id(), label, context).arousal


def _label(raw: Any) -> str | None:
    for index in range(raw.labels_count()):
        label: str = raw.label_at(index)
        if label in _LABELS:
            return label
    return None


def _real(value: Any) -> float | None:
    """Return a property as a float; what a hand put there that is no number counts as absent."""
    return float(value) if isinstance(value, (int, float)) else None


def _raw_vertex(vertex: Any) -> Any:
    return vertex._vertex if hasattr(vertex, "_vertex") else _PublicVertex(vertex)


def _public_vertex(raw: Any) -> mgp.Vertex:
    return raw.public if isinstance(raw, _PublicVertex) else mgp.Vertex(raw)


def _public_edge(raw: Any) -> mgp.Edge:
    return raw.public if isinstance(raw, _PublicEdge) else mgp.Edge(raw)


class _PublicIterator:
    def __init__(self, edges: Iterator[Any]) -> None:
        self._edges = edges
        self._current = next(edges, None)

    def get(self) -> "_PublicEdge | None":
        return None if self._current is None else _PublicEdge(self._current)

    def next(self) -> "_PublicEdge | None":
        self._current = next(self._edges, None)
        return self.get()


class _PublicVertex:
    """The raw vertex interface over nothing but the public one."""

    def __init__(self, vertex: Any) -> None:
        self.public = vertex

    def get_id(self) -> int:
        return int(self.public.id)

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
    """The raw edge interface over nothing but the public one."""

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
