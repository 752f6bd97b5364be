"""What earlier versions wrote, read by this one. The fixtures are never written anew."""

import asyncio
import functools
import json
import runpy
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from embedded_files import assert_sound

from concept_graph_mcp.__main__ import main
from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.hosts.sqlite import indexes
from concept_graph_mcp.hosts.sqlite.indexes import CATALOGUE
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from concept_graph_mcp.hosts.sqlite.tables import FORMAT, OLDEST

FIXTURES = Path(__file__).parents[1] / "fixtures"
STORE = FIXTURES / f"store-format-{FORMAT}.db"
EXPORT = FIXTURES / f"export-format-{FORMAT}.jsonl"
LATER = {"now_ms": 1_750_000_000_000}
FORMATS = range(OLDEST, FORMAT + 1)
# What is kept of each, by what its files' names end in: layers that came after a format.
LIVES = runpy.run_path(str(FIXTURES / "make.py"))["LIVES"]
KEPT = [f"{number}{end}" for number in FORMATS for end in LIVES]


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    """What earlier versions shared stays so: these tests compare all of it with what was held."""
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "shared")


@pytest.fixture
def store(tmp_path) -> Path:
    return Path(shutil.copyfile(STORE, tmp_path / "memory.db"))


@pytest.fixture
def host(store):
    opened = Host(store)
    yield opened
    opened.close()


def records(export: str) -> list[str]:
    """Return the records of an export, without the line that names its version.

    Those of earlier versions have their maps in the order that the store gave.
    """
    lines = map(json.loads, export.splitlines()[1:])
    return sorted(json.dumps(line, sort_keys=True) for line in lines)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments), env={"TZ": "UTC"})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_an_opening_that_sqlite_does_not_let_wait_is_tried_again(store, monkeypatch):
    tried = []

    class Busy(sqlite3.Connection):
        def execute(self, statement, *given):
            if "journal_mode" in statement and len(tried) < 3:
                tried.append(statement)
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error
            return super().execute(statement, *given)

    connect = functools.partial(sqlite3.connect, factory=Busy)
    monkeypatch.setattr("concept_graph_mcp.hosts.sqlite.opening.sqlite3.connect", connect)
    host = Host(store)
    host.close()
    assert len(tried) == 3
    assert_sound(store)


def test_a_cache_that_has_become_too_large_is_let_go(host, monkeypatch):
    rows = host.call("conceptgraph.peek", [["apple"], 2, None, LATER], ("text",))
    assert host._cache.bytes > 0
    assert host._cache.vertices
    monkeypatch.setattr("concept_graph_mcp.hosts.sqlite.cache.MAX_BYTES", 1_000)
    assert host.call("conceptgraph.peek", [["apple"], 2, None, LATER], ("text",)) == rows
    assert (host._cache.bytes, host._cache.vertices) == (0, {})


@pytest.mark.parametrize("version", [1, 3])
def test_a_store_before_0_3_0_is_opened_with_that_version_first(store, tmp_path, version):
    with closing(sqlite3.connect(store)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = store.read_bytes()
    result = CliRunner().invoke(main, [f"--embedded={store}", "stats"], env={"TZ": "UTC"})
    assert result.exit_code == 1
    why = "is of a version before 0.3.0; open it with 0.3.0 first"
    assert result.stderr == f"concept-graph-mcp: store {store}: {why}\n"
    into = [f"--embedded={tmp_path / 'other.db'}", "restore", str(store), "--yes"]
    result = CliRunner().invoke(main, into, env={"TZ": "UTC"})
    assert "was made before 0.3.0; open it with 0.3.0 first" in result.stderr
    assert store.read_bytes() == before


def test_an_export_before_0_3_0_is_not_imported(tmp_path):
    file = tmp_path / "export.jsonl"
    held = EXPORT.read_text(encoding="utf-8")
    file.write_text(held.replace('"version": "0.3.0"', '"version": "0.2.1"'), encoding="utf-8")
    into = [f"--embedded={tmp_path / 'memory.db'}", "import", str(file)]
    result = CliRunner().invoke(main, into, env={"TZ": "UTC"})
    assert result.exit_code == 1
    assert "line 1: was exported by 0.2.1; open it with 0.3.0 first; nothing was" in result.stderr


def test_a_store_of_a_newer_format_says_what_to_install(store):
    with sqlite3.connect(store) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    result = CliRunner().invoke(main, [f"--embedded={store}", "stats"], env={"TZ": "UTC"})
    assert result.exit_code == 1
    assert "has format 99" in result.stderr
    assert "install a newer concept-graph-mcp" in result.stderr


def test_a_process_that_a_newer_version_has_overtaken_reads_and_writes_no_more(store, host):
    host.call("conceptgraph.concept_upsert", ["before", LATER])
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA user_version = 99")
        before = connection.execute("SELECT count(*) FROM vertex").fetchone()
        for procedure in ("conceptgraph.concept_upsert", "conceptgraph.unknown"):
            given = "after" if procedure.endswith("upsert") else ["before"]
            with pytest.raises(StoreError, match=r"has format 99, .* install a newer"):
                host.call(procedure, [given, LATER])
        assert connection.execute("SELECT count(*) FROM vertex").fetchone() == before


# The formats since then


def copied(name: str, folder: Path) -> tuple[Path, str]:
    """Return a copy of the store that is kept as *name*, and what an export of it said then."""
    export = FIXTURES / f"export-format-{name}.jsonl"
    store = shutil.copyfile(FIXTURES / f"store-format-{name}.db", folder / "memory.db")
    return Path(store), export.read_text(encoding="utf-8")


@pytest.fixture(params=KEPT)
def any_kept(request, tmp_path) -> tuple[Path, str]:
    return copied(request.param, tmp_path)


@pytest.fixture(params=FORMATS)
def kept(request, tmp_path) -> tuple[Path, str]:
    return copied(request.param, tmp_path)


@pytest.fixture
def memories(tmp_path) -> Path:
    return copied("4-memories", tmp_path)[0]


@pytest.mark.parametrize("name", KEPT)
def test_a_store_is_kept_of_every_format(name):
    # tests/fixtures/make.py makes it. SQLite's header has the user_version there.
    header = (FIXTURES / f"store-format-{name}.db").read_bytes()[:100]
    assert f"{int.from_bytes(header[60:64], 'big')}" == name.partition("-")[0]


@pytest.mark.parametrize("end", LIVES)
def test_a_kept_store_of_the_present_format_has_every_index(tmp_path, end):
    """One more needs a new format: an earlier version would not keep it up to date."""
    store = copied(f"{FORMAT}{end}", tmp_path)[0]
    with closing(sqlite3.connect(store)) as connection:
        assert indexes.is_made(connection, CATALOGUE)


@pytest.mark.parametrize("end", LIVES)
def test_what_makes_the_stores_that_are_kept_makes_one_of_the_present_format(tmp_path, end):
    store = tmp_path / "memory.db"
    asyncio.run(runpy.run_path(str(FIXTURES / "make.py"))["make"](store, LIVES[end]))
    assert int.from_bytes(store.read_bytes()[60:64], "big") == FORMAT
    assert "Nothing is wrong." in run(f"--embedded={store}", "check")


def test_a_kept_store_holds_what_it_held(any_kept):
    store, held = any_kept
    assert records(run(f"--embedded={store}", "export", "-")) == records(held)
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] in FORMATS
    assert_sound(store)


