"""Find, count and remove all that belongs to one user; make theirs what all share, or is nobody's.

A user owns memories, entities with all that was observed of them, own concepts and episodes, the
index of their words, and kept questions. Shared concepts and episodes belong to nobody.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ..graph.adapter import Node
from ..graph.layers import NOW, SHARED, join_layers
from ..graph.primitives import BEYOND, Range, Union, next_text
from ..jobs.schema import JOURNALS, KEPT
from ..retrieval.indexer import Writer
from ..retrieval.schema import LAYER as WORDS
from ..texts import text
from ..texts.text import BEHIND_SCOPE
from ..verbs import limits
from .audit import UNKNOWN, mend_value, subject_of
from .export_import import Record, describe_edges, describe_node, import_rows
from .procedures import BATCH
from .registry import LAYERS
from .view import Everything

# No character sorts between the two, so that this range has what is counted apart for a user.
_PAST_SCOPE = chr(ord(BEHIND_SCOPE) + 1)
# The measure of all nodes of the index of words.
INDEXED = "index entries"

Row = dict[str, Any]


class Owned(Everything):
    """One call's view of all nodes that may belong to a user."""

    layers = (*LAYERS, WORDS, JOURNALS, KEPT)
    layer = join_layers(layers)

    def owner(self, node: Node) -> str:
        """Return the user that *node* belongs to; "" if it is shared or belongs to the store."""
        scope = self.scope(node)
        return scope.partition(BEHIND_SCOPE)[0] if isinstance(scope, str) else ""

    def measure(self, node: Node) -> str:
        kind = self.kind_of(node)
        return INDEXED if node.label in WORDS.labels else kind.measure


def users(graph: Owned, after: str | None = None, limit: int | None = None) -> list[Row]:
    """Return the users who own anything, {user_id}, by name, starting after *after*."""
    most = text.limit(limit, BATCH, BATCH)
    if most == 1:
        # The first user is the first of one label; more users may lie behind any number of nodes.
        first = "" if after is None else f"{after}{_PAST_SCOPE}"
        graph.pull(_look_up([(first, BEYOND)], 1))
    found = {graph.owner(node) for node in graph.nodes()}
    return [{"user_id": one} for one in sorted(found) if one > (after or "")][:most]


def count(graph: Owned, user_id: str) -> list[Row]:
    """Return the number of nodes of *user_id* of each kind, as {measure, value} rows."""
    return _rows(Counter(graph.measure(node) for node in _list_nodes_of_user(graph, user_id)))


def remove(graph: Owned, user_id: str, limit: int | None = None) -> list[Row]:
    """Remove at most *limit* nodes of *user_id*, with their edges, and return {measure, value}.

    Without rows, nothing of the user is left.
    """
    most = text.limit(limit, BATCH, BATCH)
    removed: Counter[str] = Counter()
    for node in _list_nodes_of_user(graph, user_id, most)[:most]:
        removed[graph.measure(node)] += 1
        graph.delete_node(node)
    return _rows(removed)


def adopt_shared(graph: Everything, user_id: str) -> list[dict[str, int]]:
    """Make all shared concepts and episodes, with their relations, those of *user_id*.

    They are merged with the user's own as an import merges them. Returns one row {nodes,
    relations}. Raises InvalidText.
    """
    user = text.user(user_id, "user_id")
    graph.read_all()
    shared = [
        node
        for node in graph.nodes()
        if graph.kind_of(node).may_be_shared and graph.scope(node) == SHARED
    ]
    nodes = [describe_node(graph, node) for node in shared]
    relations = [one for node in shared for one in describe_edges(graph, node)]
    scopes = {graph.kind_of(node).scope or "" for node in shared}
    own: Record = dict.fromkeys(scopes, user)
    import_rows(graph, [one | own for one in (*nodes, *relations)])
    writer = Writer(graph)
    for node in shared:
        writer.remove(graph.kind_of(node), node)
        graph.delete_node(node)
    writer.finish()
    return [{"nodes": len(nodes), "relations": len(relations)}]


def mend(graph: Everything, owner: str | None = None, limit: int | None = None) -> list[Row]:
    """Give nodes that Cypher by hand left without a scope the shared one, or that of *owner*.

    They get the defaults of what else they lack, and are indexed. It ends after *limit* nodes. A
    node with a value that another node must not have stays as it is. Returns a (subject, done) row
    for each. Raises InvalidText, InvalidNumber.
    """
    owner = None if owner is None else text.user(owner, "owner")
    most = math.inf if limit is None else text.integer(limit, "limit", 1, limits.MAX_INTEGER)
    rows: list[Row] = []
    nobodys: list[Node] = []
    taken: set[Any] = set()
    for node in graph.nodes():
        scope = graph.kind_of(node).scope
        if scope is None or node.raw.get_property(scope) is not None:
            taken.update(_list_unique(graph, node, {}))
        else:
            nobodys.append(node)
    writer = Writer(graph)
    for node in nobodys:
        kind = graph.kind_of(node)
        lacking = [
            one
            for one in kind.properties
            if (not one.optional or one.name == kind.scope)
            and node.raw.get_property(one.name) is None
        ]
        values = {one.name: mend_value(kind, one, node, None, owner) for one in lacking}
        changes = {
            name: graph.context.now_ms if value is NOW else value
            for name, value in values.items()
            if value is not UNKNOWN
        }
        unique = list(_list_unique(graph, node, changes))
        if len(rows) >= most or kind.scope not in changes or not taken.isdisjoint(unique):
            continue
        taken.update(unique)
        rows.append({"subject": subject_of(graph, node), "done": f"set {', '.join(changes)}"})
        graph.update(node, **changes)
        graph.update(node, **graph.lacking(node))
        if kind.indexed is not None:
            writer.put(kind, node)
    writer.finish()
    return rows


def _list_unique(graph: Everything, node: Node, changes: Row) -> Iterator[tuple[Any, ...]]:
    """Yield each value of *node*, after *changes*, that no other node may have."""
    kind, layer = graph.kind_of(node), graph.layer_of(node.label)
    named = [(layer.sharing(node.label), kind.key)]
    named += [
        ((node.label, *index.properties), index.properties)
        for index in layer.indexes
        if index.unique and index.label == node.label and {*index.properties} != {*kind.key}
    ]
    for place, names in named:
        values = [changes.get(one, node.raw.get_property(one)) for one in names]
        if all(isinstance(one, str) for one in values):
            yield place, *values


def _list_nodes_of_user(graph: Owned, user_id: str, most: int | None = None) -> list[Node]:
    """Return all nodes of the user, or of each label at least *most* if there are so many."""
    user = text.user(user_id, "user_id")
    apart = f"{user}{BEHIND_SCOPE}", f"{user}{_PAST_SCOPE}"
    graph.pull(_look_up([(user, next_text(user)), apart], most))
    return [node for node in graph.nodes() if graph.owner(node) == user]


def _look_up(ranges: Sequence[tuple[str, str]], limit: int | None) -> Union:
    """Look up the nodes whose scope is in one of *ranges*, of each label at most *limit*."""
    kinds = [kind for layer in Owned.layers for kind in layer.nodes if kind.scope is not None]
    return Union(
        tuple(
            Range((kind.label,), str(kind.scope), *one, (), limit)
            for kind in kinds
            for one in ranges
        )
    )


def _rows(counts: Counter[str]) -> list[Row]:
    return [{"measure": measure, "value": value} for measure, value in sorted(counts.items())]
