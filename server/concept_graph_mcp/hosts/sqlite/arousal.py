"""Find the most aroused vertices by index, or by a scan where they have many levels."""

import heapq
import math
from collections.abc import Iterable, Iterator
from itertools import islice

from .database import Database
from .indexes import RankingTable

_FEW_LEVELS = 200


def highest(database: Database, table: RankingTable, tau_ms: float, most: int) -> Iterable[int]:
    """Return the *most* highest vertices, in order; they rank as `affect.rank` does.

    Arousal levels usually have few distinct values. Within one level the order is that of the last
    access, which an index provides, so the levels only need merging. If there are many levels, a
    scan is faster than opening their cursors.
    """
    levels = _levels(database, table, _FEW_LEVELS + 1)
    if len(levels) > _FEW_LEVELS:
        return _scanned(database, table, tau_ms, most)
    ranked = heapq.merge(*(_of_level(database, table, level, tau_ms) for level in levels))
    return (vertex for _, _, vertex in islice(ranked, most))


def _of_level(
    database: Database, table: RankingTable, level: float, tau_ms: float
) -> Iterator[tuple[float, str, int]]:
    handicap = tau_ms * math.log(level) if level > 0 else -math.inf
    # Vertices that were never aroused rank alike, whatever their time.
    order = 'time DESC, "then"' if level > 0 else '"then"'
    rows = database.execute(
        f'SELECT time, "then", vertex FROM "{table.name}" WHERE level = ? ORDER BY {order}',
        [level],
    )
    return ((-(time + handicap), then, vertex) for time, then, vertex in rows)


def _levels(database: Database, table: RankingTable, most: int) -> list[float]:
    """Return the *most* highest levels."""
    name = table.name
    rows = database.execute(
        "WITH RECURSIVE level_ (value) AS ("
        f' SELECT max(level) FROM "{name}" UNION ALL'
        f' SELECT (SELECT max(level) FROM "{name}" WHERE level < value)'
        " FROM level_ WHERE value IS NOT NULL)"
        " SELECT value FROM level_ WHERE value IS NOT NULL LIMIT ?",
        [most],
    )
    return [row[0] for row in rows]


def _scanned(database: Database, table: RankingTable, tau_ms: float, most: int) -> list[int]:
    rows = database.execute(
        f'SELECT vertex FROM "{table.name}" ORDER BY'
        ' CASE WHEN level > 0 THEN time + ? * ln(level) END DESC, "then" LIMIT ?',
        (tau_ms, most),
    )
    return [vertex for (vertex,) in rows]
