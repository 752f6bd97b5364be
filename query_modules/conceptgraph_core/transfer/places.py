"""List the possible keys of the nodes that a record names: for index look-ups and for imports."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..graph.layers import SHARED, Layer, NodeKind, Property
from ..graph.primitives import Equal, Union
from ..retrieval import documents
from ..texts.text import show_name
from ..verbs.errors import InvalidRow
from .registry import indexed_kinds

Key = tuple[Any, ...]
# The labels of one name space, and a key in it.
Place = tuple[tuple[str, ...], Key]


def places(layers: Sequence[Layer], record: Mapping[str, Any]) -> list[Place]:
    """Return the possible places of the nodes that *record* describes or joins."""
    found: list[Place] = []
    described = record.get("kind")
    for layer in layers:
        for kind in layer.nodes:
            if described == kind.kind and kind.exported:
                key = tuple(_value(kind, name, record) for name in kind.key)
                found.append((layer.sharing(kind.label), _normalise_key(kind, key)))
        edge = layer.edge(record.get("type")) if described == layer.edge_kind else None
        if edge is not None:
            for labels, field in ((edge.sources, "from"), (edge.targets, "to")):
                for space in layer.spaces(labels):
                    kind = layer.kind(space[0])
                    key = key_of(kind, record, record.get(field))
                    found.append((space, _normalise_key(kind, key)))
    return [
        (labels, key)
        for labels, key in found
        if all(isinstance(value, (str, int, float)) for value in key)
    ]


def look_up(
    layers: Sequence[Layer], records: Sequence[Mapping[str, Any]], languages: Sequence[str]
) -> Union:
    """Look up the nodes that *records* describe or join, and what it takes to index their texts."""
    indexed = {kind.kind: kind for kind in indexed_kinds()}
    told = [
        documents.read_told(indexed[name], record)
        for record in records
        if isinstance(name := record.get("kind"), str) and name in indexed
    ]
    wanted = dict.fromkeys(place for record in records for place in places(layers, record))
    return Union((placed(list(wanted), layers), *documents.needed(told, languages)))


def placed(wanted: Sequence[Place], layers: Sequence[Layer]) -> Union:
    """Look up nodes by their keys, one name space after the other."""
    spaces = {layer.sharing(kind.label): kind.key for layer in layers for kind in layer.nodes}
    return Union(
        tuple(
            Equal(labels, properties, tuple(key for space, key in wanted if space == labels))
            for labels, properties in spaces.items()
        )
    )


def key_of(kind: NodeKind, record: Mapping[str, Any], value: Any) -> Key:
    """Return the key in *value*, `from` or `to` of a record: a list if it has several values.

    An optional scope is no part of *value*; it comes from the record.
    """
    if kind.may_be_shared and kind.scope in kind.key:
        return _value(kind, kind.scope, record), value
    return tuple(value) if len(kind.key) > 1 and isinstance(value, (list, tuple)) else (value,)


def list_places(
    row: Mapping[str, Any], field: str, layer: Layer, labels: Sequence[str]
) -> list[Place]:
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


def _name_key_part(one: Property, kind: NodeKind, field: str) -> str:
    """Return what a part of a key is called where it is refused: the end's *field*, or its own."""
    return one.name if one.name == kind.scope and kind.may_be_shared else field


def own_key(kind: NodeKind, record: Mapping[str, Any]) -> Key:
    """Return the key of *record*, one of *kind*. Raises the errors of its checks."""
    return tuple(kind.declared(name).check(_value(kind, name, record), name) for name in kind.key)


def shown_key(key: Key) -> str:
    """Return *key* as a message shows it, without the scope of what is shared."""
    return show_name(", ".join(str(one) for one in key if one != SHARED))


def _value(kind: NodeKind, name: str, record: Mapping[str, Any]) -> Any:
    """Return a part of the key of *record*; SHARED for a missing scope."""
    return kind.whose(record.get) if name == kind.scope else record.get(name)


def _normalise_key(kind: NodeKind, key: Key) -> Key:
    """Return *key* in its stored form; an invalid one stays, and its check reports it later."""
    try:
        named = zip(kind.key, key, strict=True)
        return tuple(kind.declared(name).check(value, name) for name, value in named)
    except ValueError:
        return key
