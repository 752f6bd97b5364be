"""Embed texts through any OpenAI-compatible endpoint."""

from collections.abc import Sequence
from typing import Any

import openai

from ..endpoints import Endpoint
from .base import EmbeddingError, Vector

_TIMEOUT_S = 60.0
# Status codes for too much input: OpenAI's, others', and of endpoints that check a schema.
_REFUSALS = (400, 413, 422)
# A text this short fits every model.
_SHORT = 250


class _NotTaken(EmbeddingError):
    """The endpoint refuses a request, perhaps because it is too large."""


class EndpointEmbedding:
    """The embedding of an endpoint (see `base.Embedding`). It retries after temporary errors."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = f"openai:{endpoint.model}"
        self.dimension = 0
        self._endpoint = endpoint
        self._client = endpoint.connect(_TIMEOUT_S)

    @classmethod
    async def reach_endpoint(cls, endpoint: Endpoint) -> "EndpointEmbedding":
        """Return the embedding, after asking the endpoint for the dimension of its vectors."""
        made = cls(endpoint)
        try:
            [vector] = await made.vectors(["dimension"])
        except BaseException:
            await made.close()
            raise
        made.dimension = len(vector)
        return made

    async def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each of *texts*. Raises EmbeddingError.

        Endpoints limit the size of a request and of a text. So a refused request is repeated in
        halves, and a single text is cut to its beginning.
        """
        try:
            return await self._request_vectors(texts)
        except _NotTaken:
            if len(texts) == 1 and len(texts[0]) <= _SHORT:
                raise
        if len(texts) == 1:
            return await self.vectors([texts[0][: len(texts[0]) // 2]])
        half = len(texts) // 2
        return [*await self.vectors(texts[:half]), *await self.vectors(texts[half:])]

    async def _request_vectors(self, texts: Sequence[str]) -> list[Vector]:
        try:
            answer = await self._client.embeddings.create(
                model=self._endpoint.model, input=list(texts), encoding_format="float"
            )
        except (openai.OpenAIError, ValueError) as error:
            is_refusal = getattr(error, "status_code", None) in _REFUSALS
            kind = _NotTaken if is_refusal else EmbeddingError
            raise kind(self._endpoint.explain(error, "embeddings")) from None
        return self._vectors(answer, len(texts))

    async def close(self) -> None:
        await self._client.close()

    def _vectors(self, answer: Any, count: int) -> list[Vector]:
        # A compatible endpoint may omit any field, and the package does not check.
        data = getattr(answer, "data", None)
        try:
            rows = sorted(data or (), key=lambda one: one.index)
            vectors = [tuple(map(float, one.embedding)) for one in rows]
        except (AttributeError, TypeError, ValueError):
            vectors = []
        if len(vectors) != count or not vectors or not all(vectors):
            raise self._failure(f"gave {len(vectors)} embeddings of {count} texts")
        if {len(vector) for vector in vectors} != {self.dimension or len(vectors[0])}:
            raise self._failure("gave embeddings of several sizes")
        return vectors

    def _failure(self, reason: str) -> EmbeddingError:
        return EmbeddingError(f"{self._endpoint.place}: {reason}")
