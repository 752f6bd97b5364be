"""A Memgraph that is killed in the middle of long work starts, and has all that it had.

    KILLS=30 pytest -s tests/server/test_killed_busy_memgraph.py

kills it so many times in the middle of each work, and prints what it was doing then.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import neo4j
import pytest
from memgraph_lives import Kills, Life
from memgraph_process import VARIABLE, MemgraphProcess
from tests.server.command_line import ok, run

from concept_graph_mcp import calls

pytestmark = pytest.mark.skipif(
    VARIABLE not in os.environ, reason=f"needs {VARIABLE}: what starts a Memgraph"
)
KILLS = int(os.environ.get("KILLS", "2"))
VECTORS, DIMENSION, BATCH = 2_000, 128, 500
USER = {"user_id": "default"}
MEMORIES = [
    {"kind": "memory", "id": f"m{number:05}", "content": f"About {number}"} | USER
    for number in range(VECTORS)
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MemgraphProcess]:
    made = MemgraphProcess(tmp_path / "memgraph")
    yield made
    made.kill()


@pytest.fixture
def life(server, portal) -> Iterator[Life]:
    made = Life(server, portal)
    yield made
    made.disconnect()


def fill(life: Life) -> None:
    for start in range(0, VECTORS, BATCH):
        life.memory.import_rows(MEMORIES[start : start + BATCH])


def embed(life: Life) -> None:
    """Store vectors, for which no index is made yet."""
    while not life.memory.run(calls.embedding.choose("toy", DIMENSION, False))[0]["chosen"]:
        pass
    random = Random(1)
    while rows := life.memory.run(calls.embedding.lacking(BATCH)):
        # An index keeps floats of 32 bits, which these are.
        numbers = [[random.randrange(1, 64) / 64 for _ in range(DIMENSION)] for _ in rows]
        told = [row | {"vector": one} for row, one in zip(rows, numbers, strict=True)]
        life.memory.run(calls.embedding.embed("toy", told))


def drop_vector_indexes(server: MemgraphProcess) -> None:
    for row in server.rows("SHOW VECTOR INDEX INFO"):
        server.rows(f"DROP VECTOR INDEX {row['index_name']}")


def show(kills: Kills) -> None:
    print(dict(kills.fell), dict(kills.parts))  # noqa: T201


@pytest.mark.slow
def test_in_the_middle_of_a_vector_index(life):
    def index() -> None:
        life.call(life.store.fit_vectors)

    fill(life)
    embed(life)
    before = life.kept()
    kills = Kills(KILLS, re.compile(r"CREATE VECTOR INDEX \w+ ON :Memory").match)
    kills.measure(index)
    while kills.left:
        drop_vector_indexes(life.server)
        kills.kill_during(life.server, index)
        life.disconnect()
        life.connect()
        assert life.kept() == before
        assert life.memory.run(calls.transfer.check()) == []
        index()
        sizes = {row["size"] for row in life.server.rows("SHOW VECTOR INDEX INFO")}
        assert VECTORS in sizes
        nearest = calls.memories.search("default", "x", embedded=("toy", [0.5] * DIMENSION))
        assert life.memory.run(nearest, **USER)
    show(kills)


@pytest.mark.slow
def test_in_the_middle_of_a_clean(life):
    def clean() -> None:
        life.call(life.store.restore, None)

    fill(life)
    before = life.kept()
    kills = Kills(KILLS, re.compile("MATCH .* DETACH DELETE n$|COMMIT$").match)
    kills.measure(clean)
    gone = life.kept()
    while kills.left:
        if life.kept() != before:
            fill(life)
        assert life.kept() == before
        is_done = kills.kill_during(life.server, clean)
        life.disconnect()
        life.connect()
        # Only a commit that was not answered may have been made or not.
        assert life.kept() in ([gone] if is_done else [before, gone])
        assert life.memory.run(calls.transfer.check()) == []
    show(kills)


# Before it asks, and while it deletes.
@pytest.mark.slow
@pytest.mark.parametrize("killed_at", ["SHOW ", "MATCH (n:Memory) DETACH"])
def test_a_clean_that_loses_memgraph_ends_with_a_line(server, tmp_path, monkeypatch, killed_at):
    monkeypatch.setenv("MEMGRAPH_URI", server.uri)
    ok("remember", "Daniele prefers tea")
    run_statement = {one: one.run for one in (neo4j.AsyncSession, neo4j.AsyncTransaction)}

    def killing(kind: Any) -> Any:
        async def run_killing(one: Any, text: Any, *arguments: Any, **named: Any) -> Any:
            if str(getattr(text, "text", text)).startswith(killed_at):
                server.kill()
            return await run_statement[kind](one, text, *arguments, **named)

        return run_killing

    with monkeypatch.context() as patched:
        for kind in run_statement:
            patched.setattr(kind, "run", killing(kind))
        told = run("clean", "--yes", "--dir", str(tmp_path / "backups"))
    assert told.exit_code == 1
    assert told.stdout == ""
    [line] = told.stderr.splitlines()
    assert line == (
        f"concept-graph-mcp: the connection to Memgraph at {server.uri} was lost;"
        " nothing was written"
    )
    server.restart()
    assert "prefers tea" in ok("memories", "list").stdout
