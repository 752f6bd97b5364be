"""A search by the nearest of 100,000 vectors of 256 numbers: of a scope with 98 %, one with 2 %.

Beside them NumPy on a matrix that has nothing but the vectors. On Memgraph, whose index is built at
about a millisecond a vector, 20,000.
"""

from collections.abc import Iterator
from typing import Any

import neo4j
import numpy as np

from concept_graph_mcp import calls
from conceptgraph_core.memories.schema import MEMORY

from .harness import Figure, Setup, interleaved
from .stores import NOW_MS, Bolt, Caller, Embedded

SIZE, SIZE_ON_MEMGRAPH, QUICK = 100_000, 20_000, 20_000
DIMENSION, LIMIT = 256, 10
# One in so many is of the small scope.
_SMALL = 50
_SCOPES = {"98 %": "large", "2 %": "small"}
_BATCH = 2_000
_MODEL = "toy"


def run(setup: Setup) -> Iterator[Figure]:
    vectors = _vectors(QUICK if setup.quick else SIZE)
    store = Embedded(setup.folder / "nearest.db")
    store.run(calls.embedding.choose(_MODEL, DIMENSION, again=False))
    for first in range(0, len(vectors), _BATCH):
        records = [_record(first + n, one) for n, one in enumerate(vectors[first : first + _BATCH])]
        store.run(calls.transfer.import_rows(records))
    yield from _measured(setup, store, vectors, "embedded", exact=True)
    store.close()
    if setup.memgraph:
        vectors = vectors[:SIZE_ON_MEMGRAPH]
        _fill(setup.memgraph, vectors)
        bolt = Bolt(setup.memgraph)
        bolt.run(calls.embedding.choose(_MODEL, DIMENSION, again=False))
        yield from _measured(setup, bolt, vectors, "Memgraph", exact=False)
        bolt.close()


def _measured(
    setup: Setup, store: Caller, vectors: Any, where: str, exact: bool
) -> Iterator[Figure]:
    chance = np.random.default_rng(2)
    lengths = np.linalg.norm(vectors, axis=1)
    small = np.arange(len(vectors)) % _SMALL == 0
    for scope, user in _SCOPES.items():
        of = small if user == "small" else ~small

        def by_hand(question: Any, of: Any = of) -> list[str]:
            near = np.where(of, vectors @ question / lengths, -np.inf)
            return [f"m{n}" for n in np.argsort(-near)[:LIMIT]]

        def ours(question: Any, user: str = user) -> list[dict[str, Any]]:
            # No text has the word.
            embedded = _MODEL, tuple(question.tolist())
            call = calls.memories.search(user, "xyzzy", LIMIT, embedded=embedded)
            return store.run(call._replace(context={**call.context, "user_id": user}))

        question = chance.standard_normal(DIMENSION)
        found = [row["memory_id"] for row in ours(question)]
        assert len(found) == LIMIT
        if exact or scope == "2 %":
            assert found == by_hand(question)
        sides = (
            lambda ours=ours: ours(chance.standard_normal(DIMENSION)),
            lambda by_hand=by_hand: by_hand(chance.standard_normal(DIMENSION).astype(np.float32)),
        )
        measured, compared = interleaved(sides, setup.times(30))
        aim = "< 30 ms" if exact else ""
        what = f"of {len(vectors):,}, {scope}, {where}"
        yield Figure(what, measured, "NumPy", compared, aim)


def _vectors(size: int) -> Any:
    return np.random.default_rng(1).standard_normal((size, DIMENSION)).astype(np.float32)


def _record(number: int, vector: Any) -> dict[str, Any]:
    return {
        "kind": "memory",
        "id": f"m{number}",
        "user_id": "large" if number % _SMALL else "small",
        "content": f"memory {number}",
        "created_at": NOW_MS,
        "accessed_at": NOW_MS,
        "embedding": vector.tolist(),
        "embedding_dimension": DIMENSION,
    }


def _fill(uri: str, vectors: Any) -> None:
    with neo4j.GraphDatabase.driver(uri) as driver, driver.session() as session:
        session.run("MATCH (n) DETACH DELETE n").consume()
        session.run("FREE MEMORY").consume()
        for first in range(0, len(vectors), _BATCH):
            part = vectors[first : first + _BATCH]
            rows = [_record(first + number, vector) for number, vector in enumerate(part)]
            session.run(f"UNWIND $rows AS row CREATE (n:{MEMORY}) SET n = row", rows=rows).consume()
        session.run(
            "CREATE (:Embedding {use: 'texts', model: 'toy', dimension: $dimension})",
            dimension=DIMENSION,
        ).consume()
    # Opening makes the index.
    Bolt(uri).close()
