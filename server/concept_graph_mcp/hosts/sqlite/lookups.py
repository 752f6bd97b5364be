"""Run look-ups by index within the call's transaction: a primitive is a query of a table.

The edges into a vertex are read as columns, because a query reads thousands of mentions of a word.
"""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import Any, cast

from conceptgraph_core.graph.primitives import (
    Equal,
    Incoming,
    Joined,
    Last,
    Lookup,
    Nearest,
    Ordered,
    Range,
    Ranges,
    Reached,
    Referring,
    Similar,
    Sized,
    Tallied,
    Tally,
    Text,
    Union,
    Vectored,
    Where,
    WithEdges,
)

from . import text_search
from .cache import VertexElement, decode
from .database import Database
from .values import Column, encode, read_values

# Ranges of one statement: at most so many, and of each look-up a multiple of so many.
_MOST_RANGES, _RANGES_ALIKE = 256, 4
_EMPTY_RANGE = ("", "")
# Up to this many values are passed as single parameters, which takes a statement per count.
_FEW_VALUES = 32


def find(database: Database, lookup: Lookup) -> list[int]:
    """Return the ids of the vertices that *lookup* asks for, without duplicates."""
    return list(dict.fromkeys(_find(database, lookup)))


def look_up_related(lookup: Incoming, found: Iterable[VertexElement]) -> Equal | None:
    """Return the look-up of the vertices that those *found* name as related, if any do."""
    if lookup.related is None:
        return None
    of_label = [one for one in found if lookup.label in one.labels]
    known = {(one.properties[lookup.scope], one.properties[lookup.by]) for one in of_label}
    wanted = {
        (one.properties[lookup.scope], other[0]): None
        for one in of_label
        if one.properties[lookup.by] not in lookup.last
        for other in _list_related(one.properties.get(lookup.related))
    }
    values = tuple(value for value in wanted if value not in known)
    return Equal((lookup.label,), (lookup.scope, lookup.by), values) if values else None


def _list_related(value: Any) -> Iterable[Any]:
    """Return the lists in *value*, which is nobody's unless the program wrote it."""
    lists = value if isinstance(value, tuple) else ()
    return (one for one in lists if isinstance(one, tuple) and one and isinstance(one[0], str))


def size(database: Database, lookup: Sized) -> int:
    """Return how many vertices *lookup* counts."""
    return sum(_size(database, lookup, where) for where in (lookup.where, *lookup.others))


def _size(database: Database, lookup: Sized, where: Where) -> int:
    rows, given, _ = _scan(database, lookup.label, where, lookup.property)
    [[count]] = database.execute(
        f"SELECT count(*) FROM (SELECT 1 {rows}TRUE LIMIT ?)", (*given, _read_limit(lookup.most))
    )
    return int(count)


def tallies(database: Database, lookup: Tallied) -> list[list[int]]:
    """Return the numbers of vertices that *lookup* counts."""
    return [_tally(database, one) for one in lookup.of]


def _tally(database: Database, tally: Tally) -> list[int]:
    rows, given, key = _scan(database, tally.label, tally.where, tally.property)
    statement = f"SELECT count(*) {rows}{key} >= ? AND {key} < ?"
    counts = (database.execute(statement, (*given, *two)) for two in pairwise(tally.bounds))
    return [int(count) for [[count]] in counts]


def _find(database: Database, lookup: Lookup) -> list[int]:
    return _FINDERS[type(lookup)](database, lookup)


def _equal(database: Database, lookup: Equal) -> list[int]:
    return _ids(_one_of(database, lookup, "vertex"))


def _one_of(database: Database, lookup: Equal, wanted: str) -> Iterable[tuple[Any, ...]]:
    """Return the *wanted* columns of the rows that have, in their keys, one of the values."""
    # A malformed record has too many or too few values; the procedure reports it.
    width = len(lookup.properties)
    values = [one for one in lookup.values if len(one) == width]
    if not values:
        return ()
    if width == 1 and len(values) <= _FEW_VALUES:
        # The usual case, a look-up by name; its statement is always the same.
        given: Sequence[Any] = [one for (one,) in values]
        condition = None
    else:
        condition, given = _condition(values)
    statement = database.catalogue.statement(
        (lookup.labels, lookup.properties, condition or len(values), wanted),
        lambda: _statement(database, lookup, condition or _condition(values)[0], wanted),
    )
    return database.execute(statement, given)


