"""Walk the surroundings of nodes for a picture of a graph: breadth first, within bounds."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from .adapter import Node

N = TypeVar("N", bound=Node)
Row = dict[str, Any]


def walk_around(
    seeds: Iterable[N], max_hop: int, limit: int, look: Callable[[N], tuple[Row, Sequence[N]]]
) -> list[Row]:
    """Return the rows within *max_hop* of *seeds*, nearest first, at most *limit*.

    *look* returns a node's row and its neighbours, in the order of the walk. Each row gets its
    `hop`.
    """
    known = {node.id: node for node in seeds}
    waiting = deque((node, 0) for node in known.values())
    rows: list[Row] = []
    while waiting and len(rows) < limit:
        node, hop = waiting.popleft()
        row, others = look(node)
        rows.append(row | {"hop": hop})
        for other in others if hop < max_hop else ():
            if other.id not in known:
                known[other.id] = other
                waiting.append((other, hop + 1))
    return rows
