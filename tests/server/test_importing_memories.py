"""Import: what other programs keep of memories, in files made by their own tables."""

import asyncio
import json
import sqlite3
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command_line import fails, ok, run

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Refused
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore

# As the documents of these programs have it.
NODES = """
CREATE TABLE IF NOT EXISTS memory_nodes (
    id TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    summary TEXT,                    -- Short summary for quick display
    source TEXT NOT NULL,            -- 'conversation', 'perch_tick', 'research', 'reflection'
    tags TEXT,                       -- JSON array of tags
    embedding BLOB,                  -- Vector embedding for semantic search (Phase 2)
    access_count INTEGER DEFAULT 0,  -- How many times retrieved
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    last_accessed TIMESTAMP
);
CREATE TABLE IF NOT EXISTS memory_edges (
    id TEXT PRIMARY KEY,
    source_node_id TEXT NOT NULL,
    target_node_id TEXT NOT NULL,
    weight REAL DEFAULT 0.5,         -- 0.0 to 1.0
    edge_type TEXT DEFAULT 'related', -- 'related', 'causal', 'temporal', 'contradicts'
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    last_strengthened TIMESTAMP,
    FOREIGN KEY (source_node_id) REFERENCES memory_nodes(id) ON DELETE CASCADE,
    FOREIGN KEY (target_node_id) REFERENCES memory_nodes(id) ON DELETE CASCADE,
    UNIQUE(source_node_id, target_node_id)  -- One edge per direction
);
"""
LONG_AGO = "2020-01-31 18:00:00"
LONG_AGO_MS = 1_580_493_600_000


def days_ago(days: float) -> str:
    return f"{datetime.now(UTC) - timedelta(days=days):%Y-%m-%d %H:%M:%S}"


def sqlite_file(folder: Path) -> Path:
    file = folder / "graph memory.db"
    connection = sqlite3.connect(file)
    connection.executescript(NODES)
    vector = struct.pack("<4f", 0.5, -1.0, 0.25, 2.0)
    connection.executemany(
        "INSERT INTO memory_nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            ("n1", "Daniele moved to Turin", "Turin", "conversation", '["home", "Daniele"]',
             vector, 4, days_ago(3), days_ago(1)),
            ("n2", "The cat is called Micia", None, "reflection", None, None, 0, LONG_AGO, None),
            ("n3", "Prefers tea", None, "research", "pinned", None, 0, LONG_AGO, None),
        ],
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO memory_edges VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            ("e1", "n1", "n2", 0.8, "causal", LONG_AGO, days_ago(7)),
            ("e2", "n2", "n3", 0.3, "inspired", LONG_AGO, None),
            ("e3", "n3", "n1", 0.0, "related", LONG_AGO, None),
            ("e4", "n1", "gone", 0.5, "related", LONG_AGO, None),
        ],
    )
    connection.commit()
    connection.close()
    return file


ROWS: dict[str, list[dict[str, Any]]] = {
    "memories": [
        {
            "id": "6f1d0000-0000-4000-8000-000000000001",
            "user_context": "default",
            "content": {"text": "Daniele moved to Turin"},
            "source": "chat",
            "type": "fact",
            "tags": ["home"],
            "importance_score": "0.90",
            "confidence": 0.5,
            "decay_rate": None,
            "access_count": 2,
            "created_at": "2020-01-31T18:00:00.000Z",
            "accessed_at": None,
            "metadata": {"until": "2999-01-31"},
            "embedding": "[0.5,-1,0.25]",
            "embedding_dimension": 3,
            "state": "active",
            "decay_score": 1.0,
            "content_hash": "1234",
        },
        {
            "id": "6f1d0000-0000-4000-8000-000000000002",
            "user_context": "default",
            "content": ["milk", "Brot"],
            "created_at": "2020-01-31 19:00:00+01",
            "deleted_at": "2020-02-01T00:00:00Z",
        },
        {"id": "theirs", "user_context": "Mia", "content": "Hers", "created_at": LONG_AGO},
    ],
    "memory_relations": [
        {
            "id": "r1",
            "from_memory_id": "6f1d0000-0000-4000-8000-000000000001",
            "to_memory_id": "6f1d0000-0000-4000-8000-000000000002",
            "relation_type": "caused_by",
            "strength": 1.0,
            "created_at": "2020-01-31T18:00:00Z",
        },
        {
            "id": "r2",
            "from_memory_id": "6f1d0000-0000-4000-8000-000000000002",
            "to_memory_id": "6f1d0000-0000-4000-8000-000000000001",
            "relation_type": "reminds_of",
        },
    ],
}


