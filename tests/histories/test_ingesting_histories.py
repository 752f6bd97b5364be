"""`ingest` of what agents and programs leave: what was said is kept, once, and nothing else."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from history_samples import ASSISTANT_SAID, CODE, OF, USER_SAID, claude_code, lines
from tests.server.command_line import fails, memories, ok, run

from concept_graph_mcp.histories import archives, formats
from concept_graph_mcp.histories.archives import Entry

KNOWN = list(OF)


@pytest.fixture(params=KNOWN)
def history(request, tmp_path):
    name, content = OF[request.param]
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    return request.param, file


def said(there):
    return {one["content"] for one in memories(there)}


def told(result):
    return result.stderr.splitlines()


def test_every_format_is_told_by_its_content(history):
    name, file = history
    assert formats.recognise_format(Entry(file)) == name


def test_what_was_said_is_kept_and_nothing_else(there, history):
    _, file = history
    ok(*there, "ingest", str(file))
    kept = memories(there)
    assert any(USER_SAID in one["content"] for one in kept)
    assert any(ASSISTANT_SAID in one["content"] for one in kept)
    assert len(kept) == 2
    assert "not kept" not in json.dumps(kept)
    day = 86_400_000
    assert {one["said_at"] // day for one in kept} == {1_748_772_000_000 // day}


def test_it_is_found_and_says_who_said_it(there, history):
    _, file = history
    ok(*there, "ingest", str(file))
    searched = ok(*there, "memories", "search", "Clara allergic", "--json").stdout
    first = json.loads(searched)["memories"][0]
    assert USER_SAID in first["text"]
    assert first["speaker"] == "user"


def test_the_same_again_is_there_already(there, history):
    _, file = history
    ok(*there, "ingest", str(file))
    before = memories(there)
    assert "ingested: 0, there already: 2" in told(ok(*there, "ingest", str(file)))
    assert memories(there) == before


def test_a_dry_run_stores_nothing(there, history):
    _, file = history
    sample, count, *others = told(ok(*there, "ingest", str(file), "--dry-run"))
    assert sample.startswith("sample: ")
    assert USER_SAID in sample
    assert count == "to ingest: 2"
    assert others[-1] == "nothing was imported: a dry run."
    assert not ok(*there, "ingest", str(file)).stderr.startswith("ingested: 0")


def test_a_folder_is_read_with_all_that_is_in_it(there, tmp_path):
    folder = tmp_path / "all"
    for name, (file, content) in OF.items():
        (folder / name).mkdir(parents=True)
        (folder / name / file).write_text(content, encoding="utf-8")
    (folder / "other.json").write_text('{"some": "thing"}', encoding="utf-8")
    notes = told(ok(*there, "ingest", str(folder)))
    assert notes[0] == f"ingested: {2 * len(OF)}, there already: 0"
    assert any("files of no known format: 1" in line for line in notes)


def test_a_resumed_session_repeats_nothing(there, tmp_path):
    first, second = tmp_path / "s1.jsonl", tmp_path / "s2.jsonl"
    first.write_text(claude_code("s1"), encoding="utf-8")
    ok(*there, "ingest", str(first))
    copied = [json.loads(line) | {"sessionId": "s2"} for line in claude_code("s1").splitlines()]
    second.write_text(lines(*copied), encoding="utf-8")
    assert "ingested: 0, there already: 2" in told(ok(*there, "ingest", str(second)))


def test_a_file_that_is_being_written_goes_on_where_it_ended(there, tmp_path):
    file = tmp_path / "s1.jsonl"
    whole = claude_code("s1")
    file.write_text(whole[: whole.index("s1-1") + 10], encoding="utf-8")
    notes = told(ok(*there, "ingest", str(file)))
    assert notes[0] == "ingested: 1, there already: 0"
    assert any("a last line that is not whole yet" in line for line in notes)
    file.write_text(whole, encoding="utf-8")
    assert "ingested: 1, there already: 1" in told(ok(*there, "ingest", str(file)))


def read_bytes(monkeypatch):
    """Return a function that tells how many bytes of histories have been read as lines so far."""
    count = [0]
    lines = archives._lines

    def counted(file):
        for line, is_whole in lines(file):
            count[0] += len(line or b"")
            yield line, is_whole

    monkeypatch.setattr(archives, "read_objects", _with_lines(archives.read_objects, counted))
    return lambda: count[0]


def _with_lines(objects, counted):
    def reading(file, kept, mark):
        original, archives._lines = archives._lines, counted
        try:
            yield from objects(file, kept, mark)
        finally:
            archives._lines = original

    return reading


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_file_that_has_grown_is_read_from_where_it_ended(there, tmp_path, monkeypatch, name):
    read = read_bytes(monkeypatch)
    file, content = tmp_path / "session.jsonl", OF[name][1].encode()
    first, end = content[: content.index(b"\n", len(content) // 3) + 1], len(content)
    file.write_bytes(first)
    ok(*there, "ingest", str(file))
    assert read() == len(first)
    # The last line is being written.
    file.write_bytes(content[:-20])
    result = ok(*there, "ingest", str(file))
    assert any("a last line that is not whole yet: 1" in line for line in told(result))
    assert read() == end - 20
    file.write_bytes(content)
    ok(*there, "ingest", str(file))
    last = len(content.splitlines(keepends=True)[-1])
    assert read() == end - 20 + last
    result = ok(*there, "ingest", str(file))
    assert f"ingested: 0, there already: {len(memories(there))}" in told(result)
    assert read() == end - 20 + last
    assert {USER_SAID in one or ASSISTANT_SAID in one for one in said(there)} == {True}


def test_a_file_that_was_written_anew_is_read_from_its_start(there, tmp_path):
    file = tmp_path / "session.jsonl"
    file.write_text(claude_code())
    ok(*there, "ingest", str(file))
    before = len(memories(there))
    records = [json.loads(line) for line in claude_code().splitlines()]
    anew = [one | ({"uuid": f"new {one['uuid']}"} if "uuid" in one else {}) for one in records]
    file.write_text(lines(*anew) + claude_code())
    ok(*there, "ingest", str(file))
    assert len(memories(there)) == 2 * before


def test_a_store_that_lacks_what_was_read_gets_it_again(there, tmp_path):
    file = tmp_path / "session.jsonl"
    file.write_text(claude_code())
    ok(*there, "ingest", str(file))
    before = memories(there)
    for one in before:
        ok(*there, "forget", one["id"])
    other = [f"--embedded={tmp_path / 'other.db'}"]
    ok(*other, "ingest", str(file))
    assert {one["id"] for one in memories(other)} == {one["id"] for one in before}
    # The owner has forgotten them: they are there, and stay forgotten.
    assert "ingested: 0" in ok(*there, "ingest", str(file)).stderr
    restored = tmp_path / "memory.db"
    restored.unlink()
    assert "there already: 0" in ok(*there, "ingest", str(file)).stderr


def test_one_bad_file_of_a_folder_does_not_stop_the_others(there, tmp_path, monkeypatch):
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "a.json").write_text('[{"mapping": {}, "id": "c"}, {"mapp')
    (folder / "b.jsonl").write_text("another's")
    (folder / "c.jsonl").write_text(claude_code())
    recognised = formats.recognise_format

    def refused(path, *member):
        if path.name == "b.jsonl":
            raise PermissionError(13, "Permission denied", str(path))
        return recognised(path, *member)

    monkeypatch.setattr("concept_graph_mcp.histories.formats.recognise_format", refused)
    lines_told = told(ok(*there, "ingest", str(folder)))
    assert any("cannot be read: 1 (" in one and "b.jsonl" in one for one in lines_told)
    assert any("with an error: 1 (" in one and "a.json: is not whole" in one for one in lines_told)
    assert len(memories(there)) == 2
    result = run(*there, "ingest", str(folder / "b.jsonl"))
    assert result.exit_code != 0
    assert "Permission denied" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_line_that_is_too_long_is_left_out(there, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "LONGEST", 5_000)
    file = tmp_path / "session.jsonl"
    long = json.dumps({"type": "user", "uuid": "l", "sessionId": "s", "x": "y" * 20_000})
    file.write_text(f"{long}\n{claude_code()}{long}")
    result = ok(*there, "ingest", "--from", "claude-code", str(file))
    assert any("lines of more than 5,000 bytes: 2" in line for line in told(result))
    assert len(memories(there)) == 2


def test_everything_keeps_code_and_outputs_too(there, history):
    name, file = history
    ok(*there, "ingest", str(file), "--everything")
    if name != "mem0":
        assert any(CODE in text for text in said(there))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(OF["chatgpt"][1][:-20], id="half an export"),
        pytest.param('[{"mapping": 3, "current_node": 4}, 5, null]', id="wrong types"),
        pytest.param('{"type": "user", "sessionId": 1, "uuid": 2, "message": 3}\n', id="a line"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param("", id="nothing"),
        pytest.param("\x00\xff", id="no text"),
    ],
)
def test_what_is_no_whole_history_is_one_line_and_loses_nothing(there, tmp_path, content):
    file = tmp_path / "conversations.json"
    file.write_text(content, encoding="latin-1")
    result = run(*there, "ingest", str(file))
    assert result.exit_code in (0, 1)
    assert "Traceback" not in result.output
    if result.exit_code == 1:
        assert len(told(result)) == 1


def test_what_is_on_the_machine_is_shown_and_asked_for(there, tmp_path):
    project = tmp_path / "home/.claude/projects/-home-ann-cake"
    project.mkdir(parents=True)
    (project / "s1.jsonl").write_text(claude_code(), encoding="utf-8")
    refused = fails(*there, "ingest", "--discover", stdin="n\n")
    assert "claude-code: 1 session, " in refused.stdout
    assert run(*there, "memories", "list").exit_code == 1
    done = ok(*there, "ingest", "--discover", stdin="y\n")
    assert "ingested: 2, there already: 0" in done.stderr


def test_a_machine_without_histories_says_so(there):
    result = fails(*there, "ingest", "--discover")
    assert "no agent has left a history" in result.stderr


def test_a_folder_is_read_and_no_link_out_of_it(there, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    folder = tmp_path / "sessions"
    for place in (elsewhere, folder / "below"):
        place.mkdir(parents=True)
    (elsewhere / "secret.md").write_text("Ann hides the key.")
    (folder / "below/note.md").write_text("Clara bakes.")
    (folder / "out.md").symlink_to(elsewhere / "secret.md")
    (folder / "all").symlink_to(elsewhere)
    (folder / "within.md").symlink_to("below/note.md")
    result = ok(*there, "ingest", str(folder))
    assert said(there) == {"Clara bakes."}
    assert f"{folder / 'out.md'}: is a link out of the folder" in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
@pytest.mark.parametrize("command", ["import", "ingest"])
def test_a_named_pipe_is_refused_and_the_pipe_of_a_shell_is_read(there, tmp_path, command):
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    called = [sys.executable, "-m", "concept_graph_mcp", *there, command]
    refused = subprocess.run([*called, pipe], check=False, **RUN)
    assert refused.returncode == 1
    assert refused.stderr.endswith("is a named pipe; name a file, or give its content to -\n")
    of_shell = subprocess.run(
        ["bash", "-c", '"$@" <(printf \'%s\' "$LINE")', "bash", *called],
        check=False,
        env={**os.environ, "LINE": LINES[command]},
        **RUN,
    )
    assert of_shell.returncode == 0, of_shell.stderr


RUN: Any = {"capture_output": True, "text": True, "timeout": 60}
LINES = {
    "import": "Clara\tis-a\tperson\n",
    "ingest": lines(
        {"thread": "t", "speaker": "user", "time_ms": 1_700_000_000_000, "text": "Clara bakes."}
    ),
}


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("talk.jsonl", LINES["ingest"], "ingested: 1"),
        ("s1.jsonl", claude_code(), "ingested: 2"),
        ("Family.md", OF["markdown"][1], "ingested: 2"),
        ("table.tsv", LINES["import"], "relations created: 1"),
        ("memory.json", '{"type":"entity","name":"Bob","entityType":"man"}\n', "nodes created: 2"),
        ("rows.json", '{"memories": [{"id": "a", "content": "tea"}]}', "nodes created: 1"),
    ],
)
def test_import_looks_at_what_it_is_given(there, tmp_path, name, content, line):
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    assert line in ok(*there, "import", str(file)).stderr


def test_import_brings_its_own_export_and_messages_from_stdin(there, tmp_path):
    ok(*there, "import", "-", stdin=LINES["ingest"])
    exported = ok(*there, "export", "-").stdout
    other = [f"--embedded={tmp_path / 'other.db'}"]
    ok(*other, "import", "-", stdin=exported)
    assert ok(*other, "export", "-").stdout == exported


def test_ingest_is_a_hidden_name_of_import(there, tmp_path):
    listed = ok("--help").stdout
    assert "  import " in listed
    assert "  ingest " not in listed
    file = tmp_path / "s1.jsonl"
    file.write_text(claude_code(), encoding="utf-8")
    ok(*there, "import", str(file))
    assert "there already: 2" in ok(*there, "ingest", str(file)).stderr
    assert "s1.jsonl" in ok(*there, "import", "--list").stdout
