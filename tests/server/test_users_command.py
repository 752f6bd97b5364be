"""users: list who owns anything, export all of one user's data, delete it and prove it."""

import json
import sqlite3
from contextlib import closing

import pytest
from command_line import run

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite import database
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore

MARKS = {"ann": "annish", "bob": "bobbish"}


@pytest.fixture
def store(tmp_path, monkeypatch):
    path = tmp_path / "memory.db"
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDED", str(path))
    for user, mark in MARKS.items():
        monkeypatch.setenv("CONCEPT_GRAPH_USER", user)
        told = f"Clara has {mark} hazelnuts"
        made("remember", told, "--about", "Clara (sister)", "--said", told)
    return path


def made(*arguments, **given):
    result = run(*arguments, **given)
    assert result.exit_code == 0, result.output
    return result


def listed():
    return {row["user_id"]: row for row in json.loads(made("users", "list", "--json").stdout)}


@pytest.mark.usefixtures("store")
def test_a_list_says_who_owns_how_much():
    assert listed()["ann"]["memories"] == 1
    assert "bob" in made("users", "list").stdout


def test_an_export_has_all_of_one_user_and_nothing_of_another(store, monkeypatch, tmp_path):
    file = tmp_path / "ann.jsonl"
    made("users", "export", "ann", str(file))
    written = file.read_text(encoding="utf-8")
    assert "annish" in written
    assert "bobbish" not in written
    assert "bob" not in written
    before = listed()["ann"]
    other = store.with_name("other.db")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDED", str(other))
    made("import", str(file))
    # The one who imported may undo it.
    assert listed() == {"ann": before, "bob": {"user_id": "bob", "journals": 1}}
    assert run("check").stdout == "Nothing is wrong.\n"


def test_a_deletion_says_what_it_removed_and_that_nothing_is_left(store):
    before = listed()["bob"]
    said = made("users", "delete", "ann", "--yes").stdout
    assert "Removed concepts: 1" in said
    assert "Counted again: nothing is left." in said
    assert listed() == {"bob": before}
    # Deleted data are in no page of the file either.
    for file in store.parent.glob(f"{store.name}*"):
        assert b"annish" not in file.read_bytes()


def test_a_deletion_leaves_nothing_on_the_disk_while_a_server_has_the_store_open(store, portal):
    server = EmbeddedStore(store)
    portal.call(server.open)
    try:
        count = calls.transfer.count_user("bob")
        before = portal.call(server.call, count, {})
        assert "So has the disk" not in made("users", "delete", "ann", "--yes").stdout
        for file in store.parent.glob(f"{store.name}*"):
            assert b"annish" not in file.read_bytes()
        assert portal.call(server.call, count, {}) == before
    finally:
        portal.call(server.close)


def test_a_deletion_says_where_a_reader_keeps_data_on_the_disk(store, monkeypatch):
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0)
    with closing(sqlite3.connect(store)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        said = made("users", "delete", "ann", "--yes").stdout
    assert said.endswith(f"in {store.name}-wal, until all programs have closed the store.\n")


@pytest.mark.usefixtures("store")
def test_a_deletion_revokes_the_tokens_of_the_user():
    made("tokens", "add", "ann")
    made("tokens", "add", "bob")
    assert "Revoked tokens: 1" in made("users", "delete", "ann", "--yes").stdout
    assert [one["user"] for one in json.loads(made("tokens", "list", "--json").stdout)] == ["bob"]


@pytest.mark.usefixtures("store")
def test_a_deletion_asks_first():
    before = listed()
    assert run("users", "delete", "ann", stdin="n\n").exit_code != 0
    assert listed() == before


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("user", ["eve", "", "a\x1fb"])
def test_who_owns_nothing_is_told_in_one_line(user, tmp_path):
    before, file = listed(), tmp_path / "export.jsonl"
    for arguments in (["delete", user, "--yes"], ["export", user, str(file)]):
        result = run("users", *arguments)
        assert result.exit_code != 0
        assert len(result.stderr.splitlines()) == 1
    assert listed() == before
    assert not file.exists()