def graph(there: list[str]) -> tuple[dict[str, Any], dict[tuple[str, str, str], Any]]:
    """Return the memories by their ids, and the links."""
    _, *records = map(json.loads, ok(*there, "export", "-").stdout.splitlines())
    nodes = {one["id"]: one for one in records if one["kind"] == "memory"}
    edges = {(r["from"], r["type"], r["to"]): r for r in records if r["kind"] == "link"}
    return nodes, edges


def as_document(folder: Path, indent: int | None) -> Path:
    file = folder / "memories.json"
    file.write_text(json.dumps(ROWS, indent=indent), encoding="utf-8")
    return file


def as_lines(folder: Path) -> Path:
    file = folder / "memories.jsonl"
    rows = [*ROWS["memory_relations"], *ROWS["memories"]]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


FILES = {
    "sqlite": sqlite_file,
    "document": lambda folder: as_document(folder, None),
    "indented": lambda folder: as_document(folder, 2),
    "lines": as_lines,
}


@pytest.fixture(params=FILES)
def foreign(request, tmp_path) -> Path:
    return FILES[request.param](tmp_path)


def test_a_sqlite_file_s_nodes_are_memories_with_their_ids_texts_and_times(there, tmp_path):
    said = ok(*there, "import", str(sqlite_file(tmp_path))).stderr
    assert "nodes created: 4" in said
    nodes, _ = graph(there)
    one, old, pinned = nodes["n1"], nodes["n2"], nodes["n3"]
    assert (one["content"], one["summary"]) == ("Daniele moved to Turin", "Turin")
    assert (one["tags"], one["source"]) == (["home", "Daniele"], "conversation")
    assert (one["embedding"], one["embedding_dimension"]) == ([0.5, -1.0, 0.25, 2.0], 4)
    assert (one["state"], one["access_count"]) == ("active", 4)
    assert one["decay_score"] == pytest.approx(0.854, abs=0.001)
    # It keeps its last access, and fades from a later time, so that no night takes it.
    assert old["created_at"] == old["accessed_at"] == LONG_AGO_MS < old["fades_from"]
    shown = json.loads(ok(*there, "memories", "show", "n2", "--json").stdout)
    assert shown["accessed_at"].startswith("2020-01-31")
    assert shown["state"] == "dormant"
    assert old["state"] == "dormant"
    assert old["decay_score"] == pytest.approx(0.1, abs=0.01)
    assert (pinned["tags"], pinned["state"], pinned["decay_score"]) == (["pinned"], "active", 1.0)


def test_a_sqlite_file_s_edges_are_links_of_our_types_and_what_is_changed_is_told(there, tmp_path):
    said = ok(*there, "import", str(sqlite_file(tmp_path))).stderr
    assert "changed: links of type inspired to relates_to: 1\n" in said
    assert "changed: strengths into the range from 0 to 1: 1 (0)\n" in said
    assert "left out: links to memories that the file does not have: 1 (gone)\n" in said
    _, edges = graph(there)
    assert set(edges) == {
        ("n1", "causes", "n2"),
        ("n2", "relates_to", "n3"),
        ("n3", "relates_to", "n1"),
    }
    causes = edges["n1", "causes", "n2"]
    assert (causes["strength"], causes["created_at"]) == (0.8, LONG_AGO_MS)
    shown = json.loads(ok(*there, "memories", "show", "n1", "--json").stdout)
    assert shown["links"][0]["strength"] == pytest.approx(0.4, abs=0.001)
    assert edges["n2", "relates_to", "n3"]["last_strengthened"] == LONG_AGO_MS


@pytest.mark.parametrize("shape", ["document", "indented", "lines"])
def test_rows_as_json_are_memories_however_they_are_laid_out(there, tmp_path, shape):
    said = ok(*there, "import", str(FILES[shape](tmp_path))).stderr
    assert "changed: links of type reminds_of to relates_to: 1\n" in said
    assert "of others: memories of user Mia, for CONCEPT_GRAPH_USER: 1\n" in said
    assert "left out: columns of no meaning here: 1 (content_hash)\n" in said
    nodes, edges = graph(there)
    first, second = (f"6f1d0000-0000-4000-8000-00000000000{n}" for n in (1, 2))
    kept = nodes[first]
    assert (kept["content"], kept["type"], kept["source"]) == (
        "Daniele moved to Turin",
        "fact",
        "chat",
    )
    assert (kept["importance_score"], kept["confidence"], kept["access_count"]) == (0.9, 0.5, 2)
    assert kept["created_at"] == kept["accessed_at"] == LONG_AGO_MS < kept["fades_from"]
    assert (kept["state"], kept["decay_score"]) == ("active", 1.0)
    assert kept["preserved_until"] == 32_474_736_000_000
    assert kept["embedding_dimension"] == 3
    gone = nodes[second]
    assert (gone["content"], gone["state"]) == ('["milk", "Brot"]', "expired")
    assert gone["created_at"] == gone["accessed_at"] == LONG_AGO_MS
    assert gone["created_at"] == LONG_AGO_MS
    assert nodes["theirs"]["user_id"] == "Mia"
    assert set(edges) == {(first, "caused_by", second), (second, "relates_to", first)}
    assert ok(*there, "memories", "restore", second).stdout == f"{second}: restored, active\n"


