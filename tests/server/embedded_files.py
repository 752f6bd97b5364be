"""A store file called in this process; and what each must be, whatever happened to its writers."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from conceptgraph_core.texts.folding import plain_if_other

STORE = Path(__file__).parents[1] / "fixtures" / "store-format-4.db"
CONTEXT = {"now_ms": 1_750_000_000_000, "tau_ms": 86_400_000, "date": "20250615"}


@contextmanager
def opened(path: Path) -> Iterator[Host]:
    with closing(Host(path)) as host:
        yield host


def run(host: Host, call: calls.Call) -> list[dict[str, Any]]:
    return host.call(call.procedure.name, [*call.arguments, CONTEXT], call.procedure.fields)


def copy_without_words(path: Path) -> Path:
    """Make a store at *path* whose five episodes have no index of words, and return *path*."""
    shutil.copyfile(STORE, path)
    of_words = "labels IN ('[\"Text\"]', '[\"Term\"]', '[\"Corpus\"]', '[\"Speaker\"]')"
    these = f"(SELECT id FROM vertex WHERE {of_words})"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DELETE FROM edge WHERE source IN {these} OR target IN {these}")
        connection.execute(f"DELETE FROM vertex WHERE {of_words}")
        asked = "SELECT name FROM sqlite_schema WHERE name LIKE 'index %' OR name LIKE 'columns %'"
        # They are made anew at the next opening.
        for (name,) in connection.execute(asked).fetchall():
            connection.execute(f'DROP TABLE "{name}"')
        connection.commit()
    return path


def assert_sound(path: Path) -> None:
    """Assert that the file is whole and that what is derived from its vertices agrees with them."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        vertices = {
            vertex: (json.loads(labels), json.loads(properties))
            for vertex, labels, properties in connection.execute(
                "SELECT id, labels, properties FROM vertex"
            )
        }
        ends = connection.execute("SELECT source, target FROM edge").fetchall()
        assert {end for edge in ends for end in edge} <= vertices.keys()
        for table, expected in _expected(vertices).items():
            _assert_same(set(connection.execute(f'SELECT * FROM "{table}"')), expected)
        _assert_trigrams_agree(connection)
        connection.rollback()


def _assert_same(found: set[tuple[Any, ...]], expected: set[tuple[Any, ...]]) -> None:
    assert found == expected, f"too many: {found - expected}, missing: {expected - found}"


def _expected(vertices: dict[int, Any]) -> dict[str, set[tuple[Any, ...]]]:
    """Return the rows of every index of the concept layer, written out for what it is."""
    named = {
        label: {
            (properties["name"], vertex)
            for vertex, (labels, properties) in vertices.items()
            if label in labels
        }
        for label in ("Concept", "Episode")
    }
    scoped = {
        f"index {label}(user_id, name)": {
            (properties["user_id"], properties["name"], vertex)
            for vertex, (labels, properties) in vertices.items()
            if label in labels
        }
        for label in ("Concept", "Episode")
    }
    every = [(v, p) for v, (labels, p) in vertices.items() if "Concept" in labels]
    concepts = [(v, p) for v, p in every if not p["user_id"]]
    own = [(v, p) for v, p in every if p["user_id"]]
    return {
        **scoped,
        "index Concept(name)": named["Concept"],
        "index Episode(name)": named["Episode"],
        "index Concept(owned_name)": {
            (f"{p['user_id']}\x1f{p['name'].casefold()}", v) for v, p in own
        },
        "ranking Concept(arousal_level, accessed_at, name)": {
            (p["arousal_level"], p["accessed_at"], p["name"], v) for v, p in concepts
        },
        "text Concept(name)": {
            # Of most names the plain form is no other, and the first version wrote none.
            (p["name"], plain_if_other(p["name"]) or "", v, p["search_name"])
            for v, p in concepts
        },
    }


def _assert_trigrams_agree(connection: sqlite3.Connection) -> None:
    # Raises where the index and the table that it is of do not agree.
    name = "trigrams Concept(name)"
    connection.execute(f'INSERT INTO "{name}" ("{name}", rank) VALUES (\'integrity-check\', 1)')
    rows = connection.execute('SELECT vertex, folded FROM "text Concept(name)"').fetchall()
    for vertex, text in rows:
        if len(text) >= 3:
            quoted = '"' + text.replace('"', '""') + '"'
            found = connection.execute(
                f'SELECT rowid FROM "{name}" WHERE "{name}" MATCH ?', [quoted]
            )
            assert (vertex,) in found.fetchall()