def _statement(database: Database, lookup: Equal, condition: str, wanted: str) -> str:
    """Return the statement over all labels: short look-ups cost mostly their statements."""
    tables = [database.catalogue.keyed(label, lookup.properties) for label in lookup.labels]
    return " UNION ALL ".join(
        f'SELECT {wanted} FROM "{name}" WHERE {condition.format(*columns)}'
        for name, columns in tables
    )


def _condition(values: Sequence[tuple[Any, ...]]) -> tuple[str, Sequence[Any]]:
    """Return the condition that columns, "{0}" and so on, are one of *values*; its parameters."""
    columns = list(zip(*values, strict=True))
    varying = [number for number, column in enumerate(columns) if len(set(column)) > 1]
    if len(varying) > 1:
        # SQLite uses the index for no other form of such a list.
        wanted = ", ".join(f"json_extract(value, '$[{number}]')" for number in range(len(columns)))
        names = ", ".join(f"{{{number}}}" for number in range(len(columns)))
        return f"({names}) IN (SELECT {wanted} FROM json_each(?1))", [encode(values)]
    # Most values are of one scope, so their common part is compared once.
    [number] = varying or [len(columns) - 1]
    shared = [other for other in range(len(columns)) if other != number]
    given = [columns[other][0] for other in shared]
    conditions = [f"{{{other}}} = ?{place}" for place, other in enumerate(shared, 1)]
    first = len(given) + 1
    if len(values) <= _FEW_VALUES:
        places = ", ".join(f"?{place}" for place in range(first, first + len(values)))
        conditions.append(f"{{{number}}} IN ({places})")
        given.extend(columns[number])
    else:
        conditions.append(f"{{{number}}} IN (SELECT value FROM json_each(?{first}))")
        given.append(encode(columns[number]))
    return " AND ".join(conditions), given


def _range(database: Database, lookup: Range) -> list[int]:
    found: list[int] = []
    then = () if lookup.then is None else (lookup.then,)
    for label in lookup.labels:
        rows, given, key = _scan(database, label, lookup.where, lookup.property, *then)
        order = f"{key}, k{len(lookup.where) + 1}" if then else key
        order += " DESC" if lookup.descending else ""
        statement = f"SELECT vertex {rows}{key} >= ? AND {key} < ? ORDER BY {order} LIMIT ?"
        bounds = lookup.first, lookup.beyond, _read_limit(lookup.limit)
        found += _ids(database.execute(statement, (*given, *bounds)))
    return found


def _ranges(database: Database, lookup: Ranges) -> list[int]:
    return _in_ranges(database, [lookup])


def _in_ranges(database: Database, several: Iterable[Ranges]) -> list[int]:
    """Return what is in the ranges of *several*, in their order.

    Each of them takes less time than a statement, so that many are in one.
    """
    parts: list[tuple[str, tuple[Any, ...]]] = []
    for one in several:
        part = database.catalogue.statement(
            (one.label, one.property, tuple(name for name, _ in one.where)),
            partial(_make_range, database, one),
        )
        given = tuple(value for _, value in one.where)
        # Their numbers are rounded up, so that SQLite prepares few different statements.
        empty = (_EMPTY_RANGE,) * (-len(one.ranges) % _RANGES_ALIKE)
        parts += [(part, (*given, *bounds, one.limit)) for bounds in one.ranges + empty]
    found: list[int] = []
    for start in range(0, len(parts), _MOST_RANGES):
        selects, values = zip(*parts[start : start + _MOST_RANGES], strict=True)
        found += _ids(database.execute(" UNION ALL ".join(selects), chain(*values)))
    return found


def _make_range(database: Database, lookup: Ranges) -> str:
    rows, _, key = _scan(database, lookup.label, lookup.where, lookup.property)
    return f"SELECT * FROM (SELECT vertex {rows}{key} >= ? AND {key} < ? LIMIT ?)"


