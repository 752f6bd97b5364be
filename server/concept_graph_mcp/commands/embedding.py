"""`embed`: the vectors of texts that lack one, by the embedding that is configured."""

import os
from typing import Any

import click

from conceptgraph_core.embeddings.schema import embedded_kinds
from conceptgraph_core.registry import LAYERS

from .. import calls, settings
from ..embedding.base import Embedding, EmbeddingError
from ..embedding.opening import opened
from ..errors import StoreError
from ..session import Session
from .common import Failure, with_session
from .interrupts import Interrupts
from .progress import progress
from .terminal import note

Row = dict[str, Any]

# In one transaction, and as many as endpoints take at once.
_BATCH = 256
_GOES_ON = "the same command goes on from here"


@click.command()
@click.option(
    "--again",
    metavar="MODEL",
    help="Embed all texts anew, with this model: PROVIDER:NAME as CONCEPT_GRAPH_EMBEDDINGS.",
)
@click.pass_obj
def embed(embedded: str | None, again: str | None) -> None:
    """Give texts that lack it the vector that they are found by.

    Ctrl-C stops between two batches; the same command goes on from there, without --again.
    """
    variable = settings.EMBEDDINGS_VARIABLE
    said = settings.embeddings(again or os.environ.get(variable, ""))
    if said is None:
        raise Failure(f"{variable}: is not set; name an embedding, e.g. openai:NAME of a model")

    with Interrupts() as interrupts:

        async def work(session: Session) -> tuple[int, int]:
            embedding = await opened(said, os.environ)
            try:
                with progress("embedding texts", await _total(session)) as tell:
                    await _choose(session, embedding, again is not None, interrupts)
                    return await embed_lacking(session, embedding, interrupts, tell)
            finally:
                await embedding.close()

        try:
            done, without = with_session(embedded, work)
        except KeyboardInterrupt:
            raise Failure(f"interrupted; {_GOES_ON}") from None
    note(f"embedded: {done:,}" + (f"; without a vector: {without:,}" if without else ""))
    if again is not None and settings.embeddings(os.environ.get(variable, "")) != said:
        note(f"Set {variable}={said} where the server is started.")


async def _total(session: Session) -> int:
    measures = {kind.measure for kind, _ in embedded_kinds(LAYERS)}
    rows = await session.run(calls.keeping.stats())
    return sum(row["value"] for row in rows if row["measure"] in measures)


async def _choose(
    session: Session, embedding: Embedding, again: bool, interrupts: Interrupts
) -> None:
    """Let the store's vectors be of *embedding*; *again*: after removing those that it has."""
    call = calls.embedding.choose(embedding.name, embedding.dimension, again)
    chosen = False
    while not chosen:
        with interrupts.piece():
            [row] = await session.run(call)
        chosen = row["chosen"]
    await session.store.fit_vectors()


async def embed_lacking(
    session: Session, embedding: Embedding, interrupts: Interrupts, tell: Any
) -> tuple[int, int]:
    """Embed what lacks a vector, a batch a transaction; return how many, and how many have none.

    None has a text without any word that the embedding knows, and one that changes all the time.
    """
    done = without = 0
    while rows := await session.run(calls.embedding.lacking(_BATCH, without)):
        try:
            with interrupts.piece():
                embedded = await _embed(session, embedding, rows)
        except EmbeddingError as error:
            raise Failure(f"{error}; {done:,} embedded, {_GOES_ON}") from None
        except StoreError as error:
            raise Failure(f"{error}; {_GOES_ON}") from None
        done += embedded
        without += len(rows) - embedded
        tell(done + without)
    return done, without


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
