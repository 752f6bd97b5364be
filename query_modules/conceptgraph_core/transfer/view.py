"""View the elements of all layers, for records and counts."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from ..graph import adapter
from ..graph.adapter import Node
from ..graph.layers import EdgeKind, Layer, NodeKind, Property, join_layers
from .places import Key, shown_key
from .registry import LAYERS


class Everything(adapter.Graph[Node]):
    """One call's view of all nodes and edges of `layers`, each as its own layer declares it."""

    layers: ClassVar[tuple[Layer, ...]] = LAYERS
    layer = join_layers(LAYERS)
    # An owner's counts, checks and exports are of all there is.
    most_scanned: float = math.inf

    def layer_of(self, label: str) -> Layer:
        return next(layer for layer in self.layers if label in layer.labels)

    def kind_of(self, node: Node) -> NodeKind:
        return self.layer_of(node.label).kind(node.label)

    def key(self, node: Node) -> Key:
        """Return the key of *node*; missing parts get the defaults of its layer."""
        kind = self.kind_of(node)
        return tuple(value_of(node.raw, kind.declared(name)) for name in kind.key)

    def scope(self, node: Node) -> Any:
        """Return the scope of *node*; None if it has none."""
        return self.kind_of(node).whose(node.raw.get_property)

    def are_of_two_scopes(self, one: Node, other: Node) -> bool:
        return len({self.scope(one), self.scope(other)} - {None}) > 1

    def lacking(self, node: Node) -> dict[str, Any]:
        """Return the derived properties that *node* lacks or has wrong.

        A scope that it lacks is none of them: another node may have its name in that scope.
        """
        kind = self.kind_of(node)
        if not kind.derived:
            return {}
        values = {one.name: _text_or_value(node.raw, one) for one in kind.properties}
        if not any(values[name] for name in kind.key):
            return {}
        derived = {name: derive(values) for name, derive in kind.derived.items()}
        return {
            name: value for name, value in derived.items() if node.raw.get_property(name) != value
        }

    def show_place(self, node: Node) -> str:
        return shown_key(self.key(node))

    def outgoing(self, node: Node) -> Iterator[tuple[Any, EdgeKind, Node]]:
        """Iterate over (edge, its kind, the node that it leads to) within the layer of *node*."""
        for edge, kind, _, other in self.leaving(node):
            if other is not None:
                yield edge, kind, other

    def leaving(self, node: Node) -> Iterator[tuple[Any, EdgeKind, Any, Node | None]]:
        """Iterate over (edge, its kind, the vertex it leads to, its node) of the kinds of a layer.

        The node is None outside the layer of *node*.
        """
        layer = self.layer_of(node.label)
        kinds = {kind.type: kind for kind in layer.edges}
        edges = node.raw.iter_out_edges()
        edge = edges.get()
        while edge is not None:
            self.step()
            kind = kinds.get(edge.get_type_name())
            if kind is not None:
                raw = edge.to_vertex()
                other = self.raw_node(raw)
                is_within = other is not None and other.label in layer.labels
                yield edge, kind, raw, other if is_within else None
            edge = edges.next()


def _text_or_value(raw: Any, declared: Property) -> Any:
    """Return a property as `value_of` does, but a text written by hand in full length."""
    value = declared.read(raw.get_property(declared.name))
    return value if isinstance(value, str) else value_of(raw, declared)


def value_of(raw: Any, declared: Property) -> Any:
    """Return a property of a vertex or edge; a wrong value counts as absent."""
    return declared.of(raw.get_property)


NODE, APART, RELATION, TIME = "node", "apart", "relation", "time"


def stats(graph: Everything) -> list[dict[str, Any]]:
    """Return (measure, kind, value) rows: counts of nodes and relations, the newest access.

    `kind` is "node", "relation" or "time", whose value is in unix ms. "apart" counts nodes a second
    time, such as expired memories. Layers without nodes are left out, except the first.
    """
    nodes = {kind.label: kind.measure for layer in graph.layers for kind in layer.nodes}
    counts = dict.fromkeys(nodes.values(), 0)
    apart = {kind.label: kind.counted for layer in graph.layers for kind in layer.nodes}
    counted: Counter[str] = Counter()
    relations = {kind.name: 0 for layer in graph.layers for kind in layer.edges}
    newest = 0
    for node in graph.nodes():
        counts[nodes[node.label]] += 1
        for measure, is_one in apart[node.label].items():
            counted[measure] += is_one(node.raw.get_property)
        accessed_at = node.raw.get_property("accessed_at")
        if isinstance(accessed_at, int):
            newest = max(newest, accessed_at)
        for _, kind, _ in graph.outgoing(node):
            relations[kind.name] += 1
    first, *others = graph.layers
    there = [first, *(one for one in others if any(counts[kind.measure] for kind in one.nodes))]
    # Two layers may share the name of an edge: its count is reported with the last of them.
    counts = _only(counts, (kind.measure for layer in there for kind in layer.nodes))
    relations = _only(relations, (kind.name for layer in there for kind in layer.edges))
    return [
        *({"measure": name, "kind": NODE, "value": count} for name, count in counts.items()),
        *({"measure": name, "kind": APART, "value": n} for name, n in counted.items() if n),
        *({"measure": name, "kind": RELATION, "value": n} for name, n in relations.items()),
        {"measure": "newest_accessed_at", "kind": TIME, "value": newest},
    ]


def _only(counts: dict[str, int], names: Iterable[str]) -> dict[str, int]:
    kept = set(names)
    return {name: count for name, count in counts.items() if name in kept}
