"""Count how often two memories without a link are in one answer, to offer a link between them.

The counts are notes on both memories, and no edges: only somebody who knows what the two have to do
with each other links them. A note is written with the access that it comes with.
"""

from collections.abc import Collection, Sequence
from typing import Any

from . import schema
from .view import Graph, Node

# Pairs of ids in the database.
Pairs = Collection[tuple[int, int]]
_NOTED = "together"
# The mark on an offered memory: in how many answers it was, at least.
MARK = {"together": schema.OFTEN_TOGETHER}


def count(graph: Graph, put: Sequence[Node], linked: Pairs) -> None:
    """Count that the first of the memories *put* were in one answer; *linked* pairs are left out.

    A memory keeps a few of the others: those counted most, and of these the latest.
    """
    first = [(node, node.id, node.memory_id) for node in put[: schema.MOST_TOGETHER]]
    for node, node_id, _ in first:
        notes = before = _notes(node)
        for other, other_id, key in first:
            if other is node or (node_id, other_id) in linked or (other_id, node_id) in linked:
                continue
            known = next((one for one in notes if one[2] == key), (0, 0, ""))
            # It is not written again once it is offered.
            times = min(known[0] + 1, schema.OFTEN_TOGETHER)
            if times > known[0]:
                others = [one for one in notes if one is not known]
                notes = [(times, other_id, key), *others]
        if notes != before:
            notes = sorted(notes, key=lambda one: -one[0])[: schema.MOST_NOTED_TOGETHER]
            graph.update(node, **{_NOTED: [" ".join(map(str, one)) for one in notes]})


def find_offered(graph: Graph, node: Node) -> list[Node]:
    """Return the memories that were often in one answer with *node*, and have no link with it."""
    linked = {other.id for _, _, other, _ in graph.edges(node)}
    found = []
    for times, vertex, memory_id in _notes(node):
        raw = graph.raw_vertex(vertex) if times >= schema.OFTEN_TOGETHER else None
        other = None if raw is None else graph.raw_node(raw)
        # The database may have given the number of a removed memory to another node.
        if other is None or other.memory_id != memory_id or other.id in linked:
            continue
        if graph.ended(other) is None:
            found.append(other)
    return found


def _notes(node: Node) -> list[tuple[int, int, str]]:
    """Return the notes on *node*: how often, the id in the database, and that of the memory."""
    noted: Any = node.raw.get_property(_NOTED)
    notes = []
    for one in noted if isinstance(noted, (list, tuple)) else ():
        parts = one.split(" ", 2) if isinstance(one, str) else ()
        if len(parts) == 3 and parts[0].isdecimal() and parts[1].isdecimal():
            notes.append((int(parts[0]), int(parts[1]), parts[2]))
    return notes
