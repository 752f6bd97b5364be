"""Find elements that no layer expects; Cypher written by hand and other programs create them."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..graph.adapter import Node
from ..graph.raw import labels
from ..layers import NOW, EdgeKind, Layer
from ..registry import indexed_kinds
from ..retrieval.indexer import Writer
from ..retrieval.schema import UNINDEXED
from . import odd_values, strays
from .odd_values import (
    UNKNOWN,
    finding,
    is_wrong,
    mend_value,
    removing_edge,
    setting,
    setting_edge,
    substitute,
)
from .places import shown_key
from .view import Everything

Row = dict[str, Any]

_PARALLEL = ("parallel edges", "remove the relation and add it once")
# Nobody reads a problem that names more types of relations.
_MOST_NAMED = 3
_CROSSING = ("relation between two users", "remove the relation")
_LOOP = ("relation to itself", "remove the relation")
_MERGING = "CALL conceptgraph.mend() YIELD subject, done;"
_INDEXING = "CALL conceptgraph.index() YIELD indexed;"
_TWO_LABELS = ("two labels", "REMOVE one of the labels")
_WORDS = ("damaged index of words", "run concept-graph-mcp index")
_STRAYS = ("words of what is gone", "run concept-graph-mcp index")


def check(graph: Everything) -> list[Row]:
    """Return a (problem, subject, advice, statement) row for each element that is not expected.

    All readers of the graph tolerate these elements. The statement is the Cypher that mends one, if
    a statement does.
    """
    keys: dict[tuple[tuple[str, ...], tuple[Any, ...]], list[Node]] = {}
    odd: dict[int, list[Row]] = {}
    references = _References(graph)
    rows: list[Row] = []
    for node in graph.nodes():
        layer = graph.layer_of(node.label)
        key = graph.key(node)
        if any(key):
            keys.setdefault((layer.sharing(node.label), key), []).append(node)
        rows.extend(found := list(_node_problems(graph, node)))
        if found:
            odd[node.id] = found
        rows.extend(_scope_problems(graph, node))
        rows.extend(_edge_problems(graph, node, layer))
        references.add(node)
    for (space, key), nodes in keys.items():
        if len(nodes) > 1:
            name = graph.layer_of(space[0]).kind(space[0]).key[-1]
            rows.append(_row(*_join_key(name), shown_key(key), _MERGING))
            # A constraint may refuse any other statement.
            for row in (row for node in nodes for row in odd.get(node.id, ())):
                row["statement"] = _MERGING
    return [*rows, *references.problems(), *strays.find_strays(graph), *_not_indexed(graph)]


def problems(layer: Layer) -> dict[str, str]:
    """Return every problem that a check may report of *layer*, and its advice."""
    missing = [_missing(one.name) for kind in layer.nodes for one in kind.expected]
    missing += [_missing(kind.scope) for kind in layer.nodes if kind.scope and kind.may_be_shared]
    wrong = [_wrong(one.name) for kind in layer.nodes for one in kind.properties]
    wrong += [_wrong(one.name) for kind in layer.edges for one in kind.properties]
    shared = [_join_key(kind.key[-1]) for kind in layer.nodes]
    unset = [_unset(one.name, one.default) for kind in layer.edges for one in kind.expected]
    ends = [
        _wrong_end(layer, kind.label)
        for kind in layer.nodes
        if _list_barred_edges(layer, kind.label)
    ]
    scoped = [_CROSSING] if any(kind.scope for kind in layer.nodes) else []
    scoped += [_split_name(kind.scope) for kind in layer.nodes if kind.scope]
    foreign = [_foreign(name) for kind in layer.nodes for name in kind.refers]
    indexed = [UNINDEXED, _STRAYS, _WORDS] if any(kind.indexed for kind in layer.nodes) else []
    elements = [*missing, *wrong, _TWO_LABELS, *shared, *unset, *ends, _PARALLEL, _LOOP]
    outside = [strays.OUTSIDE, strays.UNLABELLED, strays.WORKERS, strays.HOLDERS]
    return dict([*elements, *scoped, *foreign, *indexed, *outside])


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
                yield _row(*_foreign(name), f"{node.label} {self._graph.show_place(node)}")


def _not_indexed(graph: Everything) -> Iterator[Row]:
    if damage := odd_values.find_damage(graph.another(odd_values.Words)):
        yield _row(*_WORDS, damage, _INDEXING)
        return
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


def subject_of(graph: Everything, node: Node) -> str:
    place = graph.show_place(node) if any(graph.key(node)) else f"with id {node.id}"
    return f"{node.label} {place}"


def _node_problems(graph: Everything, node: Node) -> Iterator[Row]:
    kind, subject = graph.kind_of(node), subject_of(graph, node)
    ours = [label for label in labels(node.raw) if label in graph.layer.labels]
    if len(ours) > 1:
        yield _row(*_TWO_LABELS, subject, f"{finding(node)} REMOVE n:{ours[-1]};")
    problems, better = [], {}
    for one in kind.properties:
        value = node.raw.get_property(one.name)
        if value is None and (not one.optional or one.name == kind.scope):
            problems.append(_missing(one.name))
        elif value is not None and is_wrong(one, value):
            problems.append(_wrong(one.name))
        else:
            continue
        better[one.name] = mend_value(kind, one, node, value, graph.context.user_id)
    if problems and kind.scope is not None and better.get(kind.scope) is UNKNOWN:
        better[kind.scope] = graph.context.user_id
    yield from (_row(*problem, subject, setting(node, better)) for problem in problems)


def _scope_problems(graph: Everything, node: Node) -> Iterator[Row]:
    """Yield a row if no call writes a scope in this form, which hides the node from everybody."""
    name = graph.kind_of(node).scope
    scope = graph.scope(node)
    if name is not None and isinstance(scope, str) and not unicodedata.is_normalized("NFC", scope):
        yield _row(*_split_name(name), f"{node.label} {graph.show_place(node)}")


def _edge_problems(graph: Everything, node: Node, layer: Layer) -> Iterator[Row]:
    seen: Counter[tuple[str, int]] = Counter()
    for edge, kind, raw, other in graph.leaving(node):
        if other is None:
            subject = f"{graph.show_place(node)} {kind.name} {strays.name_outside(raw)}"
            removing = removing_edge(edge, (node, strays.end_outside(graph, raw)))
            yield _row(*strays.OUTSIDE, subject, removing)
            continue
        subject = f"{graph.show_place(node)} {kind.name} {graph.show_place(other)}"
        seen[kind.type, other.id] += 1
        ends = node, other
        if seen[kind.type, other.id] == 2:
            yield _row(*_PARALLEL, subject, removing_edge(edge, ends))
        if other.id == node.id:
            yield _row(*_LOOP, subject, removing_edge(edge, ends))
        if graph.are_of_two_scopes(node, other):
            yield _row(*_CROSSING, subject, removing_edge(edge, ends))
        for one in kind.properties:
            value = edge.get_property(one.name)
            if value is None and not one.optional:
                problem = _unset(one.name, one.default)
            elif value is not None and is_wrong(one, value):
                problem = _wrong(one.name)
            else:
                continue
            yield _row(*problem, subject, setting_edge(edge, ends, one.name, substitute(one)))
        if node.label not in kind.sources:
            yield _row(*_wrong_end(layer, node.label), subject, removing_edge(edge, ends))
        elif other.label not in kind.targets:
            yield _row(*_wrong_end(layer, other.label), subject, removing_edge(edge, ends))


def _missing(name: str) -> tuple[str, str]:
    return f"no {name}", f"SET the property {name}, or remove the node"


def _unset(name: str, default: Any) -> tuple[str, str]:
    return f"no {name}", f"SET the property {name}" + (
        "" if default is NOW else f", e.g. {default}"
    )


def _wrong(name: str) -> tuple[str, str]:
    return f"wrong {name}", "run concept-graph-mcp check --mend"


def _foreign(name: str) -> tuple[str, str]:
    return f"{name} of another user", "correct the property, or remove the node"


def _split_name(name: str) -> tuple[str, str]:
    return f"{name} with decomposed letters", "export all there is, and import that"


def _join_key(name: str) -> tuple[str, str]:
    return f"{name} shared", f"rename or remove all but one node of this {name}"


def _wrong_end(layer: Layer, label: str) -> tuple[str, str]:
    kind, barred = layer.kind(label).kind, [one.name for one in _list_barred_edges(layer, label)]
    if len(barred) > _MOST_NAMED:
        return f"{kind} in a relation that none can be in", "remove the relation"
    if len(layer.edges) > _MOST_NAMED:
        return f"{kind} in {' or '.join(barred)}", "remove the relation"
    return f"{kind} in {' or '.join(barred)}", f"remove the relation; use {layer.joining(label)}"


def _list_barred_edges(layer: Layer, label: str) -> list[EdgeKind]:
    """Return the kinds of edges that may not join a node of *label* at either end."""
    return [kind for kind in layer.edges if label not in (*kind.sources, *kind.targets)]


def _row(problem: str, advice: str, subject: str, statement: str | None = None) -> Row:
    return {"problem": problem, "subject": subject, "advice": advice, "statement": statement}
