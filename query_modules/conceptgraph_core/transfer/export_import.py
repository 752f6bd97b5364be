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

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..graph.adapter import Node
from ..graph.layers import NOW, REQUIRED, SHARED, EdgeKind, Layer, NodeKind, Property
from ..retrieval.indexer import Writer
from ..verbs.errors import (
    ConceptGraphError,
    InvalidRow,
    NameTaken,
    NotFound,
    Tautology,
    UnknownRelationType,
    WrongKind,
)
from . import journal
from .places import Place, list_places, look_up, own_key, places, shown_key
from .view import Everything, value_of

Row = Mapping[str, Any]


def import_rows(graph: Everything, rows: Sequence[Row]) -> dict[str, int]:
    """Import *rows*: a given value overwrites, a missing one is kept, or gets its default if new.

    Missing ends of relations are created if their kind allows it (concepts). Importing the same
    rows again changes nothing. With the context's `only_new`, existing elements stay unchanged, and
    with its `import_id`, `journal.take_back` removes what was created. Returns how many nodes and
    relations were created and how many existed. Raises InvalidRow, with the row's number, for the
    first wrong one.
    """
    importer = _Importer(graph, rows)
    for number, row in enumerate(rows):
        graph.step()
        try:
            importer.add(row)
        except ConceptGraphError as error:
            raise InvalidRow(f"row {number}: {error}") from None
    importer.words.finish()
    if graph.context.import_id is not None and importer.created:
        journal.note(graph, graph.context.import_id, importer.created)
    return importer.counts


