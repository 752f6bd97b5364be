"""Large exports: `ingest` holds a bounded part in memory, and goes on where it was ended."""

import json
import os
import signal
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from command_line import ok, run

from concept_graph_mcp import calls
from concept_graph_mcp.commands import storing
from concept_graph_mcp.file_formats import messages
from concept_graph_mcp.hosts.sqlite import cache
from conceptgraph_core.texts.words import languages

# Messages of a conversation.
EACH = 4
# It is left out, and makes each conversation longer than what is read of a file at once.
CODE = f"```\n{'x' * 20_000}\n```"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(storing, "_FIRST", 10)
    monkeypatch.setattr(storing, "_BATCH", 10)


def conversation(number: int) -> dict[str, Any]:
    """Return a conversation of ChatGPT, with words that no other one has."""
    mapping: dict[str, Any] = {}
    for place in range(EACH):
        own = f"m{number}-{place}"
        words = " ".join(f"w{number}x{place}y{word}" for word in range(20))
        said = {
            "id": own,
            "author": {"role": "user" if place % 2 == 0 else "assistant"},
            "create_time": 1_748_772_000 + number * 100 + place,
            "content": {"content_type": "text", "parts": [words, CODE]},
        }
        parent = f"m{number}-{place - 1}" if place else None
        mapping[own] = {"id": own, "parent": parent, "message": said}
    return {"conversation_id": f"c{number}", "mapping": mapping, "current_node": own}


def export(file: Path, count: int, first: int = 0) -> Path:
    file.write_text(json.dumps([conversation(n) for n in range(first, first + count)]))
    return file


def lines(file: Path, count: int) -> Path:
    """Write as many messages of our own format, half of them without an id."""
    made = [
        {
            "text": f"word{n}",
            "thread": f"t{n // EACH}",
            "time_ms": 1_748_772_000_000,
            "speaker": "a",
        }
        | ({"id": n} if n % 2 else {})
        for n in range(count * EACH)
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in made))
    return file


def counts(*arguments: str) -> str:
    return ok(*arguments).stderr.splitlines()[0]


@pytest.fixture
def small_caches(monkeypatch):
    monkeypatch.setattr(cache, "MAX_BYTES", 1 << 15)
    monkeypatch.setattr(messages, "_COMPARED", 20)
    # The package has a function of the module's name.
    terms = sys.modules["conceptgraph_core.texts.words.terms"]
    for remembered in ("_remembered", "_remembered_long"):
        monkeypatch.setattr(terms, remembered, terms.__dict__["_terms"])
    monkeypatch.setattr(languages, "_REMEMBERED_TERMS", 100)


@pytest.mark.slow
@pytest.mark.usefixtures("small_caches")
@pytest.mark.parametrize("written", [export, lines])
def test_memory_does_not_grow_with_the_file(there, tmp_path, written):
    peaks = []
    # The first one makes what is made once.
    for number, count in enumerate((10, 20, 60)):
        file = written(tmp_path / f"conversations{number}.json", count)
        tracemalloc.start()
        ok(*there, "ingest", str(file))
        # A copy has no mark, so that it is compared with the store.
        ok(*there, "ingest", str(file.rename(tmp_path / f"copy{number}.json")))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.3 * peaks[1], peaks


@pytest.fixture
def sent(monkeypatch) -> list[list[str]]:
    """The texts of each call that stores messages."""
    calls_made: list[list[str]] = []
    ingest = calls.memories.ingest

    def noted(scope: str, given: Any) -> Any:
        calls_made.append([one["text"] for one in given])
        return ingest(scope, given)

    monkeypatch.setattr(calls.memories, "ingest", noted)
    return calls_made


def test_an_export_that_was_interrupted_goes_on_where_it_ended(there, tmp_path, monkeypatch, sent):
    file = export(tmp_path / "conversations.json", 8)
    ingest = calls.memories.ingest

    def press(*arguments: Any) -> Any:
        if len(sent) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return ingest(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(calls.memories, "ingest", press)
        assert run(*there, "ingest", str(file)).exit_code == 130
    # Two batches of ten, of which the first ends within a conversation.
    stored = [text for texts in sent for text in texts]
    assert len(stored) == 20
    sent.clear()
    assert counts(*there, "ingest", str(file)) == "ingested: 12, there already: 20"
    assert not {text for texts in sent for text in texts} & set(stored)
    sent.clear()
    assert counts(*there, "ingest", str(file)) == "ingested: 0, there already: 32"
    assert sent == []


@pytest.mark.slow
def test_an_export_that_was_made_anew_is_compared_by_ids(there, tmp_path, sent):
    file = export(tmp_path / "conversations.json", 8)
    ok(*there, "ingest", str(file))
    sent.clear()
    # The latest conversation comes first, as in an export of ChatGPT, and an old one went on.
    anew = [conversation(n) for n in (8, 0, 1, 2, 3, 4, 5, 6, 7)]
    anew[5]["mapping"]["more"] = {
        "id": "more",
        "parent": anew[5]["current_node"],
        "message": {
            "id": "more",
            "author": {"role": "user"},
            "create_time": 1_748_779_000,
            "content": {"content_type": "text", "parts": ["And one more"]},
        },
    }
    anew[5]["current_node"] = "more"
    anew[6]["mapping"]["m5-0"]["message"]["content"]["parts"] = ["Another text"]
    file.write_text(json.dumps(anew))
    said = ok(*there, "ingest", str(file)).stderr.splitlines()
    assert said[0] == "ingested: 5, there already: 32"
    assert "there already: with another text, speaker or time, and left so: 1 (message 26)" in said
    # The first batch alone is sent before any message is known to be stored.
    assert len(sent) == 2
    assert sent[1] == ["And one more"]