def _referring(database: Database, lookup: Referring) -> list[int]:
    rows, given, key = _scan(database, lookup.label, lookup.where, lookup.by)
    named = database.catalogue.index(lookup.label, (lookup.property,))
    referring = f"{rows}{key} IS NOT NULL"
    return _ids(
        database.execute(
            f'SELECT vertex {referring} UNION SELECT vertex FROM "{named.name}"'
            f" WHERE k0 IN (SELECT {key} {referring})",
            [*given, *given],
        )
    )


def _find_ordered(database: Database, lookup: Ordered) -> list[int]:
    if lookup.level is not None:
        # They rank as `affect.rank` does.
        ranked = database.execute(
            f'SELECT vertex FROM "{database.catalogue.ranking(lookup.label, lookup.by).name}"'
            ' ORDER BY CASE WHEN level > 0 THEN time + ? * ln(level) END DESC, "then" LIMIT ?',
            (lookup.tau_ms, lookup.limit),
        )
        return _ids(ranked)
    rows, given, key = _scan(database, lookup.label, lookup.where, lookup.by)
    statement = f"SELECT vertex {rows}{key} IS NOT NULL ORDER BY {key} DESC LIMIT ?"
    return _ids(database.execute(statement, (*given, lookup.limit)))


def _last(database: Database, lookup: Last) -> list[int]:
    rows, given, key = _scan(database, lookup.label, lookup.where, lookup.property, lookup.by)
    by = f"k{len(lookup.where) + 1}"
    statement = f"SELECT vertex {rows}{key} = ? ORDER BY {by} DESC LIMIT {lookup.limit}"
    return [
        vertex
        for value in lookup.values
        for vertex in _ids(database.execute(statement, (*given, value)))
    ]


def _scan(
    database: Database, label: str, where: Where, *properties: str
) -> tuple[str, list[Any], str]:
    """Return the beginning of a query of the index that begins with *where*.

    That is its FROM, and the conditions of *where*, to which further ones can be added; their
    parameters; and the column of the first of the *properties*.
    """
    names = (*(name for name, _ in where), *properties)
    table = database.catalogue.index(label, names)
    condition = "".join(f"k{number} = ? AND " for number in range(len(where)))
    given = [value for _, value in where]
    return f'FROM "{table.name}" i WHERE {condition}', given, f"k{len(where)}"


def _find_joined(database: Database, lookup: Joined) -> list[int]:
    found = _find(database, lookup.lookup)
    rows = database.execute(
        "SELECT properties FROM vertex WHERE id IN (SELECT value FROM json_each(?))",
        [json.dumps(found)],
    )
    names, given = zip(*lookup.where, strict=True) if lookup.where else ((), ())
    if lookup.same is not None:
        names = (*names, lookup.same)
    wanted: list[tuple[Any, ...]] = []
    for (properties,) in rows:
        [key, *same] = read_values(properties, [lookup.by, *([lookup.same] if lookup.same else [])])
        wanted += ((*given, *same, one) for one in ((key or ()) if lookup.each else (key,)))
    return found + _equal(
        database, Equal((lookup.label,), (*names, lookup.property), tuple(wanted))
    )


def _find_reached(database: Database, lookup: Reached) -> list[int]:
    found = _find(database, lookup.lookup)
    types = json.dumps(lookup.edges)
    seen, newest = dict.fromkeys(found), found
    for _ in range(lookup.most):
        ends = [("target", "source"), *([("source", "target")] if lookup.entering else [])]
        reached = [
            one
            for end, start in ends
            for one in _ids(
                database.execute(
                    f"SELECT {end} FROM edge WHERE {start} IN (SELECT value FROM json_each(?))"
                    " AND type IN (SELECT value FROM json_each(?)) ORDER BY id",
                    [json.dumps(newest), types],
                )
            )
        ]
        newest = [one for one in dict.fromkeys(reached) if one not in seen]
        if not newest:
            break
        seen |= dict.fromkeys(newest)
    return list(seen)


