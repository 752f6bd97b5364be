"""Count all nodes and relations."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from .view import Everything

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
