"""Open the embedding configured in CONCEPT_GRAPH_EMBEDDINGS."""

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import anyio
import anyio.to_thread

from .. import endpoints
from ..errors import one_line
from ..settings import AUTOMATIC, MULTILINGUAL
from .base import (
    Embedding,
    EmbeddingError,
    LocalEmbedding,
    Vector,
    check_room,
    missing,
    name_embedding,
    unusable,
)

_ENDPOINT = "openai"
# Seconds until a model that cannot be loaded is tried again.
_AGAIN_S = 60.0
_MOST_OF_A_REASON = 300


async def open_embedding(said: str, environment: Mapping[str, str]) -> Embedding:
    """Return the embedding of `PROVIDER:NAME`, ready for use. Raises EmbeddingError."""
    provider, _, name = said.partition(":")
    if provider == _ENDPOINT:
        return await _behind_an_endpoint(name, environment)
    return await anyio.to_thread.run_sync(load_model, provider, name)


def load_model(provider: str, name: str) -> Embedding:
    """Return the model in this process, with its packages imported. Raises EmbeddingError."""
    from . import multilingual

    makers: dict[str, Callable[[str], Embedding]] = {
        multilingual.NAME: multilingual.load_multilingual,
        "model2vec": load_model2vec,
        "sentence-transformers": load_sentence_transformer,
    }
    try:
        check_room()
        return makers[provider](name)
    except EmbeddingError:
        raise
    # A package that is there may still not load, for want of a library of the system: words go on.
    except Exception as error:  # noqa: BLE001
        raise unusable(provider, error) from None


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
    return await EndpointEmbedding.reach_endpoint(where)


def load_model2vec(name: str) -> Embedding:
    """Return the static model in the folder *name*, or of that name on the Hugging Face Hub."""
    from .vocabulary import StaticEmbedding

    try:
        from model2vec import StaticModel
    except ImportError as error:
        raise _not_installed(error, "model2vec") from None
    model = _load_package("model2vec", name, StaticModel.from_pretrained)
    made = name_embedding(f"model2vec:{name}"), int(model.dim), model.encode
    return StaticEmbedding(*made, model.tokenizer.get_vocab())


