"""Create relations between concepts and episodes, and strengthen them at each repetition.

Rename and remove concepts, episodes and relations, for their owner.
"""

from collections.abc import Mapping
from typing import Any

from ..retrieval import documents
from ..retrieval.indexer import Writer
from ..texts import text
from ..texts.text import show_name
from ..verbs.errors import NameTaken, NotFound, Tautology, UnknownRelationType, WrongKind
from . import affect, schema
from .node import Graph, Node


def add(graph: Graph, source: str, target: str, type_: str) -> dict[str, Any]:
    """Add the relation, or strengthen it: w becomes 1 − (1 − w)(1 − 0.2), from 0.25.

    So it never reaches 1, and early repetitions count most (docs/design.md, Weight of a relation).
    Missing ends are created as concepts. Returns from, to, type and the new weight. Raises
    UnknownRelationType, Tautology, or WrongKind unless the type is evokes.
    """
    edge_type = relation_edge_type(type_)
    source, target = schema.checked_ends(source, target)
    if source == target:
        raise Tautology(f"relation: tautology: from and to are both {show_name(source)}")
    found = graph.find_named([source, target])
    ends = []
    for name, field in ((source, "from"), (target, "to")):
        known = found.get(name)
        if known and known[0].is_episode and edge_type != schema.EVOKES:
            raise WrongKind(
                f"{field}: {show_name(name)} is an episode; only evokes may join episodes"
            )
        ends.append(
            known[0]
            if known
            else affect.create_concept(graph, text.name(name, field), schema.AROUSAL_INDIRECT)
        )
    weight = strengthen(graph, ends[0], ends[1], edge_type)
    return {"from": source, "to": target, "type": type_, "weight": weight}


def relation_edge_type(relation_type: object) -> str:
    """Return the edge type of "is-a", "part-of" or "evokes", else raise UnknownRelationType."""
    edge_type = schema.RELATION_TYPES.get(relation_type) if isinstance(relation_type, str) else None
    if edge_type is None:
        raise UnknownRelationType(f"type: must be one of {', '.join(schema.RELATION_TYPES)}")
    return edge_type


def strengthen(
    graph: Graph, source: Node, target: Node, edge_type: str, memory_id: str | None = None
) -> float:
    """Join two nodes, or strengthen their relation; return the new weight.

    With *memory_id*, a new relation rests on that memory, as long as nobody states it: see
    `withdraw`.
    """
    edges = graph.edges_between(source, target, edge_type)
    if not edges:
        on = {} if memory_id is None else {"memories": [memory_id]}
        graph.create_edge(source, target, edge_type, weight=schema.INITIAL_WEIGHT, **on)
        return schema.INITIAL_WEIGHT
    # Parallel edges made by hand count as one, the strongest; `check` reports them.
    edge = max(edges, key=graph.weight)
    weight = 1 - (1 - graph.weight(edge)) * (1 - schema.STRENGTHENING)
    edge.set_property("weight", weight)
    _rest(edge, memory_id)
    return weight


def _rest(edge: Any, memory_id: str | None) -> None:
    """Let *edge* rest on one memory more, or stand for itself from now on."""
    known = edge.get_property("memories")
    if known is not None:
        made = [] if memory_id is None else [*dict.fromkeys((*known, memory_id))]
        edge.set_property("memories", made if 0 < len(made) <= schema.MOST_MEMORIES else None)


def support(graph: Graph, source: Node, target: Node, memory_id: str) -> None:
    """Let one node evoke another because of a memory that is current again."""
    edges = graph.edges_between(source, target, schema.EVOKES)
    if not edges:
        strengthen(graph, source, target, schema.EVOKES, memory_id)
    for edge in edges:
        _rest(edge, memory_id)


def withdraw(graph: Graph, source: Node, target: Node, memory_id: str) -> None:
    """Remove an association that rests on this memory alone, which is current no longer."""
    for edge in graph.edges_between(source, target, schema.EVOKES):
        known = edge.get_property("memories")
        if known is None or memory_id not in known:
            continue
        if left := [one for one in known if one != memory_id]:
            edge.set_property("memories", left)
        else:
            graph.delete_edge(edge)


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