def _find_vectored(database: Database, lookup: Vectored) -> list[int]:
    catalogue = database.catalogue
    table = catalogue.vector((lookup.label,), lookup.property)
    if table is None:
        raise LookupError(f"no vectors of :{lookup.label}({lookup.property}) are declared")
    there = f'SELECT vertex FROM "{table.name}"'
    if lookup.newest is not None:
        return _newest(database, lookup, table.name)
    if not lookup.by:
        every = next(one for one in catalogue.indexes if one.label == lookup.label).name
        lacking = f'SELECT vertex FROM "{every}" WHERE vertex NOT IN ({there})'
        statement = there if lookup.has_one else lacking
        return _ids(database.execute(f"{statement} LIMIT ?", [lookup.limit]))
    ordered, given = catalogue.index(lookup.label, lookup.by).name, lookup.after or ()
    keys = ", ".join(f"k{number}" for number in range(len(lookup.by)))
    beyond = f"({keys}) > ({', '.join('?' * len(given))})" if given else "TRUE"
    has_one = "IN" if lookup.has_one else "NOT IN"
    return _ids(
        database.execute(
            f'SELECT vertex FROM "{ordered}" WHERE {beyond} AND vertex {has_one} ({there})'
            f" ORDER BY {keys} LIMIT ?",
            (*given, lookup.limit),
        )
    )


def _newest(database: Database, lookup: Vectored, vectors: str) -> list[int]:
    assert lookup.newest is not None
    rows, given, time = _scan(database, lookup.label, lookup.where, lookup.newest)
    is_there = "" if lookup.has_one else "NOT "
    # Looked for one by one, so that it ends with the last that is wanted.
    vector = f'SELECT 1 FROM "{vectors}" v WHERE v.vertex = i.vertex'
    return _ids(
        database.execute(
            f"SELECT vertex {rows}{time} IS NOT NULL AND {is_there}EXISTS ({vector})"
            f" ORDER BY {time} DESC LIMIT ?",
            (*given, lookup.limit),
        )
    )


def _union(database: Database, lookup: Union) -> list[int]:
    found: list[int] = []
    for is_ranges, parts in groupby(lookup.parts, lambda one: isinstance(one, Ranges)):
        if is_ranges:
            found += _in_ranges(database, cast(Iterable[Ranges], parts))
        else:
            found += (vertex for part in parts for vertex in _find(database, part))
    return found


def _read_limit(limit: int | None) -> int:
    return -1 if limit is None else limit


def _ids(rows: Iterable[tuple[Any, ...]]) -> list[int]:
    return [row[0] for row in rows]


_FINDERS: dict[type, Callable[[Database, Any], list[int]]] = {
    **dict.fromkeys(
        (Incoming, Sized, Tallied, WithEdges),
        lambda database, lookup: _find(database, lookup.lookup),
    ),
    Equal: _equal,
    Range: _range,
    Ranges: _ranges,
    Referring: _referring,
    Ordered: _find_ordered,
    Last: _last,
    Text: text_search.matching,
    Similar: text_search.similar,
    Nearest: lambda database, lookup: database.vectors.nearest(database, lookup),
    Joined: _find_joined,
    Reached: _find_reached,
    Vectored: _find_vectored,
    Union: _union,
}


_FIRST_COUNT = 512


def incoming(
    postings: "Postings",
    lookup: Incoming,
    found: Sequence[VertexElement],
    later: Sequence[VertexElement] = (),
) -> dict[str, Any]:
    """Return the `degrees` of *found* and *later*, found by *lookup*, and the `incoming`."""
    of_label = [vertex for vertex in found if lookup.label in vertex.labels]
    last = []
    if lookup.last:
        names = frozenset(lookup.last)
        last = [one for one in of_label if one.properties.get(lookup.by) in names]
        of_label = [one for one in of_label if one.properties.get(lookup.by) not in names]
        last = [one for one in last if lookup.unless not in one.properties]
    wanted = [one for one in of_label if lookup.unless not in one.properties] or of_label
    degrees = _degrees(postings, [vertex.id for vertex in wanted], lookup.most)
    wanted.sort(key=lambda vertex: (degrees[vertex.id], vertex.properties.get(lookup.by)))
    after = postings.degrees([one.id for one in later], lookup.few + 1)
    degrees = after | degrees
    first = {one.id for one in wanted}
    few = [one for one in later if one.id not in first and after[one.id] <= lookup.few]
    few.sort(key=lambda vertex: (after[vertex.id], vertex.properties.get(lookup.by)))
    read = 0
    chosen: list[int] = []
    for vertex in (*wanted, *few):
        degree = degrees[vertex.id]
        if chosen and read + degree > lookup.most:
            break
        chosen.append(vertex.id)
        read += degree
    left = max(lookup.most - read, lookup.few)
    degrees |= postings.degrees([one.id for one in last], left + 1)
    last.sort(key=lambda vertex: (degrees[vertex.id], vertex.properties.get(lookup.by)))
    for vertex in last:
        left -= degrees[vertex.id]
        if left < 0:
            break
        chosen.append(vertex.id)
    columns = [(vertex, *one) for vertex, one in postings.columns(chosen).items()]
    every = [degrees.get(vertex.id, 0) for vertex in (*found, *later)]
    return {"degrees": every, "incoming": columns}


