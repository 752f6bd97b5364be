"""The texts of a memory in a store with vectors, asked as a session asks with a model."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from anyio.from_thread import BlockingPortal, start_blocking_portal

from benchmarks.stores import Caller, Record
from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from concept_graph_mcp.calls.call import Neighbour
from concept_graph_mcp.calls.memories import Embedded
from concept_graph_mcp.embedding.base import Vector
from concept_graph_mcp.embedding.opening import LazyEmbedding
from concept_graph_mcp.embedding.vocabulary import neighbours

from .folder import Message, Query
from .in_store import Grouped

_BATCH = 256


class Model:
    """The embedding that is called *said* as in CONCEPT_GRAPH_EMBEDDINGS; it runs beside."""

    def __init__(self, said: str, portal: BlockingPortal) -> None:
        self._portal = portal
        self._lazy = LazyEmbedding(said, os.environ)
        opened = portal.call(self._lazy.wait_until_open)
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

    def neighbours(self, text: str) -> Sequence[Neighbour]:
        """Return the terms near those of *text*."""
        embedding = self._portal.call(self._lazy.wait_until_open)
        return self._portal.call(neighbours, embedding, text)

    async def embed(self, text: str) -> Record:
        """Return what a call that asks for the vector of *text* is told."""
        [vector] = await self._lazy.vectors([text])
        return {"vector": list(vector) if any(vector) else []}


@contextmanager
def model(said: str) -> Iterator[Model]:
    """Open the embedding that is called *said*."""
    with start_blocking_portal() as portal:
        yield Model(said, portal)


class ByMeaning(Grouped):
    """The messages of a memory, ingested and embedded, with the groups of their words."""

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

    def _embedded(self, query: Query) -> Embedded | None:
        [vector] = self._model.vectors([query.text])
        return (self._model.name, vector) if any(vector) else None

    def _run(self, call: Call, query: Query) -> list[Record]:
        near = [list(one) for one in self._model.neighbours(query.text)]
        context = {**call.context, "embeds": True, **({"neighbours": near} if near else {})}
        return super()._run(call._replace(embed=self._model.embed, context=context), query)
