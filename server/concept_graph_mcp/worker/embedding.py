"""Compute missing vectors, for the job `embed` and the command of the same name."""

from collections.abc import AsyncIterator, Collection
from types import MappingProxyType
from typing import Any

from .. import calls
from ..embedding import minilm, readiness
from ..embedding.base import Embedding
from ..session import Session
from ..settings import AUTOMATIC, EMBEDDINGS_VARIABLE, Settings
from .job import Job
from .job_run import JobRun

Row = dict[str, Any]

# Texts in one transaction: as many as endpoints accept in one request.
BATCH = 256


async def prepare(session: Session) -> Embedding | None:
    """Return the model of *session*, which its store is made ready for. Raises StoreError.

    Nobody chose the automatic one, so a store with another model keeps that: then it is None.
    """
    assert session.embedding is not None
    if not await readiness.may_embed(session):
        return None
    embedding = await session.embedding.opened()
    await session.run(calls.embedding.choose(embedding.name, embedding.dimension, False))
    readiness.forget(session)
    await session.store.fit_vectors()
    return embedding


async def embed_lacking(
    session: Session,
    embedding: Embedding,
    reached: calls.embedding.Reached = MappingProxyType({}),
    kinds: Collection[str] | None = None,
) -> AsyncIterator[tuple[int, int]]:
    """Embed texts without a vector, one transaction a batch; yield (done, total) after each.

    The walk reaches each text once. It skips texts without any word that the embedding knows, texts
    that change meanwhile, and texts stored behind it meanwhile. Raises EmbeddingError, StoreError.
    """
    async for rows in _lacking(session, reached, kinds):
        yield await _embed(session, embedding, rows), len(rows)


async def _lacking(
    session: Session,
    reached: calls.embedding.Reached = MappingProxyType({}),
    kinds: Collection[str] | None = None,
) -> AsyncIterator[list[Row]]:
    """Iterate over the texts without a vector, each batch from the end of the one before."""
    while rows := await session.run(calls.embedding.lacking(BATCH, reached, kinds=kinds)):
        yield rows
        reached = calls.embedding.reached(reached, rows)


async def _embed(session: Session, embedding: Embedding, rows: list[Row]) -> int:
    told = [row for row in rows if row["text"]]
    vectors = await embedding.vectors([row["text"] for row in told]) if told else []
    given = [
        {**row, "vector": list(vector)}
        for row, vector in zip(told, vectors, strict=True)
        if any(vector)
    ]
    if not given:
        return 0
    [row] = await session.run(calls.embedding.embed(embedding.name, given))
    count: int = row["embedded"]
    return count


async def run(turn: JobRun) -> None:
    session = turn.session
    if turn.dry_run:
        await _tell(turn)
        return
    # The model is loaded late, because that takes long and most runs find nothing to do.
    if session.embedding is None or not await session.run(calls.embedding.lacking(1)):
        return
    embedding = await prepare(session)
    if embedding is None:
        return
    async for embedded, seen in embed_lacking(session, embedding):
        await turn.report(processed=seen, embedded=embedded)
        await turn.go_on()


async def _tell(turn: JobRun) -> None:
    async for rows in _lacking(turn.session):
        turn.check()
        turn.tell({"processed": len(rows)})
        turn.would([_change(row) for row in rows])


def _change(row: Row) -> Row:
    key = " ".join(map(str, row["key"]))
    return {"memory_id": key, "text": row["text"], "to": "embedded", "why": "it has no vector"}


def _missing(settings: Settings) -> str | None:
    if settings.embeddings is None:
        return f"{EMBEDDINGS_VARIABLE}: is none"
    if settings.embeddings == AUTOMATIC and not minilm.is_installed():
        return str(minilm.not_installed())
    return None


JOB = Job(
    "embed",
    "give texts the vector that they lack",
    {"minute": "*/10"},
    run,
    _missing,
)
