"""What stands against a memory: a later one that contradicts or replaces it."""

from collections.abc import Sequence
from typing import Any, Final

from . import likeness, schema
from .node import Kept, Node

_CONTRADICTING: Final = {schema.RELATION_TYPES["contradicts"]: "contradicts"}


def against(graph: Kept, nodes: Sequence[Node]) -> dict[Node, Node]:
    """Return those of *nodes* that a later memory contradicts, each with the latest of these.

    A link counts in both directions and however faint it is: of two that contradict each other the
    later stands. Of two of one time, that from which the link comes.
    """
    for outgoing in (True, False):
        graph.expect_edges(nodes, outgoing)
    found = {}
    for node in nodes:
        later = [
            other
            for _, _, other, outgoing in graph.edges(node, relations=_CONTRADICTING)
            if not other.is_deleted and _is_later(other, node, states_it=not outgoing)
        ]
        if later:
            found[node] = max(later, key=likeness.age)
    return found


def _is_later(other: Node, node: Node, states_it: bool) -> bool:
    ages = likeness.told_at(other), likeness.told_at(node)
    return other is not node and (ages[0] > ages[1] or (ages[0] == ages[1] and states_it))


def mark(graph: Kept, node: Node, found: dict[Node, Node] | None = None) -> dict[str, Any]:
    """Return the field that says what contradicts *node*, as lists and `get` have it."""
    other = (against(graph, [node]) if found is None else found).get(node)
    return {"contradicted_by": None if other is None else other.memory_id}