def test_a_second_import_changes_nothing_even_of_what_was_used_meanwhile(there, foreign):
    ok(*there, "import", str(foreign))
    nodes, _ = graph(there)
    gone = next((one["id"] for one in nodes.values() if "deleted_at" in one), None)
    if gone:
        ok(*there, "memories", "restore", gone)
    before = ok(*there, "export", "-").stdout
    again = ok(*there, "import", str(foreign)).stderr
    assert "nodes created: 0" in again
    assert "relations created: 0" in again
    assert ok(*there, "export", "-").stdout == before


def test_a_dry_run_tells_the_same_and_brings_nothing(there, foreign):
    said = ok(*there, "import", "--dry-run", str(foreign)).stderr
    assert "memories: 3" in said
    assert "links: " in said
    assert said.endswith("nothing was imported: a dry run.\n")
    assert "to relates_to: 1" in said
    assert graph(there) == ({}, {})


def test_what_was_imported_is_found_by_words(there, foreign):
    ok(*there, "import", str(foreign))
    found = ok(*there, "memories", "search", "where does Daniele live, in Turin?").stdout
    assert "Turin" in found


def test_vectors_of_an_unknown_model_are_never_mixed_with_others(tmp_path, plain_environment):
    store = [f"--embedded={tmp_path / 'memory.db'}"]
    file = tmp_path / "chosen.jsonl"
    chosen = {"kind": "embedding", "use": "texts", "model": "ours", "dimension": 4}
    file.write_text(json.dumps(chosen), encoding="utf-8")
    ok(*store, "import", str(file))
    said = ok(*store, "import", str(sqlite_file(tmp_path))).stderr
    assert "left out: vectors of another embedding; embed makes them anew: 1\n" in said
    assert "embedding" not in graph(store)[0]["n1"]


def test_vectors_that_a_file_does_not_say_the_embedding_of_are_told(there, tmp_path):
    file = tmp_path / "memories.jsonl"
    chosen = {"kind": "embedding", "use": "texts", "model": "ours", "dimension": 2}
    rows = [
        {"kind": "memory", "id": "a", "user_id": "default", "content": "tea", "embedding": [1, 0]},
        {"kind": "memory", "id": "c", "user_id": "default", "content": "no vector"},
    ]

    def bring(*records):
        file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        said = ok(*there, "import", str(file)).stderr
        return [line for line in said.splitlines() if "vectors" in line]

    # An export has its nodes in the order of its store: the embedding may come last.
    assert bring(*rows, chosen) == []
    told = "taken as they are: vectors of an embedding that the file does not name: 1"
    assert bring(*rows) == [told]
    assert graph(there)[0]["a"]["embedding"] == [1.0, 0.0]


def test_vectors_of_an_export_come_with_it_wherever_it_says_their_embedding(there, tmp_path):
    memory = {"kind": "memory", "id": "a", "user_id": "default", "content": "tea"}
    ok(*there, "import", "-", stdin=json.dumps(memory) + "\n")
    chosen = {"kind": "embedding", "use": "texts", "model": "ours", "dimension": 2}
    later = [chosen, {**memory, "embedding": [1.0, 0.0]}]
    ok(*there, "import", "-", stdin="".join(json.dumps(one) + "\n" for one in later))
    exported = ok(*there, "export", "-").stdout
    other = [f"--embedded={tmp_path / 'other.db'}"]
    assert "vectors" not in ok(*other, "import", "-", stdin=exported).stderr
    assert graph(other)[0]["a"]["embedding"] == [1.0, 0.0]


def test_another_embedding_is_not_chosen_beside_vectors_of_an_unknown_model(
    tmp_path, plain_environment
):
    ok(f"--embedded={tmp_path / 'memory.db'}", "import", str(sqlite_file(tmp_path)))
    store = EmbeddedStore(tmp_path / "memory.db")
    try:
        with pytest.raises(Refused, match=r"of an unknown model \(4 numbers\), not of ours"):
            asyncio.run(store.call(calls.embedding.choose("ours", 4, False), {"now_ms": 1}))
    finally:
        asyncio.run(store.close())


def test_our_own_export_brings_memories_back_as_they_were(there, tmp_path):
    ok(*there, "import", str(sqlite_file(tmp_path)))
    file = tmp_path / "export.jsonl"
    ok(*there, "export", str(file))
    other = [f"--embedded={tmp_path / 'other.db'}"]
    ok(*other, "import", str(file))
    assert graph(other) == graph(there)


