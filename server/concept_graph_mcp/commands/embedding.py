"""Compute missing embeddings with the configured provider (`embed`)."""

import os
from collections.abc import Callable

import click

from .. import calls, settings, settings_file
from ..embedding import automatic, readiness
from ..embedding.base import Embedding, EmbeddingError
from ..embedding.opening import open_embedding
from ..errors import StoreError
from ..health.findings import texts
from ..session import Session
from ..worker.embedding import embed_lacking
from .common import AS_JSON, Failure, with_session
from .interrupts import Interrupts
from .notes import note
from .progress import progress
from .terminal import print_json


@click.command()
@click.option(
    "--again",
    metavar="MODEL",
    help="Embed all texts again with this model, named as in CONCEPT_GRAPH_EMBEDDINGS.",
)
@AS_JSON
@click.pass_obj
def embed(embedded: str | None, again: str | None, as_json: bool) -> None:
    """Compute missing embeddings.

    Ctrl-C stops between two batches; the command then prints how to continue.
    """
    variable = settings.EMBEDDINGS_VARIABLE
    said = settings.embeddings(again) if again else settings_file.read_embeddings()
    if said is None:
        raise Failure(f"{variable}: is none; name an embedding, e.g. minilm")
    if again is not None and said == settings.AUTOMATIC:
        raise Failure("--again: name the model, e.g. minilm")

    with Interrupts() as interrupts:
        work = _Embedding(said, again is not None, interrupts)
        try:
            done, without = with_session(embedded, work.run)
        except KeyboardInterrupt:
            raise Failure(f"interrupted; {work.goes_on}") from None
    if as_json:
        print_json({"embedded": done, "without": without})
    else:
        note(f"embedded: {done:,}" + (f"; without a vector: {without:,}" if without else ""))
    # An unset variable means one of these, whichever the store has.
    usual = {said, settings.AUTOMATIC} if said in automatic.names() else {said}
    if again is not None and settings_file.read_embeddings() not in usual:
        note(f"Set {variable}={said} where the server is started.")


class _Embedding:
    """Computes all missing vectors, in batches of one transaction each."""

    def __init__(self, said: str, again: bool, interrupts: Interrupts) -> None:
        self._said = said
        self._again = again
        self._is_chosen = False
        self._interrupts = interrupts

    @property
    def goes_on(self) -> str:
        """Return the instruction for continuing after an interruption or an error."""
        if self._again and self._is_chosen:
            # The same command would remove the vectors computed so far.
            variable = settings.EMBEDDINGS_VARIABLE
            what = f"concept-graph-mcp embed with {variable}={self._said}"
            return f"{what}, without --again, goes on from here"
        return "the same command goes on from here"

    async def run(self, session: Session) -> tuple[int, int]:
        """Return how many texts got a vector, and how many have none. Raises Failure."""
        if self._said == settings.AUTOMATIC:
            embedding = await readiness.open_for_texts(session)
        else:
            embedding = await open_embedding(self._said, os.environ)
        try:
            with progress("embedding texts", await texts(session)) as tell:
                await self._choose(session, embedding)
                return await self._embed(session, embedding, tell)
        finally:
            await embedding.close()

    async def _choose(self, session: Session, embedding: Embedding) -> None:
        """Set *embedding* as the store's; with --again, first remove the stored vectors."""
        call = calls.embedding.choose(embedding.name, embedding.dimension, self._again)
        while not self._is_chosen:
            with self._interrupts.piece():
                [row] = await session.run(call)
                self._is_chosen = row["chosen"]
        await session.store.fit_vectors()

    async def _embed(
        self, session: Session, embedding: Embedding, tell: Callable[[int], None]
    ) -> tuple[int, int]:
        done = without = 0
        batches = embed_lacking(session, embedding)
        while True:
            try:
                with self._interrupts.piece():
                    batch = await anext(batches, None)
            except EmbeddingError as error:
                raise Failure(f"{error}; {done:,} embedded, {self.goes_on}") from None
            except StoreError as error:
                raise Failure(f"{error}; {self.goes_on}") from None
            if batch is None:
                return done, without
            embedded, seen = batch
            done += embedded
            without += seen - embedded
            tell(done + without)
