"""Find vertices by a part of an indexed text, in the order of `folding.Keywords.place`.

It searches the case-folded texts, by trigrams or in order, and the few plain texts that differ from
their folded ones.
"""

import heapq
from collections.abc import Iterator, Sequence
from itertools import chain

from conceptgraph_core.graph.primitives import Similar, Text
from conceptgraph_core.texts.folding import Keywords

from .database import Database
from .indexes import TextTable
from .values import encode

# If a keyword has more matches than this, a scan of the names in order is faster.
_COMMON = 2_000
_TRIGRAM = 3
# SQLite limits the depth of an expression: this many alternatives share a pair of brackets.
_DEEP = 50
# Appended to a prefix, it sorts after every text with that prefix.
_LAST = "\U0010ffff"

Found = Iterator[tuple[str, int]]  # a name and its vertex


def matching(database: Database, lookup: Text) -> list[int]:
    """Return the vertices of the first matches, in order."""
    keywords, most = lookup.keywords, lookup.limit
    table = database.catalogue.text(lookup.label)
    if not keywords.parts:
        return []
    hits = set(_containing(database, table, keywords.parts, (), most))
    if len(hits) == most:
        # Further matches may rank before these, although their names come later.
        closest = set(_exact(database, table, keywords.parts, most))
        closest.update(_beginning(database, table, keywords.parts, most))
        if len(closest) < most:
            closest.update(_containing(database, table, keywords.words, keywords.parts, most))
        hits |= closest
    hits.update(_plainly(database, table, keywords, most))
    ordered = sorted((keywords.place(name), name, vertex) for name, vertex in hits)
    return [vertex for *_, vertex in ordered[:most]]


def similar(database: Database, lookup: Similar) -> list[int]:
    """Return the first vertices similar to each key, in one scan."""
    table, keys = database.catalogue.text(lookup.label), lookup.keys
    condition, given = _match_any("instr(squeezed, ?)", keys)
    rows = database.execute(
        "SELECT squeezed, source, vertex FROM (SELECT vertex, source,"
        " replace(coalesce(nullif(plain, ''), folded), ' ', '') AS squeezed"
        f' FROM "{table.name}") WHERE {condition}',
        given,
    ).fetchall()
    return [
        vertex
        for key in keys
        for _, _, vertex in heapq.nsmallest(
            lookup.limit,
            (
                (0 if squeezed == key else 1 if squeezed.startswith(key) else 2, source, vertex)
                for squeezed, source, vertex in rows
                if key in squeezed
            ),
        )
    ]


def _plainly(database: Database, table: TextTable, keywords: Keywords, most: int) -> Found:
    """Return the first matches among the names whose plain form differs."""
    parts, given = _match_any("instr(plain, ?)", keywords.parts)
    same, given_same = _match_any("plain = ?", keywords.parts)
    beginning, given_beginning = _match_any("instr(plain, ?) = 1", keywords.parts)
    words, given_words = _match_any("instr(plain, ?)", keywords.words)
    return database.execute(
        f"SELECT source, vertex FROM \"{table.name}\" WHERE plain <> '' AND ({parts}) ORDER BY"
        f" CASE WHEN {same} THEN 0 WHEN {beginning} THEN 1 WHEN {words} THEN 2 ELSE 3 END, source"
        " LIMIT ?",
        (*given, *given_same, *given_beginning, *given_words, most),
    )


def _exact(database: Database, table: TextTable, parts: Sequence[str], most: int) -> Found:
    return database.execute(
        f'SELECT source, vertex FROM "{table.name}"'
        " WHERE folded IN (SELECT value FROM json_each(?)) ORDER BY source LIMIT ?",
        (encode(parts), most),
    )


def _beginning(database: Database, table: TextTable, parts: Sequence[str], most: int) -> Found:
    return chain.from_iterable(
        database.execute(
            f'SELECT source, vertex FROM "{table.name}" WHERE folded >= ? AND folded < ?'
            " ORDER BY source LIMIT ?",
            (part, part + _LAST, most),
        )
        for part in parts
    )


def _containing(
    database: Database,
    table: TextTable,
    texts: Sequence[str],
    needed: Sequence[str],
    most: int,
) -> Found:
    """Return the first names that contain one of *texts*, each of which contains one of *needed*.

    Texts of one or two characters have no trigram; common ones fill the limit fastest in order.
    """
    if all(len(text) >= _TRIGRAM for text in texts):
        match = " OR ".join('"' + text.replace('"', '""') + '"' for text in texts)
        found = f'FROM "{table.trigrams}" WHERE "{table.trigrams}" MATCH ?'
        probe = f"SELECT count(*) FROM (SELECT 1 {found} LIMIT ?)"
        if database.execute(probe, (match, _COMMON)).fetchone()[0] < _COMMON:
            return database.execute(
                f'SELECT source, vertex FROM "{table.name}" WHERE vertex IN (SELECT rowid {found})'
                " ORDER BY source LIMIT ?",
                (match, most),
            )
    condition, given = _match_any("instr(folded, ?)", texts)
    if needed:
        # This shorter test decides for most names.
        without, given_needed = _match_any("instr(folded, ?)", needed)
        condition, given = f"({without}) AND ({condition})", (*given_needed, *given)
    statement = (
        f'SELECT source, vertex FROM "{table.name}" WHERE {condition} ORDER BY source LIMIT ?'
    )
    return database.execute(statement, (*given, most))


def _match_any(condition: str, texts: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the condition that *condition* holds for one of *texts*, and its parameters."""
    sizes = [len(texts[start : start + _DEEP]) for start in range(0, len(texts), _DEEP)]
    return " OR ".join(f"({' OR '.join([condition] * size)})" for size in sizes), tuple(texts)
