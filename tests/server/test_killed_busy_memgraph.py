"""A Memgraph that is killed in the middle of long work starts, and has all that it had.

    KILLS=30 pytest -s tests/server/test_killed_busy_memgraph.py

kills it so many times in the middle of each work, and prints what it was doing then.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from memgraph_lives import Kills, Life
from memgraph_process import VARIABLE, MemgraphProcess
from tests.conftest import NOW_MS

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.memgraph.store import BoltStore

pytestmark = pytest.mark.skipif(
    VARIABLE not in os.environ, reason=f"needs {VARIABLE}: what starts a Memgraph"
)
KILLS = int(os.environ.get("KILLS", "2"))
DUMP = Path(__file__).parents[1] / "fixtures" / "memgraph-0.1.0.cypher"
VECTORS, DIMENSION, BATCH = 2_000, 128, 500
# Beside the dump, so that its statements take a while.
FORMER_CONCEPTS = 3_000
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
        nearest = calls.memory_search.search("default", "x", embedded=("toy", [0.5] * DIMENSION))
        assert life.memory.run(nearest, **USER)
    show(kills)


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


def load_first_version(server: MemgraphProcess) -> None:
    """Put a graph of version 0.1.0 into the server, and nothing else."""
    server.kill()
    server.empty()
    server.start()
    server.rows(*DUMP.read_text(encoding="utf-8").splitlines())
    server.rows(
        "MATCH (t:Text), (n) WHERE (n:Memory AND n.id = t.key) OR (n:Episode AND n.name = t.key)"
        " SET t.node = id(n)"
    )
    server.rows(
        f"UNWIND range(1, {FORMER_CONCEPTS}) AS number CREATE (:Concept {{name: 'Former Œ'"
        " + toString(number), valence: 0.0, arousal_level: 0.5, accessed_at: 1750000000000})"
    )


def test_in_the_middle_of_a_migration(server, portal):
    """The first connection of this version brings the graph of an earlier one to its form."""

    async def connect() -> None:
        store = BoltStore(server.uri, "", "")
        try:
            await store.open()
        finally:
            await store.close()

    def migrate() -> None:
        portal.call(connect)

    load_first_version(server)
    kills = Kills(KILLS, re.compile(r"CREATE|DROP|.*\bSET n\.|CALL conceptgraph\.index").match)
    kills.measure(migrate)
    life = Life(server, portal)
    wanted = life.kept()
    life.disconnect()
    while kills.left:
        load_first_version(server)
        kills.kill_during(server, migrate)
        life.connect()
        assert life.kept() == wanted
        assert life.memory.run(calls.transfer.check()) == []
        life.memory.run(calls.memories.create("default", "written later"), now_ms=NOW_MS, **USER)
        life.disconnect()
    show(kills)
