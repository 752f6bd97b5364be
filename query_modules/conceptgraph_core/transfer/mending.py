"""Adopt what Cypher written by hand created: give it what it lacks, or merge it with its twin."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

from .. import limits, text
from ..graph.adapter import Node
from ..graph.raw import public_edge, public_vertex
from ..layers import NOW, EdgeKind, NodeKind, Property
from ..retrieval.indexer import Writer
from .audit import subject_of
from .odd_values import UNKNOWN, is_wrong, mend_value, substitute
from .places import Key, Place
from .view import Everything

Row = dict[str, Any]
Changes = dict[str, Any]


def mend(graph: Everything, owner: str | None = None, limit: int | None = None) -> list[Row]:
    """Give odd nodes and relations what they lack; merge nodes of one key, with all relations.

    Memories and entities without a user become those of *owner*. It ends after *limit* elements.
    Returns a (subject, done) row for each. A value that only a person knows stays missing. Raises
    InvalidText, InvalidNumber.
    """
    owner = None if owner is None else text.user(owner, "owner")
    most = math.inf if limit is None else text.integer(limit, "limit", 1, limits.MAX_INTEGER)
    return _Mending(graph, owner, most).rows


class _Mending:
    def __init__(self, graph: Everything, owner: str | None, most: float) -> None:
        self._graph = graph
        self._owner = owner
        self.rows: list[Row] = []
        self._most = most
        self._writer = Writer(graph)
        # The node that keeps each key, and each other value that must be unique.
        self._holders: dict[Place, Node] = {}
        self._taken: dict[tuple[str, Key], Node] = {}
        odd: list[tuple[Node, Changes]] = []
        for node in graph.nodes():
            if len(self.rows) < most:
                self._mend_edges(node)
            changes = self._changes(node)
            if changes or not self._hold(node, {}):
                odd.append((node, changes))
        for node, changes in odd:
            if len(self.rows) < most:
                self._mend_node(node, changes)
        self._writer.finish()

    def _changes(self, node: Node) -> Changes:
        """Return the properties that *node* lacks or has wrong, if their values are known."""
        kind, changes = self._graph.kind_of(node), {}
        for one in kind.properties:
            value = node.raw.get_property(one.name)
            lacks = value is None and (not one.optional or one.name == kind.scope)
            if lacks or (value is not None and is_wrong(one, value)):
                better = mend_value(kind, one, node, value, self._owner)
                if better is not UNKNOWN:
                    changes[one.name] = self._graph.context.now_ms if better is NOW else better
        return changes

    def _place(self, node: Node, changes: Changes) -> Place | None:
        """Return where *node* is after *changes*; None if its key has a part that nobody knows."""
        kind = self._graph.kind_of(node)
        key = []
        for name in kind.key:
            value = changes.get(name, node.raw.get_property(name))
            if value is None or is_wrong(kind.declared(name), value):
                return None
            key.append(value)
        return self._graph.layer_of(node.label).sharing(node.label), tuple(key)

    def _hold(self, node: Node, changes: Changes) -> bool:
        """Let *node* keep its key and its other unique values, unless another node has one."""
        place = self._place(node, changes)
        if place is None:
            return True
        others = list(self._list_other_keys(node, changes))
        if place in self._holders or any(one in self._taken for one in others):
            return False
        self._holders[place] = node
        self._taken.update((one, node) for one in others)
        return True

    def _list_other_keys(self, node: Node, changes: Changes) -> Iterator[tuple[str, Key]]:
        """Yield the values of *node* under constraints other than that of its key."""
        kind = self._graph.kind_of(node)
        for index in self._graph.layer_of(node.label).indexes:
            if index.label == node.label and index.unique and set(index.properties) != {*kind.key}:
                values = [changes.get(one, node.raw.get_property(one)) for one in index.properties]
                if all(isinstance(one, str) for one in values):
                    yield ", ".join(index.properties), tuple(values)

    def _mend_node(self, node: Node, changes: Changes) -> None:
        subject, kind = subject_of(self._graph, node), self._graph.kind_of(node)
        place = self._place(node, changes)
        twin = None if place is None else self._holders.get(place)
        if twin is not None and self._are_one(kind, node, changes, twin):
            self._merge(node, changes, twin)
            self._note(subject, f"merged into the {kind.kind} of that {kind.key[-1]}")
            return
        done = f"set {', '.join(changes)}" if changes else ""
        if not self._hold(node, changes):
            name = self._set_apart(node, changes, twin is not None)
            done = f"set {', '.join(changes)}: another has its {name}"
        self._graph.update(node, **changes)
        self._graph.update(node, **self._graph.lacking(node))
        if kind.indexed is not None:
            self._writer.put(kind, node)
        self._note(subject, done)

    def _are_one(self, kind: NodeKind, node: Node, changes: Changes, twin: Node) -> bool:
        """Tell whether *node* says nothing else than *twin*, where both say something."""
        if node.label != twin.label:
            return False
        for one in kind.properties:
            if one.name in kind.key or one.default is NOW or not _is_said(one):
                continue
            values = (
                changes.get(one.name, node.raw.get_property(one.name)),
                twin.raw.get_property(one.name),
            )
            if None not in values and one.read(values[0]) != one.read(values[1]):
                return False
        return True

    def _set_apart(self, node: Node, changes: Changes, is_key: bool) -> str:
        """Change *changes* so that *node* shares no unique value; return the name of the value."""
        kind = self._graph.kind_of(node)
        name = kind.key[-1]
        if not is_key:
            # The property that is unique beside the key, within the scope.
            [name, *_] = (of.rpartition(", ")[2] for of, _ in self._list_other_keys(node, changes))
        said = changes.get(name, node.raw.get_property(name))
        for number in itertools.count(2):
            changes[name] = f"{said} #{number}" if not is_key else f"{said} ({number})"
            if self._hold(node, changes):
                return name
        raise AssertionError

    def _merge(self, node: Node, changes: Changes, twin: Node) -> None:
        """Give *twin* all that *node* has and it lacks, and delete *node*."""
        graph, kind = self._graph, self._graph.kind_of(node)
        defaults = {one.name: substitute(one) for one in kind.properties}
        has = twin.raw.get_property
        lacking = {
            name: value
            for name, value in public_vertex(node.raw).properties.items()
            if name not in kind.derived
            and name not in changes
            # A default says nothing.
            and (has(name) is None or has(name) == defaults.get(name))
        }
        graph.update(twin, **lacking)
        self._move_edges(node, twin)
        if kind.indexed is not None:
            self._writer.remove(kind, node)
        graph.delete_node(node)
        if kind.indexed is not None:
            self._writer.put(kind, twin)

    def _move_edges(self, node: Node, twin: Node) -> None:
        for outgoing in (True, False):
            edges = node.raw.iter_out_edges() if outgoing else node.raw.iter_in_edges()
            found, edge = [], edges.get()
            while edge is not None:
                found.append((edge, edge.to_vertex() if outgoing else edge.from_vertex()))
                edge = edges.next()
            for edge, raw in found:
                if raw.get_id() in (node.id, twin.id):
                    continue
                # It may be of no layer.
                other = Node(raw, raw.get_id(), "", self._graph.context)
                ends = (twin, other) if outgoing else (other, twin)
                type_ = edge.get_type_name()
                given = dict(public_edge(edge).properties.items())
                if known := self._graph.edges_between(*ends, type_):
                    _fill(known[0], given)
                else:
                    self._graph.create_edge(*ends, type_, **given)

    def _mend_edges(self, node: Node) -> None:
        known: dict[tuple[str, int], Any] = {}
        for edge, kind, other in list(self._graph.outgoing(node)):
            subject = f"{self._graph.show_place(node)} {kind.name} {self._graph.show_place(other)}"
            first = known.setdefault((kind.type, other.id), edge)
            if first is not edge:
                _fill(first, dict(public_edge(edge).properties.items()))
                self._graph.delete_edge(edge)
                self._note(subject, "merged with the parallel edge")
            elif changes := self._edge_changes(edge, kind):
                for name, value in changes.items():
                    edge.set_property(name, value)
                self._note(subject, f"set {', '.join(changes)}")

    def _edge_changes(self, edge: Any, kind: EdgeKind) -> Changes:
        changes = {}
        for one in kind.properties:
            value = edge.get_property(one.name)
            if (value is None and not one.optional) or (value is not None and is_wrong(one, value)):
                better = substitute(one)
                if better is not UNKNOWN:
                    changes[one.name] = self._graph.context.now_ms if better is NOW else better
        return changes

    def _note(self, subject: str, done: str) -> None:
        self.rows.append({"subject": subject, "done": done})


def _is_said(one: Property) -> bool:
    """Tell whether two nodes that differ in it are two things: no default stands for it."""
    return not one.optional and substitute(one) is UNKNOWN


def _fill(edge: Any, given: Changes) -> None:
    """Give *edge* what it lacks; of two numbers it keeps the greater."""
    for name, value in given.items():
        has = edge.get_property(name)
        both = all(type(one) in (int, float) for one in (has, value))
        if has is None or (both and value > has):
            edge.set_property(name, value)
