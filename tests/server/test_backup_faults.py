"""Backups amid faults: strange files, full disks, killed processes, and what was damaged since."""

import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from embedded_files import assert_sound
from shell import GRAPH, Shell

from concept_graph_mcp.file_formats.native import header
from concept_graph_mcp.hosts import backup_files
from concept_graph_mcp.hosts.backup_files import BadBackup, Contents
from concept_graph_mcp.hosts.memgraph.store import BoltStore


def environment(shell: Shell) -> dict[str, str]:
    return {**os.environ, "TZ": "UTC", "COLUMNS": "160"}


def command(shell: Shell, *arguments: str) -> list[str]:
    return [sys.executable, "-B", "-m", "concept_graph_mcp", *shell.store, *arguments]


# What else is in the directory


@pytest.fixture
def strange(shell) -> list[str]:
    """The names of what only looks like a backup."""
    shell.folder.mkdir()
    names = ["20250230-250000", "00000000-000000", "20250615-170640Z-xyz", "notes", "latest"]
    made = [f"{name}{shell.suffix}" for name in names]
    for name in made:
        (shell.folder / name).write_bytes(b"")
    folder = f"20250615-170640Z-0123456789ab{shell.suffix}"
    (shell.folder / folder).mkdir()
    return [*made, folder]


def test_what_only_looks_like_a_backup_is_skipped_and_mentioned(shell, strange):
    shell.keep("backup")
    result = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
    assert result.exit_code == 0, result.output
    (line,) = [line for line in result.stderr.splitlines() if "skipped" in line]
    assert line.endswith(" and 1 more")
    assert sum(name in line for name in strange) == 5
    assert {shell.folder / name for name in strange} <= set(shell.folder.iterdir())


