"""Backup, restore, clean and reset: what was kept comes back, and nothing is lost on the way."""

import gzip
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from shell import GRAPH, HELD, Shell

from concept_graph_mcp.commands.backups import Folder
from concept_graph_mcp.hosts.memgraph import caller
from concept_graph_mcp.hosts.sqlite import database


def test_a_backup_says_what_it_holds_and_leaves_only_itself(shell):
    said = shell.keep("backup")
    (file,) = shell.files()
    assert said == f"{file}: {HELD}\n"


def test_a_restore_brings_back_exactly_what_was_backed_up(shell):
    before = shell.graph()
    shell.keep("backup")
    shell.ok("import", "-", stdin="pear\tis-a\tfruit\n")
    shell.ok("concept", "remove", "apple", "--yes")
    said = shell.keep("restore", "latest", "--yes")
    assert shell.graph() == before
    assert said.endswith(f"restored {HELD}\n")


def test_a_restore_first_keeps_what_it_replaces(shell):
    shell.keep("backup")
    shell.ok("import", "-", stdin="pear\tis-a\tfruit\n")
    replaced = shell.graph()
    shell.keep("restore", "latest", "--yes")
    (kept,) = shell.apart()
    shell.keep("restore", kept.name, "--yes")
    assert shell.graph() == replaced


@pytest.mark.slow
def test_what_others_write_while_a_restore_keeps_what_it_replaces_is_not_lost(shell, monkeypatch):
    shell.keep("backup")
    shell.ok("concept", "remove", "apple", "--yes")
    # How long somebody waits for a turn.
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.1)
    monkeypatch.setattr(caller, "_RETRY_S", 0.1)
    keep_apart, tried = Folder.keep_apart, []

    async def meanwhile(folder, current):
        await keep_apart(folder, current)
        tried.append(
            await anyio.to_thread.run_sync(shell.run, "concept", "rename", "果物", "fruit", "--yes")
        )

    monkeypatch.setattr(Folder, "keep_apart", meanwhile)
    shell.keep("restore", "latest", "--yes")
    assert [one.exit_code for one in tried] == [1]
    assert "nothing was written" in tried[0].stderr


def test_the_store_works_on_after_a_restore(shell):
    shell.keep("backup")
    shell.keep("restore", "latest", "--yes")
    shell.ok("import", "-", stdin="apple\tis-a\tplant\n")
    assert "apple is-a plant" in shell.ok("concept", "recall", "apple")
    assert "果物" in shell.ok("concept", "search", "果", "--limit", "1")


def test_clean_leaves_nothing_but_a_copy_of_it_kept_apart(shell):
    before = shell.graph()
    shell.keep("clean", "--yes")
    assert len(shell.graph()) == 1
    (kept,) = shell.apart()
    shell.keep("restore", kept.name, "--yes")
    assert shell.graph() == before


def test_what_was_kept_apart_is_never_the_latest(shell):
    before = shell.graph()
    shell.keep("backup")
    shell.ok("concept", "remove", "apple", "--yes")
    for _ in range(3):
        shell.ok("import", "-", stdin="pear\tis-a\tfruit\n")
        shell.keep("restore", "latest", "--yes")
        assert shell.graph() == before
    shell.keep("clean", "--yes")
    shell.keep("restore", "latest", "--yes")
    assert shell.graph() == before
    assert len(shell.files()) == 1
    assert len(shell.apart()) == 4


def test_without_a_backup_what_was_kept_apart_is_not_the_latest_either(shell):
    shell.keep("clean", "--yes")
    refused = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert "has no backup of this store" in refused.stderr
    assert len(shell.graph()) == 1


@pytest.mark.parametrize("command", [["clean"], ["restore", "latest"]])
def test_nothing_is_replaced_without_a_yes(shell, command):
    shell.keep("backup")
    shell.ok("import", "-", stdin="pear\tis-a\tfruit\n")
    before, files = shell.graph(), shell.files()
    refused = shell.run(*command, "--dir", str(shell.folder), stdin="n\n")
    assert refused.exit_code == 1
    assert "3 concepts" in refused.stdout or "4 concepts" in refused.stdout
    assert (shell.graph(), shell.files()) == (before, files)


def damaged(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def of_another_kind(file: Path) -> None:
    file.write_bytes(b"GIF89a" + bytes(2_000))


def empty(file: Path) -> None:
    file.write_bytes(b"")


def of_another_program(file: Path) -> None:
    file.unlink()
    if file.suffix == ".db":
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE t (x)")
        connection.close()
    else:
        file.write_bytes(gzip.compress(b'{"kind": "song"}\n'))


@pytest.mark.parametrize("spoil", [damaged, of_another_kind, empty, of_another_program])
def test_a_file_that_cannot_be_restored_from_is_refused_and_nothing_changes(shell, spoil):
    shell.keep("backup")
    (file,) = shell.files()
    spoil(file)
    before = shell.graph()
    refused = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"concept-graph-mcp: {file}: ")
    assert refused.stderr.count("\n") == 1
    assert shell.graph() == before
    assert shell.files() == [file]


