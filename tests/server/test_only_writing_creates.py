"""A store is made by what is first written, never by a question asked at the wrong place."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mcp.client.client import Client
from tests.columns import set_columns

from concept_graph_mcp.__main__ import main
from concept_graph_mcp.errors import Unavailable
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.settings import read

Caller = Callable[..., Any]


@pytest.fixture
def missing(tmp_path, monkeypatch) -> Path:
    """The path of a file that is not there, below a folder that is not there either."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("CONCEPT_GRAPH_EMBEDDED", raising=False)
    set_columns(monkeypatch, 160)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "typed" / "wrong.db"


def run(path: Path, *arguments: str, stdin: str | None = None):
    return CliRunner().invoke(main, [f"--embedded={path}", *arguments], input=stdin)


def everything(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.mark.parametrize(
    "command",
    [
        ["stats"],
        ["concept", "recall", "apple"],
        ["concept", "search", "apple"],
        ["view", "--no-open"],
        ["export", "out.jsonl"],
        ["export", "-"],
        ["backup"],
        ["clean", "--yes"],
        ["concept", "rename", "apple", "pear", "--yes"],
        ["concept", "remove", "apple", "--yes"],
    ],
    ids=" ".join,
)
def test_a_command_that_does_not_write_creates_nothing_and_says_that_there_is_no_store(
    missing, tmp_path, command
):
    refused = run(missing, *command)
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"concept-graph-mcp: store {missing}: there is no such store yet;"
        " the first write creates it\n"
    )
    assert everything(tmp_path) == []


def findings(path: Path) -> dict[str, Any]:
    found = json.loads(run(path, "doctor", "--json").stdout)["findings"]
    return {one["what"]: one for one in found}


def test_doctor_is_content_where_nothing_was_written_yet_and_creates_nothing(missing, tmp_path):
    report = run(missing, "doctor")
    assert (report.exit_code, "✗" in report.stdout) == (0, False)
    state = findings(missing)["embedded store"]["state"]
    assert state == f"{missing}: no store yet; the first write creates it"
    assert everything(tmp_path) == []


def test_doctor_reports_where_no_store_can_be_made(tmp_path, missing):
    file = tmp_path / "file"
    file.touch()
    assert run(file / "memory.db", "doctor").exit_code == 1
    found = findings(file / "memory.db")["embedded store"]
    assert found["wrong"] is True
    assert "is not a directory" in found["state"]


def test_an_empty_file_is_told_as_lost_and_stays_empty(tmp_path, missing):
    file = tmp_path / "empty.db"
    file.touch()
    assert "it has 0 bytes; restore a backup" in run(file, "stats").stderr
    assert everything(tmp_path) == [file]
    assert file.read_bytes() == b""


def test_an_import_creates_the_store(missing):
    assert run(missing, "import", "-", stdin="apple\tis-a\tfruit\n").exit_code == 0
    assert "apple is-a fruit" in run(missing, "concept", "recall", "apple").stdout


@pytest.mark.parametrize("content", ["", "apple\tlikes\tpear\n", '{"kind": "song"}\n'])
def test_an_import_that_brings_nothing_in_creates_nothing(missing, tmp_path, content):
    run(missing, "import", "-", stdin=content)
    assert everything(tmp_path) == []


@pytest.mark.parametrize("command", ["restore", "reset"])
def test_a_restore_of_what_is_not_there_creates_nothing(missing, tmp_path, command, monkeypatch):
    monkeypatch.setenv("CORE_RESET_COMMAND", "false")
    refused = run(missing, command, "nosuch.db", "--yes")
    assert refused.exit_code == 1
    assert "nosuch.db: no such backup" in refused.stderr
    assert everything(tmp_path) == []


def test_a_restore_creates_the_store(missing, tmp_path):
    other = tmp_path / "other.db"
    assert run(other, "import", "-", stdin="apple\tis-a\tfruit\n").exit_code == 0
    assert run(missing, "restore", str(other), "--yes").exit_code == 0
    assert "apple is-a fruit" in run(missing, "concept", "recall", "apple").stdout


def session(path: Path) -> Session:
    settings = read({}, str(path))
    made = Session(EmbeddedStore(path), settings.tau_ms, settings.zone, Clock())
    return replace(made, concepts=settings.concepts)


@pytest.fixture
def client(missing, portal) -> Iterator[Caller]:
    """A client of a server whose store is not there."""

    def connected() -> Client:
        # Made inside the event loop that it is used in.
        return Client(build(session(missing), watch_store=True))

    with portal.wrap_async_context_manager(portal.call(connected)) as client:
        yield lambda tool, **arguments: portal.call(client.call_tool, tool, arguments)


def test_a_server_answers_out_of_nothing_and_creates_its_store_when_it_first_writes(
    client, missing, tmp_path
):
    found = client("concept_search", keywords=["apple"])
    assert found.structured_content["concepts"] == []
    recalled = client("recall_query", seeds=["apple"], max_hop=2)
    assert recalled.structured_content["propositions"] == []
    assert client("update_affect", target="apple", valence_delta=7).is_error
    assert everything(tmp_path) == []

    kept = client("concept_upsert", concept="apple")
    assert kept.structured_content == {"concept_id": "apple", "created": True}
    assert missing.exists()
    found = client("concept_search", keywords=["apple"])
    assert found.structured_content["concepts"] == ["apple"]


def test_a_server_sees_the_store_that_somebody_else_makes(client, missing):
    client("concept_search", keywords=["fruit"])
    assert run(missing, "import", "-", stdin="apple\tis-a\tfruit\n").exit_code == 0
    found = client("concept_search", keywords=["fruit"])
    assert "fruit" in found.structured_content["concepts"]


def test_where_no_store_can_be_made_is_told_before_anything_is_written(tmp_path, portal):
    (tmp_path / "file").write_text("text")
    store = EmbeddedStore(tmp_path / "file" / "memory.db")
    with pytest.raises(Unavailable, match="file is not a directory"):
        portal.call(store.open)
