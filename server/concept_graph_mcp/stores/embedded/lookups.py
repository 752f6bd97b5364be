"""The three kinds of look-up by index, each within the call's transaction."""

import heapq
import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ...calls.lookups import Equal, Filled, Lookup, Range, Similar, Text, Union
from . import text_search
from .database import Database, encode

_FEW_LEVELS = 200


def find(database: Database, lookup: Lookup, tau_ms: float) -> list[int]:
    """Return the ids of the vertices that *lookup* asks for, each once."""
    return list(dict.fromkeys(_found(database, lookup, tau_ms)))


def _found(database: Database, lookup: Lookup, tau_ms: float) -> list[int]:
    match lookup:
        case Equal():
            return _equal(database, lookup)
        case Range():
            return _range(database, lookup)
        case Union():
            return [found for part in lookup.parts for found in _found(database, part, tau_ms)]
        case Text():
            return text_search.matching(database, lookup)
        case Filled():
            return _filled(database, lookup, tau_ms)
        case Similar():
            return _equal(database, lookup.equal) + text_search.similar(database, lookup)
        case _:
            raise NotImplementedError(f"no look-up of the kind {type(lookup).__name__}")


def _equal(database: Database, lookup: Equal) -> list[int]:
    [key] = lookup.properties
    values = [value for (value,) in lookup.values]
    return _ids(
        database.execute(
            "SELECT vertex FROM unique_value WHERE label IN (SELECT value FROM json_each(?))"
            " AND property = ? AND value IN (SELECT value FROM json_each(?))",
            (encode(lookup.labels), key, encode(values)),
        )
    )


def _range(database: Database, lookup: Range) -> list[int]:
    return _ids(
        database.execute(
            "SELECT vertex FROM unique_value WHERE label IN (SELECT value FROM json_each(?))"
            " AND property = ? AND value >= ? AND value < ?",
            (encode(lookup.labels), lookup.property, lookup.first, lookup.beyond),
        )
    )


def _filled(database: Database, lookup: Filled, tau_ms: float) -> list[int]:
    hits = text_search.matching(database, lookup.first)
    if len(hits) >= lookup.limit:
        return hits
    known = set(hits)
    aroused = _by_arousal(database, tau_ms, lookup.then.limit)
    others = (vertex for vertex in aroused if vertex not in known)
    return hits + list(islice(others, lookup.limit - len(hits)))


def _by_arousal(database: Database, tau_ms: float, most: int) -> Iterable[int]:
    """Return the *most* most aroused vertices, in order; arousal ranks as `affect.rank` does.

    Arousal levels usually take few distinct values. Among those of one level the order is that of
    the last access, which an index gives, so the levels only need merging. Where there are many
    levels, a scan is sooner done than their cursors are opened.
    """
    levels = _levels(database, _FEW_LEVELS + 1)
    if len(levels) > _FEW_LEVELS:
        return _scanned_by_arousal(database, tau_ms, most)
    ranked = heapq.merge(*(_of_level(database, level, tau_ms) for level in levels))
    return (vertex for _, _, vertex in islice(ranked, most))


def _of_level(database: Database, level: float, tau_ms: float) -> Iterator[tuple[float, str, int]]:
    handicap = tau_ms * math.log(level) if level > 0 else -math.inf
    rows = database.execute(
        "SELECT accessed_at, name, vertex FROM searchable WHERE arousal_level = ?"
        " ORDER BY accessed_at DESC, name",
        [level],
    )
    return ((-(accessed_at + handicap), name, vertex) for accessed_at, name, vertex in rows)


def _levels(database: Database, most: int) -> list[float]:
    """Return the highest *most* arousal levels that there are."""
    rows = database.execute(
        "WITH RECURSIVE level (value) AS ("
        " SELECT max(arousal_level) FROM searchable UNION ALL"
        " SELECT (SELECT max(arousal_level) FROM searchable WHERE arousal_level < value)"
        " FROM level WHERE value IS NOT NULL)"
        " SELECT value FROM level WHERE value IS NOT NULL LIMIT ?",
        [most],
    )
    return [row[0] for row in rows]


def _scanned_by_arousal(database: Database, tau_ms: float, most: int) -> list[int]:
    return _ids(
        database.execute(
            "SELECT vertex FROM searchable ORDER BY"
            " CASE WHEN arousal_level > 0 THEN accessed_at + ? * ln(arousal_level) END DESC, name"
            " LIMIT ?",
            (tau_ms, most),
        )
    )


def _ids(rows: Iterable[tuple[Any, ...]]) -> list[int]:
    return [row[0] for row in rows]
