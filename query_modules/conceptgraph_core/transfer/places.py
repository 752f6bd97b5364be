"""Where the nodes that a record names would be: by index for the shell, by key for an import."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..layers import Layer, NodeKind

Key = tuple[Any, ...]
# The labels of one name space, and a key in it.
Place = tuple[tuple[str, ...], Key]


def places(layers: Sequence[Layer], record: Mapping[str, Any]) -> list[Place]:
    """Return where the nodes that *record* is of, or joins, would be, as far as it tells."""
    found: list[Place] = []
    for layer in layers:
        for kind in layer.nodes:
            if record.get("kind") == kind.kind and kind.exported:
                key = tuple(_value(kind, name, record) for name in kind.key)
                found.append((layer.sharing(kind.label), _checked(kind, key)))
        edge = layer.edge(record.get("type"))
        if edge is not None and record.get("kind") == layer.edge_kind:
            for labels, field in ((edge.sources, "from"), (edge.targets, "to")):
                for space in layer.spaces(labels):
                    kind = layer.kind(space[0])
                    key = key_of(kind, record, record.get(field))
                    found.append((space, _checked(kind, key)))
    return [(labels, key) for labels, key in found if _usable(key)]


def key_of(kind: NodeKind, record: Mapping[str, Any], value: Any) -> Key:
    """Return the key that *value*, `from` or `to` of a record, is: of several values a list.

    Where the scope may be left out, it is no part of *value*: the record has it, if any does.
    """
    if kind.may_be_shared and kind.scope in kind.key:
        return _value(kind, kind.scope, record), value
    return tuple(value) if len(kind.key) > 1 and isinstance(value, (list, tuple)) else (value,)


def own_key(kind: NodeKind, record: Mapping[str, Any]) -> Key:
    """Return the key that *record*, one of *kind*, has. Raises what its checks do."""
    return tuple(kind.declared(name).check(_value(kind, name, record), name) for name in kind.key)


def _value(kind: NodeKind, name: str, record: Mapping[str, Any]) -> Any:
    """Return what *record* says of a part of its key; of a scope that it leaves out, SHARED."""
    return kind.whose(record.get) if name == kind.scope else record.get(name)


def _checked(kind: NodeKind, key: Key) -> Key:
    """Return *key* as it is stored; what is refused there is left for whoever says so."""
    try:
        named = zip(kind.key, key, strict=True)
        return tuple(kind.declared(name).check(value, name) for name, value in named)
    except ValueError:
        return key


def _usable(key: Key) -> bool:
    return all(isinstance(value, (str, int, float)) for value in key)
