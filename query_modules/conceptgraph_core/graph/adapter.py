"""Give one call its view of the graph: its nodes, its edges, and all writing. Names no label.

The layer declares which part of a graph is visible, and how its nodes are read
(`Graph.node_class`).
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import mgp

from ..verbs import context as contexts
from ..verbs.context import Context
from ..verbs.errors import InvalidContext, TooMuch
from . import primitives
from . import raw as raws
from .layers import Layer, Property
from .primitives import (
    Embedded,
    Equal,
    Incoming,
    Lacking,
    Lookup,
    Sized,
    Tallied,
    Union,
    WithEdges,
)

# The steps of a walk or a scan between two checks whether the query was cancelled.
_ABORT_EVERY = 1_000
# The number of a node's edges to read before another node's: most have fewer.
_FEW_EDGES = 8
# No node has this property; setting it to nothing writes the node.
_WRITTEN = "written"
# Look-ups that do more than find nodes.
_MORE = (Embedded, Incoming, Sized, Tallied, WithEdges)
# The answer of a look-up that the server has still to make; compared by identity.
_LACKS: Mapping[str, Any] = {}


class Found:
    """The results of the look-ups of one call, which all of its views share.

    * `by_id` has the vertices, below `mgp`, with their labels; None: nothing was looked up, so that
      a view has all there are.
    * `degrees` are numbers of incoming edges by id, and `incoming` their columns by id.
    * `size` is the number of nodes of the kind in question, if that was counted.
    * `tallies` has lists of how many nodes there are of some kind in each of some periods.
    * `told` has the answer to each look-up, so that none is made twice.
    """

    __slots__ = ("by_id", "degrees", "incoming", "size", "tallies", "told")

    def __init__(self) -> None:
        self.by_id: dict[int, tuple[Any, list[str]]] | None = None
        self.degrees: dict[int, int] = {}
        self.incoming: dict[int, Sequence[Any]] = {}
        self.size: int | None = None
        self.tallies: Sequence[Sequence[int]] | None = None
        self.told: dict[tuple[type, Lookup], Mapping[str, Any] | None] = {}


class Node:
    """A vertex of a layer, whose properties are read when they are used."""

    __slots__ = ("id", "label", "raw")
    # By label and name; the subclass of a layer has that layer's.
    declared: ClassVar[Mapping[str, Mapping[str, Property]]] = {}

    def __init__(self, raw: Any, node_id: int, label: str, context: Context) -> None:
        self.raw = raw
        self.id = node_id
        self.label = label

    def get(self, name: str) -> Any:
        """Return a property; a wrong value, from Cypher written by hand, counts as absent."""
        declared, value = self.declared[self.label][name], self.raw.get_property(name)
        return value if declared.accepts(value) else declared.checked(value)


N = TypeVar("N", bound=Node)
G = TypeVar("G", bound="Graph[Any]")


class Graph(Generic[N]):
    """One call's view of the nodes that a walk of `layer` may enter."""

    layer: ClassVar[Layer]
    node_class: ClassVar[type[Any]] = Node
    # One such call of a person must not hold up all agents.
    most_scanned: float = contexts.most_scanned()
    # Runs a look-up as a query of its own, in Lab; None: the server makes the look-ups.
    nested: "Callable[[Lookup], Mapping[str, Any] | None] | None" = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._walked = frozenset(cls.layer.walked)
        cls._relations = {kind.type: kind.name for kind in cls.layer.edges}
        cls._vectors = frozenset(index.vector for index in cls.layer.vectors)

    _walked: ClassVar[frozenset[str]]
    _relations: ClassVar[Mapping[str, str]]
    _vectors: ClassVar[frozenset[str]]

    def __init__(self, ctx: Any, context: Mapping[str, Any] | Context) -> None:
        self.context = context if isinstance(context, Context) else contexts.parse(context)
        if self.context.until_ms is not None and ctx.graph.is_mutable():
            # A hidden node may have the same key, or be the one to change.
            raise InvalidContext("context: until_ms is for reading only")
        self._ctx = ctx
        self._graph = ctx.graph
        self._raw_graph = raws.raw_graph(ctx.graph)
        self._nodes: dict[int, N | None] = {}
        # Nodes that the caller found are all there is to find.
        self._pulls = self.context.found is None
        self.found = Found()
        if not self._pulls:
            self._add_found(self.context.found)
        self._steps = 0
        self._read_edges = 0
        self._most_edges: float = math.inf
        self._advice = ""
        self._next_look: float = _ABORT_EVERY

    def another(self, kind: type[G]) -> G:
        """Return a view of another class for the same call."""
        made = kind(self._ctx, self.context._replace(found=None))
        made.context = self.context
        # All views find what one pulls.
        made.found, made._pulls = self.found, self._pulls
        made.nested = self.nested
        # A call that may read all there is may do so through each view.
        made.most_scanned = max(made.most_scanned, self.most_scanned)
        return made

    @property
    def may_write(self) -> bool:
        """Whether this call is of a procedure that writes; a read-only one writes nothing."""
        return bool(self._graph.is_mutable())

    def check_abort(self) -> None:
        """Raise if the query was cancelled or timed out; Python has no other way to notice."""
        self._ctx.check_must_abort()

    def step(self) -> None:
        """Count a step of a loop over the graph; now and then, check whether the query goes on."""
        self._steps += 1
        if self._steps % _ABORT_EVERY == 0:
            self.check_abort()

    def bound_edges(self, most: int, advice: str) -> None:
        """Let this call read at most *most* edges; an edge read from both ends counts twice.

        The first one beyond that raises TooMuch with *advice*.
        """
        self._most_edges, self._advice = most, advice
        self._next_look = min(self._next_look, most + 1)

    def split(self, values: Iterable[Any]) -> tuple[list[Any], list[N | None]]:
        """Return the *values* that are no vertices, and the nodes of the others."""
        values = list(values)
        others = [value for value in values if not isinstance(value, mgp.Vertex)]
        return others, [self.node(value) for value in values if isinstance(value, mgp.Vertex)]

    def node(self, vertex: Any) -> N | None:
        """Return the node of an `mgp.Vertex`, or None if no walk of the layer may enter it."""
        return self.raw_node(raws.raw_vertex(vertex))

    def raw_node(self, raw: Any) -> N | None:
        """Return the node of a vertex below `mgp`, as `node` does."""
        node_id = raw.get_id()
        return self._nodes[node_id] if node_id in self._nodes else self._new_node(raw, node_id)

    def pull(self, *lookups: Lookup) -> None:
        """Add to `nodes` what *lookups* find by index, and to `found` what else they tell.

        Nothing that this call wrote is found. Where the caller gave `found`, that is all there is;
        where nothing can look up, `nodes` has all there are. Raises Lacking, before anything is
        written, where the server has to make a look-up and call again.
        """
        self._look_up_together(lookups)
        for told in {id(one): one for one in self._answers(lookups)}.values():
            more = dict(told)
            self._add_found(*(more.pop(one, None) for one in ("found", "degrees", "incoming")))
            for name, value in more.items():
                setattr(self.found, name, value)

    def read_all(self) -> None:
        """Let `nodes` have all there are, whatever the rules that this call uses would pull."""
        self._pulls = False

    def find(self, label: str, names: Sequence[str], values: Iterable[Sequence[Any]]) -> list[N]:
        """Return the nodes of *label* whose properties *names* are one of *values*, by index.

        They are asked for as `pull` does it, and `nodes` stays as it is.
        """
        wanted = dict.fromkeys(map(tuple, values))
        answers = self._answers([Equal((label,), tuple(names), tuple(wanted))])
        found: Iterable[N | None] = self.nodes()
        if answers and "found" in answers[0]:
            found = map(self.raw_node, self._raw(answers[0]["found"]))
        return [
            node
            for node in found
            if node is not None
            and node.label == label
            and tuple(map(node.raw.get_property, names)) in wanted
        ]

    def embed(self, texts: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return what `Embedded` tells of each of *texts*; the caller must be one that `embeds`."""
        return self._answers([Embedded(one) for one in texts])

    def _look_up_together(self, lookups: Sequence[Lookup]) -> None:
        """Make those of *lookups* that only find nodes as one, where they are made at once."""
        at_once = getattr(self._raw_graph, "answer", None)
        if at_once is None and self.context.answers is None:
            at_once = self.nested
        if at_once is None or not self._pulls:
            return
        known = self.found.told
        new = {(one.__class__, one): one for one in lookups if not isinstance(one, _MORE)}
        new = {key: one for key, one in new.items() if key not in known}
        told = at_once(Union(tuple(new.values()))) if len(new) > 1 else None
        if told is not None:
            # The first one has the results of all.
            first, *others = new
            known[first] = told
            known.update({key: {} for key in others})

    def _answers(self, lookups: Sequence[Lookup]) -> list[Mapping[str, Any]]:
        """Return the answers to *lookups*, keys of the context; none where nothing can look up."""
        answers = [self._answer(one) for one in lookups] if self._pulls else []
        if lacks := [one for one, told in zip(lookups, answers, strict=False) if told is _LACKS]:
            raise Lacking(lacks)
        return [told for told in answers if told is not None]

    def _answer(self, lookup: Lookup) -> Mapping[str, Any] | None:
        key = lookup.__class__, lookup
        if key not in self.found.told:
            told = self._new_answer(lookup)
            if told is _LACKS:
                return told
            self.found.told[key] = told
        return self.found.told[key]

    def _new_answer(self, lookup: Lookup) -> Mapping[str, Any] | None:
        # A store file answers at once (`procedure_host` of the server's SQLite host). To a call of
        # the server's, Memgraph gives the answers in the context, and to one by hand a query.
        answer: Callable[[Lookup], Mapping[str, Any]] | None
        answer = getattr(self._raw_graph, "answer", None)
        told: Mapping[str, Any] | None = None
        if answer is not None and lookup.__class__ is not Embedded:
            told = answer(lookup)
        elif self.context.answers is not None:
            told = self.context.answers.get(primitives.key(lookup), _LACKS)
            if "as" in told:
                # It was looked up together with another one.
                told = self.context.answers[told["as"]]
        elif lookup.__class__ is Embedded:
            told = _LACKS
        elif self.nested is not None:
            told = self.nested(lookup)
        return told

    def nodes(self) -> Iterator[N]:
        """Iterate over the nodes that an index look-up found, or without a look-up over all."""
        if self.found.by_id is None:
            yield from filter(None, map(self.node, self.all_vertices()))
            return
        known, walked = self._nodes, self._walked
        for node_id, (raw, labels) in list(self.found.by_id.items()):
            self.step()
            # A look-up serves several views, so most of what it found is of other layers.
            if walked.isdisjoint(labels):
                continue
            node = known[node_id] if node_id in known else self._new_node(raw, node_id)
            if node is not None:
                yield node

    def _add_found(
        self,
        found: Iterable[Any] | None,
        degrees: Sequence[int] | None = None,
        incoming: Iterable[Sequence[Any]] | None = None,
    ) -> None:
        """Add the results of an index look-up by id, each once, with their labels and edges."""
        if self.found.by_id is None:
            self.found.by_id = {}
        known = self.found.by_id
        for raw in self._raw(found or ()):
            node_id = raw.get_id()
            if node_id not in known:
                known[node_id] = raw, raws.labels(raw)
        if degrees:
            self.found.degrees.update(zip(map(_id_of, found or ()), degrees, strict=False))
        self.found.incoming.update((one, columns) for one, *columns in incoming or ())

    def _raw(self, found: Iterable[Any]) -> Iterator[Any]:
        """Iterate over the vertices below `mgp` of *found*: vertices, or ids of such as exist."""
        for one in found:
            # Comparing `mgp` vertices would take longer than all the rest.
            if isinstance(one, mgp.Vertex):
                yield raws.raw_vertex(one)
            elif type(one) is int:
                if (raw := self.raw_vertex(one)) is not None:
                    yield raw
            elif hasattr(one, "get_id"):
                yield one
            else:
                raise InvalidContext("context: found must hold nodes or their ids only")

    def vertices(self) -> Iterator[Any]:
        """Iterate over the found vertices, whatever their labels, or over all there are."""
        if self.found.by_id is None:
            yield from self.all_vertices()
            return
        for raw, _ in list(self.found.by_id.values()):
            self.step()
            yield raws.public_vertex(raw)

    def all_vertices(self) -> Iterator[Any]:
        """Iterate over all vertices, whatever was found. Raises TooMuch beyond `most_scanned`."""
        for number, vertex in enumerate(self._graph.vertices):
            self.step()
            if number == self.most_scanned:
                raise TooMuch(self._unbounded())
            yield vertex

    def _unbounded(self) -> str:
        kind = self.layer.nodes[0]
        return (
            f"without found this call reads all nodes, and these are more than"
            f" {self.most_scanned:,}; look them up by index first:"
            f" MATCH (n:{kind.label} {{{kind.key[-1]}: $given}})"
            " WITH collect(n) AS found CALL …($given, …, {found: found}) YIELD …;"
            " or use the MCP server or the command line, which look up by themselves;"
            f" or set {contexts.MOST_SCANNED_VARIABLE} in Memgraph's environment"
        )

    def raw_vertex(self, vertex_id: int) -> Any:
        """Return the vertex of that id below `mgp`; None if there is none."""
        if type(vertex_id) is not int:
            return None
        try:
            return self._raw_graph.get_vertex_by_id(vertex_id)
        except IndexError:
            return None

    def expect(self, vertex_ids: Sequence[int]) -> None:
        """Announce vertices that the call will read, so that a host can load them together."""
        read = getattr(self._raw_graph, "expect_vertices", None)
        if read is not None:
            read(vertex_ids)

    def expect_vectors(self, nodes: Iterable[Node], name: str) -> None:
        """Announce that the call will read the vector *name* of *nodes*, like `expect`."""
        read = getattr(self._raw_graph, "expect_vectors", None)
        if read is not None:
            read([node.raw for node in nodes], name)

    def cosines(
        self, nodes: Iterable[Node], name: str, vector: Sequence[float]
    ) -> Mapping[int, float]:
        """Return the cosines to *vector* of the vectors *name* of *nodes*, by id.

        They are those that a host has at hand; the others are to be computed from the properties.
        """
        known = getattr(self._raw_graph, "cosines", None)
        return {} if known is None else known([node.raw for node in nodes], name, vector)

    def looked_up(
        self, label: str, properties: Sequence[str], values: Sequence[Sequence[Any]]
    ) -> list[Any] | None:
        """Return the vertices, below `mgp`, with one of *values* in *properties*, by index.

        None if the host has no such look-up during a call; a full scan is then the caller's choice.
        """
        look_up = getattr(self._raw_graph, "look_up", None)
        return None if look_up is None else look_up(label, properties, values)

    def degrees_to(self, vertex_ids: Collection[int], most: int) -> dict[int, int] | None:
        """Return how many edges lead to each vertex, counted no further than *most*.

        None where the host has no such look-up during a call: the edges are to be gone through.
        """
        degrees = getattr(self._raw_graph, "degrees_to", None)
        return None if degrees is None else degrees(vertex_ids, most)

    def columns_to(self, vertex_ids: Collection[int]) -> dict[int, Any] | None:
        """Return the columns of what leads to each vertex; None as with `degrees_to`."""
        columns = getattr(self._raw_graph, "columns_to", None)
        return None if columns is None else columns(vertex_ids)

    def expect_edges(self, nodes: Iterable[N], outgoing: bool) -> None:
        """Announce a walk over the outgoing (or incoming) edges of *nodes*, like `expect`."""
        read = getattr(self._raw_graph, "expect_edges", None)
        if read is not None:
            read([node.raw for node in nodes], outgoing)

    def edges(
        self,
        node: N,
        ways: Sequence[bool] = (True, False),
        relations: Mapping[str, str] | None = None,
    ) -> Iterator[tuple[Any, str, N, bool]]:
        """Iterate over (edge, relation type, other end, whether the edge leaves *node*).

        *ways* selects outgoing (True) and incoming (False) edges. *relations* selects the types,
        each with its name.
        """
        return self._edges(node, ways, self._relations if relations is None else relations, True)

    def ends(
        self,
        node: N,
        ways: Sequence[bool] = (True, False),
        relations: Mapping[str, str] | None = None,
    ) -> Iterator[tuple[Any, str, Any, bool]]:
        """Iterate like `edges`, with each other end as the vertex below `mgp`.

        Its properties are not read: `raw_node` may refuse it.
        """
        return self._edges(node, ways, self._relations if relations is None else relations, False)

    def read_ends(
        self, nodes: Sequence[N], relations: Mapping[str, str], names: Sequence[str]
    ) -> list[list[tuple[Any, ...]]]:
        """Return, of each of *nodes*, the outgoing `ends`, each with its properties *names*.

        None of these is a list or a vector.
        """
        read = getattr(self._raw_graph, "read_ends", None)
        if read is not None:
            self.step()
            found: list[list[tuple[Any, ...]]] = read([one.raw for one in nodes], relations, names)
            return found
        return [
            [
                (end, *map(end.get_property, names))
                for _, _, end, _ in self.ends(node, (True,), relations)
            ]
            for node in nodes
        ]

    def unread(self, node: N, ways: Sequence[bool]) -> Iterator[tuple[Any, str, None, bool]]:
        """Iterate over all edges like `edges`, without reading their types.

        A caller that wants few of them asks `relation` and the edge itself.
        """
        return self._edges(node, ways, None, False)

    def relation(self, edge: Any, relations: Mapping[str, str] | None = None) -> str | None:
        """Return the relation of *edge*, None if `edges` would leave it out."""
        names = self._relations if relations is None else relations
        return names.get(edge.get_type_name())

    def _edges(
        self,
        node: N,
        ways: Sequence[bool],
        names: Mapping[str, str] | None,
        are_nodes: bool,
    ) -> Iterator[tuple[Any, str, Any, bool]]:
        self.step()
        known_node, new_node = self._nodes.get, self._new_node
        # A local counter costs least; it is added to the call's count at the end.
        read, left = 0, self._next_look - self._read_edges
        try:
            for outgoing in ways:
                edges = node.raw.iter_out_edges() if outgoing else node.raw.iter_in_edges()
                edge, following = edges.get(), edges.next
                while edge is not None:
                    read += 1
                    if read >= left:
                        self._read_edges += read
                        read = 0
                        self._look_up()
                        left = self._next_look - self._read_edges
                    if names is None:
                        yield edge, "", None, outgoing
                        edge = following()
                        continue
                    relation = names.get(edge.get_type_name())
                    if relation is not None:
                        other = edge.to_vertex() if outgoing else edge.from_vertex()
                        if are_nodes:
                            far_id = other.get_id()
                            known = known_node(far_id, other)
                            other = known if known is not other else new_node(other, far_id)
                        if other is not None:
                            yield edge, relation, other, outgoing
                    edge = following()
        finally:
            self._read_edges += read

    def edges_between(self, source: Node, target: Node, edge_type: str) -> list[Any]:
        """Return all edges of one type from *source* to *target*.

        If *source* has many outgoing edges, both ends are read in turn and the shorter list
        decides, so that a hub costs no more than the other end.
        """
        leaving = source.raw.iter_out_edges()
        edge = leaving.get()
        found: list[Any] = []
        for _ in range(_FEW_EDGES):
            if edge is None:
                return found
            if edge.get_type_name() == edge_type and edge.to_vertex().get_id() == target.id:
                found.append(edge)
            edge = leaving.next()
        entering = target.raw.iter_in_edges()
        ends = ((leaving, "to_vertex", target.id), (entering, "from_vertex", source.id))
        matches: tuple[list[Any], list[Any]] = (found, [])
        current = [edge, entering.get()]
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

    def relations(self, edges: Iterable[Any]) -> list[Any]:
        """Return *edges* as a procedure yields them, so that Lab can draw them."""
        return raws.yield_edges(edges)

    def yielded(self, node: N) -> Any:
        """Return *node* as a procedure yields it, so that Lab can draw it."""
        return raws.public_vertex(node.raw)

    def create_node(self, label: str, /, **properties: Any) -> N:
        """Create a node with that one label; a concurrent duplicate of its key fails at commit."""
        raw = raws.create_vertex(self._raw_graph, label, properties, self._vectors)
        node: N = self.node_class(raw, raw.get_id(), label, self.context)
        self._nodes[node.id] = node
        return node

    def update(self, node: N, /, **properties: Any) -> None:
        """Set properties of *node*, in the database and in this view."""
        for key, value in properties.items():
            node.raw.set_property(key, value)
        self._nodes[node.id] = node
        node.__init__(node.raw, node.id, node.label, self.context)  # type: ignore[misc]

    def create_edge(self, source: Node, target: Node, edge_type: str, /, **properties: Any) -> Any:
        """Create an edge so that a concurrent writer of it conflicts, on every Memgraph."""
        # Later versions let two transactions add edges to one vertex, but never let both write the
        # vertex. Writing an indexed property would add an entry to its index, and Memgraph would
        # count it until it cleans up.
        source.raw.set_property(_WRITTEN, None)
        return self.add_edge(source, target, edge_type, **properties)

    def add_edge(self, source: Node, target: Node, edge_type: str, /, **properties: Any) -> Any:
        """Create an edge that no concurrent call can create."""
        edge = self._raw_graph.create_edge(source.raw, target.raw, edge_type)
        for name, value in properties.items():
            edge.set_property(name, value)
        return edge

    def add_edges(
        self, source: Node, edge_type: str, name: str, targets: Iterable[Node], given: Iterable[Any]
    ) -> None:
        """Create edges to *targets* as `add_edge` does, each with its *given* property *name*."""
        ends = [target.raw for target in targets]
        raws.create_edges(self._raw_graph, source.raw, edge_type, name, ends, list(given))

    def delete_edge(self, edge: Any) -> None:
        self._graph.delete_edge(raws.public_edge(edge))

    def delete_if_alone(self, node: Node) -> bool:
        """Delete *node* if it has no edges; tell whether it was deleted.

        It answers for writes of this call. Memgraph copies all edges of a node to read one, but
        refuses at once to delete a node that has any.
        """
        try:
            self._graph.delete_vertex(raws.public_vertex(node.raw))
        except mgp.LogicErrorError:
            return False
        self._forget(node)
        return True

    def delete_node(self, node: Node) -> None:
        """Delete *node* with all of its edges."""
        self._graph.detach_delete_vertex(raws.public_vertex(node.raw))
        self._forget(node)

    def _forget(self, node: Node) -> None:
        """Let no view of this call find the deleted *node*."""
        self._nodes[node.id] = None
        if self.found.by_id is not None:
            self.found.by_id.pop(node.id, None)

    def _look_up(self) -> None:
        """Check, between edges of a node, for too many of them and for a cancelled query."""
        if self._read_edges > self._most_edges:
            raise TooMuch(f"would read more than {self._most_edges:,} relations; {self._advice}")
        self.check_abort()
        self._next_look = min(self._read_edges + _ABORT_EVERY, self._most_edges + 1)

    def _new_node(self, raw: Any, node_id: int) -> N | None:
        label = self.label(raw)
        node = None if label is None else self.node_class(raw, node_id, label, self.context)
        if node is not None and self.context.until_ms is not None and self.is_later(node):
            node = None
        self._nodes[node_id] = node
        return node

    def is_later(self, node: N) -> bool:
        """Tell whether *node* was created, or may have been, after the context's `until_ms`."""
        return False

    @classmethod
    def label(cls, raw: Any) -> str | None:
        """Return the label by which the layer knows a vertex, if a walk may enter it."""
        label: str
        count, walked = raw.labels_count(), cls._walked
        if count == 1:
            # All nodes have one label, except those made by hand in Cypher.
            label = raw.label_at(0)
            return label if label in walked else None
        for index in range(count):
            label = raw.label_at(index)
            if label in walked:
                return label
        return None


def _id_of(found: Any) -> int:
    """Return the id of what a look-up found: an id, or a vertex, also one below `mgp`."""
    if isinstance(found, int):
        return found
    return int(found.get_id() if hasattr(found, "get_id") else found.id)