class Postings:
    """The edges into vertices, as one call reads them: each column once."""

    def __init__(self, database: Database, lookup: Incoming) -> None:
        self._database = database
        self._lookup = lookup
        self._read: dict[int, tuple[Column, ...]] = {}
        # The count of each vertex, and how far it was counted.
        self._counted: dict[int, tuple[int, int]] = {}

    def degrees(self, vertices: Collection[int], most: int) -> dict[int, int]:
        """Return how many edges lead to each of *vertices*, counting no more than *most*."""
        known = self._counted
        unknown = [
            one for one in vertices if one not in known or known[one][0] >= known[one][1] < most
        ]
        if unknown:
            statement = (
                "SELECT value, (SELECT count(*) FROM"
                " (SELECT 1 FROM edge WHERE target = value LIMIT ?)) FROM json_each(?)"
            )
            counts = self._database.execute(statement, (most, json.dumps(unknown)))
            known |= {vertex: (count, most) for vertex, count in counts}
        return {one: min(known[one][0], most) for one in vertices}

    def columns(self, vertices: Collection[int]) -> dict[int, tuple[Column, ...]]:
        """Return the columns of the edges into each of *vertices*."""
        if unread := [one for one in vertices if one not in self._read]:
            self._read |= _columns(self._database, self._lookup, unread)
        return {one: self._read[one] for one in vertices}


def _degrees(postings: Postings, vertices: Sequence[int], most: int) -> dict[int, int]:
    """Return how many edges lead to each of *vertices*, or enough to decide which to read.

    Large degrees are counted only as far as needed, doubling, to show that they are too large.
    """
    counted: dict[int, int] = {}
    unknown, cap = list(vertices), _FIRST_COUNT
    while unknown:
        counted |= postings.degrees(unknown, cap)
        unknown = [vertex for vertex in unknown if counted[vertex] >= cap]
        few = sum(count for count in counted.values() if count < cap)
        if few and few + cap > most:
            break
        cap *= 2
    return counted


class _Weights(dict[str, Any]):
    """A property of edges by its stored form, because few values differ."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __missing__(self, stored: str) -> Any:
        value = self[stored] = decode(stored).get(self._name)
        return value


def _columns(
    database: Database, lookup: Incoming, vertices: Sequence[int]
) -> dict[int, tuple[Column, ...]]:
    """Return the columns of the edges to each of *vertices*."""
    table = database.catalogue.columns_of(lookup.columns.label)
    values = ", ".join(f"c.k{table.properties.index(one)}" for one in lookup.columns.properties)
    rows = database.execute(
        f"SELECT j.value, e.source, e.properties, {values} FROM json_each(?) j"
        f' CROSS JOIN edge e ON e.target = j.value JOIN "{table.name}" c ON c.vertex = e.source'
        f" WHERE e.type IN ({', '.join('?' * len(lookup.edges))})",
        (json.dumps(list(vertices)), *lookup.edges),
    ).fetchall()
    weights = _Weights(lookup.weight)
    # Interned, because names of threads recur.
    known: dict[Any, Any] = {}
    none: tuple[Column, ...] = (Column(),) * (len(lookup.columns.properties) + 2)
    columns = dict.fromkeys(vertices, none)
    for vertex, some in groupby(rows, itemgetter(0)):
        _, sources, stored, *others = zip(*some, strict=True)
        columns[vertex] = (
            Column(sources),
            Column(map(weights.__getitem__, stored)),
            *(
                Column(map(known.setdefault, one, one) if one[0].__class__ is str else one)
                for one in others
            ),
        )
    return columns
