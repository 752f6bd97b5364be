"""A Memgraph that is killed in the middle of long work starts, and has all that it had.

    KILLS=30 pytest -s tests/server/test_killed_busy_memgraph.py

kills it so many times at each work, and prints how many of them fell into the middle of it.
"""

import contextlib
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import neo4j
import pytest
from memgraph_process import VARIABLE, MemgraphProcess
from tests.conftest import NOW_MS, Memory

from concept_graph_mcp import calls
from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.stores.bolt.store import BoltStore

pytestmark = pytest.mark.skipif(
    VARIABLE not in os.environ, reason=f"needs {VARIABLE}: what starts a Memgraph"
)
KILLS = int(os.environ.get("KILLS", "2"))
DUMP = Path(__file__).parents[1] / "fixtures" / "memgraph-0.1.0.cypher"
VECTORS, DIMENSION, BATCH = 2_000, 128, 500
USER = {"user_id": "default"}
MEMORIES = [
    {"kind": "memory", "id": f"m{number:05}", "content": f"About {number}"} | USER
    for number in range(VECTORS)
]


class Life:
    """The graph of one *server*, of which clients come and go."""

    def __init__(self, server: MemgraphProcess, portal: Any) -> None:
        self.server, self._portal = server, portal
        self.fell: Counter[str] = Counter()
        self.connect()

    def connect(self) -> None:
        async def connected() -> BoltStore:
            store = BoltStore(self.server.uri, "", "")
            await store.open()
            return store

        self.store = self._portal.call(connected)
        self.memory = Memory(self.store, self._portal)

    def disconnect(self) -> None:
        with contextlib.suppress(StoreError):
            self._portal.call(self.store.close)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._portal.call(function, *arguments)

    def fill(self) -> None:
        for start in range(0, VECTORS, BATCH):
            self.memory.import_rows(MEMORIES[start : start + BATCH])

    def embed(self) -> None:
        """Store vectors, for which no index is made yet."""
        while not self.memory.run(calls.embedding.choose("toy", DIMENSION, False))[0]["chosen"]:
            pass
        random = Random(1)
        while rows := self.memory.run(calls.embedding.lacking(BATCH)):
            # An index keeps floats of 32 bits, which these are.
            numbers = [[random.randrange(1, 64) / 64 for _ in range(DIMENSION)] for _ in rows]
            told = [row | {"vector": one} for row, one in zip(rows, numbers, strict=True)]
            self.memory.run(calls.embedding.embed("toy", told))

    def took(self, action: Callable[[], Any]) -> float:
        began = time.monotonic()
        action()
        return time.monotonic() - began

    def kill_during(self, action: Callable[[], Any], after_s: float) -> None:
        """Kill the server *after_s* seconds from the begin of *action*, and start it again."""
        killer = threading.Timer(after_s, self.server.kill)
        killer.start()
        try:
            action()
            self.fell["after it"] += 1
        except StoreError:
            self.fell["in the middle"] += 1
        killer.join()
        self.disconnect()
        self.server.start()
        self.connect()

    def kept(self) -> list[str]:
        return sorted(json.dumps(one, sort_keys=True) for one in self.memory.records())


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
    print(dict(made.fell))  # noqa: T201


def moments(took_s: float) -> Iterable[float]:
    """Return the seconds after which to kill what takes *took_s*, spread over it."""
    return [took_s * (number + 0.5) / KILLS for number in range(KILLS)]


def drop_vector_indexes(server: MemgraphProcess) -> None:
    for row in server.rows("SHOW VECTOR INDEX INFO"):
        server.rows(f"DROP VECTOR INDEX {row['index_name']}")


def test_in_the_middle_of_a_vector_index(life):
    life.fill()
    life.embed()
    before = life.kept()
    took = life.took(lambda: life.call(life.store.fit_vectors))
    for after in moments(took):
        drop_vector_indexes(life.server)
        life.kill_during(lambda: life.call(life.store.fit_vectors), after)
        assert life.kept() == before
        assert life.memory.run(calls.transfer.check()) == []
        life.call(life.store.fit_vectors)
        sizes = {row["size"] for row in life.server.rows("SHOW VECTOR INDEX INFO")}
        assert VECTORS in sizes
        nearest = calls.memory_search.search("default", "x", embedded=("toy", [0.5] * DIMENSION))
        assert life.memory.run(nearest, **USER)


def test_in_the_middle_of_a_clean(life):
    life.fill()
    before = life.kept()
    took = life.took(lambda: life.call(life.store.restore, None))
    gone = life.kept()
    for after in moments(took):
        if life.kept() != before:
            life.fill()
        assert life.kept() == before
        life.kill_during(lambda: life.call(life.store.restore, None), after)
        assert life.kept() in (before, gone)
        assert life.memory.run(calls.transfer.check()) == []


class Dying:
    """Kills *server* once the driver has sent so many statements, *at*; then *delay_s* later."""

    def __init__(self, server: MemgraphProcess, at: int = 0, delay_s: float = 0.0) -> None:
        self.sent = 0
        self.killer: threading.Timer | None = None
        self._server, self._at, self._delay_s = server, at, delay_s

    @contextlib.contextmanager
    def watching(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        with monkeypatch.context() as patch:
            for kind in (neo4j.AsyncSession, neo4j.AsyncTransaction):
                patch.setattr(kind, "run", self._counted(kind.run))
            try:
                yield
            finally:
                if self.killer is not None:
                    self.killer.join()

    def _counted(self, run: Callable[..., Any]) -> Callable[..., Any]:
        async def counted(one: Any, *arguments: Any, **named: Any) -> Any:
            self.sent += 1
            if self.sent == self._at:
                self.killer = threading.Timer(self._delay_s, self._server.kill)
                self.killer.start()
            return await run(one, *arguments, **named)

        return counted


def load_first_version(server: MemgraphProcess) -> None:
    """Put the graph of version 0.1.0 into the server, and nothing else."""
    server.kill()
    server.empty()
    server.start()
    server.rows(*DUMP.read_text(encoding="utf-8").splitlines())
    server.rows(
        "MATCH (t:Text), (n) WHERE (n:Memory AND n.id = t.key) OR (n:Episode AND n.name = t.key)"
        " SET t.node = id(n)"
    )


def test_in_the_middle_of_a_migration(server, portal, monkeypatch):
    """The first connection of this version brings the graph of an earlier one to its form."""

    async def migrate() -> bool:
        store = BoltStore(server.uri, "", "")
        try:
            await store.open()
        except StoreError:
            return False
        finally:
            await store.close()
        return True

    def migrated(dying: Dying) -> bool:
        with dying.watching(monkeypatch):
            return bool(portal.call(migrate))

    load_first_version(server)
    whole = Dying(server)
    assert migrated(whole)
    life = Life(server, portal)
    wanted = life.kept()
    life.disconnect()
    random = Random(KILLS)
    for number in range(KILLS):
        load_first_version(server)
        at = 1 + number * whole.sent // KILLS
        is_whole = migrated(Dying(server, at, random.choice([0.0, 0.001, 0.003])))
        life.fell["after it" if is_whole else "in the middle"] += 1
        server.restart()
        life.connect()
        assert life.kept() == wanted
        assert life.memory.run(calls.transfer.check()) == []
        life.memory.run(calls.memories.create("default", "written later"), now_ms=NOW_MS, **USER)
        life.disconnect()
    print(f"{whole.sent} statements", dict(life.fell))  # noqa: T201
