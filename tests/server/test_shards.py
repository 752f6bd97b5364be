"""Users spread over several stores by a table, and moved from one store to another."""

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from memgraph_process import VARIABLE, MemgraphProcess

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Unwritable
from concept_graph_mcp.hosts import shards
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from concept_graph_mcp.hosts.shards import ShardedStore
from concept_graph_mcp.settings import SettingsError

NOW_MS = 1_750_000_000_000
URIS = {"one": ["bolt://one:7687"], "two": ["bolt://two:7687", "bolt://replica:7687"]}


def table(file: Path, **given: Any) -> Path:
    file.write_text(json.dumps({"stores": URIS, "by_hash": ["one", "two"]} | given))
    return file


@pytest.fixture
def file(tmp_path) -> Path:
    return table(tmp_path / "shards.json")


class Told:
    """A store that tells who asked it for what."""

    def __init__(self, uris: Any, heard: list[Any]) -> None:
        self.uris, self.heard = uris, heard

    async def call(self, call: calls.Call, context: Any) -> list[dict[str, Any]]:
        self.heard.append((self.uris[0], context["user_id"], call.procedure.name))
        return []


def test_users_are_spread_evenly_and_each_stays_where_they_are(file):
    made = shards.read(file)
    where = {f"user {number}": made.store_of(f"user {number}") for number in range(1_000)}
    assert min(Counter(where.values()).values()) > 400
    # The hash is part of the format: another one would look for users where they are not.
    assert [made.store_of(name) for name in ("ada", "bob", "日本")] == ["one", "one", "two"]
    moved = made.with_moved("ada", "two")
    assert {name for name in where if moved.store_of(name) != where[name]} == set()
    assert moved.store_of("ada") == "two"


def test_each_call_goes_to_the_store_of_its_user_and_a_move_is_noticed(file, portal):
    heard: list[Any] = []
    store = ShardedStore(file, lambda uris: Told(uris, heard))  # type: ignore[arg-type, return-value]
    read, write = calls.transfer.version(), calls.concepts.concept_upsert("tea")

    def ask(call: calls.Call, user: str) -> str:
        portal.call(store.call, call, {"user_id": user})
        return str(heard[-1][0])

    names = {uris[0]: name for name, uris in URIS.items()}
    made = shards.read(file)
    for user in ("ada", "bob", "日本"):
        assert names[ask(write, user)] == made.store_of(user)
    home = made.store_of("ada")
    shards.write(file, made.with_moving("ada"))
    with pytest.raises(Unwritable, match="ada is being moved"):
        ask(write, "ada")
    assert names[ask(read, "ada")] == home
    assert ask(write, "bob")
    away = next(name for name in URIS if name != home)
    shards.write(file, made.with_moved("ada", away))
    assert names[ask(write, "ada")] == away
    file.write_text("not a table")
    assert names[ask(write, "ada")] == away


