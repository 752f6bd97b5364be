"""Export the graph as records from which another store can restore all of it.

A record is a flat map. A node's has its kind and its properties; an edge's is {kind: "relation" (or
its layer's name), from, to, type, …}. `from` and `to` are keys: a name or an id, or a list of
values for a compound key. If the kinds of an end share no name space, `from_kind` or `to_kind` says
which kind it is. The concept layer has:

    {kind: "concept", name, valence, arousal_level, accessed_at}
    {kind: "episode", name, summary, valence, arousal_level, accessed_at}
    {kind: "relation", from, to, type, weight}

Records of a user's own concepts and episodes also have user_id.
"""

from collections.abc import Iterator
from typing import Any

from ..errors import InvalidRow
from ..graph.adapter import Node
from ..layers import SHARED
from .places import Key
from .view import Everything, value_of

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
            records = [_of_node(graph, node)] if part == "nodes" else _of_edges(graph, node)
            yield from ({"record": one} for one in records)


def _of_node(graph: Everything, node: Node) -> Record:
    kind = graph.kind_of(node)
    record: Record = {"kind": kind.kind}
    for declared in kind.properties:
        value = value_of(node.raw, declared)
        if not declared.optional or value != declared.absent:
            record[declared.name] = value
    return record


def _of_edges(graph: Everything, node: Node) -> Iterator[Record]:
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