def test_a_kept_store_is_sound_and_found_through_its_indexes(kept):
    store, _ = kept
    assert "Nothing is wrong." in run(f"--embedded={store}", "check")
    assert "Äpfel 林檎" in run(f"--embedded={store}", "concept", "search", "apfel", "--limit", "1")
    assert "quinces are ripe" in run(
        f"--embedded={store}", "concept", "find", "when is a quince ripe?"
    )
    shown = run(f"--embedded={store}", "concept", "recall", "market")
    assert "market evokes Bought apples at the market" in shown


def test_a_kept_store_takes_writes(kept):
    store, _ = kept
    with closing(Host(store)) as host:
        rows = host.call("conceptgraph.relation_add", ["apple", "fruit", "is-a", LATER])
        assert rows[0]["weight"] == pytest.approx(0.52)
        host.call("conceptgraph.concept_upsert", ["list", LATER])
        stats = {row["measure"]: row["value"] for row in host.call("conceptgraph.stats", [LATER])}
    assert (stats["concepts"], stats["episodes"], stats["evokes"]) == (7, 5, 4)
    assert "Nothing is wrong." in run(f"--embedded={store}", "check")
    assert_sound(store)


def test_a_kept_store_is_restored_from(any_kept, tmp_path):
    store, held = any_kept
    into = f"--embedded={tmp_path / 'new.db'}"
    run(into, "restore", str(store), "--yes", "--dir", str(tmp_path / "backups"))
    assert records(run(into, "export", "-")) == records(held)
    assert "Nothing is wrong." in run(into, "check")


def test_a_restored_store_finds_episodes_by_words(kept, tmp_path):
    into = f"--embedded={tmp_path / 'new.db'}"
    run(into, "restore", str(kept[0]), "--yes", "--dir", str(tmp_path / "backups"))
    assert "Bought apples" in run(into, "concept", "find", "who bought an apple?")


def test_a_kept_store_s_memories_are_found_shown_and_brought_back(memories):
    there = f"--embedded={memories}"
    assert " Košice " in run(there, "memories", "search", "where does Mia go in autumn?")
    shown = run(there, "memories", "show", "boiler")
    assert shown.startswith("The boiler was serviced. " * 20)
    assert "state: archived" in shown
    assert run(there, "memories", "restore", "wrong") == "wrong: restored, dormant\n"
    listed = json.loads(run(there, "memories", "list", "--json"))["memories"]
    assert listed[0]["memory_id"] == "wrong"
    assert len(listed) == 6
    assert "direction outgoing, relation contradicts" in run(there, "memories", "show", "tea")
    assert "Nothing is wrong." in run(there, "check")
    assert_sound(memories)


def test_an_export_of_memories_is_brought_into_a_new_store(tmp_path):
    file = FIXTURES / "export-format-4-memories.jsonl"
    into = f"--embedded={tmp_path / 'new.db'}"
    run(into, "import", str(file))
    assert records(run(into, "export", "-")) == records(file.read_text(encoding="utf-8"))


def test_a_kept_store_s_entities_are_shown_merged_and_taken_apart(tmp_path):
    store = copied("4-entities", tmp_path)[0]
    there = f"--embedded={store}"
    shown = run(there, "entities", "show", "puppy")
    assert shown.startswith("Max, puppy\n")
    assert "conflicts: " in shown
    merges = json.loads(run(there, "entities", "merges", "--json"))["merges"]
    assert {one["source"]: one["is_active"] for one in merges} == {"puppy": True, "Maxi": False}
    [in_force] = [one["merge_id"] for one in merges if one["is_active"]]
    assert "distinct" in run(there, "entities", "unmerge", in_force, "--yes")
    run(there, "entities", "merge", "Maxi", "Max", "--yes")
    assert "Nothing is wrong." in run(there, "check")
    assert_sound(store)
