"""The neighbourhood of what is looked at one by one, as rows of a picture, within bounds."""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """A node as the page draws it, but for `hop`, and the keys of those that it leads to."""

    row: Row
    others: list[str] = field(default_factory=list)


Look = Callable[[str], Awaitable[Seen]]


async def around(look: Look, keys: list[str], max_hop: int, limit: int) -> list[Row]:
    """Return what is within *max_hop* of *keys*, breadth first, at most *limit* of it.

    What comes first in `others` is gone to first. Raises what *look* does.
    """
    rows: dict[str, Row] = {}
    waiting = deque((key, 0) for key in dict.fromkeys(keys))
    known = set(keys)
    while waiting and len(rows) < limit:
        key, hop = waiting.popleft()
        seen = await look(key)
        # What was merged is one, by whichever of its keys it is asked for.
        rows.setdefault(seen.row["id"], seen.row | {"hop": hop})
        for other in seen.others if hop < max_hop else ():
            if other not in known:
                known.add(other)
                waiting.append((other, hop + 1))
    return list(rows.values())