BAD_ROWS = {
    "no content": ({"id": "a", "content": None}, "line 1: content: is missing"),
    "no id": ({"id": None, "content": "x"}, "line 1: id: is missing"),
    "a date": (
        {"id": "a", "content": "x", "created_at": "soon"},
        "line 1: created_at: must be a time, not soon",
    ),
    "a number": (
        {"id": "a", "content": "x", "confidence": "high"},
        "line 1: confidence: must be a number, not high",
    ),
    "a range": (
        {"id": "a", "content": "x", "importance_score": 7},
        "line 1: importance_score: must be between 0 and 1, not 7",
    ),
    "metadata": (
        {"id": "a", "content": "x", "metadata": [1]},
        "line 1: metadata: must be a map, not a list",
    ),
    "a NUL": ({"id": "a", "content": "x\0"}, "line 1: content: must not contain a NUL"),
    "an end": (
        {"id": "r", "from_memory_id": "a", "to_memory_id": None},
        "line 1: to: is missing",
    ),
    "ends": (
        {"id": "r", "from_memory_id": "a", "to_memory_id": "b"},
        "line 1: from: nothing is called",
    ),
}


@pytest.mark.parametrize("bad", BAD_ROWS)
def test_a_row_that_cannot_be_is_one_line_and_nothing_is_kept(there, bad):
    row, reason = BAD_ROWS[bad]
    refused = fails(*there, "import", "-", stdin=json.dumps(row))
    assert reason in refused.stderr
    assert refused.stderr.endswith("; nothing was imported\n")
    assert refused.stderr.count("\n") == 1
    assert graph(there) == ({}, {})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"memories": [', "is not JSON: "),
        ('{"memories": {}, "memory_relations": 3}', "memory_relations: must be a list"),
        ('{\n"people": []\n}', "has neither memories nor memory_relations"),
        ('{"memories": [3]}', "memories row 1: must be a map, not a number"),
        ('{"memories": [{"id": "a"}]}', "memories row 1: content: is missing"),
    ],
)
def test_a_document_that_cannot_be_is_one_line(there, text, reason):
    refused = fails(*there, "import", "-", stdin=text)
    assert reason in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_memories_that_say_nothing_are_left_out_with_their_links_and_told(there, tmp_path):
    file = sqlite_file(tmp_path)
    connection = sqlite3.connect(file)
    connection.execute("UPDATE memory_nodes SET content = ' ' WHERE id = 'n3'")
    connection.commit()
    connection.close()
    said = ok(*there, "import", str(file)).stderr
    assert "left out: memories without a text: 1 (n3)" in said
    assert "left out: links to memories that the file does not have: 3 (n3, gone)" in said
    nodes, edges = graph(there)
    assert nodes.keys() == {"n1", "n2"}
    assert edges.keys() == {("n1", "causes", "n2")}


def test_links_between_two_users_are_left_out_and_told_by_a_dry_run_too(there):
    mine, _, hers = ROWS["memories"]
    across = {"from_memory_id": mine["id"], "to_memory_id": hers["id"], "relation_type": "causes"}
    text = json.dumps({"memories": [mine, hers], "memory_relations": [across]})
    for options in (["--dry-run"], []):
        said = ok(*there, "import", *options, "-", stdin=text).stderr
        assert f"left out: links between memories of two users: 1 ({mine['id']})" in said
    nodes, edges = graph(there)
    assert nodes.keys() == {mine["id"], hers["id"]}
    assert edges == {}


def test_a_number_without_end_in_a_vector_leaves_that_out(there):
    row = {"id": "a", "content": "x", "embedding": [1, 10**400]}
    said = ok(*there, "import", "-", stdin=json.dumps({"memories": [row]})).stderr
    assert "nodes created: 1" in said
    assert "left out: vectors that cannot be read: 1" in said


def test_another_sqlite_file_is_said_not_to_be_of_memories(there, tmp_path):
    file = tmp_path / "other.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE notes (id TEXT)")
    connection.close()
    refused = run(*there, "import", str(file))
    assert "is a SQLite file without the table memory_nodes" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_damaged_sqlite_file_is_one_line(there, tmp_path):
    file = sqlite_file(tmp_path)
    file.write_bytes(file.read_bytes()[:5_000])
    refused = run(*there, "import", str(file))
    assert "cannot be read as SQLite" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_text_is_not_read_as_sqlite_even_if_it_is_said_to_be(there, tmp_path):
    file = tmp_path / "memories.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    refused = run(*there, "import", "--format", "memory-sqlite", str(file))
    assert "is no SQLite file; nothing was imported\n" in refused.stderr
