"""`embed`: the vectors of texts that lack one, by the embedding that is configured."""

import os
from collections.abc import Callable

import click

from conceptgraph_core.embeddings.schema import embedded_kinds
from conceptgraph_core.registry import LAYERS

from .. import calls, settings
from ..embedding.base import Embedding, EmbeddingError
from ..embedding.opening import opened
from ..errors import StoreError
from ..session import Session
from ..worker.embedding import embed_lacking
from .common import Failure, with_session
from .interrupts import Interrupts
from .progress import progress
from .terminal import note

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
                    return await _embed(session, embedding, interrupts, tell)
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


async def _embed(
    session: Session, embedding: Embedding, interrupts: Interrupts, tell: Callable[[int], None]
) -> tuple[int, int]:
    """Embed what lacks a vector; return how many texts now have one, and how many have none."""
    done = without = 0
    batches = embed_lacking(session, embedding)
    while True:
        try:
            with interrupts.piece():
                batch = await anext(batches, None)
        except EmbeddingError as error:
            raise Failure(f"{error}; {done:,} embedded, {_GOES_ON}") from None
        except StoreError as error:
            raise Failure(f"{error}; {_GOES_ON}") from None
        if batch is None:
            return done, without
        embedded, seen = batch
        done += embedded
        without += seen - embedded
        tell(done + without)