def test_a_restore_names_what_it_cannot_find(shell):
    refused = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
    assert refused.stderr == f"concept-graph-mcp: {shell.folder}: has no backup of this store\n"
    refused = shell.run("restore", "nosuch", "--yes", "--dir", str(shell.folder))
    assert "nosuch: no such backup" in refused.stderr
    refused = shell.run("restore", " ", "--yes", "--dir", str(shell.folder))
    assert refused.stderr.startswith("concept-graph-mcp: SNAPSHOT: must not be empty; ")


def test_reset_restores_and_then_runs_the_agents_own_reset(shell, tmp_path, monkeypatch):
    before = shell.graph()
    shell.keep("backup")
    shell.ok("concept", "remove", "apple", "--yes")
    mark = tmp_path / "mark"
    monkeypatch.setenv("CORE_RESET_COMMAND", f"echo done > {mark}")
    shell.keep("reset", "--yes")
    assert shell.graph() == before
    assert mark.read_text() == "done\n"


@pytest.mark.parametrize("given", [{}, {"CORE_RESET_COMMAND": " "}])
def test_reset_without_the_agents_command_does_nothing(shell, monkeypatch, given):
    monkeypatch.delenv("CORE_RESET_COMMAND", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    shell.keep("backup")
    shell.ok("concept", "remove", "apple", "--yes")
    before = shell.graph()
    refused = shell.run("reset", "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert "CORE_RESET_COMMAND: is not set" in refused.stderr
    assert shell.graph() == before


def test_reset_tells_of_the_agents_failure(shell, monkeypatch):
    shell.keep("backup")
    monkeypatch.setenv("CORE_RESET_COMMAND", "exit 3")
    refused = shell.run("reset", "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert "failed with status 3" in refused.stderr


def test_a_correction_shows_first_what_it_touches_and_asks(shell):
    before = shell.graph()
    refused = shell.run("concept", "remove", "apple", stdin="n\n")
    assert refused.exit_code == 1
    for line in ("apple: concept\n", "apple is-a 果物: relation\n", "apple evokes Bought"):
        assert line in refused.stdout
    assert shell.graph() == before
    shell.ok("concept", "remove", "apple", stdin="y\n")
    assert len(shell.graph()) == 1 + len(GRAPH) - 3


def test_a_concept_is_renamed_with_all_its_relations(shell):
    shell.ok("concept", "rename", "apple", "Apfel", "--yes")
    assert "Apfel is-a 果物" in shell.ok("concept", "recall", "Apfel")
    assert "Nothing comes to mind" in shell.ok("concept", "recall", "apple")


def test_a_relation_is_removed_alone(shell):
    shell.ok("concept", "remove-relation", "apple", "is-a", "果物", "--yes")
    assert "is-a" not in shell.ok("concept", "recall", "apple")
    assert "evokes" in shell.ok("concept", "recall", "apple")


_PART_OF = ("apple", "part-of", "果物")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["concept", "rename", "nosuch", "x"], 'concept: nothing is called "nosuch"'),
        (["concept", "rename", "apple", "果物"], 'new_name: "果物" is taken already'),
        (["concept", "rename", "20250615/apple", "x"], "is an episode, which keeps its name"),
        (["concept", "remove", "nosuch"], 'name: nothing is called "nosuch"'),
        (["concept", "remove-relation", *_PART_OF], 'no part-of from "apple" to "果物"'),
    ],
)
def test_a_correction_that_cannot_be_made_is_one_line(shell, arguments, line):
    before = shell.graph()
    refused = shell.run(*arguments, "--yes")
    assert refused.exit_code == 1
    assert line in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert shell.graph() == before


@pytest.mark.slow
def test_an_embedded_store_is_backed_up_and_restored_while_others_use_it(tmp_path):
    """Another process keeps writing; each of its processes sees the restored graph at once."""
    path, folder = tmp_path / "memory.db", tmp_path / "backups"
    command = [sys.executable, "-c", WRITER, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        for _ in range(20):
            assert writer.stdout.readline() == "written\n"
        shell = Shell([f"--embedded={path}"], folder)
        shell.keep("backup")
        held = int(shell.keep("restore", "latest", "--yes").rsplit("restored ")[1].split()[0])
        assert held >= 20
        writer.stdin.write("stop\n")
        writer.stdin.flush()
        *_, last = writer.stdout
    # The writer's own count, from its own memory, against the file's.
    assert int(last) == len(shell.graph()) - 1


WRITER = """
import itertools, select, sys
from pathlib import Path
from concept_graph_mcp.hosts.sqlite.procedure_host import Host

host = Host(Path(sys.argv[1]))
for number in itertools.count():
    host.call("conceptgraph.concept_upsert", [f"c{number}", {}])
    host.call("conceptgraph.stats", [{}])
    print("written", flush=True)
    if select.select([sys.stdin], [], [], 0)[0]:
        break
rows = host.call("conceptgraph.stats", [{}])
print(rows[0]["value"], flush=True)
"""


def test_a_backup_of_a_newer_version_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    shell = Shell([f"--embedded={tmp_path / 'memory.db'}"], tmp_path / "backups")
    shell.ok("import", "-", stdin="apple\tis-a\tfruit\n")
    shell.keep("backup")
    (file,) = shell.files()
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    shutil.copyfile(file, tmp_path / "newer.db")
    refused = shell.run("restore", str(tmp_path / "newer.db"), "--yes")
    assert refused.exit_code == 1
    assert "newer version" in refused.stderr
