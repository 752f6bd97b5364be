"""Moving a graph: records that say everything there is, out of one store and into another.

A record is a flat map, one of
    {kind: "concept", name, valence, arousal_level, accessed_at}
    {kind: "episode", name, summary, valence, arousal_level, accessed_at}
    {kind: "relation", from, to, type, weight}
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .. import limits, text
from ..concepts import affect, schema
from ..concepts.node import Graph, Node
from ..concepts.relations import relation_edge_type
from ..errors import ConceptGraphError, EpisodeNotAllowed, InvalidRow, NameTaken, Tautology
from ..text import shown

PARTS = ("nodes", "relations")


def export(graph: Graph, part: str) -> Iterator[dict[str, Any]]:
    """Iterate over the records of *part*: "nodes", or the "relations" that leave them.

    Goes through the nodes of the context's `found`, or through the whole graph.
    """
    if part not in PARTS:
        raise InvalidRow(f"part: must be one of {', '.join(PARTS)}")
    for node in graph.nodes():
        yield from [_node_record(node)] if part == "nodes" else _relation_records(graph, node)


def import_rows(graph: Graph, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Bring in *rows*; what a row gives overwrites, what it leaves out is kept or starts as new.

    Ends of relations that do not exist become concepts. Importing the same rows again changes
    nothing. Returns how many nodes and relations were created and how many existed. Raises
    InvalidRow, naming the row, for the first one that is wrong.
    """
    importer = _Importer(graph, rows)
    for number, row in enumerate(rows):
        graph.step()
        try:
            importer.add(row)
        except ConceptGraphError as error:
            raise InvalidRow(f"row {number}: {error}") from None
    return importer.counts


def _node_record(node: Node) -> dict[str, Any]:
    record: dict[str, Any] = {"kind": node.label.lower(), "name": node.name}
    if node.is_episode:
        record["summary"] = node.summary or ""
    record["valence"] = node.valence or 0.0
    record["arousal_level"] = node.arousal_level
    record["accessed_at"] = node.accessed_at
    return record


def _relation_records(graph: Graph, node: Node) -> Iterator[dict[str, Any]]:
    for edge, relation, other, outgoing in graph.edges(node):
        if outgoing:
            yield {
                "kind": "relation",
                "from": node.name,
                "to": other.name,
                "type": relation,
                "weight": graph.weight(edge),
            }


class _Importer:
    """The rows of one call against the nodes that they name."""

    def __init__(self, graph: Graph, rows: Sequence[Mapping[str, Any]]) -> None:
        self._graph = graph
        given = (row.get(key) for row in rows for key in ("name", "from", "to"))
        found = graph.find(list({name for name in given if isinstance(name, str)}))
        self._nodes = {name: nodes[0] for name, nodes in found.items()}
        self._handlers: dict[Any, Callable[[Mapping[str, Any]], None]] = {
            "concept": lambda row: self._add_node(row, schema.CONCEPT),
            "episode": lambda row: self._add_node(row, schema.EPISODE),
            "relation": self._add_relation,
        }
        self.counts = dict.fromkeys(
            ("nodes_created", "nodes_existing", "relations_created", "relations_existing"), 0
        )

    def add(self, row: Mapping[str, Any]) -> None:
        kind = row.get("kind")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is None:
            raise InvalidRow(f"kind: must be one of {', '.join(self._handlers)}")
        handler(row)

    def _add_node(self, row: Mapping[str, Any], label: str) -> None:
        is_episode = label == schema.EPISODE
        check_name = text.existing_name if is_episode else text.name
        name = check_name(row.get("name"), "name")
        known = self._nodes.get(name)
        if known is not None and known.is_episode != is_episode:
            raise NameTaken(f"name: {shown(name)} is already a {known.label.lower()}'s")
        values = _given_numbers(row)
        if is_episode and (known is None or "summary" in row):
            values["summary"] = text.summary(row.get("summary"), "summary")
        if known is None:
            self._nodes[name] = self._create(name, label, values)
        else:
            self._graph.update(known, **values)
        self.counts["nodes_created" if known is None else "nodes_existing"] += 1

    def _create(self, name: str, label: str, values: dict[str, Any]) -> Node:
        if label == schema.CONCEPT:
            node = affect.create_concept(self._graph, name, schema.AROUSAL_INDIRECT)
            self._graph.update(node, **values)
            return node
        defaults = {
            "valence": 0.0,
            "arousal_level": schema.AROUSAL_EPISODE,
            "accessed_at": self._graph.context.now_ms,
        }
        return self._graph.create_node(label, name=name, **(defaults | values))

    def _add_relation(self, row: Mapping[str, Any]) -> None:
        edge_type = relation_edge_type(row.get("type"))
        source, target = (self._end(row, field, edge_type) for field in ("from", "to"))
        if source.id == target.id:
            raise Tautology(f"relation: tautology: from and to are both {shown(source.name)}")
        weight = text.number(row["weight"], "weight", 0.0, 1.0) if "weight" in row else None
        edges = self._graph.edges_between(source, target, edge_type)
        if not edges:
            new = schema.INITIAL_WEIGHT if weight is None else weight
            self._graph.create_edge(source, target, edge_type, weight=new)
        elif weight is not None:
            self._graph.set_weight(edges[0], weight)
        self.counts["relations_existing" if edges else "relations_created"] += 1

    def _end(self, row: Mapping[str, Any], field: str, edge_type: str) -> Node:
        name = text.existing_name(row.get(field), field)
        node = self._nodes.get(name)
        if node is None:
            text.name(name, field)
            node = affect.create_concept(self._graph, name, schema.AROUSAL_INDIRECT)
            self._nodes[name] = node
            self.counts["nodes_created"] += 1
        elif node.is_episode and edge_type != schema.EVOKES:
            raise EpisodeNotAllowed(
                f"{field}: {shown(name)} is an episode; only evokes may join episodes"
            )
        return node


def _given_numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if "valence" in row:
        values["valence"] = text.number(row["valence"], "valence", -1.0, 1.0)
    if "arousal_level" in row:
        values["arousal_level"] = text.number(row["arousal_level"], "arousal_level", 0.0, 1.0)
    if "accessed_at" in row:
        limit = limits.MAX_TIME_MS
        values["accessed_at"] = text.integer(row["accessed_at"], "accessed_at", -limit, limit)
    return values
