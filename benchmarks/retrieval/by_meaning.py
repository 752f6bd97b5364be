"""The texts of a memory in a store with vectors, asked as a session asks with a model."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from benchmarks.stores import Caller
from concept_graph_mcp import calls
from concept_graph_mcp.embedding.base import Vector
from concept_graph_mcp.embedding.opening import LazyEmbedding
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.retrieval.schema import MAX_LIMIT

from .folder import Message, Query
from .in_memory import InMemory
from .in_store import IN_STORE, Ingested

_BATCH = 256


class Model:
    """The embedding that is called *said* as in CONCEPT_GRAPH_EMBEDDINGS; it runs beside."""

    def __init__(self, said: str, portal: BlockingPortal) -> None:
        self._portal = portal
        self._lazy = LazyEmbedding(said, os.environ)
        opened = portal.call(self._lazy.opened)
        self.name, self.dimension = opened.name, opened.dimension
        self._known: dict[str, Vector] = {}

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of *texts*; each is computed once."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        for start in range(0, len(new), _BATCH):
            some = new[start : start + _BATCH]
            made = self._portal.call(self._lazy.vectors, some)
            self._known |= dict(zip(some, made, strict=True))
        return [self._known[text] for text in texts]

    def near_nothing(self, vector: Vector) -> tuple[float, float]:
        """Return how near *vector* is to what asks for nothing."""
        return self._portal.call(self._lazy.near_nothing, vector)


@contextmanager
def model(said: str) -> Iterator[Model]:
    """Open the embedding that is called *said*."""
    with start_blocking_portal() as portal:
        yield Model(said, portal)


class ByMeaning(Ingested):
    """The messages of a memory, ingested and embedded."""

    def __init__(self, store: Caller, messages: Sequence[Message], by: Model) -> None:
        super().__init__(store, messages)
        self._model = by
        store.run(calls.embedding.choose(by.name, by.dimension, again=False))
        store.fit_vectors()
        reached: calls.embedding.Reached = {}
        while rows := store.run(calls.embedding.lacking(_BATCH, reached)):
            vectors = by.vectors([row["text"] for row in rows])
            made = [
                {**row, "vector": list(vector)}
                for row, vector in zip(rows, vectors, strict=True)
                if any(vector)
            ]
            if made:
                store.run(calls.embedding.embed(by.name, made))
            reached = calls.embedding.reached(reached, rows)

    def find(self, _: InMemory, query: Query, limit: int) -> list[int]:
        """Return what a search with a vector finds, as any `finders.Finder` does."""
        rows = self.rows(query.text, limit, query.asked_ms, query.asker)
        return [self.numbers[row["memory_id"]] for row in rows]

    def rows(
        self, text: str, limit: int, asked_ms: int, asker: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the rows of a search for *text*."""
        unnamed = calls.memory_search.unnamed(DEFAULT_USER, text)
        [row] = self._store.run(unnamed, asked_ms)
        [vector] = self._model.vectors([row["text"]])
        call = calls.memory_search.search(
            DEFAULT_USER,
            text,
            min(limit, MAX_LIMIT),
            asker=asker or None,
            asked_at=asked_ms,
            embedded=(self._model.name, vector) if any(vector) else None,
        )
        if any(vector):
            near_nothing = list(self._model.near_nothing(vector))
            call = call._replace(context={**call.context, "near_nothing": near_nothing})
        return self._store.run(call, asked_ms)


@contextmanager
def searched_by(models: Sequence[str]) -> Iterator[None]:
    """Let what is measured in a store be measured with vectors by *models* too."""
    before = dict(IN_STORE)
    with ExitStack() as stack:
        for said in models:
            by = stack.enter_context(model(said))
            IN_STORE[f"memory search, {by.name}"] = partial(ByMeaning, by=by)
        yield
    IN_STORE.clear()
    IN_STORE.update(before)