def load_sentence_transformer(name: str) -> Embedding:
    """Return the sentence transformer in the folder *name*, or of that name on the Hub."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise _not_installed(error, "sentence-transformers") from None
    model = _load_package("sentence-transformers", name, SentenceTransformer)

    def encode(texts: list[str]) -> Any:
        return model.encode(texts, show_progress_bar=False)

    # The method that returns it is named differently in different versions.
    dimension = len(encode(["a"])[0])
    return LocalEmbedding(name_embedding(f"sentence-transformers:{name}"), dimension, encode)


def _load_package(provider: str, name: str, load: Callable[[str], Any]) -> Any:
    # The package logs a remark on the README of every folder.
    logging.getLogger("huggingface_hub.repocard").setLevel(logging.ERROR)
    folder = Path(name).expanduser()
    if not folder.is_dir() and (name.startswith(("/", ".", "~", "\\")) or folder.is_absolute()):
        raise EmbeddingError(f"CONCEPT_GRAPH_EMBEDDINGS: {name}: there is no such folder")
    try:
        return load(str(folder) if folder.is_dir() else name)
    # A damaged folder, an unknown name and a missing network raise all kinds of errors.
    except Exception as error:  # noqa: BLE001
        reason = one_line(error)[:_MOST_OF_A_REASON] or type(error).__name__
        raise EmbeddingError(
            f"CONCEPT_GRAPH_EMBEDDINGS: {provider}:{name} cannot be loaded: {reason}"
        ) from None


def _not_installed(error: ImportError, package: str) -> Exception:
    module = (error.name or "").partition(".")[0]
    return missing(package) if module == package.replace("-", "_") else error


class LazyEmbedding:
    """The configured embedding, opened when a first text needs it.

    A model in this process loads in a thread, which goes on when its caller waits no longer.
    """

    def __init__(self, said: str, environment: Mapping[str, str] | None = None) -> None:
        # Nobody chose this model: a store with another one that was chosen keeps that.
        self.is_automatic = said == AUTOMATIC
        self.said = MULTILINGUAL if self.is_automatic else said
        # The name under which a store records it.
        self.name = name_embedding(self.said)
        # The model of each store's vectors, and until when it is known (monotonic seconds).
        self.recorded: dict[str, tuple[str | None, float]] = {}
        # Whether its user was told why words alone find.
        self.has_told = False
        self._environment = os.environ if environment is None else environment
        self._opening = anyio.Lock()
        self._loading: Future[Embedding] | None = None
        self._failed_at_s = 0.0
        self._opened: Embedding | None = None

    @property
    def is_loading(self) -> bool:
        """Whether a thread is loading it."""
        return self._loading is not None and not self._loading.done()

    @property
    def is_static(self) -> bool:
        """Whether it has a vector for each word, so that it helps without stored vectors too."""
        return self.said.startswith("model2vec:")

    async def wait_until_open(self) -> Embedding:
        """Return the embedding itself. Raises EmbeddingError."""
        found = await self.ready(None)
        assert found is not None
        return found

    async def ready(self, patience_s: float | None) -> Embedding | None:
        """Return the embedding, or None if it has not been loaded after *patience_s*.

        None waits to the end. Raises EmbeddingError.
        """
        if self._opened is not None:
            return self._opened
        if self.said.startswith(f"{_ENDPOINT}:"):
            async with self._opening:
                self._opened = self._opened or await open_embedding(self.said, self._environment)
            return self._opened
        try:
            loading = self._begin_loading()
            if not loading.done():
                waiting = partial(wait, [loading], patience_s)
                await anyio.to_thread.run_sync(waiting, abandon_on_cancel=True)
        except RuntimeError as error:
            # There may be no memory for a thread.
            raise unusable(self.said, error) from error
        if not loading.done():
            return None
        self._opened = loading.result()
        return self._opened

    def begin_loading(self) -> None:
        """Begin to load it, if it is one in this process."""
        if not self.said.startswith(f"{_ENDPOINT}:"):
            # There may be no memory for a thread; the first question says so.
            with suppress(RuntimeError):
                self._begin_loading()

    async def at_hand(self) -> Embedding | None:
        """Return the embedding if that takes no loading. Raises EmbeddingError."""
        if self._loading is None and not self.said.startswith(f"{_ENDPOINT}:"):
            return None
        return await self.ready(0.0)

    def _begin_loading(self) -> "Future[Embedding]":
        """Return the result of loading it, begun now unless it was before."""
        loading = self._loading
        if loading is not None and not (
            loading.done()
            and loading.exception() is not None
            and time.monotonic() - self._failed_at_s > _AGAIN_S
        ):
            return loading
        begun = Future[Embedding]()
        # A program that ended meanwhile would abort, so its end waits for the thread: a daemon, as
        # one begun by a daemon is, would not be waited for.
        Thread(target=self._load, args=(begun,), name="embedding", daemon=False).start()
        self._loading = begun
        return begun

    def _load(self, into: "Future[Embedding]") -> None:
        provider, _, name = self.said.partition(":")
        try:
            into.set_result(load_model(provider, name))
        # Callers that wait for it are told.
        except BaseException as error:  # noqa: BLE001
            self._failed_at_s = time.monotonic()
            into.set_exception(error)

    async def vectors(self, texts: Sequence[str]) -> list[Vector]:
        return await (await self.wait_until_open()).vectors(texts)

    async def close(self) -> None:
        """Close the embedding; one that is being loaded is waited for."""
        if self._loading is not None and not self._loading.done():
            await anyio.to_thread.run_sync(wait, [self._loading], abandon_on_cancel=True)
        if self._opened is not None:
            await self._opened.close()