def test_a_folder_with_the_name_of_a_backup_cannot_be_restored(shell, strange):
    refused = shell.run("restore", strange[-1], "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert refused.stderr.count("\n") == 1
    assert "no such backup" in refused.stderr


# At once


@pytest.mark.slow
def test_backups_at_once_all_succeed(shell):
    started = [
        subprocess.Popen(
            command(shell, "backup", "--dir", str(shell.folder)),
            env=environment(shell),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    said = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0] * 4, said
    assert sorted(out.split(": ")[0] for out, _ in said) == sorted(map(str, shell.files()))
    assert len(shell.files()) == 4


@pytest.mark.slow
def test_backups_of_one_second_get_names_of_their_own(shell, monkeypatch):
    class Stopped(backup_files.datetime):
        @classmethod
        def now(cls, tz=None):
            return backup_files.datetime(2026, 3, 31, 12, tzinfo=tz)

    monkeypatch.setattr("concept_graph_mcp.commands.backups.datetime", Stopped)
    for _ in range(11):
        shell.keep("backup")
    names = [file.name.removesuffix(shell.suffix) for file in shell.files()]
    assert names == [names[0], *(f"{names[0]}-{number}" for number in range(2, 12))]


# Killed


KILLED = """
import anyio, os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from concept_graph_mcp.hosts import backup_files

async def main(folder, suffix):
    async with backup_files.turn(folder, lambda: None):
        name = "0123456789ab", "", suffix, datetime.now(UTC)
        with backup_files.write_backup(folder, *name) as (partial, _):
            for beside in ("", "-journal", "-wal", "-shm"):
                partial.with_name(partial.name + beside).write_bytes(b"half")
            print(partial, flush=True)
            sys.stdin.readline()
            os.kill(os.getpid(), signal.SIGKILL)

anyio.run(main, Path(sys.argv[1]), sys.argv[2])
"""


def test_what_a_killed_backup_has_left_is_removed_by_the_next(shell):
    shell.folder.mkdir()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(shell.folder), shell.suffix],
        input="\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(list(shell.folder.iterdir())) == 4
    shell.keep("backup")
    (file,) = shell.files()
    assert not file.name.endswith(".partial")


def test_what_a_killed_restore_has_left_is_removed_by_the_next_backup(shell):
    apart = shell.folder / "replaced"
    apart.mkdir(parents=True)
    partial = apart / f"20250615-150640Z-0123456789ab-replaced{shell.suffix}.partial"
    for beside in ("", "-journal", "-wal", "-shm"):
        partial.with_name(partial.name + beside).write_bytes(b"half")
    shell.keep("backup")
    assert list(apart.iterdir()) == []


@pytest.mark.slow
def test_a_backup_waits_for_another_and_leaves_its_file_alone(shell):
    shell.folder.mkdir()
    arguments = [sys.executable, "-c", KILLED, str(shell.folder), shell.suffix]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as under_way:
        assert under_way.stdin is not None
        assert under_way.stdout is not None
        partial = Path(under_way.stdout.readline().strip())
        with subprocess.Popen(
            command(shell, "backup", "--dir", str(shell.folder)),
            env=environment(shell),
            stderr=subprocess.PIPE,
            text=True,
        ) as waiting:
            assert waiting.stderr is not None
            assert "waiting for another backup" in waiting.stderr.readline()
            assert partial.read_bytes() == b"half"
            under_way.stdin.write("\n")
            under_way.stdin.flush()
            assert waiting.wait() == 0
    assert len(shell.files()) == 1


def test_only_what_is_a_backups_own_is_removed_with_it(shell):
    shell.folder.mkdir()
    others = [
        shell.folder / name
        for name in (
            "notes.partial",
            f"20250615-170640{shell.suffix}.partial",
            "x.jsonl.gz.partial",
        )
    ]
    for other in others:
        other.write_bytes(b"mine")
    shell.keep("backup")
    assert set(others) <= set(shell.files())
    assert len(shell.files()) == 4


def test_a_backup_is_for_its_owner_only(shell):
    shell.keep("backup")
    shell.keep("clean", "--yes")
    assert {file.stat().st_mode & 0o777 for file in (*shell.files(), *shell.apart())} == {0o600}


# A disk that is full

# Mounts a small file system at "$1", for what follows alone, and runs that.
SMALL = 'mount -t tmpfs -o size=16k tmpfs "$1" && shift && exec "$@"'


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["backup"], ["clean", "--yes"]])
def test_a_full_disk_is_one_line_and_nothing_is_lost(shell, arguments):
    within = ["unshare", "--mount", "sh", "-c", SMALL, "sh", str(shell.folder)]
    shell.folder.mkdir()
    if not shutil.which("unshare") or subprocess.run([*within, "true"], check=False).returncode:
        pytest.skip("needs the privilege to mount a small file system")
    shell.ok(
        "import", "-", stdin="".join(f"{n} {os.urandom(99).hex()}\tis-a\tb\n" for n in range(500))
    )
    before = shell.graph()
    refused = subprocess.run(
        [*within, *command(shell, *arguments, "--dir", str(shell.folder))],
        env=environment(shell),
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "No space left on device; no backup was made" in refused.stderr
    assert shell.graph() == before


# What was damaged since


def labels_that_are_not_json(file: Path) -> None:
    change(file, "UPDATE vertex SET labels = 'Concept' WHERE id = 1")


def labels_that_are_no_list(file: Path) -> None:
    change(file, """UPDATE vertex SET labels = '"Concept"' WHERE id = 1""")


def properties_that_are_not_json(file: Path) -> None:
    change(file, "UPDATE vertex SET properties = '{' WHERE id = 1")


def properties_that_are_no_map(file: Path) -> None:
    change(file, "UPDATE edge SET properties = '[]' WHERE id = 1")


def an_end_that_is_not_there(file: Path) -> None:
    change(file, "UPDATE edge SET target = 99 WHERE id = 1")


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()


def a_line(**changed: object) -> Callable[[Path], None]:
    """The second record, changed so."""

    def spoil(file: Path) -> None:
        lines = gzip.decompress(file.read_bytes()).decode().splitlines()
        lines[2] = json.dumps(json.loads(lines[2]) | changed)
        file.write_bytes(gzip.compress("\n".join(lines).encode()))

    return spoil


def half_a_line(file: Path) -> None:
    text = gzip.decompress(file.read_bytes())
    file.write_bytes(gzip.compress(text[: len(text) - 20]))


def half_a_file(file: Path) -> None:
    written = file.read_bytes()
    file.write_bytes(written[: len(written) // 2])


WRONG = [
    ("accessed_at", '"yesterday"', "accessed_at: must be an integer"),
    ("accessed_at", "1e30", "accessed_at: must be"),
    ("accessed_at", "9223372036854775807", "accessed_at: must be"),
    ("arousal_level", "7", "arousal_level: must be between 0 and 1"),
    ("valence", '"high"', "valence: must be a number"),
    ("name", "17", "name: must be text"),
    ("name", "[]", "name: must"),
]
FILES = [
    (labels_that_are_not_json, "node 1: is not as it is stored"),
    (labels_that_are_no_list, "node 1: is not as it is stored"),
    (properties_that_are_not_json, "node 1: is not as it is stored"),
    (properties_that_are_no_map, "relation 1: is not as it is stored"),
    (an_end_that_is_not_there, "relation 1: has an end that is not there"),
]
UNREADABLE = [
    (half_a_line, "is not a JSON object"),
    (half_a_file, "is damaged or of another kind"),
]
REFUSED = [
    (a_line(kind="song"), "line 3: kind: must be one of"),
    (a_line(kind="relation", **{"from": "a", "to": "a", "type": "is-a"}), "line 3: relation:"),
    *((a_line(**{name: json.loads(value)}), f"line 3: {reason}") for name, value, reason in WRONG),
]


def refused_whole(shell: Shell, spoil: Callable[[Path], None], reason: str) -> None:
    shell.keep("backup")
    (file,) = shell.files()
    spoil(file)
    before = shell.graph()
    refused = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"concept-graph-mcp: {file}: is damaged")
    assert reason in refused.stderr
    assert refused.stderr.count("\n") == 1
    # Before anything is asked, kept apart, or changed.
    assert refused.stdout == ""
    assert shell.graph() == before
    assert shell.apart() == []


@pytest.mark.parametrize("there", ["embedded"], indirect=True)
@pytest.mark.parametrize(("spoil", "reason"), FILES)
def test_a_damaged_file_is_refused_whole_before_anything_is_replaced(shell, spoil, reason):
    refused_whole(shell, spoil, reason)


@pytest.mark.parametrize("there", ["embedded"], indirect=True)
def test_what_is_derived_from_the_graph_is_derived_anew_from_what_is_restored(shell):
    shell.keep("backup")
    (file,) = shell.files()
    change(file, 'DELETE FROM "index Episode(name)"')
    change(file, 'DELETE FROM "text Concept(name)"')
    shell.keep("restore", "latest", "--yes")
    assert_sound(Path(shell.store[0].removeprefix("--embedded=")))
    assert "果物" in shell.ok("concept", "search", "果", "--limit", "1")


@pytest.mark.parametrize("there", ["memgraph"], indirect=True)
@pytest.mark.parametrize(("spoil", "reason"), UNREADABLE)
def test_a_damaged_export_is_refused_whole_before_anything_is_replaced(shell, spoil, reason):
    refused_whole(shell, spoil, reason)


@pytest.mark.parametrize("there", ["memgraph"], indirect=True)
@pytest.mark.parametrize(("spoil", "reason"), REFUSED)
def test_an_export_with_a_record_that_no_import_takes_replaces_nothing(shell, spoil, reason):
    shell.keep("backup")
    (file,) = shell.files()
    spoil(file)
    before = shell.graph()
    refused = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"concept-graph-mcp: {file}: is damaged")
    assert reason in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert shell.graph() == before


@pytest.fixture
def unreachable(portal) -> Iterator[Any]:
    """The store of a Memgraph that is not there, which reading a backup does not need."""

    async def made() -> BoltStore:
        return BoltStore("bolt://localhost:1", "", "")

    store = portal.call(made)
    yield store
    portal.call(store.close)


@pytest.fixture
def export(tmp_path) -> Path:
    file = tmp_path / "backup.jsonl.gz"
    lines = [header("0.3.0"), *GRAPH]
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    return file


def test_an_export_that_is_sound_says_what_it_holds(unreachable, portal, export):
    held = portal.call(unreachable.contents, export)
    assert held == Contents({"concepts": 2, "episodes": 1}, 2, 1_750_000_000_000, None)


@pytest.mark.parametrize(("spoil", "reason"), UNREADABLE)
def test_an_export_that_is_damaged_is_refused(unreachable, portal, export, spoil, reason):
    spoil(export)
    with pytest.raises(BadBackup) as refused:
        portal.call(unreachable.contents, export)
    assert str(refused.value).startswith(f"{export}: is damaged")
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_backup_that_the_disk_has_changed_is_not_taken_for_one(unreachable, portal, export):
    written = export.read_bytes()
    middle = len(written) // 2
    for damaged in (
        *(written[:-9], written[:-8] + bytes(8), written[:20] + bytes(len(written))),
        written[:middle] + bytes([written[middle] ^ 255]) + written[middle + 1 :],
    ):
        export.write_bytes(damaged)
        with pytest.raises(BadBackup, match="is damaged"):
            portal.call(unreachable.contents, export)


@pytest.mark.slow
@pytest.mark.parametrize("there", ["embedded"], indirect=True)
def test_a_store_that_is_damaged_is_not_backed_up_but_kept_apart_when_it_is_replaced(shell):
    shell.keep("backup")
    before = shell.graph()
    store = Path(shell.store[0].removeprefix("--embedded="))
    labels_that_are_not_json(store)
    refused = shell.run("backup", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"concept-graph-mcp: {store}: is damaged: node 1: is not as it is stored;"
        " no backup was made\n"
    )
    assert len(shell.files()) == 1
    said = shell.keep("restore", "latest", "--yes")
    assert shell.graph() == before
    (kept,) = shell.apart()
    assert f"{kept}: what was there before, which is damaged: node 1: " in said


@pytest.mark.parametrize("there", ["memgraph"], indirect=True)
def test_what_hands_have_made_and_no_import_takes_is_counted_by_a_backup(shell, empty_memgraph):
    import neo4j

    before = shell.graph()
    with neo4j.GraphDatabase.driver(empty_memgraph) as driver, driver.session() as session:
        session.run("MATCH (a:Concept {name: 'apple'}) CREATE (a)-[:IS_A]->(a)").consume()
        result = shell.run("backup", "--dir", str(shell.folder))
        assert result.exit_code == 0, result.output
        assert "2 problems of the graph are in the backup, and a restore may" in result.stderr
        refused = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
        assert "tautology" in refused.stderr
        session.run("MATCH (a:Concept)-[e]->(a) DELETE e").consume()
    result = shell.run("backup", "--dir", str(shell.folder))
    assert "problems" not in result.stderr
    shell.ok("concept", "remove", "apple", "--yes")
    shell.keep("restore", "latest", "--yes")
    assert shell.graph() == before


def test_an_export_that_is_backed_up_is_read_back(unreachable, portal, tmp_path):
    async def identity() -> str:
        return "3f2a9c1b-04de-4a6e-9f3b-6d5f1c2b7a88"

    async def stream(batch: int = 1_000, only: Any = ()) -> AsyncIterator[list[dict[str, Any]]]:
        yield GRAPH[:3]
        yield GRAPH[3:]

    unreachable.identity, unreachable.stream = identity, stream
    file = tmp_path / "backup.jsonl.gz"
    written = portal.call(unreachable.backup, file)
    head, *lines = map(json.loads, gzip.decompress(file.read_bytes()).decode().splitlines())
    assert head["store"] == "3f2a9c1b-04de-4a6e-9f3b-6d5f1c2b7a88"
    assert lines == GRAPH
    assert written.contents == Contents(
        {"concepts": 2, "episodes": 1}, 2, 1_750_000_000_000, head["store"]
    )
