"""Files that somebody made to do harm: they are refused in a line, and nothing of them runs."""

import shutil
import sqlite3
import zlib
from base64 import b64encode
from contextlib import closing
from pathlib import Path

import pytest
from command_line import fails, run
from embedded_files import run as call_host
from test_importing_memories import sqlite_file

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Unavailable
from concept_graph_mcp.hosts.backup_files import BadBackup
from concept_graph_mcp.hosts.sqlite import backup, opening
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from conceptgraph_core.memories.schema import MARK

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
MADE_ROW = "i AS id, '[]' AS labels, '{}' AS properties"
# What is done to a store, and what is found in it then.
HOSTILE = {
    "a trigger that deletes": (
        "CREATE TRIGGER t AFTER INSERT ON change BEGIN DELETE FROM vertex; END",
        "trigger that no store has: 't'",
    ),
    "a trigger under one of our names": (
        "DROP TRIGGER vertex_by_hand; CREATE TRIGGER vertex_by_hand AFTER UPDATE ON vertex"
        " BEGIN DELETE FROM edge; END",
        "trigger that no store has: 'vertex_by_hand'",
    ),
    "an endless view": (
        f"DROP TABLE vertex; CREATE VIEW vertex AS {ENDLESS} SELECT {MADE_ROW} FROM n",
        "view that no store has: 'vertex'",
    ),
    "an endless identity": (
        f"DROP TABLE meta; CREATE VIEW meta AS {ENDLESS} SELECT i AS key, i AS value FROM n",
        "view that no store has: 'meta'",
    ),
    "a computed column": (
        "ALTER TABLE vertex ADD COLUMN big AS (zeroblob(1000000000))",
        "table that no store has: 'vertex'",
    ),
    "a check": (
        "CREATE TABLE more (a CHECK (length(randomblob(1000000000)) > 0))",
        "table that no store has: 'more'",
    ),
    "an index that computes": (
        "CREATE INDEX more ON change (length(vertices) + 1)",
        "index that no store has: 'more'",
    ),
    "a table that a module makes up": (
        "CREATE VIRTUAL TABLE more USING fts5(a)",
        "table that no store has: 'more'",
    ),
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    shutil.copy(FIXTURES / "store-format-4-entities.db", path)
    return path


def change(path: Path, statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)


@pytest.mark.parametrize("done", HOSTILE)
def test_a_store_that_has_more_than_a_store_has_is_not_opened(store, done):
    statements, found = HOSTILE[done]
    change(store, statements)
    before = store.read_bytes()
    with pytest.raises(Unavailable, match=f"is damaged: has a {found}; nothing was written"):
        Host(store)
    for command in (["check"], ["export", "-"], ["search", "apple"]):
        refused = fails("--embedded", str(store), *command)
        assert f"has a {found}" in refused.stderr
    assert store.read_bytes() == before


@pytest.mark.parametrize("done", HOSTILE)
def test_nor_is_it_taken_for_a_backup(store, tmp_path, done):
    statements, found = HOSTILE[done]
    change(store, statements)
    with pytest.raises(BadBackup, match=f"is damaged: has a {found}"):
        backup.contents(store)
    with closing(Host(tmp_path / "other.db")) as host:
        with pytest.raises(BadBackup, match=f"is damaged: has a {found}"):
            host.restore(store)
        assert host.problems() == []


@pytest.mark.parametrize("fixture", sorted(FIXTURES.glob("*.db")), ids=lambda path: path.name)
def test_stores_of_all_versions_are_opened_twice(tmp_path, fixture):
    path = tmp_path / "memory.db"
    shutil.copy(fixture, path)
    for _ in range(2):
        with closing(Host(path)) as host:
            assert host.problems() == []
    change(path, "ANALYZE")
    with closing(Host(path)) as host:
        assert host.problems() == []


@pytest.mark.slow
def test_a_value_that_would_unpack_to_gigabytes_is_told_and_not_unpacked(store):
    content = MARK + b64encode(zlib.compress(b"a" * 200_000_000, 9)).decode()
    with closing(sqlite3.connect(store)) as connection:
        connection.execute(
            "UPDATE vertex SET properties = json_set(properties, '$.content', ?)"
            " WHERE labels = '[\"Memory\"]'",
            [content],
        )
        connection.execute(
            "INSERT INTO vertex (labels, properties) VALUES ('[\"Memory\"]', json_object('id',"
            " 'bomb', 'user_id', 'ann', 'content', ?))",
            [content],
        )
        connection.commit()
    with closing(Host(store)) as host:
        told = call_host(host, calls.transfer.check())
        assert "wrong content" in {row["problem"] for row in told}


def test_a_value_too_large_for_any_store_is_not_read(store, monkeypatch):
    monkeypatch.setattr(opening, "_MOST_IN_A_VALUE", 1_000_000)
    # It gets the indexes of this version, which are made of all values.
    Host(store).close()
    change(store, "UPDATE vertex SET properties = zeroblob(2000000) WHERE id = 1")
    with (
        closing(Host(store)) as host,
        pytest.raises(Unavailable, match="string or blob too big"),
    ):
        list(host.export(1_000))


def test_what_is_purged_is_overwritten_however_sqlite_was_built(store):
    with closing(Host(store)) as host:
        assert host._database.execute("PRAGMA secure_delete").fetchone() == (1,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statements", "line"),
    [
        (
            "DROP TABLE memory_nodes; CREATE VIEW Memory_Nodes AS "
            f"{ENDLESS} SELECT i AS id, 'x' AS content, 'chat' AS source FROM n",
            "has memory_nodes as something else than a plain table",
        ),
        (
            "DROP TABLE memory_edges; CREATE VIRTUAL TABLE memory_edges USING fts5(id)",
            "has memory_edges as something else than a plain table",
        ),
        (
            "UPDATE memory_nodes SET content = CAST(zeroblob(17000000) AS TEXT)",
            "string or blob too big",
        ),
    ],
    ids=["an endless view", "a table that a module makes up", "a value too large"],
)
def test_a_file_of_another_program_is_only_read(plain_environment, tmp_path, statements, line):
    file = sqlite_file(tmp_path)
    change(file, statements)
    refused = fails("--embedded", str(tmp_path / "memory.db"), "import", str(file))
    assert line in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_columns_that_such_a_file_computes_are_not_computed(tmp_path):
    file = sqlite_file(tmp_path)
    change(file, "ALTER TABLE memory_nodes ADD COLUMN summed AS (abs(-9223372036854775808))")
    done = run("--embedded", str(tmp_path / "memory.db"), "import", str(file))
    assert done.exit_code == 0, done.stderr
