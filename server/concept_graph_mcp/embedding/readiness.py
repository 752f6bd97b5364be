"""Decide whether a question gets a vector: by the model of the store's vectors, and in time.

All that asks a store asks with the model that the store has recorded. Where that cannot be had,
words answer, with a line that says so.
"""

import time
from typing import Any, NamedTuple, Protocol

from .. import calls
from ..calls import Call
from ..settings import EARLIER, EMBEDDINGS_VARIABLE
from . import multilingual
from .base import Embedding
from .opening import LazyEmbedding

# Seconds for which the model of a store's vectors is taken as known: of a store without vectors,
# and of one with vectors, where a procedure notices another model.
_WITHOUT_S = 1.0
_WITH_S = 30.0
_MOST_STORES = 1_000
_LOADING = "found by words alone: the model is still being loaded; ask again in a moment"
_ANEW = (
    f"the vectors of this store are of {EARLIER}, which an earlier version used; a server or the"
    " worker makes them anew, and concept-graph-mcp embed does at once"
)


class Asking(Protocol):
    """The part of a session that is needed here."""

    @property
    def embedding(self) -> Any: ...

    @property
    def patience_s(self) -> float | None: ...

    @property
    def user_id(self) -> str: ...

    async def run(self, call: Call) -> list[dict[str, Any]]:
        """Run *call*. Raises StoreError."""


class Ready(NamedTuple):
    """The embedding for a text; without one, words serve, and `advice` says why if it matters."""

    embedding: Embedding | None = None
    advice: str | None = None


async def ready(session: Asking, is_statement: bool) -> Ready:
    """Return the embedding for a text of *session*, if it is there within the session's patience.

    Raises EmbeddingError, StoreError.
    """
    lazy = _lazy(session)
    if lazy is None:
        return Ready(await session.embedding.wait_until_open())
    # A static model helps without stored vectors too.
    if not lazy.is_static and (words := await _by_words(session, lazy)) is not None:
        return words
    if is_statement:
        # Storing never waits for a model: texts are compared by words until it is loaded.
        return Ready(await lazy.at_hand())
    found = await lazy.ready(session.patience_s)
    return Ready(found, None if found is not None else _LOADING)


async def begin_loading(session: Asking) -> None:
    """Begin to load the model of *session*, if the store has vectors of it. Raises StoreError."""
    lazy = _lazy(session)
    if lazy is not None and await read_recorded_model(session) == lazy.name:
        lazy.begin_loading()


async def read_recorded_model(session: Asking) -> str | None:
    """Return the model of the store's vectors, as known lately; None if it has none.

    Raises StoreError.
    """
    lazy = _lazy(session)
    assert lazy is not None
    known, place = lazy.recorded, session.user_id
    model, until_s = known.get(place, (None, 0.0))
    if time.monotonic() >= until_s:
        rows = await session.run(calls.embedding.chosen())
        model = rows[0]["model"] if rows else None
        if len(known) >= _MOST_STORES:
            known.clear()
        known[place] = model, time.monotonic() + (_WITH_S if model else _WITHOUT_S)
    return model


async def may_embed(session: Asking) -> bool:
    """Return whether texts of the store may get vectors of the session's model.

    A model that nobody chose leaves a store with another one that was chosen as it is. Raises
    StoreError.
    """
    lazy = _lazy(session)
    if lazy is None:
        return session.embedding is not None
    forget(session)
    if not lazy.is_automatic:
        return True
    known = {None, EARLIER, multilingual.NAME}
    return multilingual.is_installed() and await read_recorded_model(session) in known


async def is_outdated(session: Asking) -> bool:
    """Return whether the store's vectors are of the default model of earlier versions.

    They are made anew unless another model was chosen. Raises StoreError.
    """
    lazy = _lazy(session)
    if lazy is None or not lazy.is_automatic:
        return False
    forget(session)
    return await read_recorded_model(session) == EARLIER


def forget(session: Asking) -> None:
    """Read the models of stores anew: one was found to be another."""
    if (lazy := _lazy(session)) is not None:
        lazy.recorded.clear()


def _lazy(session: Asking) -> LazyEmbedding | None:
    """Return the session's embedding if it is one that may have to be loaded first."""
    found = getattr(session.embedding, "lazy", session.embedding)
    return found if isinstance(found, LazyEmbedding) else None


async def _by_words(session: Asking, lazy: LazyEmbedding) -> Ready | None:
    """Return why only words can find: the store's vectors are of no or another model."""
    if lazy.is_automatic and not multilingual.is_installed():
        return Ready(advice=_once(lazy, str(multilingual.not_installed())))
    model = await read_recorded_model(session)
    if model is None:
        return Ready()
    if not lazy.is_automatic or model == multilingual.NAME:
        return None
    if model == EARLIER:
        return Ready(advice=_once(lazy, _ANEW))
    return Ready(
        advice=f"found by words alone; the vectors of this store are of {model}: set"
        f" {EMBEDDINGS_VARIABLE} to it, or run concept-graph-mcp embed --again {lazy.name}"
    )


def _once(lazy: LazyEmbedding, why: str) -> str | None:
    """Return *why* words alone find, once: on some platforms nothing mends it."""
    if lazy.has_told:
        return None
    lazy.has_told = True
    return f"found by words alone: {why}"