@pytest.mark.parametrize(
    "given",
    [
        {"stores": {"one": []}},
        {"by_hash": []},
        {"by_hash": ["three"]},
        {"moved": {"ada": "three"}},
        {"stores": {"one": ["http://one"]}},
        {"stores": ["bolt://one"]},
        {"moved": 7},
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_a_line(file, given):
    with pytest.raises(SettingsError, match=r"shards\.json: ") as refusal:
        shards.read(table(file, **given))
    assert "\n" not in str(refusal.value)


def test_moves_at_once_do_not_undo_each_other(file):
    users = [f"user {number}" for number in range(8)]

    def move(user: str) -> None:
        for _ in range(5):
            shards.change(file, lambda table: table.with_moving(user))
            shards.change(file, lambda table: table.with_moved(user, "two"))

    threads = [threading.Thread(target=move, args=(user,)) for user in users]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert shards.read(file).moved == dict.fromkeys(users, "two")
    assert shards.read(file).moving == []
    assert [one.name for one in file.parent.iterdir()] == [file.name]


@pytest.fixture
def servers(tmp_path, monkeypatch) -> Iterator[dict[str, MemgraphProcess]]:
    if VARIABLE not in os.environ:
        pytest.skip(f"needs {VARIABLE}")
    monkeypatch.setenv("TZ", "UTC")
    made = {name: MemgraphProcess(tmp_path / name) for name in URIS}
    table(tmp_path / "shards.json", stores={name: [one.uri] for name, one in made.items()})
    yield made
    for one in made.values():
        one.kill()


async def bolt(uri: str) -> BoltStore:
    return BoltStore(uri, "", "")


def owners(server: MemgraphProcess, user: str) -> int:
    query = f"MATCH (n) WHERE n.user_id = '{user}' RETURN count(n) AS nodes"
    return int(server.rows(query)[0]["nodes"])


def test_a_user_is_moved_while_they_write(file, servers, portal):
    """Nothing acknowledged is lost, and a user who stays notices nothing."""
    home = shards.read(file).store_of("ada")
    away = next(name for name in URIS if name != home)
    stores = {one.uri: portal.call(bolt, one.uri) for one in servers.values()}
    store = ShardedStore(file, lambda uris: stores[uris[0]])
    portal.call(store.open)
    kept: dict[str, list[str]] = {"ada": [], "bob": []}
    refused: Counter[str] = Counter()
    done = threading.Event()

    def write(user: str) -> None:
        while not done.is_set():
            text = f"{user} has written number {len(kept[user])}"
            call = calls.memories.create(user, text)
            try:
                portal.call(store.call, call, {"now_ms": NOW_MS, "user_id": user})
                kept[user].append(text)
            except Unwritable:
                refused[user] += 1
                time.sleep(0.05)

    writers = [threading.Thread(target=write, args=(user,)) for user in kept]
    for one in writers:
        one.start()
    time.sleep(1)
    moved = run("users", "move", "ada", away, "--shards", str(file), "--wait", "2")
    time.sleep(1)
    done.set()
    for one in writers:
        one.join()
    assert moved.exit_code == 0, moved.output
    assert shards.read(file).store_of("ada") == away
    assert shards.read(file).moving == []
    assert refused["ada"] > 0
    assert refused["bob"] == 0
    for user, where in (("ada", away), ("bob", shards.read(file).store_of("bob"))):
        query = f"MATCH (m:Memory {{user_id: '{user}'}}) RETURN m.content AS content"
        assert sorted(row["content"] for row in servers[where].rows(query)) == sorted(kept[user])
    assert owners(servers[home], "ada") == 0
    for one in stores.values():
        portal.call(one.close)


def test_a_move_that_fails_leaves_the_user_where_they_are(file, servers, monkeypatch):
    home = shards.read(file).store_of("ada")
    away = next(name for name in URIS if name != home)
    arguments = ("--shards", str(file), "--wait", "0")
    assert "is in" in run("users", "move", "ada", home, *arguments).output
    assert "is no store" in run("users", "move", "ada", "three", *arguments).output
    monkeypatch.setenv("MEMGRAPH_URI", servers[home].uri)
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "ada")
    assert run("remember", "Tea is hot").exit_code == 0
    before = owners(servers[home], "ada")

    async def lost(*_: Any) -> dict[str, int]:
        raise OSError("the disk is full")

    from concept_graph_mcp.commands import moving

    with monkeypatch.context() as patch:
        patch.setattr(moving, "_copied", lost)
        assert run("users", "move", "ada", away, *arguments).exit_code == 1
    assert shards.read(file).moving == []
    assert owners(servers[home], "ada") == before
    assert owners(servers[away], "ada") == 0
    assert run("users", "move", "ada", away, *arguments).exit_code == 0
    assert owners(servers[away], "ada") == before


def test_a_move_that_was_killed_begins_anew(file, servers, monkeypatch):
    made = shards.read(file)
    home = made.store_of("ada")
    away = next(name for name in URIS if name != home)
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "ada")
    for name, text in ((home, "Tea is hot"), (away, "Half of a copy")):
        monkeypatch.setenv("MEMGRAPH_URI", servers[name].uri)
        assert run("remember", text).exit_code == 0
    move = ("users", "move", "ada", away, "--shards", str(file), "--wait", "0")
    assert "delete it there first" in run(*move).stderr
    shards.write(file, made.with_moving("ada"))
    assert run(*move).exit_code == 0
    rows = servers[away].rows("MATCH (m:Memory) RETURN m.content AS content")
    assert rows == [{"content": "Tea is hot"}]
    assert shards.read(file).moving == []


def test_a_move_that_was_killed_after_the_switch_is_finished(file, servers, monkeypatch):
    made = shards.read(file)
    home = made.store_of("ada")
    away = next(name for name in URIS if name != home)
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "ada")
    for name in (home, away):
        monkeypatch.setenv("MEMGRAPH_URI", servers[name].uri)
        assert run("remember", "Tea is hot").exit_code == 0
    shards.write(file, made.with_moved("ada", away))
    move = ("users", "move", "ada", away, "--shards", str(file), "--wait", "0")
    finished = run(*move)
    assert finished.exit_code == 0, finished.output
    assert f"Removed from {home}: " in finished.stdout
    assert owners(servers[home], "ada") == 0
    assert owners(servers[away], "ada") > 0
    assert f"is in {away} already" in run(*move).stderr


def test_what_was_written_after_the_copy_is_not_removed(file, servers, monkeypatch):
    """A server that hangs may end a write that it began before, however long one waits."""
    home = shards.read(file).store_of("ada")
    away = next(name for name in URIS if name != home)
    monkeypatch.setenv("MEMGRAPH_URI", servers[home].uri)
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "ada")
    assert run("remember", "Tea is hot").exit_code == 0

    from concept_graph_mcp.commands import moving

    copied = moving._copied

    async def late(source: Any, target: Any, user: str) -> dict[str, int]:
        owned = await copied(source, target, user)
        await source.run(calls.memories.create("ada", "Written late"))
        return owned

    with monkeypatch.context() as patch:
        patch.setattr(moving, "_copied", late)
        told = run("users", "move", "ada", away, "--shards", str(file), "--wait", "0")
    assert told.exit_code == 1
    assert "was written to after the copy" in told.stderr
    rows = servers[home].rows("MATCH (m:Memory) RETURN m.content AS content")
    assert {"content": "Written late"} in rows
