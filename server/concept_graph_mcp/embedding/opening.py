"""Open the embedding configured in CONCEPT_GRAPH_EMBEDDINGS."""

import os
from collections.abc import Callable, Mapping, Sequence
from statistics import pstdev

import anyio
import anyio.to_thread

from conceptgraph_core.ranks import cosine

from .. import endpoints
from . import nothing
from .base import Embedding, EmbeddingError, Vector, missing


async def opened(said: str, environment: Mapping[str, str]) -> Embedding:
    """Return the embedding of `PROVIDER:NAME`, ready for use. Raises EmbeddingError."""
    provider, _, name = said.partition(":")
    if provider == "openai":
        return await _behind_an_endpoint(name, environment)
    from . import local, minilm

    makers: dict[str, Callable[[str], Embedding]] = {
        "minilm": minilm.minilm,
        "model2vec": local.model2vec,
        "sentence-transformers": local.sentence_transformers,
    }
    return await anyio.to_thread.run_sync(makers[provider], name)


async def _behind_an_endpoint(model: str, environment: Mapping[str, str]) -> Embedding:
    try:
        from .endpoint import EndpointEmbedding
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "openai":
            raise
        raise missing("openai") from None
    try:
        where = endpoints.named(environment, model)
    except endpoints.EndpointError as error:
        raise EmbeddingError(str(error)) from None
    return await EndpointEmbedding.reached(where)


class LazyEmbedding:
    """The configured embedding, opened when a first text needs it."""

    def __init__(self, said: str, environment: Mapping[str, str] | None = None) -> None:
        self._said = said
        self._environment = os.environ if environment is None else environment
        self._opening = anyio.Lock()
        self._opened: Embedding | None = None
        self._nothing: list[Vector] | None = None

    async def opened(self) -> Embedding:
        """Return the embedding itself. Raises EmbeddingError."""
        async with self._opening:
            if self._opened is None:
                self._opened = await opened(self._said, self._environment)
            return self._opened

    async def near_nothing(self, vector: Vector) -> tuple[float, float]:
        """Return how near *vector* is to what asks for nothing: the greatest cosine to any such
        text, and the standard deviation of all of them. Raises EmbeddingError.
        """
        embedding = await self.opened()
        if self._nothing is None:
            self._nothing = await embedding.vectors(nothing.TEXTS)
        near = [cosine(vector, one) or 0.0 for one in self._nothing]
        return max(near), pstdev(near)

    async def vectors(self, texts: Sequence[str]) -> list[Vector]:
        return await (await self.opened()).vectors(texts)

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()
