"""`ingest`: a file of messages is kept once, whole, and what is wrong with it is told by line."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import fails, memories, ok, run

from concept_graph_mcp import calls
from concept_graph_mcp.commands import storing

TIME_MS = 1_749_000_000_000


def line(number: int, said: str = "", **given: Any) -> str:
    told = {"id": number, "thread": "t", "time_ms": TIME_MS + number, "speaker": "Ann"}
    return json.dumps({**told, "text": said or f"Message {number}", **given}) + "\n"


def lines(count: int, first: int = 0) -> str:
    return "".join(line(number) for number in range(first, first + count))


def kept(there: list[str]) -> list[tuple[str, int, str]]:
    """Return the thread, the position and the text of each memory, in that order."""
    return sorted((one["thread"], one["position"], one["content"]) for one in memories(there))


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(storing, "_BATCH", 10)


def test_messages_are_kept_once_and_a_grown_file_goes_on_where_it_ended(there, small_batches):
    said = ok(*there, "ingest", "-", stdin=lines(25)).stderr
    assert said == "ingested: 25, there already: 0\n"
    said = ok(*there, "ingest", "-", stdin=lines(31)).stderr
    assert said == "ingested: 6, there already: 25\n"
    assert [position for _, position, _ in kept(there)] == list(range(31))


def test_what_is_there_and_says_something_else_in_the_file_is_told_and_stays(there):
    ok(*there, "ingest", "-", stdin=lines(4))
    changed = line(0) + line(1, "Another text") + line(2, speaker="Bob") + line(3, time_ms=TIME_MS)
    said = ok(*there, "ingest", "-", stdin=changed + line(4)).stderr
    assert said.splitlines() == [
        "ingested: 1, there already: 4",
        "there already: with another text, speaker or time, and left so: 3"
        " (line 2, line 3, line 4)",
    ]
    assert [content for _, _, content in kept(there)] == [f"Message {n}" for n in range(5)]


def test_lines_are_as_backfill_has_them_too(there):
    given = {"role": "user", "user_id": 7, "created_at": "2025-06-04T01:20:00", "text": "tea"}
    ok(*there, "ingest", "-", "--thread", "chat", stdin=json.dumps(given) + "\n")
    [one] = memories(there)
    assert (one["thread"], one["speaker"], one["said_at"]) == ("chat", "user 7", TIME_MS)
    assert "message_id" not in one.get("metadata", {})


def test_messages_without_ids_are_told_apart_by_all_that_they_say(there):
    def text(*said: str) -> str:
        return "".join(line(1, one, id=None) for one in said)

    ok(*there, "ingest", "-", stdin=text("ha", "ha", "tea"))
    ok(*there, "ingest", "-", stdin=text("ha", "ha", "tea", "ha"))
    assert [content for _, _, content in kept(there)] == ["ha", "ha", "tea", "ha"]


def test_ids_that_are_long_numbers_or_texts_of_them_are_told_apart(there):
    longest = 10**20 - 1
    ids = (longest, longest - 1, 2**63, "1" * 40, "1" * 39 + "2")
    ok(*there, "ingest", "-", stdin="".join(line(n, id=one) for n, one in enumerate(ids)))
    brought = sorted(memories(there), key=lambda one: one["position"])
    assert [one["metadata"]["message_id"] for one in brought] == list(map(str, ids))


def test_the_same_id_in_two_threads_is_two_messages(there):
    ok(*there, "ingest", "-", stdin=line(1) + line(1, thread="u"))
    assert {thread for thread, _, _ in kept(there)} == {"t", "u"}


def test_more_threads_than_are_looked_up_at_once_each_keep_their_order(there):
    text = "".join(line(n, thread=f"t{n % 50:02}") for n in range(150))
    ok(*there, "ingest", "-", stdin=text)
    assert [(t, p) for t, p, _ in kept(there)] == [
        (f"t{thread:02}", position) for thread in range(50) for position in range(3)
    ]


def test_what_says_nothing_is_left_out_and_counted(there):
    said = ok(*there, "ingest", "-", stdin=line(1, " ") + "\n" + line(2)).stderr
    assert said.splitlines() == [
        "ingested: 1, there already: 0",
        "left out: messages without text: 1",
    ]


def test_what_is_too_long_is_left_out_and_told_by_its_lines(there):
    said = ok(*there, "ingest", "-", stdin=line(1) + line(2, "t" * 100_001) + line(3)).stderr
    assert said.splitlines() == [
        "ingested: 2, there already: 0",
        "left out: messages of more than 100,000 characters: 1 (line 2)",
    ]


def test_a_text_is_kept_as_it_is_and_half_of_a_surrogate_pair_is_a_question_mark(there):
    whole = "Größe\n東京 🙂 \t\u202e"
    ok(*there, "ingest", "-", stdin=line(1, whole) + line(2, "\ud83d!"))
    assert [content for _, _, content in kept(there)] == [whole, "?!"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("{", "is not a JSON object"),
        ("[]", "is not a JSON object"),
        ("{}", "text: is missing"),
        (line(1, text=5), "text: must be text, not a number"),
        (line(1, text="a\0b"), "text: must not contain a NUL character or a lone surrogate"),
        (line(1, thread=None), "thread: must be text, not null; --thread names one for all"),
        (line(1, thread=" "), "thread: must not be empty"),
        (line(1, speaker=None), "speaker: must be text, not null"),
        (line(1, id=[]), "id: must be text, not a list"),
        (line(1, time_ms=None), "time_ms: must be unix milliseconds or ISO 8601"),
        (line(1, time_ms=1_749_000_000), "time_ms: must be milliseconds, not seconds"),
        (line(1, time_ms="soon"), "time_ms: must be unix milliseconds or ISO 8601"),
        (line(1, time_ms=True), "time_ms: must be unix milliseconds or ISO 8601"),
        (line(1, time_ms="9999-12-31T18:00Z"), "time_ms: must be unix milliseconds or ISO 8601"),
        (line(1, id=10**20), "id: is too long a number; write it as text"),
        (line(1, thread=-(10**30)), "thread: is too long a number; write it as text"),
        (line(100, "Another text"), 'id: "100" is that of line 1 too, which says something else'),
    ],
)
def test_a_line_that_is_wrong_is_told_by_its_number_and_all_before_it_is_in(there, wrong, told):
    text = line(100) + line(101) + wrong.strip() + "\n" + line(102)
    refused = fails(*there, "ingest", "-", stdin=text)
    assert refused.stderr == f"concept-graph-mcp: line 3: {told}; all up to line 2 is in\n"
    assert len(kept(there)) == 2
    # Once it is put right, the same command brings in the others, in their order.
    ok(*there, "ingest", "-", stdin=lines(3, first=100))
    assert [content for _, _, content in kept(there)] == [f"Message {n}" for n in (100, 101, 102)]


def test_what_is_not_utf_8_is_told_by_its_line(there, tmp_path):
    file = tmp_path / "messages.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + line(1).encode() + b'{"text": "\xff"}\n')
    refused = run(*there, "ingest", str(file))
    assert refused.stderr == (
        "concept-graph-mcp: line 2: is not UTF-8 text; all up to line 1 of 2 is in\n"
    )


def test_a_file_that_is_not_there_is_told(there, tmp_path):
    refused = fails(*there, "ingest", str(tmp_path / "none.jsonl"))
    assert "No such file or directory" in refused.stderr


def test_ctrl_c_finishes_a_batch_and_the_same_command_goes_on(there, small_batches, monkeypatch):
    ingest, batches = calls.memories.ingest, []

    def press(*arguments: Any) -> Any:
        batches.append(arguments)
        if len(batches) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return ingest(*arguments)

    monkeypatch.setattr(calls.memories, "ingest", press)
    stopped = run(*there, "ingest", "-", stdin=lines(25))
    assert stopped.exit_code == 130
    assert stopped.stderr == (
        "concept-graph-mcp: interrupted; all up to line 20 is in;"
        " the same command with the same input goes on from here\n"
    )
    assert ok(*there, "ingest", "-", stdin=lines(25)).stderr == "ingested: 5, there already: 20\n"


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_nothing_half_and_the_next_one_completes_it(there, tmp_path):
    file = tmp_path / "messages.jsonl"
    file.write_text(lines(3_000))
    command = [sys.executable, "-m", "concept_graph_mcp", *there]
    with subprocess.Popen([*command, "ingest", "-"], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(lines(2_001).encode())
        process.stdin.flush()
        while len(kept(there)) < 500:
            assert process.poll() is None
        process.kill()
    before = kept(there)
    assert (len(before) - storing._FIRST) % storing._BATCH == 0
    said = ok(*there, "ingest", str(file)).stderr
    assert said == f"ingested: {3_000 - len(before):,}, there already: {len(before):,}\n"
    assert kept(there) == [("t", n, f"Message {n}") for n in range(3_000)]


def test_two_users_keep_the_same_file_apart(there, monkeypatch):
    for user in ("ann", "bob", "ann"):
        monkeypatch.setenv("CONCEPT_GRAPH_USER", user)
        ok(*there, "ingest", "-", stdin=lines(3))
    assert sorted(one["user_id"] for one in memories(there)) == ["ann"] * 3 + ["bob"] * 3


def test_a_thread_without_a_name_is_refused(there, tmp_path: Path):
    refused = run(*there, "ingest", "-", "--thread", " ", stdin=lines(1))
    assert refused.stderr == "concept-graph-mcp: --thread: must not be empty\n"
