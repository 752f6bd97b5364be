"""Store a graph in Memgraph: its calls, its records as a stream, backups and restores."""

import json
import logging
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from conceptgraph_core import __version__
from conceptgraph_core.embeddings import schema as embeddings
from conceptgraph_core.graph.cypher.translating import write_lookup
from conceptgraph_core.graph.primitives import Lookup, key
from conceptgraph_core.transfer.places import look_up
from conceptgraph_core.transfer.registry import MODEL, Model
from conceptgraph_core.verbs.errors import InvalidRow

from ... import calls
from ...calls.call import spoken
from ...errors import Contended, Unavailable, one_line
from ..store import EXPORTS
from . import probes, pulling, readiness
from .caller import BoltCaller

if TYPE_CHECKING:
    from ...file_formats.lines import Row
    from ..backup_files import Contents, Written

logger = logging.getLogger(__name__)

_RESTORE_BATCH = 1_000
# The timeout of the transaction of a backup or a restore. Memgraph would end it after 10 minutes
# (--query-execution-timeout-sec), which millions of records take on a busy machine. It lets a
# transaction have a shorter time or none, but no longer one.
_NO_TIMEOUT = 0.0
# A higher level takes twice the time for as many bytes.
_COMPRESSION = 6
# How an import refuses one of its records.
_REFUSED = re.compile(r"row (?P<number>\d+): (?P<reason>.*)")
_EMBEDDING = embeddings.LAYER.kind(embeddings.EMBEDDING).kind


