"""Find elements that no layer expects; Cypher written by hand and other programs create them."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..graph.adapter import Node
from ..layers import NOW, EdgeKind, Layer
from ..registry import indexed_kinds
from ..retrieval.indexer import Writer
from ..retrieval.schema import UNINDEXED
from .places import shown_key
from .view import Everything

Row = dict[str, Any]

_PARALLEL = ("parallel edges", "remove the relation and add it once")
# Nobody reads a problem that names more types of relations.
_MOST_NAMED = 3
_CROSSING = ("relation between two users", "remove the relation")
_LOOP = ("relation to itself", "remove the relation")
_STRAYS = ("words of what is gone", "run concept-graph-mcp index")


def check(graph: Everything) -> list[Row]:
    """Return a (problem, subject, advice) row for each element that the layers do not expect.

    All readers of the graph tolerate these elements.
    """
    keys: Counter[tuple[tuple[str, ...], tuple[Any, ...]]] = Counter()
    references = _References(graph)
    rows: list[Row] = []
    for node in graph.nodes():
        layer = graph.layer_of(node.label)
        key = graph.key(node)
        if any(key):
            keys[layer.sharing(node.label), key] += 1
        rows.extend(_node_problems(graph, node))
        rows.extend(_scope_problems(graph, node))
        rows.extend(_edge_problems(graph, node, layer))
        references.add(node)
    for (labels, key), count in keys.items():
        if count > 1:
            name = graph.layer_of(labels[0]).kind(labels[0]).key[-1]
            rows.append(_row(*_shared(name), shown_key(key)))
    return [*rows, *references.problems(), *_not_indexed(graph)]


def problems(layer: Layer) -> dict[str, str]:
    """Return every problem that a check may report of *layer*, and its advice."""
    missing = [_missing(one.name) for kind in layer.nodes for one in kind.expected]
    shared = [_shared(kind.key[-1]) for kind in layer.nodes]
    unset = [_unset(one.name, one.default) for kind in layer.edges for one in kind.expected]
    ends = [_wrong_end(layer, kind.label) for kind in layer.nodes if _barred(layer, kind.label)]
    scoped = [_CROSSING] if any(kind.scope for kind in layer.nodes) else []
    scoped += [_decomposed(kind.scope) for kind in layer.nodes if kind.scope]
    foreign = [_foreign(name) for kind in layer.nodes for name in kind.refers]
    indexed = [UNINDEXED, _STRAYS] if any(kind.indexed for kind in layer.nodes) else []
    return dict([*missing, *shared, *unset, *ends, _PARALLEL, _LOOP, *scoped, *foreign, *indexed])


class _References:
    """The keys by which nodes refer to others, compared with all keys at the end of the scan."""

    def __init__(self, graph: Everything) -> None:
        self._graph = graph
        self._named: list[tuple[Node, str, tuple[str, Any]]] = []
        self._scopes: dict[tuple[str, Any], Any] = {}

    def add(self, node: Node) -> None:
        self._scopes[node.label, self._graph.key(node)[-1]] = self._graph.scope(node)
        for name, label in self._graph.kind_of(node).refers.items():
            value = node.raw.get_property(name)
            if isinstance(value, str):
                self._named.append((node, name, (label, value)))

    def problems(self) -> Iterator[Row]:
        for node, name, place in self._named:
            if place in self._scopes and self._scopes[place] != self._graph.scope(node):
                yield _row(*_foreign(name), f"{node.label} {self._graph.shown(node)}")


def _not_indexed(graph: Everything) -> Iterator[Row]:
    writer = Writer(graph)
    lacking = Counter(
        graph.kind_of(node).measure
        for node in graph.nodes()
        if graph.kind_of(node).indexed and not writer.has(graph.kind_of(node), node)
    )
    for measure, count in lacking.items():
        yield _row(*UNINDEXED, f"{count:,} {measure}")
    strays = len(writer.strays(indexed_kinds()))
    if strays:
        yield _row(*_STRAYS, f"{strays:,} texts")


def _node_problems(graph: Everything, node: Node) -> Iterator[Row]:
    named = any(graph.key(node))
    subject = f"{node.label} {graph.shown(node) if named else f'with id {node.id}'}"
    for declared in graph.kind_of(node).expected:
        if node.raw.get_property(declared.name) is None:
            yield _row(*_missing(declared.name), subject)


def _scope_problems(graph: Everything, node: Node) -> Iterator[Row]:
    """Yield a row if no call writes a scope in this form, which hides the node from everybody."""
    name = graph.kind_of(node).scope
    scope = graph.scope(node)
    if name is not None and isinstance(scope, str) and not unicodedata.is_normalized("NFC", scope):
        yield _row(*_decomposed(name), f"{node.label} {graph.shown(node)}")


def _edge_problems(graph: Everything, node: Node, layer: Layer) -> Iterator[Row]:
    seen: Counter[tuple[str, int]] = Counter()
    for edge, kind, other in graph.outgoing(node):
        subject = f"{graph.shown(node)} {kind.name} {graph.shown(other)}"
        seen[kind.type, other.id] += 1
        if seen[kind.type, other.id] == 2:
            yield _row(*_PARALLEL, subject)
        if other.id == node.id:
            yield _row(*_LOOP, subject)
        if graph.are_of_two_scopes(node, other):
            yield _row(*_CROSSING, subject)
        for declared in kind.expected:
            if edge.get_property(declared.name) is None:
                yield _row(*_unset(declared.name, declared.default), subject)
        if node.label not in kind.sources:
            yield _row(*_wrong_end(layer, node.label), subject)
        elif other.label not in kind.targets:
            yield _row(*_wrong_end(layer, other.label), subject)


def _missing(name: str) -> tuple[str, str]:
    return f"no {name}", f"SET the property {name}, or remove the node"


def _unset(name: str, default: Any) -> tuple[str, str]:
    return f"no {name}", f"SET the property {name}" + (
        "" if default is NOW else f", e.g. {default}"
    )


def _foreign(name: str) -> tuple[str, str]:
    return f"{name} of another user", "correct the property, or remove the node"


def _decomposed(name: str) -> tuple[str, str]:
    return f"{name} with decomposed letters", "export all there is, and import that"


def _shared(name: str) -> tuple[str, str]:
    return f"{name} shared", f"rename or remove all but one node of this {name}"


def _wrong_end(layer: Layer, label: str) -> tuple[str, str]:
    kind, barred = layer.kind(label).kind, [one.name for one in _barred(layer, label)]
    if len(barred) > _MOST_NAMED:
        return f"{kind} in a relation that none can be in", "remove the relation"
    if len(layer.edges) > _MOST_NAMED:
        return f"{kind} in {' or '.join(barred)}", "remove the relation"
    return f"{kind} in {' or '.join(barred)}", f"remove the relation; use {layer.joining(label)}"


def _barred(layer: Layer, label: str) -> list[EdgeKind]:
    """Return the kinds of edges that may not join a node of *label* at either end."""
    return [kind for kind in layer.edges if label not in (*kind.sources, *kind.targets)]


def _row(problem: str, advice: str, subject: str) -> Row:
    return {"problem": problem, "subject": subject, "advice": advice}
