"""Index texts by their words, and by meaning (`index`, `embed`)."""

import os
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import click

from conceptgraph_core.transfer.registry import LAYERS

from .. import calls, settings, settings_file
from ..embedding import readiness
from ..embedding.base import Embedding, EmbeddingError
from ..embedding.opening import open_embedding
from ..errors import StoreError
from ..health import texts
from ..session import Session
from ..worker.embedding import embed_lacking
from .common import AS_JSON, Failure, Interrupts, note, print_json, progress, with_session

Row = dict[str, Any]

_BATCH = 500
# Each batch scans all nodes, so these batches are larger.
_REST = 10_000
_KINDS = frozenset(kind.kind for layer in LAYERS for kind in layer.nodes if kind.exported)


@click.command()
@click.option(
    "--again", is_flag=True, help="Index all of them again, as needed after a change of languages."
)
@AS_JSON
@click.pass_obj
def index(embedded: str | None, again: bool, as_json: bool) -> None:
    """Index episodes and concepts that have no index entries yet.

    Elements created by hand in Cypher, or by an older version, have none. The command works in
    batches of one transaction each. Ctrl-C stops between two batches. The same command goes on from
    there, whatever stopped it.
    """
    with Interrupts() as interrupts:

        async def work(session: Session) -> int:
            return await _index(session, again, interrupts)

        try:
            indexed = with_session(embedded, work)
        except KeyboardInterrupt:
            raise Failure("interrupted; the same command goes on from here") from None
    if as_json:
        print_json({"indexed": indexed})
    else:
        note(f"indexed: {indexed:,}")


async def _index(session: Session, again: bool, interrupts: Interrupts) -> int:
    rows = await session.run(calls.transfer.stats())
    total = sum(row["value"] for row in rows if row["kind"] == "node")
    indexed = done = 0
    while await _indexed(session, calls.transfer.index_rest(0)):
        pass  # A damaged index goes first, in pieces.
    with progress("indexing", total) as tell:
        async with aclosing(session.store.stream(_BATCH)) as batches:
            async for records in batches:
                nodes = [record for record in records if record["kind"] in _KINDS]
                if not nodes:
                    # Relations come after all nodes. A batch of nodes may have no records at all.
                    if records:
                        break
                    continue
                with interrupts.piece():
                    indexed += await _indexed(session, calls.transfer.index(nodes, again))
                done += len(nodes)
                tell(done)
    # The remaining rows are words of removed elements, and elements added meanwhile.
    while True:
        with interrupts.piece():
            more = await _indexed(session, calls.transfer.index_rest(_REST))
        indexed += more
        if more < _REST:
            return indexed


async def _indexed(session: Session, call: calls.Call) -> int:
    try:
        [row] = await session.run(call)
    except StoreError as error:
        raise Failure(f"{error}; the same command goes on from here") from None
    count: int = row["indexed"]
    return count


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
        raise Failure(f"{variable}: is none; name an embedding, e.g. {settings.MULTILINGUAL}")
    if again is not None and said == settings.AUTOMATIC:
        raise Failure(f"--again: name the model, e.g. {settings.MULTILINGUAL}")

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
    # An unset variable means this one.
    usual = {said, settings.AUTOMATIC} if said == settings.MULTILINGUAL else {said}
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
            self._said = settings.MULTILINGUAL
            self._again = await readiness.is_outdated(session)
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