class _Importer:
    """Checks one row after the other by the rules of its layer, and writes it.

    Raises the errors of a row's checks; the caller rolls back what it wrote.
    """

    def __init__(self, graph: Everything, rows: Sequence[Row]) -> None:
        self._graph = graph
        self._node_kinds = {
            kind.kind: (layer, kind)
            for layer in graph.layers
            for kind in layer.nodes
            if kind.exported
        }
        self._edge_kinds = {layer.edge_kind: layer for layer in graph.layers if layer.edges}
        self._nodes: dict[Place, Node] = {}
        # The created elements as records, with their keys or ends alone.
        self.created: list[Row] = []
        wanted = {place for row in rows for place in places(graph.layers, row)}
        graph.pull(look_up(graph.layers, rows, graph.context.languages))
        self.words = Writer(graph)
        for node in graph.nodes():
            place = graph.layer_of(node.label).sharing(node.label), graph.key(node)
            if place in wanted:
                self._nodes.setdefault(place, node)
        self.counts = dict.fromkeys(
            ("nodes_created", "nodes_existing", "relations_created", "relations_existing"), 0
        )

    def add(self, row: Row) -> None:
        name = row.get("kind")
        if isinstance(name, str) and name in self._node_kinds:
            self._add_node(row, *self._node_kinds[name])
        elif isinstance(name, str) and name in self._edge_kinds:
            self._add_edge(row, self._edge_kinds[name])
        else:
            known = ", ".join((*self._node_kinds, *self._edge_kinds))
            raise InvalidRow(f"kind: must be one of {known}")

    def _add_node(self, row: Row, layer: Layer, kind: NodeKind) -> None:
        place = layer.sharing(kind.label), own_key(kind, row)
        node = self._nodes.get(place)
        if node is not None and node.label != kind.label:
            taken = layer.kind(node.label).kind
            raise NameTaken(f"{kind.key[-1]}: {shown_key(place[1])} is already a {taken}'s")
        if ("thread" in row) != ("position" in row) and kind.indexed is not None:
            raise InvalidRow("thread, position: go together, or not at all")
        if node is None:
            node = self._nodes[place] = self._create(kind, self._complete(row, kind.properties))
        else:
            given = given_in(row, kind.properties)
            self._check_same(kind, node, given)
            self.counts["nodes_existing"] += 1
            if self._graph.context.only_new:
                return
            given |= self._dimension(kind, given)
            outdated = self._list_outdated_vectors(kind, node, given)
            self._graph.update(node, **(given | outdated))
            self._graph.update(node, **self._graph.lacking(node))
        # The look-up loaded the terms of a text only if the row has the text, or the index an
        # entry.
        told = kind.indexed is not None and any(name in row for name in kind.indexed.told())
        if told or (kind.indexed is not None and self.words.has(kind, node)):
            self.words.put(kind, node)

    def _check_same(self, kind: NodeKind, node: Node, given: Mapping[str, Any]) -> None:
        """Raise InvalidRow if a record with these *given* values cannot be that of *node*."""
        get = node.raw.get_property
        for name in kind.unchanging:
            has = kind.declared(name).of(get)
            if given.get(name, has) != has:
                raise InvalidRow(f"{kind.kind}: {name} is {has} here, not {given[name]}")
        apart = kind.told_apart and kind.told_apart(get, given)
        if apart:
            raise InvalidRow(f"{kind.kind}: {apart}")

    def _add_edge(self, row: Row, layer: Layer) -> None:
        kind = layer.edge(row.get("type"))
        if kind is None:
            names = ", ".join(kind.name for kind in layer.edges)
            raise UnknownRelationType(f"type: must be one of {names}")
        source = self._end(row, "from", layer, kind, kind.sources)
        target = self._end(row, "to", layer, kind, kind.targets)
        if source is target:
            both = shown_key(self._graph.key(source))
            raise Tautology(f"{layer.edge_kind}: tautology: from and to are both {both}")
        if self._graph.are_of_two_scopes(source, target):
            raise InvalidRow(f"{layer.edge_kind}: from and to are not of the same user")
        self._join(row, kind, source, target)

    def _end(
        self, row: Row, field: str, layer: Layer, kind: EdgeKind, labels: tuple[str, ...]
    ) -> Node:
        """Return the node at one end of an edge; create it if that is allowed."""
        found = list_places(row, field, layer, labels)
        nodes = [node for node in map(self._nodes.get, found) if node is not None]
        key = found[0][1]
        if len(nodes) > 1:
            kinds = " or ".join(layer.kind(one.label).kind for one in nodes)
            raise InvalidRow(f"{field}: several are called {shown_key(key)}; {field}_kind: {kinds}")
        node = nodes[0] if nodes else None
        if node is None:
            if kind.creates is None:
                raise NotFound(f"{field}: nothing is called {shown_key(key)}")
            made = layer.kind(kind.creates)
            values = {
                name: made.declared(name).check(value, field)
                for name, value in zip(made.key, key, strict=True)
            }
            node = self._create(made, self._complete(values, made.properties))
            self._nodes[found[0]] = node
        elif node.label not in labels:
            name = layer.kind(node.label).kind
            article = "an" if name[0] in "aeiou" else "a"
            raise WrongKind(
                f"{field}: {shown_key(key)} is {article} {name};"
                f" only {layer.joining(node.label)} may join {layer.kind(node.label).measure}"
            )
        return node

    def _complete(self, row: Row, declared: Sequence[Property]) -> dict[str, Any]:
        """Return all values of a new element: those in *row*, and defaults for the others."""
        values = given_in(row, declared)
        for one in declared:
            if one.name not in row:
                if one.default is REQUIRED:
                    one.check(None, one.name)
                    raise InvalidRow(f"{one.name}: is missing")
                if one.default is not None:
                    values[one.name] = (
                        self._graph.context.now_ms if one.default is NOW else one.default
                    )
        return values

    def _create(self, kind: NodeKind, values: dict[str, Any]) -> Node:
        values |= self._dimension(kind, values)
        derived = {name: derive(values) for name, derive in kind.derived.items()}
        self.counts["nodes_created"] += 1
        names = (*kind.key, *filter(None, [kind.scope]))
        key = {name: values[name] for name in names if values.get(name) is not None}
        self.created.append({"kind": kind.kind, **key})
        return self._graph.create_node(kind.label, **values, **derived)

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
            self.created.append({name: one for name, one in row.items() if name not in values})
        else:
            given = given_in(row, kind.properties)
            if not self._graph.context.only_new:
                for name, value in given.items():
                    edges[0].set_property(name, value)
        self.counts["relations_existing" if edges else "relations_created"] += 1


def given_in(row: Row, declared: Sequence[Property]) -> dict[str, Any]:
    """Return the values in *row*, each checked."""
    return {
        one.name: one.stored(one.check(row[one.name], one.name))
        for one in declared
        if one.name in row
    }


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
        ends[field] = key[0] if len(key) == 1 else list(key)
    return ends
