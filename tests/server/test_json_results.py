"""`--json`: every command that writes prints its result as one JSON value on stdout."""

import json

import click
import pytest
from command_line import ok, run

from concept_graph_mcp.__main__ import main
from concept_graph_mcp.commands.group import Drawer

# These print a story, draw, serve, ask step by step, or act on more than the store.
_WITHOUT = {
    *("demo", "view", "card", "serve", "hook", "setup", "install-modules", "backfill"),
    *("backup", "restore", "clean", "reset", "users delete"),
}
_SAID = {"text": "My sister Clara lives in Faro", "speaker": "user", "thread": "t", "id": "1"}


def list_commands(group, *names):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        # The commands of a drawer are the program's too.
        if isinstance(command, Drawer):
            continue
        if isinstance(command, click.Group):
            yield from list_commands(command, *names, name)
        else:
            yield " ".join((*names, name)), {one for each in command.params for one in each.opts}


def test_every_command_has_json_or_a_reason():
    without = {name for name, options in list_commands(main) if "--json" not in options}
    assert without == _WITHOUT


@pytest.fixture
def person(there, monkeypatch):
    """Return what runs a command with --json on one store and returns its result."""
    monkeypatch.delenv("CONCEPT_GRAPH_USER", raising=False)
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "own")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")

    def result(*arguments, stdin=None):
        return json.loads(ok(*there, *arguments, "--json", stdin=stdin).stdout)

    return result


def test_what_is_read_is_counted(person, tmp_path):
    file = tmp_path / "said.jsonl"
    file.write_text(json.dumps({**_SAID, "time_ms": 1_750_000_000_000}) + "\n")
    dry = person("ingest", str(file), "--dry-run")
    assert (dry["dry_run"], dry["ingested"], dry["samples"][0]["text"]) == (True, 1, _SAID["text"])
    made = person("ingest", str(file))
    assert (made["ingested"], made["existing"], made["dry_run"]) == (1, 0, False)
    assert made["mentions"] >= made["entities"] >= 1
    assert person("ingest", str(file))["existing"] == 1
    seen = person("observe", str(file))
    assert (seen["messages"], seen["sessions"]) == (1, 1)
    [listed] = person("ingest", "--list")
    assert listed["memories"] == 1
    undone = person("ingest", "--undo", listed["import_id"], "--yes")
    assert undone == {"removed": 1, "kept": 0}
    assert person("ingest", "--list") == []


def test_what_goes_out_comes_back(person, tmp_path):
    person("remember", "Clara lives in Faro")
    file = tmp_path / "all.jsonl"
    written = person("export", str(file))
    assert written["records"] == len(file.read_text().splitlines()) - 1
    assert person("import", str(file), "--dry-run")["dry_run"] is True
    assert person("import", str(file))["imported"]["nodes_existing"] >= 1
    folder = tmp_path / "notes"
    assert person("export", str(folder), "--format", "markdown")["notes"] >= 1
    (tmp_path / "shared").mkdir()
    assert person("sync", str(tmp_path / "shared")) == {"changed": {"here": 0}}


def test_what_is_corrected_is_told(person):
    note = person("remember", "Clara lives in Faro")["id"]
    person("forget", note)
    [back] = person("memories", "restore", note)["restored"]
    assert (back["id"], back["restored"]) == (note, True)
    person("forget", note)
    assert person("memories", "purge", note, "--dry-run")["removed"] == 0
    gone = person("memories", "purge", note, "--yes")
    assert (gone["removed"], gone["found"][0]["id"]) == (1, note)
    person("relate", "tea", "is-a", "drink")
    assert person("concept", "rename", "tea", "chai", "--yes")["renamed"]
    assert person("concept", "remove", "chai", "--yes")["removed"]
    assert person("index") == {"indexed": 0}


def test_records_on_stdout_leave_no_room_for_a_result(there):
    for command in (("export", "-"), ("users", "export", "ada", "-")):
        refused = run(*there, *command, "--json")
        assert (refused.exit_code, refused.stdout) == (2, "")
