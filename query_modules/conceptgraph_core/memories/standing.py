"""Find the later memory that contradicts or replaces a memory."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from . import near_duplicates, schema
from .view import AllMemories, Node

_CONTRADICTING: Final = {schema.RELATION_TYPES["contradicts"]: "contradicts"}


def against(
    graph: AllMemories, nodes: Sequence[Node], groups: Iterable[Sequence[Node]] = ()
) -> dict[Node, Node]:
    """Return those of *nodes* that a later memory contradicts, each with the latest of these.

    A link counts in both directions and however weak it is: of two that contradict each other, the
    later stands. At equal times, the source of the link stands. Each of *groups* has memories of
    the same words, the shown one first. A link of any member counts for all, which are as late as
    the latest. So a text that is repeated after its contradiction stands again.
    """
    of_one = {node: group for group in groups for node in group}
    grouped = [one for node in nodes for one in of_one.get(node, (node,))]
    for outgoing in (True, False):
        graph.expect_edges(grouped, outgoing)
    found = {}
    for node in nodes:
        group = of_one.get(node, (node,))
        later: dict[Node, tuple[int, str]] = {}
        for one in group:
            for _, _, other, outgoing in graph.edges(one, relations=_CONTRADICTING):
                others = of_one.get(other, (other,))
                if not other.is_deleted and _is_later(others, group, states_it=not outgoing):
                    later[others[0]] = max(map(near_duplicates.age, others))
        if later:
            found[node] = max(later, key=later.__getitem__)
    return found


def contradicted(graph: AllMemories, node: Node) -> Iterator[tuple[Node, int]]:
    """Iterate over the memories that *node* contradicts, each with the time of the link."""
    for edge, _, other, _ in graph.edges(node, (True,), _CONTRADICTING):
        at = edge.get_property("created_at")
        yield other, at if at.__class__ is int else node.value("created_at")


def replaced(graph: AllMemories, node: Node) -> list[Node]:
    """Return the memories that *node* replaced, the latest first."""
    edges = graph.edges(node, (True,), _CONTRADICTING)
    found = {other for _, _, other, _ in edges if other.value("valid_until") is not None}
    return sorted(found, key=near_duplicates.age, reverse=True)


def _is_later(others: Sequence[Node], group: Sequence[Node], states_it: bool) -> bool:
    ages = max(map(near_duplicates.told_at, others)), max(map(near_duplicates.told_at, group))
    return others[0] is not group[0] and (ages[0] > ages[1] or (ages[0] == ages[1] and states_it))


def mark(graph: AllMemories, node: Node, found: dict[Node, Node] | None = None) -> dict[str, Any]:
    """Return the field with the memory that contradicts *node*, as lists and `get` have it."""
    other = (against(graph, [node]) if found is None else found).get(node)
    return {"contradicted_by": None if other is None else other.memory_id}
