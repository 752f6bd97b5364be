"""What every store file must be, whatever happened to the processes that wrote it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def assert_sound(path: Path) -> None:
    """Assert that the file is whole and that what is derived from its vertices agrees with them."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        vertices = {
            vertex: (json.loads(labels), json.loads(properties))
            for vertex, labels, properties in connection.execute("SELECT * FROM vertex")
        }
        ends = connection.execute("SELECT source, target FROM edge").fetchall()
        assert {end for edge in ends for end in edge} <= vertices.keys()
        _assert_same(_unique_values(connection), _expected_unique_values(vertices))
        _assert_same(_searchable(connection), _expected_searchable(vertices))
        _assert_search_text_agrees(connection)
        connection.rollback()


def _assert_same(found: set[tuple[Any, ...]], expected: set[tuple[Any, ...]]) -> None:
    assert found == expected, f"too many: {found - expected}, missing: {expected - found}"


def _unique_values(connection: sqlite3.Connection) -> set[tuple[Any, ...]]:
    return set(connection.execute("SELECT label, property, value, vertex FROM unique_value"))


def _expected_unique_values(vertices: dict[int, Any]) -> set[tuple[Any, ...]]:
    return {
        (label, "name", properties["name"], vertex)
        for vertex, (labels, properties) in vertices.items()
        for label in labels
        if label in ("Concept", "Episode")
    }


def _searchable(connection: sqlite3.Connection) -> set[tuple[Any, ...]]:
    return set(connection.execute("SELECT * FROM searchable"))


def _expected_searchable(vertices: dict[int, Any]) -> set[tuple[Any, ...]]:
    keys = ("name", "search_name", "arousal_level", "accessed_at")
    return {
        (vertex, *(properties[key] for key in keys))
        for vertex, (labels, properties) in vertices.items()
        if "Concept" in labels
    }


def _assert_search_text_agrees(connection: sqlite3.Connection) -> None:
    # Raises where the index and the table that it is of do not agree.
    connection.execute("INSERT INTO search_text (search_text, rank) VALUES ('integrity-check', 1)")
    rows = connection.execute("SELECT vertex, search_name FROM searchable").fetchall()
    for vertex, text in rows:
        if len(text) >= 3:
            quoted = '"' + text.replace('"', '""') + '"'
            found = connection.execute(
                "SELECT rowid FROM search_text WHERE search_text MATCH ?", [quoted]
            )
            assert (vertex,) in found.fetchall()
