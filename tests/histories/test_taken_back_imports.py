"""`ingest` brings people too, lists what it brought, and takes it back."""

import json

import pytest
from history_samples import OF, WHATSAPP
from tests.server.command_line import ok, run


@pytest.fixture
def there(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return [f"--embedded={tmp_path / 'memory.db'}"]


def records(there, kind=None):
    _, *found = map(json.loads, ok(*there, "export", "-").stdout.splitlines())
    return [record for record in found if kind in (None, record["kind"])]


def names(there):
    return {one["node_label"] for one in records(there, "entity")}


def chat(*said, thread="t", start=0):
    """Return lines of messages, (speaker, text) each, a minute apart."""
    return "".join(
        json.dumps(
            {
                "id": f"m{number}",
                "thread": thread,
                "time_ms": 1_748_772_000_000 + number * 60_000,
                "speaker": speaker,
                "text": text,
            }
        )
        + "\n"
        for number, (speaker, text) in enumerate(said, start)
    )


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_text(
        chat(
            ("user", "My sister Clara is allergic to hazelnuts."),
            ("assistant", "Marie Curie was allergic to nothing that is known."),
            ("user", "My brother Tom lives in Oslo."),
        )
    )
    return path


def import_id(there):
    return ok(*there, "ingest", "--list").stdout.split()[0]


def test_one_command_brings_people_too_and_none_of_the_assistants(there, file):
    told = ok(*there, "ingest", str(file)).stderr
    assert "ingested: 3, there already: 0" in told
    assert "people and things:" in told
    found = names(there)
    assert {"Clara", "Tom"} <= found
    assert not any("Curie" in one for one in found)
    facts = {(one["predicate"], one.get("value")) for one in records(there, "fact")}
    assert ("allergy", "hazelnuts") in facts
    # Observed once, by whichever command; `observe` hears the assistant too.
    before = len(records(there, "mention"))
    ok(*there, "ingest", str(file))
    ok(*there, "observe", str(file))
    after = [one["label"] for one in records(there, "mention")]
    assert len([one for one in after if "Curie" not in one]) == before


def test_words_about_nobody_leave_nothing_behind(there, tmp_path):
    path = tmp_path / "chat.jsonl"
    # A name at the beginning counts only if it is known.
    path.write_text(chat(("user", "Schreib mir etwas")))
    ok(*there, "ingest", str(path))
    assert records(there, "session") == []


def test_people_can_be_left_out_and_brought_later(there, file):
    ok(*there, "ingest", str(file), "--no-people")
    assert names(there) == set()
    told = ok(*there, "ingest", str(file)).stderr
    assert "ingested: 0, there already: 3" in told
    assert {"Clara", "Tom"} <= names(there)


def test_a_forgotten_message_brings_nobody(there, file):
    ok(*there, "ingest", str(file), "--no-people")
    for one in records(there, "memory"):
        if "Tom" in one["content"]:
            ok(*there, "forget", one["id"])
    ok(*there, "ingest", str(file))
    assert "Clara" in names(there)
    assert "Tom" not in names(there)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chatgpt", "claude-code"])
def test_the_people_of_a_history_are_observed(there, tmp_path, name):
    path = tmp_path / OF[name][0]
    path.write_text(OF[name][1])
    ok(*there, "ingest", str(path))
    assert "Clara" in names(there)
    mentions = len(records(there, "mention"))
    ok(*there, "ingest", str(path))
    assert len(records(there, "mention")) == mentions


def test_anothers_sister_is_not_the_users(there, tmp_path):
    path = tmp_path / "chat.txt"
    path.write_text(WHATSAPP + "[01.06.25, 10:05:00] Ben: My sister Lena lives in Bergen.\n")
    ok(*there, "ingest", str(path), "--me", "Ann")
    kinds = {one["node_label"]: one.get("entity_kind") for one in records(there, "entity")}
    assert kinds["Clara"] == "sister"
    assert kinds["Lena"] is None
    values = {one.get("value") for one in records(there, "fact")}
    assert "Bergen" not in values


@pytest.mark.slow
def test_an_import_is_listed_and_taken_back_with_its_people(there, file):
    ok(*there, "ingest", str(file))
    listed = ok(*there, "ingest", "--list").stdout
    assert listed == f"{import_id(there)}  3 memories, 2025-06-01 to 2025-06-01\n"
    assert listed.startswith("chat.jsonl-")
    known = import_id(there)
    assert run(*there, "ingest", "--undo", known, stdin="n\n").exit_code == 1
    assert len(records(there, "memory")) == 3
    told = ok(*there, "ingest", "--undo", known, "--yes").stderr
    assert "removed: 3, kept because something else has or needs them: 0" in told
    assert records(there) == []
    again = ok(*there, "ingest", "--undo", known, "--yes").stderr
    assert again == f"{known}: nothing of it is stored; --list prints what is.\n"
    assert "nothing was imported that could be taken back" in ok(*there, "ingest", "--list").stderr
    # It can be brought again.
    assert "ingested: 3," in ok(*there, "ingest", str(file)).stderr
    assert import_id(there) == known


def test_a_history_that_was_taken_back_is_read_from_its_start(there, tmp_path):
    path = tmp_path / OF["chatgpt"][0]
    path.write_text(OF["chatgpt"][1])
    ok(*there, "ingest", str(path))
    ok(*there, "ingest", "--undo", import_id(there), "--yes")
    assert "ingested: 2, there already: 0" in ok(*there, "ingest", str(path)).stderr


def test_messages_that_another_import_or_session_has_stay(there, tmp_path, file):
    ok(*there, "remember", "Clara plays chess")
    ok(*there, "ingest", str(file))
    other = tmp_path / "other.jsonl"
    other.write_text(file.read_text().splitlines(keepends=True)[0])
    ok(*there, "ingest", str(other))
    first = next(
        line.split()[0]
        for line in ok(*there, "ingest", "--list").stdout.splitlines()
        if line.startswith("chat")
    )
    told = ok(*there, "ingest", "--undo", first, "--yes").stderr
    assert "removed: 2, kept because something else has or needs them: 1" in told
    assert {one["content"] for one in records(there, "memory")} == {
        "Clara plays chess",
        "My sister Clara is allergic to hazelnuts.",
    }
    assert "Clara" in names(there)
    assert "Tom" not in names(there)


def test_a_dry_run_shows_samples_without_secrets(there, tmp_path):
    path = tmp_path / "chat.jsonl"
    said = [("user", f"Line {number}\nof password: hunter22xyz") for number in range(2)]
    parts = (chat(*said, thread=f"t{one}", start=one * 9) for one in range(5))
    path.write_text("".join(parts))
    told = ok(*there, "ingest", "--dry-run", str(path)).stderr
    samples = [line for line in told.splitlines() if line.startswith("sample: ")]
    assert samples == ["sample: 2025-06-01 user: Line 0 of password: [secret: Password]"] * 3


@pytest.mark.parametrize("option", [("--list",), ("--undo", "a-1")])
def test_a_list_takes_no_file(there, file, option):
    result = run(*there, "ingest", *option, str(file))
    assert result.exit_code == 2
    assert "--list and --undo go without a file" in result.stderr
