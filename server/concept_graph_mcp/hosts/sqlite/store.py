"""Use the embedded host as a store: calls in a worker thread, failures as one line."""

import functools
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from conceptgraph_core.graph.primitives import Embedded, Lacking, Lookup, decode, key
from conceptgraph_core.transfer.registry import MODEL, Model
from conceptgraph_core.verbs.errors import ConceptGraphError

from ...calls.call import Call
from ...errors import TOO_LITTLE_MEMORY, Full, Refused, StoreError, lacks_memory, one_line
from ..store import FILES, RELEASING
from .cancellation import Thread
from .opening import Opening, check_creatable, is_there
from .procedure_host import Host

if TYPE_CHECKING:
    from ..backup_files import Contents, Written

logger = logging.getLogger(__name__)
T = TypeVar("T")


class EmbeddedStore:
    """A graph in one SQLite file (see `store.Store`).

    The first call that writes creates a missing file. Without *creates* a missing file is an error.
    """

    def __init__(self, path: Path, creates: bool = True, model: Model = MODEL) -> None:
        self._model = model
        self._path = path
        self._creates = creates
        self._host: Host | None = None
        self._thread = Thread()

    @property
    def location(self) -> str:
        return str(self._path)

    @property
    def cached_bytes(self) -> int:
        """Return about how many bytes of the store are kept in memory."""
        return 0 if self._host is None else self._host.cached_bytes

    async def open(self) -> None:
        await self._in_thread(self._check)

    async def fit_vectors(self) -> None:
        """Do nothing: vectors are stored without an index."""

    async def identity(self) -> str | None:
        return await self._in_thread(
            lambda: None if self._is_missing() else self._open_host().store_id
        )

    async def size(self) -> str | None:
        return await self._in_thread(self._size)

    async def unwritable(self) -> str | None:
        def asked() -> bool:
            return self._is_missing() or self._open_host().is_writable

        return None if await self._in_thread(asked) else "the file cannot be written from here"

    async def overwrite_removed(self) -> str | None:
        if await self._in_thread(lambda: self._open_host().empty_log()):
            return None
        return f"{self._path.name}-wal, until all programs have closed the store"

    def _size(self) -> str | None:
        # The latest writes stand beside the file until they are taken over.
        files = [self._path, self._path.with_name(f"{self._path.name}-wal")]
        sizes = [file.stat().st_size for file in files if file.is_file()]
        return f"{sum(sizes) / 2**20:,.1f} MiB" if sizes else None

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        procedure, given = call.procedure, list(call.arguments)
        told: dict[str, Mapping[str, Any]] = {}

        def make(host: Host) -> list[dict[str, Any]]:
            passed = [*given, {**context, **call.context}] if procedure.takes_context else given
            if told:
                passed[-1]["answers"] = told
            return host.call(
                *(procedure.name, passed, procedure.fields),
                is_synced=not procedure.counts,
            )

        while True:
            try:
                return await self._in_thread(lambda: self._made_if_written(make))
            except Full:
                if procedure.name not in RELEASING:
                    raise
                await self._in_thread(lambda: self._open_host().make_room())
                return await self._in_thread(lambda: make(self._open_host()))
            except Refused as refused:
                if refused.kind is not Lacking or call.embed is None:
                    raise
                # It began to read, and needs what no store can look up.
                lacking = {key(one): one for one in decode(str(refused))}
                if lacking.keys() <= told.keys():
                    raise
                told |= {
                    name: await call.embed(one.text)
                    for name, one in lacking.items()
                    if isinstance(one, Embedded)
                }

    async def problems(self) -> list[str]:
        return await self._in_thread(
            lambda: [] if self._is_missing() else self._open_host().problems()
        )

    async def stream(
        self, batch: int = 1_000, only: Sequence[Lookup] = ()
    ) -> AsyncGenerator[list[dict[str, Any]]]:
        if await self._in_thread(self._is_missing):
            return
        host = await self._in_thread(self._open_host)
        with closing(host.export(batch, only)) as batches:
            following = functools.partial(next, batches, None)
            while (rows := await self._in_thread(following)) is not None:
                yield rows

    backups = FILES

    # Backup and restore are imported on demand, because they would delay the server's start.

    async def backup(self, file: Path) -> "Written":
        from ..backup_files import BadBackup, Written

        await self._in_thread(lambda: self._open_host().backup(file))
        try:
            return Written(await self.contents(file))
        except BadBackup as error:
            return Written(None, damage=error.reason)

    async def contents(self, file: Path) -> "Contents":
        from ..backup_files import BadBackup
        from . import backup

        if self._path.exists() and file.exists() and self._path.samefile(file):
            raise BadBackup(file, "is this store itself")
        return await self._in_thread(lambda: backup.contents(file, self._model.layers))

    async def restore(self, file: Path | None) -> None:
        async with self.replacing(file):
            pass

    @asynccontextmanager
    async def replacing(self, file: Path | None) -> AsyncGenerator[None]:
        host = await self._in_thread(self._open_host)
        await self._in_thread(host.hold)
        try:
            yield
            await self._in_thread(lambda: host.restore(file))
        finally:
            await self._in_thread(host.let_go)

    async def close(self) -> None:
        self._thread.end()
        if self._host is not None:
            await self._in_thread(self._host.close)
            self._host = None

    def _check(self) -> None:
        if self._is_missing():
            check_creatable(self._path)
        else:
            self._open_host()

    def _is_missing(self) -> bool:
        """Return whether the file does not exist and may be created."""
        return self._creates and self._host is None and not is_there(self._path)

    def _made_if_written(self, call: Callable[[Host], T]) -> T:
        """Return the result of *call*; if the store does not exist, the first write creates it."""
        if self._is_missing():
            with closing(Host(self._path, opening=Opening.STAND_IN, model=self._model)) as nothing:
                result = call(nothing)
                if not nothing.was_written:
                    return result
        return call(self._open_host())

    def _open_host(self) -> Host:
        if self._host is None:
            opening = Opening.CREATE if self._creates else Opening.EXISTING
            self._host = Host(self._path, opening=opening, model=self._model)
        return self._host

    async def _in_thread(self, function: Callable[[], T]) -> T:
        try:
            return await self._thread.run(function)
        except ConceptGraphError as error:
            raise Refused(str(error), type(error)) from error
        except StoreError:
            raise
        except Exception as error:
            if lacks_memory(error):
                raise StoreError(TOO_LITTLE_MEMORY) from error
            logger.exception("a procedure failed")
            reason = one_line(error) or "no message"
            raise StoreError(f"internal error: {type(error).__name__}: {reason}") from error
