"""A store file has one owner: what an earlier version shared there becomes theirs, once."""

import json
from functools import partial

import anyio
import pytest
from command_line import ok, run
from mcp.client.client import Client

from concept_graph_mcp import Memory
from concept_graph_mcp.hosts.lazy import connect
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Session
from concept_graph_mcp.settings_file import read_settings
from concept_graph_mcp.sharing import adopt_shared

SHARED = [
    {"kind": "concept", "name": "apple", "valence": 0.7, "accessed_at": 1},
    {"kind": "episode", "name": "20250615/apple", "summary": "Bought apples", "accessed_at": 1},
    {"kind": "relation", "from": "apple", "to": "fruit", "type": "is-a", "weight": 0.4},
]


@pytest.fixture
def file(plain_environment, tmp_path, monkeypatch):
    """A file of an earlier version: nothing but shared concepts."""
    path = tmp_path / "memory.db"
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "shared")
    ok(f"--embedded={path}", "import", "-", stdin="\n".join(map(json.dumps, SHARED)))
    monkeypatch.delenv("CONCEPT_GRAPH_CONCEPTS")
    return path


def export(file):
    lines = ok(f"--embedded={file}", "export", "-").stdout.splitlines()[1:]
    kinds = {"concept", "episode", "relation"}
    return [row for row in map(json.loads, lines) if row["kind"] in kinds]


def copies(file):
    return [one for one in file.parent.iterdir() if ".shared-" in one.name]


def test_the_first_command_makes_them_the_owners_and_says_so_once(file):
    first = ok(f"--embedded={file}", "about", "apple")
    assert 'belong to the user "default" now' in first.stderr
    assert "apple is-a fruit" in first.stdout
    [copy] = copies(file)
    assert copy.stat().st_mode & 0o077 == 0
    assert ok(f"--embedded={file}", "about", "apple").stderr == ""
    assert {row["user_id"] for row in export(file)} == {"default"}
    assert all("user_id" not in row for row in export_shared(copy))


def export_shared(file):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONCEPT_GRAPH_CONCEPTS", "shared")
        return export(file)


def test_they_stay_where_another_user_has_something(file, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "shared")
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "bob")
    ok(f"--embedded={file}", "remember", "Bob bakes")
    monkeypatch.delenv("CONCEPT_GRAPH_CONCEPTS")
    monkeypatch.delenv("CONCEPT_GRAPH_USER")
    assert "belong to" not in run(f"--embedded={file}", "about", "apple").stderr
    assert copies(file) == []
    assert all("user_id" not in row for row in export(file))
    found = json.loads(ok(f"--embedded={file}", "doctor", "--json").stdout)["findings"]
    [told] = [one for one in found if one["what"] == "shared concepts"]
    assert told["mend"] == "CONCEPT_GRAPH_CONCEPTS=shared"
    assert "bob" in told["state"]


@pytest.mark.parametrize("whose", ["own", "shared"])
def test_they_stay_where_the_environment_says_whose(file, monkeypatch, whose):
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", whose)
    run(f"--embedded={file}", "about", "apple")
    assert copies(file) == []
    assert all("user_id" not in row for row in export(file))


def test_the_owners_commands_over_all_users_convert_nothing(file):
    ok(f"--embedded={file}", "users", "list")
    ok(f"--embedded={file}", "check")
    ok(f"--embedded={file}", "doctor")
    assert copies(file) == []


def test_what_is_imported_is_the_owners_too_and_needs_no_copy(plain_environment, tmp_path):
    store = f"--embedded={tmp_path / 'memory.db'}"
    told = ok(store, "import", "-", stdin="\n".join(map(json.dumps, SHARED))).stderr
    assert "belong to the user" in told
    assert copies(tmp_path / "memory.db") == []
    assert "apple is-a fruit" in ok(store, "about", "apple").stdout
    told = ok(store, "import", "-", stdin="pear\tis-a\tfruit\n").stderr
    assert 'The concepts belong to the user "default".' in told


@pytest.fixture
def unwritable(file, monkeypatch):
    async def told(_):
        return "the file cannot be written from here"

    monkeypatch.setattr(EmbeddedStore, "unwritable", told)
    return file


def test_a_file_that_cannot_be_written_is_read_as_it_is_by_commands_and_from_python(unwritable):
    assert "apple is-a fruit" in ok(f"--embedded={unwritable}", "about", "apple").stdout
    with Memory.open(unwritable) as memory:
        assert memory.about("apple")["relations"] == ["apple is-a fruit"]
    assert all("user_id" not in row for row in export_shared(unwritable))


def test_a_server_reads_it_as_it_is_too(unwritable):
    async def ask() -> list[str]:
        chosen = read_settings(str(unwritable), "everyday")
        store = connect(chosen)
        session = Session.of(store, chosen)
        adopts = partial(adopt_shared, chosen, store, session)
        async with Client(build(session, False, True, adopts=adopts, toolsets=["everyday"])) as one:
            answer = await one.call_tool("about", {"name": "apple"})
            return answer.structured_content["relations"]

    assert anyio.run(ask) == ["apple is-a fruit"]


def test_the_first_call_to_a_server_waits_until_they_are_the_owners(file):
    async def ask() -> list[str]:
        chosen = read_settings(str(file), "everyday")
        store = connect(chosen)
        session = Session.of(store, chosen)

        async def adopts() -> str | None:
            # The copy of a large file takes a while.
            await anyio.sleep(0.2)
            return await adopt_shared(chosen, store, session)

        async with Client(build(session, False, True, adopts=adopts, toolsets=["everyday"])) as one:
            answer = await one.call_tool("about", {"name": "apple"})
            return answer.structured_content["relations"]

    assert anyio.run(ask) == ["apple is-a fruit"]


def test_python_makes_them_the_owners_too(file):
    with Memory.open(file) as memory:
        assert memory.about("apple")["relations"] == ["apple is-a fruit"]
    assert {row["user_id"] for row in export(file)} == {"default"}
    assert len(copies(file)) == 1
