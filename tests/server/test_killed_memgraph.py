"""A Memgraph that is killed after anything that touches vectors starts again with all of it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from memgraph_lives import Life
from memgraph_process import VARIABLE, MemgraphProcess
from tests.conftest import NOW_MS

from concept_graph_mcp import calls

pytestmark = pytest.mark.skipif(
    VARIABLE not in os.environ, reason=f"needs {VARIABLE}: what starts a Memgraph"
)
USER = {"user_id": "default"}
# Enough for an index to have, and more than one part.
SOME = [f"m{number:02}" for number in range(30)]
RETENTION_MS = 1_000


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MemgraphProcess]:
    made = MemgraphProcess(tmp_path / "memgraph")
    yield made
    made.kill()


class Started(Life):
    """What is done to the graph of one server, by one client after the other."""

    def __init__(self, server: MemgraphProcess, portal: Any, directory: Path) -> None:
        super().__init__(server, portal)
        self._directory = directory
        memories = [{"kind": "memory", "id": one, "content": f"About {one}"} | USER for one in SOME]
        self.memory.import_rows(memories)
        self.embed("toy", 3)
        self.exported = self.memory.records()

    def embed(self, model: str, dimension: int, again: bool = False) -> None:
        """Do what the command `embed` does."""
        while not self.memory.run(calls.embedding.choose(model, dimension, again))[0]["chosen"]:
            pass
        self.call(self.store.fit_vectors)
        rows = self.memory.run(calls.embedding.lacking(len(SOME)))
        vector = [1.0] + [0.5] * (dimension - 1)
        self.memory.run(calls.embedding.embed(model, [row | {"vector": vector} for row in rows]))

    def clean(self) -> None:
        self.call(self.store.restore, None)

    def restore(self) -> None:
        file = self._directory / "backup.jsonl.gz"
        self.call(self.store.backup, file)
        self.memory.import_rows([{"kind": "concept", "name": "later"}])
        self.call(self.store.restore, file)

    def bring(self) -> None:
        """Import memories and an entity with their vectors."""
        more = [one | {"id": f"{one['id']}-2"} for one in self.exported if "content" in one]
        named = {"node_type": "entity", "node_label": "Ann", "canonical_name": "ann"}
        entity = {"kind": "entity", "id": "ann", "user_id": "default", "embedding": [1.0, 0.5, 0.5]}
        self.memory.import_rows([*self.exported, *more, entity | named])

    def forget(self) -> None:
        for one in SOME[:3]:
            self.memory.run(calls.memories.forget(one), **USER)

    def purge(self) -> None:
        self.forget()
        later = {**USER, "now_ms": NOW_MS + 2 * RETENTION_MS}
        call = calls.memories.purge(RETENTION_MS, SOME[:3])
        assert len(self.memory.run(call, **later)) == 3

    def embed_again(self) -> None:
        self.embed("other", 5, again=True)

    def embed_as_before(self) -> None:
        self.embed("toy", 3, again=True)


DONE = {
    "nothing more": [],
    "restore": [Started.restore],
    "import": [Started.bring],
    "forget": [Started.forget],
    "purge": [Started.purge],
    "clean": [Started.clean],
    "embed --again": [Started.embed_again],
    "embed --again with the same": [Started.embed_as_before],
    "purge, embed --again": [Started.purge, Started.embed_again],
    "purge, restore": [Started.purge, Started.restore],
    "embed --again, restore, clean": [Started.embed_again, Started.restore, Started.clean],
    "clean, import": [Started.clean, Started.bring],
}


@pytest.mark.slow
@pytest.mark.parametrize("done", DONE)
def test_it_starts_again_with_all_there_was(server, portal, tmp_path, done):
    life = Started(server, portal, tmp_path)
    for step in DONE[done]:
        step(life)
    before = life.memory.records()
    # At once, and after another client has made what vectors are found by fit what there is.
    for _ in range(2):
        life.disconnect()
        server.kill()
        server.start()
        life.connect()
        assert life.memory.records() == before
        assert life.memory.run(calls.transfer.check()) == []
    vectors = [one["embedding"] for one in before if "embedding" in one]
    if vectors:
        [model] = [one["model"] for one in before if one["kind"] == "embedding"]
        found = calls.memories.search("default", "Ann", embedded=(model, vectors[0]))
        assert life.memory.run(found, **USER)
    life.disconnect()
