"""Decide whether a question gets a vector: by the model of the store's vectors, and in time.

All that asks a store asks with the model that the store has recorded. Where that cannot be had,
words answer, with a line that says so.
"""

import time
from typing import Any, NamedTuple, Protocol, cast

from conceptgraph_core.memories.schema import KIND

from .. import calls
from ..calls import Call
from ..settings import EMBEDDINGS_VARIABLE
from . import automatic
from .base import Embedding
from .opening import LazyEmbedding

# Seconds for which the model of a store's vectors is taken as known: of a store without vectors,
# and of one with vectors, where a procedure notices another model.
_WITHOUT_S = 1.0
_WITH_S = 30.0
_MOST_STORES = 1_000
# So many texts of these kinds decide which of the automatic models a store gets.
_SAMPLED = 100
_OF_SENTENCES = (KIND.kind,)


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
    if lazy.is_automatic:
        lazy = lazy.serving(await read_recorded_model(session))
    if is_statement:
        # Storing never waits for a model: texts are compared by words until it is loaded.
        return Ready(await lazy.at_hand())
    return Ready(await lazy.ready(session.patience_s))


async def open_for_texts(session: Asking) -> Embedding:
    """Return the embedding of the texts of the store of *session*.

    It is the recorded one of the two that nobody chose; where none is, the one that suits the
    texts. Names are of no language. Raises EmbeddingError, StoreError.
    """
    lazy = _lazy(session)
    if lazy is None or not lazy.is_automatic:
        return cast(Embedding, await session.embedding.wait_until_open())
    model = await read_recorded_model(session)
    if model is None:
        rows = await session.run(calls.embedding.lacking(_SAMPLED, kinds=_OF_SENTENCES))
        model = automatic.choose_model([row["text"] for row in rows if row["text"]])
    return await lazy.serving(model).wait_until_open()


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

    A model that nobody chose leaves a store with another one as it is. Raises StoreError.
    """
    lazy = _lazy(session)
    if lazy is None:
        return session.embedding is not None
    forget(session)
    if not lazy.is_automatic:
        return True
    there = automatic.names()
    return bool(there) and await read_recorded_model(session) in {None, *there}


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
    if lazy.is_automatic and not automatic.is_installed():
        return Ready(advice=_told_missing(lazy, lazy.name))
    model = await read_recorded_model(session)
    if model is None:
        return Ready()
    if not lazy.is_automatic or model in automatic.names():
        return None
    if model in automatic.MODELS:
        return Ready(advice=_told_missing(lazy, model))
    return Ready(
        advice=f"found by words alone; the vectors of this store are of {model}: set"
        f" {EMBEDDINGS_VARIABLE} to it, or run concept-graph-mcp embed --again {lazy.name}"
    )


def _told_missing(lazy: LazyEmbedding, model: str) -> str | None:
    """Return what the automatic *model* lacks, once: on some platforms nothing mends it."""
    if lazy.told_missing:
        return None
    lazy.told_missing = True
    return f"found by words alone: {automatic.MODELS[model].not_installed()}"
