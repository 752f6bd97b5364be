"""What there is in the graph, and what in it is not as the model needs it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..concepts import schema
from ..concepts.node import Graph, Node
from ..text import shown


def stats(graph: Graph) -> list[dict[str, Any]]:
    """Return (measure, value) rows: counts of nodes and relations, the newest access (unix ms)."""
    counts = dict.fromkeys(("concepts", "episodes", *schema.RELATION_TYPES), 0)
    newest = 0
    for node in graph.nodes():
        counts["episodes" if node.is_episode else "concepts"] += 1
        newest = max(newest, node.accessed_at)
        for _, relation, _, outgoing in graph.edges(node):
            if outgoing:
                counts[relation] += 1
    counts["newest_accessed_at"] = newest
    return [{"measure": measure, "value": value} for measure, value in counts.items()]


def check(graph: Graph) -> list[dict[str, Any]]:
    """Return a (problem, subject, advice) row for everything that the model does not expect.

    Such things come from hands and other programs; recall tolerates all of them.
    """
    names: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    for node in graph.nodes():
        names[node.name] += 1
        rows.extend(_node_problems(node))
        rows.extend(_edge_problems(graph, node))
    for name, count in names.items():
        if name and count > 1:
            rows.append(
                _row("name shared", shown(name), "rename or remove all but one node of this name")
            )
    return rows


def _node_problems(node: Node) -> Iterator[dict[str, Any]]:
    subject = f"{node.label} {shown(node.name)}" if node.name else f"{node.label} with id {node.id}"
    for key in schema.NODE_PROPERTIES[node.label]:
        # A search falls back to the name, so that a node made by hand is found without it.
        if key != "search_name" and node.raw.get_property(key) is None:
            yield _row(f"no {key}", subject, f"SET the property {key}, or remove the node")


def _edge_problems(graph: Graph, node: Node) -> Iterator[dict[str, Any]]:
    seen: Counter[tuple[str, int]] = Counter()
    for edge, relation, other, outgoing in graph.edges(node):
        if not outgoing:
            continue
        subject = f"{shown(node.name)} {relation} {shown(other.name)}"
        seen[relation, other.id] += 1
        if seen[relation, other.id] == 2:
            yield _row("parallel edges", subject, "remove the relation and add it once")
        if other.id == node.id:
            yield _row("relation to itself", subject, "remove the relation")
        if edge.get_property("weight") is None:
            yield _row("no weight", subject, "SET the property weight, e.g. 0.25")
        if schema.RELATION_TYPES[relation] != schema.EVOKES and (
            node.is_episode or other.is_episode
        ):
            yield _row("episode in is-a or part-of", subject, "remove the relation; use evokes")


def _row(problem: str, subject: str, advice: str) -> dict[str, Any]:
    return {"problem": problem, "subject": subject, "advice": advice}