class BoltStore(BoltCaller):
    """A graph in Memgraph (see `store.Store` and `store.Keeper`)."""

    async def problems(self) -> list[str]:
        return []

    async def stream(
        self, batch: int = 1_000, only: Sequence[Lookup] = ()
    ) -> AsyncGenerator[list[dict[str, Any]]]:
        await self.open()
        try:
            async with (
                self._calls.marked(neo4j.READ_ACCESS) as metadata,
                self._session(default_access_mode=neo4j.READ_ACCESS, fetch_size=batch) as session,
                await session.begin_transaction(metadata, _NO_TIMEOUT) as transaction,
            ):
                labels = [
                    (await (await transaction.run(*one)).single(strict=True))["ids"]
                    for one in select_exported(self._model, only)
                ]
                read: list[dict[str, Any]] = []
                for statement in write_export(labels, batch, self._model):
                    result = await transaction.run(*statement)
                    # The database works on it while the caller has the last of what was read.
                    if read:
                        yield read
                    read = [row["record"] for row in await result.fetch(batch)]
                    while more := await result.fetch(batch):
                        yield read
                        read = [row["record"] for row in more]
                if read:
                    yield read
        except (Neo4jError, DriverError, OSError) as error:
            raise self._failure(error, writes=False) from error

    backups = EXPORTS

    # Backup and restore are imported on demand, because they would delay the server's start.

    async def backup(self, file: Path) -> "Written":
        import gzip

        from ...file_formats import native
        from .. import backup_files

        store_id = await self.identity()
        with gzip.open(file, "wt", _COMPRESSION, encoding="utf-8") as stream:
            stream.write(json.dumps(backup_files.header(__version__, store_id)) + "\n")
            async with aclosing(self.stream()) as batches:
                async for records in batches:
                    lines = map(native.line, records)
                    await anyio.to_thread.run_sync(stream.writelines, lines)
        return backup_files.Written(await self.contents(file))

    async def contents(self, file: Path) -> "Contents":
        from .. import backup_files

        return await anyio.to_thread.run_sync(backup_files.contents_of, file, self._model.layers)

    async def restore(self, file: Path | None) -> None:
        async with self.replacing(file):
            pass

    @asynccontextmanager
    async def replacing(self, file: Path | None) -> AsyncGenerator[None]:
        from .. import backup_files

        await self.open()
        # Read through before anything is deleted, because damage shows only when a file is read.
        rows = [] if file is None else list(backup_files.rows(file, self._model.layers))
        dimensions = [
            row.record.get("dimension") for row in rows if row.record.get("kind") == _EMBEDDING
        ]
        if self._has_vector_search:
            for dimension in dimensions:
                await self._translate(
                    True,
                    readiness.drop_other_vector_indexes,
                    self.rows,
                    self._model.layers,
                    dimension,
                )
        try:
            # The old graph is deleted first, which locks it against other writers.
            held, transaction = await self._translate(False, self._empty)
            async with held:
                yield
                await self._fill(transaction, file, rows)
        except Contended as error:
            # A single transaction, so other writers can make it fail with conflicts every time.
            raise Unavailable(
                f"{self._location}: others write to it all the time; nothing was changed;"
                " stop the servers and the worker that use it, and try again"
            ) from error
        if dimensions:
            await self._fit_vectors(self.rows)
        try:
            # The database restarts from it, and not from a long log.
            await probes.create_snapshot(self.rows)
        except (Neo4jError, DriverError, OSError) as error:
            logger.warning("after a restore, no snapshot could be made: %s", one_line(error))

    async def _empty(self) -> tuple[AsyncExitStack, neo4j.AsyncTransaction]:
        """Return a transaction that has deleted the graph, and the stack that ends it."""
        async with AsyncExitStack() as held:
            metadata = await held.enter_async_context(self._calls.marked(neo4j.WRITE_ACCESS))
            session = await held.enter_async_context(self._session())
            transaction = await session.begin_transaction(metadata, _NO_TIMEOUT)
            await held.enter_async_context(transaction)
            replaced = [layer for layer in self._model.stored if not layer.stays]
            for label in (label for layer in replaced for label in layer.labels):
                result = await transaction.run(f"MATCH (n:{label}) DETACH DELETE n")
                await result.consume()
            return held.pop_all(), transaction

    async def _fill(
        self, transaction: neo4j.AsyncTransaction, file: Path | None, rows: Sequence["Row"]
    ) -> None:
        """Import the *rows* of *file* and commit. Raises BadBackup for a refused one."""
        from ..backup_files import BadBackup

        batch: Sequence[Row] = ()
        try:
            for start in range(0, len(rows), _RESTORE_BATCH):
                batch = rows[start : start + _RESTORE_BATCH]
                call = calls.transfer.import_rows([row.record for row in batch], self._model)
                # A call that lacked something would end the transaction.
                records = [row.record for row in batch]
                wanted = look_up(self._model.layers, records, spoken())
                plans = {key(wanted): pulling.plan(wanted, False)}
                await (await pulling.make(transaction.run, call, {}, plans, {})).consume()
            await transaction.commit()
        except (Neo4jError, DriverError, OSError, InvalidRow) as error:
            failure = error if isinstance(error, InvalidRow) else self._failure(error, writes=True)
            refused = _REFUSED.fullmatch(str(failure))
            if file is None or refused is None:
                raise failure from error
            where = batch[int(refused["number"])].place
            reason = f"is damaged: {where}: {refused['reason']}; nothing was changed"
            raise BadBackup(file, reason) from None


def select_exported(
    model: Model = MODEL, only: Sequence[Lookup] = ()
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the statements for the `ids` of the nodes of each label in an export.

    With *only*, they are for those that each look-up finds.
    """
    for lookup in only:
        text, parameters = write_lookup(lookup)
        yield f"{text}RETURN [one IN found | id(one)] AS ids", parameters
    if only:
        return
    for kind in (kind for layer in model.layers for kind in layer.nodes if kind.exported):
        yield f"MATCH (n:{kind.label}) RETURN collect(id(n)) AS ids", {}


def write_export(
    labels: Sequence[Sequence[int]], batch: int, model: Model = MODEL
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the statements that stream all nodes, then all relations, *batch* nodes each.

    *labels* has the ids of each label. Between two statements the database serves other callers; a
    call of a procedure for each node would take twice the time.
    """
    procedure = calls.transfer.exports(model).name
    text = f"CALL {procedure}($part, {{found: $ids}}) YIELD record RETURN record"
    for part in ("nodes", "relations"):
        # In the order of creation, so that unchanged graphs have identical exports.
        for ids in map(sorted, labels):
            for start in range(0, len(ids), batch):
                yield text, {"part": part, "ids": ids[start : start + batch]}
