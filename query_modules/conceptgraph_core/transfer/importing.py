"""Import records as `export` makes them; their layers check them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import (
    ConceptGraphError,
    InvalidRow,
    NameTaken,
    NotFound,
    Tautology,
    UnknownRelationType,
    WrongKind,
)
from ..graph.adapter import Node
from ..layers import NOW, REQUIRED, EdgeKind, Layer, NodeKind, Property
from ..name_lists import names as lists
from ..retrieval.indexer import Writer
from .places import Key, Place, key_of, own_key, places
from .view import Everything, shown_key, value_of

Row = Mapping[str, Any]


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


class _Importer:
    """The rows of one call, with the nodes that they name."""

    def __init__(self, graph: Everything, rows: Sequence[Row]) -> None:
        self._graph = graph
        self._node_kinds = {
            kind.kind: (layer, kind)
            for layer in graph.layers
            for kind in layer.nodes
            if kind.exported
        }
        self._edge_kinds = {layer.edge_kind: layer for layer in graph.layers if layer.edges}
        wanted = {place for row in rows for place in places(graph.layers, row)}
        self._words = Writer(graph)
        self._nodes: dict[Place, Node] = {}
        for node in graph.nodes():
            place = graph.layer_of(node.label).sharing(node.label), graph.key(node)
            if place in wanted:
                self._nodes.setdefault(place, node)
        new = Counter(label for place in wanted - self._nodes.keys() for label in place[0])
        self._lists = {
            index.label: lists.Created(graph, index, new[index.label])
            for layer in graph.layers
            for index in layer.texts
        }
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

    def finish(self) -> None:
        self._words.finish()
        for one in self._lists.values():
            one.finish()

    def _add_node(self, row: Row, layer: Layer, kind: NodeKind) -> None:
        place = layer.sharing(kind.label), own_key(kind, row)
        key = place[1]
        known = self._nodes.get(place)
        if known is not None and known.label != kind.label:
            taken = layer.kind(known.label).kind
            raise NameTaken(f"{kind.key[-1]}: {shown_key(key)} is already a {taken}'s")
        if ("thread" in row) != ("position" in row) and kind.indexed is not None:
            raise InvalidRow("thread, position: go together, or not at all")
        if known is None:
            self._nodes[place] = self._create(kind, row)
        else:
            given = _given(row, kind.properties)
            self._update(kind, known, given | self._dimension(kind, given))
        if known is None or not self._graph.context.only_new:
            self._index(kind, self._nodes[place], row)
        self.counts["nodes_created" if known is None else "nodes_existing"] += 1

    def _index(self, kind: NodeKind, node: Node, row: Row) -> None:
        # The look-up loaded the terms of a text only if the row has the text, or the index an
        # entry.
        told = kind.indexed is not None and any(name in row for name in kind.indexed.told())
        if told or (kind.indexed is not None and self._words.has(kind, node)):
            self._words.put(kind, node)

    def _update(self, kind: NodeKind, node: Node, given: dict[str, Any]) -> None:
        for name in kind.unchanging:
            has = value_of(node.raw, kind.declared(name))
            if given.get(name, has) != has:
                raise InvalidRow(f"{kind.kind}: {name} is {has} here, not {given[name]}")
        apart = kind.told_apart and kind.told_apart(node.raw.get_property, given)
        if apart:
            raise InvalidRow(f"{kind.kind}: {apart}")
        if self._graph.context.only_new:
            return
        self._graph.update(node, **(given | self._outdated(kind, node, given)))
        self._graph.update(node, **self._graph.lacking(node))

    def _dimension(self, kind: NodeKind, given: dict[str, Any]) -> dict[str, int]:
        """Return the number of dimensions of the *given* vector, whatever its row says."""
        indexes = [one for layer in self._graph.layers for one in layer.vectors]
        return {
            index.dimension: len(given[index.vector])
            for index in indexes
            if index.label == kind.label and index.dimension and given.get(index.vector)
        }

    def _outdated(self, kind: NodeKind, node: Node, given: dict[str, Any]) -> dict[str, None]:
        """Return, as removed, the vector of a text that *given* changes without a new vector."""
        for index in (one for layer in self._graph.layers for one in layer.vectors):
            if index.label == kind.label and index.vector not in given:
                told = [name for name in index.texts if name in given]
                declared = [(name, kind.declared(name)) for name in told]
                if any(value_of(node.raw, one) != one.read(given[name]) for name, one in declared):
                    gone = (index.vector, *([index.dimension] if index.dimension else ()))
                    return dict.fromkeys(gone)
        return {}

    def _create(self, kind: NodeKind, row: Row) -> Node:
        values = _complete(row, kind.properties, self._graph.context.now_ms)
        values |= self._dimension(kind, values)
        derived = {name: derive(values) for name, derive in kind.derived.items()}
        if (its := self._lists.get(kind.label)) is not None:
            derived = its.listed(derived, values[its.index.source])
        return self._graph.create_node(kind.label, **values, **derived)

    def _add_edge(self, row: Row, layer: Layer) -> None:
        kind = layer.edge(row.get("type"))
        if kind is None:
            names = ", ".join(kind.name for kind in layer.edges)
            raise UnknownRelationType(f"type: must be one of {names}")
        source = self._end(row, "from", layer, kind, kind.sources)
        target = self._end(row, "to", layer, kind, kind.targets)
        if source.id == target.id:
            both = self._graph.shown(source)
            raise Tautology(f"{layer.edge_kind}: tautology: from and to are both {both}")
        if self._graph.are_of_two_scopes(source, target):
            raise InvalidRow(f"{layer.edge_kind}: from and to are not of the same user")
        given = _given(row, kind.properties)
        edges = self._graph.edges_between(source, target, kind.type)
        if edges and not self._graph.context.only_new:
            for name, value in given.items():
                edges[0].set_property(name, value)
        elif not edges:
            values = _complete(row, kind.properties, self._graph.context.now_ms)
            self._graph.create_edge(source, target, kind.type, **values)
        self.counts["relations_existing" if edges else "relations_created"] += 1

    def _end(
        self, row: Row, field: str, layer: Layer, kind: EdgeKind, labels: tuple[str, ...]
    ) -> Node:
        """Return the node at one end of an edge; create it if that is allowed."""
        found = _ends(row, field, layer, labels)
        nodes = [self._nodes[place] for place in found if place in self._nodes]
        space, key = found[0]
        if len(nodes) > 1:
            kinds = " or ".join(layer.kind(one.label).kind for one in nodes)
            raise InvalidRow(f"{field}: several are called {shown_key(key)}; {field}_kind: {kinds}")
        node = nodes[0] if nodes else None
        if node is None:
            node = self._made_end(field, layer, kind, key)
            self._nodes[space, key] = node
        elif node.label not in labels:
            name = layer.kind(node.label).kind
            article = "an" if name[0] in "aeiou" else "a"
            raise WrongKind(
                f"{field}: {shown_key(key)} is {article} {name};"
                f" only {layer.joining(node.label)} may join {layer.kind(node.label).measure}"
            )
        return node

    def _made_end(self, field: str, layer: Layer, kind: EdgeKind, key: Key) -> Node:
        if kind.creates is None:
            raise NotFound(f"{field}: nothing is called {shown_key(key)}")
        made = layer.kind(kind.creates)
        values = {
            name: made.declared(name).check(value, field)
            for name, value in zip(made.key, key, strict=True)
        }
        self.counts["nodes_created"] += 1
        return self._create(made, values)


def _ends(row: Row, field: str, layer: Layer, labels: Sequence[str]) -> list[Place]:
    """Return the possible places of the end that *row* names, one for each name space."""
    of_kind = row.get(f"{field}_kind")
    if of_kind is not None:
        kinds = {layer.kind(label).kind: label for label in labels}
        if of_kind not in kinds:
            raise InvalidRow(f"{field}_kind: must be one of {', '.join(kinds)}")
        labels = (kinds[of_kind],)
    spaces, found, size = layer.spaces(labels), [], 0
    for space in spaces:
        # The check allows the longest name of all kinds; the node that is found decides.
        kind = layer.kind(space[-1])
        declared = [kind.declared(name) for name in kind.key]
        size = len(declared)
        values = key_of(kind, row, row.get(field))
        is_of_another = len(spaces) > 1 and size == 1 and isinstance(values[0], (list, tuple))
        if len(values) == size and not is_of_another:
            pairs = zip(declared, values, strict=True)
            found.append(
                (space, tuple(one.check(value, _named(one, kind, field)) for one, value in pairs))
            )
    if not found:
        raise InvalidRow(f"{field}: must be a key of {size} values")
    return found


def _given(row: Row, declared: Sequence[Property]) -> dict[str, Any]:
    """Return the values in *row*, each checked."""
    return {
        one.name: one.stored(one.check(row[one.name], one.name))
        for one in declared
        if one.name in row
    }


def _complete(row: Row, declared: Sequence[Property], now_ms: int) -> dict[str, Any]:
    """Return all values of a new element: those in *row*, and defaults for the others."""
    values = _given(row, declared)
    for one in declared:
        if one.name not in row:
            if one.default is REQUIRED:
                one.check(None, one.name)
                raise InvalidRow(f"{one.name}: is missing")
            if one.default is not None:
                values[one.name] = now_ms if one.default is NOW else one.default
    return values


def _named(one: Property, kind: NodeKind, field: str) -> str:
    """Return what a part of a key is called where it is refused: the end's *field*, or its own."""
    return one.name if one.name == kind.scope and kind.may_be_shared else field
