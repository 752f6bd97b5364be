"""The rules of an import: whether a row is valid after the rows before it.

Imports nothing of Memgraph, so that the shell can check the rows of a backup by the same rules.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from ..errors import (
    InvalidRow,
    NameTaken,
    NotFound,
    Tautology,
    UnknownRelationType,
    WrongKind,
)
from ..layers import NOW, REQUIRED, EdgeKind, Layer, NodeKind, Property
from .places import Key, Place, key_of, own_key, shown_key

Row = Mapping[str, Any]


class Labelled(Protocol):
    """A node as an importer keeps it."""

    @property
    def label(self) -> str: ...


N = TypeVar("N", bound=Labelled)


class Rows(Generic[N]):
    """Checks one row after the other, and has its subclass write the valid ones."""

    def __init__(self, layers: Sequence[Layer], now_ms: int) -> None:
        self._now_ms = now_ms
        self._layer_of = {label: layer for layer in layers for label in layer.labels}
        self._node_kinds = {
            kind.kind: (layer, kind) for layer in layers for kind in layer.nodes if kind.exported
        }
        self._edge_kinds = {layer.edge_kind: layer for layer in layers if layer.edges}

    def _find_node(self, place: Place) -> N | None:
        """Return the node at *place*, always the same object; None if there is none."""
        raise NotImplementedError

    def _keep(self, place: Place, node: N) -> None:
        """Remember a node that was created or updated."""
        raise NotImplementedError

    def _properties(self, node: N) -> Callable[[str], Any]:
        """Return what returns the stored value of a property of *node*, or None."""
        raise NotImplementedError

    def _create(self, kind: NodeKind, values: dict[str, Any]) -> N:
        """Create a node with all *values* that a record of its kind has."""
        raise NotImplementedError

    def _update(self, kind: NodeKind, node: N, given: dict[str, Any]) -> None:
        """Set the *given* properties of a node that existed."""
        raise NotImplementedError

    def _join(self, row: Row, kind: EdgeKind, source: N, target: N) -> None:
        """Create or update the edge of *row*. Raises the errors of its properties' checks."""
        raise NotImplementedError

    def add(self, row: Row) -> None:
        """Write *row*. Raises the errors of its checks; ends that it created stay."""
        name = row.get("kind")
        if isinstance(name, str) and name in self._node_kinds:
            self._add_node(row, *self._node_kinds[name])
        elif isinstance(name, str) and name in self._edge_kinds:
            self._add_edge(row, self._edge_kinds[name])
        else:
            known = ", ".join((*self._node_kinds, *self._edge_kinds))
            raise InvalidRow(f"kind: must be one of {known}")

    def _add_node(self, row: Row, layer: Layer, kind: NodeKind) -> tuple[N, bool]:
        """Return the node of *row*, and whether it is new."""
        place = layer.sharing(kind.label), own_key(kind, row)
        known = self._find_node(place)
        if known is not None and known.label != kind.label:
            taken = layer.kind(known.label).kind
            raise NameTaken(f"{kind.key[-1]}: {shown_key(place[1])} is already a {taken}'s")
        if ("thread" in row) != ("position" in row) and kind.indexed is not None:
            raise InvalidRow("thread, position: go together, or not at all")
        if known is None:
            node = self._create(kind, self._complete(row, kind.properties))
            self._keep(place, node)
            return node, True
        given = given_in(row, kind.properties)
        self._check_same(kind, known, given)
        self._update(kind, known, given)
        self._keep(place, known)
        return known, False

    def _check_same(self, kind: NodeKind, node: N, given: Mapping[str, Any]) -> None:
        """Raise InvalidRow if a record with these *given* values cannot be that of *node*."""
        get = self._properties(node)
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
            both = shown_key(self._key(source))
            raise Tautology(f"{layer.edge_kind}: tautology: from and to are both {both}")
        if len({self._scope(source), self._scope(target)} - {None}) > 1:
            raise InvalidRow(f"{layer.edge_kind}: from and to are not of the same user")
        self._join(row, kind, source, target)

    def _key(self, node: N) -> Key:
        kind = self._layer_of[node.label].kind(node.label)
        get = self._properties(node)
        return tuple(kind.declared(name).of(get) for name in kind.key)

    def _scope(self, node: N) -> Any:
        kind = self._layer_of[node.label].kind(node.label)
        return kind.whose(self._properties(node))

    def _end(
        self, row: Row, field: str, layer: Layer, kind: EdgeKind, labels: tuple[str, ...]
    ) -> N:
        """Return the node at one end of an edge; create it if that is allowed."""
        found = _ends(row, field, layer, labels)
        nodes = [node for node in map(self._find_node, found) if node is not None]
        key = found[0][1]
        if len(nodes) > 1:
            kinds = " or ".join(layer.kind(one.label).kind for one in nodes)
            raise InvalidRow(f"{field}: several are called {shown_key(key)}; {field}_kind: {kinds}")
        node = nodes[0] if nodes else None
        if node is None:
            node = self._made_end(field, layer, kind, key)
            self._keep(found[0], node)
        elif node.label not in labels:
            name = layer.kind(node.label).kind
            article = "an" if name[0] in "aeiou" else "a"
            raise WrongKind(
                f"{field}: {shown_key(key)} is {article} {name};"
                f" only {layer.joining(node.label)} may join {layer.kind(node.label).measure}"
            )
        return node

    def _made_end(self, field: str, layer: Layer, kind: EdgeKind, key: Key) -> N:
        if kind.creates is None:
            raise NotFound(f"{field}: nothing is called {shown_key(key)}")
        made = layer.kind(kind.creates)
        values = {
            name: made.declared(name).check(value, field)
            for name, value in zip(made.key, key, strict=True)
        }
        return self._create(made, self._complete(values, made.properties))

    def _complete(self, row: Row, declared: Sequence[Property]) -> dict[str, Any]:
        """Return all values of a new element: those in *row*, and defaults for the others."""
        values = given_in(row, declared)
        for one in declared:
            if one.name not in row:
                if one.default is REQUIRED:
                    one.check(None, one.name)
                    raise InvalidRow(f"{one.name}: is missing")
                if one.default is not None:
                    values[one.name] = self._now_ms if one.default is NOW else one.default
        return values


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
                (
                    space,
                    tuple(
                        one.check(value, _name_key_part(one, kind, field)) for one, value in pairs
                    ),
                )
            )
    if not found:
        raise InvalidRow(f"{field}: must be a key of {size} values")
    return found


def given_in(row: Row, declared: Sequence[Property]) -> dict[str, Any]:
    """Return the values in *row*, each checked."""
    return {
        one.name: one.stored(one.check(row[one.name], one.name))
        for one in declared
        if one.name in row
    }


def _name_key_part(one: Property, kind: NodeKind, field: str) -> str:
    """Return what a part of a key is called where it is refused: the end's *field*, or its own."""
    return one.name if one.name == kind.scope and kind.may_be_shared else field
