"""A store on a read-only file system is read, exported and backed up; writing to it is refused."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from server_processes import HERE, LineProcess

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.procedure_host import Host

# Mounts the folder "$1" read-only, for what follows alone, and runs that.
READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder(tmp_path) -> Path:
    made = tmp_path / "read-only"
    made.mkdir()
    return made


@pytest.fixture
def within(folder) -> list[str]:
    """The prefix of a command for which the folder is on a read-only file system."""
    made = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", str(folder)]
    if not shutil.which("unshare") or subprocess.run([*made, "true"], check=False).returncode:
        pytest.skip("needs the privilege to mount a folder read-only")
    return made


@pytest.fixture
def read_only(within, tmp_path) -> Run:
    """Runs a command within."""

    def run(*command: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*within, sys.executable, "-B", *command],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "TZ": "UTC", "COLUMNS": "160"},
        )

    return run


@pytest.fixture(params=["closed", "in use", "in one file"])
def store(request, folder) -> Iterator[Path]:
    """A store that was left in one of the ways in which a store can be left."""
    path, other = folder / "memory.db", folder.parent / "other.db"
    with closing(Host(other)) as host:
        run(host, calls.concepts.relation_add("apple", "fruit", "is-a"))
        if request.param == "in use":
            for suffix in ("", "-wal", "-shm"):
                shutil.copyfile(f"{other}{suffix}", f"{path}{suffix}")
    if request.param == "in one file":
        with closing(sqlite3.connect(other)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
    if not path.exists():
        shutil.copyfile(other, path)
    before = {file: file.read_bytes() for file in folder.iterdir()}
    yield path
    assert {file: file.read_bytes() for file in folder.iterdir()} == before


def run(host: Host, call: calls.Call) -> None:
    host.call(call.procedure.name, [*call.arguments, {}], call.procedure.fields)


@pytest.mark.slow
def test_a_store_that_cannot_be_written_is_read(store, read_only):
    for command, expected in (
        (["stats"], "is-a"),
        (["concept", "recall", "apple"], "apple is-a fruit"),
        (["concept", "search", "app"], "apple"),
        (["export", "-"], '"kind": "relation"'),
        (["doctor"], "memory.db"),
    ):
        shown = read_only("-m", "concept_graph_mcp", f"--embedded={store}", *command)
        assert shown.returncode == 0, shown.stderr
        assert expected in shown.stdout


@pytest.mark.slow
def test_changes_of_a_killed_program_that_cannot_be_read_there_are_one_clear_line(
    folder, read_only, tmp_path
):
    path, other = folder / "memory.db", tmp_path / "other.db"
    with closing(Host(other)) as host:
        run(host, calls.concepts.relation_add("apple", "fruit", "is-a"))
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{other}{suffix}", f"{path}{suffix}")
    for command in (["stats"], ["import", "-"]):
        refused = read_only("-m", "concept_graph_mcp", f"--embedded={path}", *command)
        assert refused.returncode == 1
        assert "its newest changes are in memory.db-wal" in refused.stderr
        assert refused.stderr.endswith("copy both files to one\n")
        assert refused.stderr.count("\n") == 1
    shutil.copytree(folder, tmp_path / "copied")
    shown = read_only("-m", "concept_graph_mcp", f"--embedded={tmp_path}/copied/memory.db", "stats")
    assert "is-a" in shown.stdout


SAYS = """
import anyio, pathlib, sys
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
print(anyio.run(EmbeddedStore(pathlib.Path(sys.argv[1])).unwritable))
"""


def test_a_store_that_cannot_be_written_says_so(store, read_only):
    shown = read_only("-c", SAYS, str(store))
    assert shown.stdout == "the file cannot be written from here\n", shown.stderr


@pytest.mark.slow
def test_a_store_that_cannot_be_written_is_backed_up(store, read_only, tmp_path):
    kept = tmp_path / "kept"
    made = read_only("-m", "concept_graph_mcp", f"--embedded={store}", "backup", "--dir", str(kept))
    assert made.returncode == 0, made.stderr
    (file,) = kept.iterdir()
    shown = read_only("-m", "concept_graph_mcp", f"--embedded={file}", "concept", "recall", "apple")
    assert "apple is-a fruit" in shown.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [["relate", "apple", "is-a", "pear"], ["import", "-"], ["clean", "--yes"]],
    ids=" ".join,
)
def test_writing_to_a_store_that_cannot_be_written_is_one_clear_line(
    store, read_only, command, tmp_path
):
    refused = read_only(
        "-m", "concept_graph_mcp", f"--embedded={store}", *command, stdin="apple\tis-a\tplant\n"
    )
    assert refused.returncode == 1
    line = f"concept-graph-mcp: store {store}: cannot be written, only read; nothing was written"
    assert refused.stderr.startswith(line)
    assert refused.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_store_that_cannot_be_made_there_is_one_clear_line(folder, read_only):
    path = folder / "below" / "memory.db"
    refused = read_only(
        "-m", "concept_graph_mcp", f"--embedded={path}", "import", "-", stdin="a\tis-a\tb\n"
    )
    assert refused.returncode == 1
    assert refused.stderr == (
        f"concept-graph-mcp: store {path}: cannot be opened: {folder} cannot be written\n"
    )


@pytest.mark.slow
def test_what_is_written_where_it_can_be_is_seen_where_it_can_only_be_read(folder, within):
    path = folder / "memory.db"
    with closing(Host(path)) as host:
        run(host, calls.concepts.concept_upsert("apple"))
    command = [*within, sys.executable, "-B", str(HERE / "store_worker.py"), str(path)]
    with LineProcess(command) as reader:
        assert answer(reader) == {"rows": []}
        assert names(reader) == ["apple"]
        with closing(Host(path)) as host:
            run(host, calls.concepts.concept_upsert("pear"))
        assert names(reader) == ["apple", "pear"]
        reader.send(b'["concept_upsert", "plum"]')
        assert "cannot be written, only read" in answer(reader)["error"]
        assert names(reader) == ["apple", "pear"]


@pytest.mark.slow
def test_another_store_in_its_place_is_read_anew(folder, within, tmp_path):
    path, other = folder / "memory.db", tmp_path / "other.db"
    for file, name in ((path, "apple"), (other, "pear")):
        with closing(Host(file)) as host:
            run(host, calls.concepts.concept_upsert(name))
    command = [*within, sys.executable, "-B", str(HERE / "store_worker.py"), str(path)]
    with LineProcess(command) as reader:
        assert answer(reader) == {"rows": []}
        assert around(reader, "apple") == ["apple"]
        shutil.copyfile(other, folder / "new.db")
        (folder / "new.db").replace(path)
        # Both were written once, and have one node of the same number.
        assert around(reader, "apple") == []
        assert around(reader, "pear") == ["pear"]


def around(reader: LineProcess, name: str) -> list[str]:
    reader.send(json.dumps(["concept_search", [name]]).encode())
    return [row["concept"] for row in answer(reader)["rows"] if row["matched"]]


def answer(process: LineProcess) -> Any:
    line = process.line()
    assert line is not None
    return json.loads(line)


def names(reader: LineProcess) -> list[str]:
    reader.send(b'["records"]')
    return sorted(record["name"] for record in answer(reader)["rows"])
