"""Let the owner correct the concept layer. Models do not get these procedures.

Each returns (kind, text, id) rows of the changed elements; with *dry_run* it changes nothing. The
id of a node is its name, that of a relation its two ids with its type between them.
"""

from collections.abc import Mapping

from .. import text
from ..errors import NameTaken, NotFound, WrongKind
from ..retrieval import documents
from ..retrieval.indexer import Writer
from ..text import show_name
from . import schema
from .node import Graph, Node
from .relations import relation_edge_type


def rename(
    graph: Graph, concept: str, new_name: str, dry_run: bool = False
) -> list[dict[str, str]]:
    """Give *concept* another name; its feelings, relations and episodes stay with it.

    Raises NotFound, NameTaken, or WrongKind: an episode's name holds its date.
    """
    new_name = text.name(new_name, "new_name")
    found = graph.find_named([text.existing_name(concept, "concept"), new_name])
    node = _only(found, concept, "concept")
    if node.is_episode:
        raise WrongKind(f"concept: {show_name(concept)} is an episode, which keeps its name")
    if new_name in found:
        raise NameTaken(f"new_name: {show_name(new_name)} is taken already")
    rows = _touch(graph, node)
    if not dry_run:
        derived = schema.derive_properties(node.label, {**graph.owner, "name": new_name})
        graph.update(node, name=new_name, **derived)
    return rows


def remove(graph: Graph, name: str, dry_run: bool = False) -> list[dict[str, str]]:
    """Remove a concept or an episode with all of its relations. Raises NotFound."""
    kind, words_scope = schema.LAYER.kind(schema.EPISODE), schema.words_scope(graph.scope)
    indexed = documents.removed(kind, [text.existing_name(name, "name")], words_scope)
    node = _only(graph.find_named([name], *indexed), name, "name")
    rows = _touch(graph, node)
    if not dry_run:
        writer = Writer(graph)
        writer.remove(schema.LAYER.kind(node.label), node)
        writer.finish()
        graph.delete_node(node)
    return rows


def remove_relation(
    graph: Graph, source: str, target: str, type_: str, dry_run: bool = False
) -> list[dict[str, str]]:
    """Remove a relation, with any parallel edges of it. Raises NotFound."""
    edge_type = relation_edge_type(type_)
    found = graph.find_named(schema.checked_ends(source, target))
    ends = [_only(found, source, "from"), _only(found, target, "to")]
    edges = graph.edges_between(ends[0], ends[1], edge_type)
    if not edges:
        raise NotFound(f"relation: no {type_} from {show_name(source)} to {show_name(target)}")
    if not dry_run:
        for edge in edges:
            graph.delete_edge(edge)
    return [_relation_row(ends[0], type_, ends[1])]


def _only(found: Mapping[str, list[Node]], name: str, field: str) -> Node:
    if name not in found:
        raise NotFound(f"{field}: nothing is called {show_name(name)}")
    return found[name][0]


def _touch(graph: Graph, node: Node) -> list[dict[str, str]]:
    kind = schema.LAYER.kind(node.label).kind
    rows = [{"kind": kind, "text": node.text, "id": node.name}]
    for _, relation, other, outgoing in graph.edges(node):
        source, target = (node, other) if outgoing else (other, node)
        rows.append(_relation_row(source, relation, target))
    return rows


def _relation_row(source: Node, relation: str, target: Node) -> dict[str, str]:
    return {
        "kind": schema.LAYER.edge_kind,
        "text": f"{source.text} {relation} {target.text}",
        "id": f"{source.name} {relation} {target.name}",
    }
