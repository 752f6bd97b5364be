"""Finding vertices by a part of an indexed text, in the order of `folding.Keywords.place`.

Looked at are the case-folded texts, through their trigrams or in order, and the plain ones, which
are few: those that are other than the folded ones.
"""

from collections.abc import Callable, Iterator, Sequence

from conceptgraph_core import folding

from ...calls.lookups import Similar, Text
from .database import Database, encode
from .indexes import TextTable

# A keyword with more matches than this is sooner found by going through the names in order.
_COMMON = 2_000
# More texts than this go into one condition instead of one each.
_MANY = 50
_TRIGRAM = 3
# Greater than all that begins with a text, if put behind it.
_LAST = "\U0010ffff"

# How a name matches, the name, the vertex.
Hit = tuple[int, str, int]
Found = Iterator[tuple[str, int]]


def matching(database: Database, lookup: Text) -> list[int]:
    """Return the vertices of the first matches, in order."""
    keywords, most = lookup.keywords, lookup.limit
    table = database.catalogue.text(lookup.label)
    if not keywords.parts:
        return []
    places: dict[tuple[str, int], int] = {}
    for place, name, vertex in _plainly(database, table, keywords, most):
        places[name, vertex] = place
    stages: tuple[Callable[[], Found], ...] = (
        lambda: _exact(database, table, keywords.parts, most),
        lambda: _beginning(database, table, keywords.parts, most),
        lambda: _containing(database, table, keywords.words, keywords.parts, most),
        lambda: _containing(database, table, keywords.parts, (), most),
    )
    for place, found in enumerate(stages):
        for hit in found():
            places[hit] = min(place, places.get(hit, place))
        # What comes later has no better place than these.
        if sum(known <= place for known in places.values()) >= most:
            break
    ordered = sorted((place, name, vertex) for (name, vertex), place in places.items())
    return [vertex for *_, vertex in ordered[:most]]


def similar(database: Database, lookup: Similar) -> list[int]:
    """Return the vertices like those values of `lookup.equal` that nothing has."""
    values = [value for (value,) in lookup.equal.values]
    known = {
        value
        for label in lookup.equal.labels
        for (value,) in database.execute(
            f'SELECT k0 FROM "{database.catalogue.index(label, lookup.equal.properties).name}"'
            " WHERE k0 IN (SELECT value FROM json_each(?))",
            [encode(values)],
        )
    }
    missing = [
        sought for value, sought in zip(values, lookup.keys, strict=True) if value not in known
    ]
    table = database.catalogue.text(lookup.label)
    sought_for = [sought for sought in missing if sought][: lookup.most]
    return [
        vertex for sought in sought_for for vertex in _like(database, table, sought, lookup.limit)
    ]


def _like(database: Database, table: TextTable, sought: str, most: int) -> Iterator[int]:
    rows = database.execute(
        "SELECT vertex FROM (SELECT vertex, source,"
        " replace(coalesce(nullif(plain, ''), folded), ' ', '') AS squeezed"
        f' FROM "{table.name}")'
        " WHERE instr(squeezed, ?1)"
        " ORDER BY CASE WHEN squeezed = ?1 THEN 0 WHEN instr(squeezed, ?1) = 1 THEN 1 ELSE 2 END,"
        " source LIMIT ?2",
        (sought, most),
    )
    return (vertex for (vertex,) in rows)


def _plainly(
    database: Database, table: TextTable, keywords: folding.Keywords, most: int
) -> Iterator[Hit]:
    """Iterate over the first matches among the names whose plain form is another."""
    parts, given = _any_in("plain", keywords.parts)
    words, given_words = _any_in("plain", keywords.words)
    return database.execute(
        "SELECT CASE WHEN plain IN (SELECT value FROM json_each(?)) THEN 0"
        " WHEN EXISTS (SELECT 1 FROM json_each(?) WHERE instr(plain, value) = 1) THEN 1"
        f" WHEN {words} THEN 2 ELSE 3 END AS place, source, vertex"
        f" FROM \"{table.name}\" WHERE plain <> '' AND ({parts}) ORDER BY place, source LIMIT ?",
        (encode(keywords.parts), encode(keywords.parts), *given_words, *given, most),
    )


def _exact(database: Database, table: TextTable, parts: Sequence[str], most: int) -> Found:
    return database.execute(
        f'SELECT source, vertex FROM "{table.name}"'
        " WHERE folded IN (SELECT value FROM json_each(?)) ORDER BY source LIMIT ?",
        (encode(parts), most),
    )


def _beginning(database: Database, table: TextTable, parts: Sequence[str], most: int) -> Found:
    for part in parts:
        yield from database.execute(
            f'SELECT source, vertex FROM "{table.name}" WHERE folded >= ? AND folded < ?'
            " ORDER BY source LIMIT ?",
            (part, part + _LAST, most),
        )


def _containing(
    database: Database,
    table: TextTable,
    texts: Sequence[str],
    needed: Sequence[str],
    most: int,
) -> Found:
    """Return the first that contain one of *texts*, each of which contains one of *needed*.

    Texts of one or two characters have no trigram; common ones fill the limit soonest in order.
    """
    if len(texts) <= _MANY and all(len(text) >= _TRIGRAM for text in texts):
        match = " OR ".join('"' + text.replace('"', '""') + '"' for text in texts)
        found = f'FROM "{table.trigrams}" WHERE "{table.trigrams}" MATCH ?'
        probe = f"SELECT count(*) FROM (SELECT 1 {found} LIMIT ?)"
        if database.execute(probe, (match, _COMMON)).fetchone()[0] < _COMMON:
            return database.execute(
                f'SELECT source, vertex FROM "{table.name}" WHERE vertex IN (SELECT rowid {found})'
                " ORDER BY source LIMIT ?",
                (match, most),
            )
    condition, given = _any_in("folded", texts)
    if needed:
        # Most names are told by this alone, which is shorter.
        without, given_needed = _any_in("folded", needed)
        condition, given = f"({without}) AND ({condition})", (*given_needed, *given)
    statement = (
        f'SELECT source, vertex FROM "{table.name}" WHERE {condition} ORDER BY source LIMIT ?'
    )
    return database.execute(statement, (*given, most))


def _any_in(column: str, texts: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a condition that *column* contains one of *texts*, and its parameters."""
    if len(texts) > _MANY:
        return f"EXISTS (SELECT 1 FROM json_each(?) WHERE instr({column}, value))", (encode(texts),)
    return " OR ".join([f"instr({column}, ?)"] * len(texts)), tuple(texts)
