"""Import records as `export` makes them; their layers check them.

Export the graph as records from which another store can restore all of it.

A record is a flat map. A node's has its kind and its properties; an edge's is {kind: "relation" (or
its layer's name), from, to, type, …}. `from` and `to` are keys: a name or an id, or a list of
values for a compound key. If the kinds of an end share no name space, `from_kind` or `to_kind` says
which kind it is. The concept layer has:

    {kind: "concept", name, valence, arousal_level, accessed_at}
    {kind: "episode", name, summary, valence, arousal_level, accessed_at}
    {kind: "relation", from, to, type, weight}

Records of a user's own concepts and episodes also have user_id.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..errors import ConceptGraphError, InvalidRow
from ..graph.adapter import Node
from ..layers import SHARED, EdgeKind, Layer, NodeKind
from ..retrieval.indexer import Writer
from .places import Key, Place, look_up, places
from .rows import Row, Rows, given_in
from .view import Everything, value_of


def import_rows(graph: Everything, rows: Sequence[Row]) -> dict[str, int]:
    """Import *rows*: a given value overwrites, a missing one is kept, or gets its default if new.

    Missing ends of relations are created if their kind allows it (concepts). Importing the same
    rows again changes nothing. With the context's `only_new`, existing elements stay unchanged.
    Returns how many nodes and relations were created and how many existed. Raises InvalidRow, with
    the row's number, for the first wrong one.
    """
    importer = _Importer(graph, rows)
    for number, row in enumerate(rows):
        graph.step()
        try:
            importer.add(row)
        except ConceptGraphError as error:
            raise InvalidRow(f"row {number}: {error}") from None
    importer.finish()
    return importer.counts


class _Importer(Rows[Node]):
    """Writes the rows of one call, with the nodes that they name."""

    def __init__(self, graph: Everything, rows: Sequence[Row]) -> None:
        super().__init__(graph.layers, graph.context.now_ms)
        self._graph = graph
        self._nodes: dict[Place, Node] = {}
        wanted = {place for row in rows for place in places(graph.layers, row)}
        graph.pull(look_up(graph.layers, rows, graph.context.languages))
        self._words = Writer(graph)
        for node in graph.nodes():
            place = graph.layer_of(node.label).sharing(node.label), graph.key(node)
            if place in wanted:
                self._nodes.setdefault(place, node)
        self.counts = dict.fromkeys(
            ("nodes_created", "nodes_existing", "relations_created", "relations_existing"), 0
        )

    def finish(self) -> None:
        self._words.finish()

    def _add_node(self, row: Row, layer: Layer, kind: NodeKind) -> tuple[Node, bool]:
        node, is_new = super()._add_node(row, layer, kind)
        if is_new or not self._graph.context.only_new:
            self._index(kind, node, row)
        self.counts["nodes_existing"] += not is_new
        return node, is_new

    def _index(self, kind: NodeKind, node: Node, row: Row) -> None:
        # The look-up loaded the terms of a text only if the row has the text, or the index an
        # entry.
        told = kind.indexed is not None and any(name in row for name in kind.indexed.told())
        if told or (kind.indexed is not None and self._words.has(kind, node)):
            self._words.put(kind, node)

    def _find_node(self, place: Place) -> Node | None:
        return self._nodes.get(place)

    def _keep(self, place: Place, node: Node) -> None:
        self._nodes[place] = node

    def _properties(self, node: Node) -> Callable[[str], Any]:
        get: Callable[[str], Any] = node.raw.get_property
        return get

    def _create(self, kind: NodeKind, values: dict[str, Any]) -> Node:
        values |= self._dimension(kind, values)
        derived = {name: derive(values) for name, derive in kind.derived.items()}
        self.counts["nodes_created"] += 1
        return self._graph.create_node(kind.label, **values, **derived)

    def _update(self, kind: NodeKind, node: Node, given: dict[str, Any]) -> None:
        if self._graph.context.only_new:
            return
        given |= self._dimension(kind, given)
        self._graph.update(node, **(given | self._list_outdated_vectors(kind, node, given)))
        self._graph.update(node, **self._graph.lacking(node))

    def _dimension(self, kind: NodeKind, given: dict[str, Any]) -> dict[str, int]:
        """Return the number of dimensions of the *given* vector, whatever its row says."""
        indexes = [one for layer in self._graph.layers for one in layer.vectors]
        return {
            index.dimension: len(given[index.vector])
            for index in indexes
            if index.label == kind.label and index.dimension and given.get(index.vector)
        }

    def _list_outdated_vectors(
        self, kind: NodeKind, node: Node, given: dict[str, Any]
    ) -> dict[str, None]:
        """Return, as removed, the vector of a text that *given* changes without a new vector."""
        for index in (one for layer in self._graph.layers for one in layer.vectors):
            if index.label == kind.label and index.vector not in given:
                told = [name for name in index.texts if name in given]
                declared = [(name, kind.declared(name)) for name in told]
                if any(value_of(node.raw, one) != one.read(given[name]) for name, one in declared):
                    gone = (index.vector, *([index.dimension] if index.dimension else ()))
                    return dict.fromkeys(gone)
        return {}

    def _join(self, row: Row, kind: EdgeKind, source: Node, target: Node) -> None:
        edges = self._graph.edges_between(source, target, kind.type)
        if not edges:
            values = self._complete(row, kind.properties)
            self._graph.create_edge(source, target, kind.type, **values)
        else:
            given = given_in(row, kind.properties)
            if not self._graph.context.only_new:
                for name, value in given.items():
                    edges[0].set_property(name, value)
        self.counts["relations_existing" if edges else "relations_created"] += 1


PARTS = ("nodes", "relations")

Record = dict[str, Any]


def export(graph: Everything, part: str) -> Iterator[Record]:
    """Iterate over rows, {record}, of *part*: "nodes", or the "relations" that leave them.

    It covers the nodes of the context's `found`, or the whole graph.
    """
    if part not in PARTS:
        raise InvalidRow(f"part: must be one of {', '.join(PARTS)}")
    for node in graph.nodes():
        if graph.kind_of(node).exported:
            records = (
                [describe_node(graph, node)] if part == "nodes" else describe_edges(graph, node)
            )
            yield from ({"record": one} for one in records)


def describe_node(graph: Everything, node: Node) -> Record:
    """Return the record of *node*."""
    kind = graph.kind_of(node)
    record: Record = {"kind": kind.kind}
    for declared in kind.properties:
        value = value_of(node.raw, declared)
        if not declared.optional or value != declared.absent:
            record[declared.name] = value
    return record


def describe_edges(graph: Everything, node: Node) -> Iterator[Record]:
    """Iterate over the records of the edges that leave *node*."""
    layer = graph.layer_of(node.label)
    for edge, kind, other in graph.outgoing(node):
        if kind.exported:
            ends = _ends(graph, node, other)
            if len(layer.spaces(kind.sources)) > 1:
                ends["from_kind"] = graph.kind_of(node).kind
            if len(layer.spaces(kind.targets)) > 1:
                ends["to_kind"] = graph.kind_of(other).kind
            values = {one.name: value_of(edge, one) for one in kind.properties}
            given = {name: value for name, value in values.items() if value is not None}
            yield {"kind": layer.edge_kind, **ends, "type": kind.name, **given}


def _ends(graph: Everything, node: Node, other: Node) -> Record:
    """Return the keys of both ends, and whose they are, where that is not left out."""
    ends: Record = {}
    for field, end in (("from", node), ("to", other)):
        kind, key = graph.kind_of(end), graph.key(end)
        if kind.may_be_shared and kind.scope in kind.key:
            [scope, *key_] = key
            ends |= {} if scope == SHARED else {kind.scope: scope}
            key = tuple(key_)
        ends[field] = _plain(key)
    return ends


def _plain(key: Key) -> Any:
    return key[0] if len(key) == 1 else list(key)
