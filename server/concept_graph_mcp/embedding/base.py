"""Define the interface of an embedding."""

import hashlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import anyio.to_thread

from ..errors import TOO_LITTLE_MEMORY, StoreError, check_memory, lacks_memory, one_line

Vector = tuple[float, ...]

_NICEST = 19
_MOST_OF_A_REASON = 300
# A server with a small model may reserve so much: NumPy and the weights need less than half.
_LEAST_ADDRESSES = 2**30


class EmbeddingError(StoreError):
    """The embedding cannot be used; the message is one line that says what to do."""


class NotInstalled(EmbeddingError):
    """A package of the embedding is not installed, as where it has no wheel for the platform."""


class Embedding(Protocol):
    """A model that turns every text into a vector of `dimension` numbers.

    A store records `name`: `provider:model`, wherever the model's files lie.
    """

    name: str
    dimension: int

    async def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each of *texts*, in order. Raises EmbeddingError."""

    async def close(self) -> None:
        """Close connections."""


class LocalEmbedding:
    """The embedding by *encode*, which turns texts into rows of numbers (see `base.Embedding`)."""

    def __init__(self, name: str, dimension: int, encode: Callable[[list[str]], Any]) -> None:
        self.name = name
        self.dimension = dimension
        self._encode = encode

    async def vectors(self, texts: Sequence[str]) -> list[Vector]:
        rows = await anyio.to_thread.run_sync(self._encode_texts, list(texts))
        return [tuple(map(float, row)) for row in rows]

    async def vectors_behind(self, texts: Sequence[str]) -> list[Vector]:
        """Return the same as `vectors`, computed below everything else on this machine."""
        encoding = self._make_executor.submit(self._encode_texts, list(texts))
        rows = await anyio.to_thread.run_sync(encoding.result, abandon_on_cancel=True)
        return [tuple(map(float, row)) for row in rows]

    def _encode_texts(self, texts: list[str]) -> Any:
        try:
            return self._encode(texts)
        # Each package raises errors of its own.
        except Exception as error:
            raise unusable(self.name, error) from error

    @cached_property
    def _make_executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, "embedding", _give_way)

    async def close(self) -> None:
        """End the thread behind, once its texts are done."""
        if "_make_executor" in self.__dict__:
            self._make_executor.shutdown(wait=False, cancel_futures=True)
            del self._make_executor


def _give_way() -> None:
    """Let all other threads of the machine go before this one, where a thread has a niceness."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICEST)


def name_embedding(said: str) -> str:
    """Return a store's name for the embedding configured as *said*, `PROVIDER:NAME`.

    A model has the same name in a folder of that name as on the Hub.
    """
    provider, _, name = said.partition(":")
    if provider == "openai" or not name:
        return said
    return f"{provider}:{Path(name).expanduser().absolute().name}"


def check_room() -> None:
    """Raise MemoryError if the process may not take the memory that NumPy and a model reserve.

    Their libraries would end it.
    """
    # OpenBLAS reads it when NumPy is imported, and reserves memory for each thread.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    check_memory(_LEAST_ADDRESSES)


def unusable(said: str, error: Exception) -> EmbeddingError:
    """Return the error for the model *said*, which fails with *error*."""
    line = TOO_LITTLE_MEMORY if lacks_memory(error) else one_line(error)
    reason = line[:_MOST_OF_A_REASON] or type(error).__name__
    return EmbeddingError(f"CONCEPT_GRAPH_EMBEDDINGS: {said}: cannot be used: {reason}")


def check_weights(weights: Path, sha256: str, model: str, mend: str) -> None:
    """Raise EmbeddingError unless the file has the very *weights* of *model* that are known."""
    it = f"CONCEPT_GRAPH_EMBEDDINGS: {model}"
    try:
        with weights.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingError(f"{it}: {one_line(error)}; {mend}") from None
    if found != sha256:
        raise EmbeddingError(f"{it}: the weights are not those that this version knows; {mend}")


def missing(*packages: str) -> NotInstalled:
    """Return the error for *packages* of which one is not installed."""
    named = " ".join(packages)
    return NotInstalled(
        f"CONCEPT_GRAPH_EMBEDDINGS: a package is not installed: pip install {named} numpy"
    )
