"""The embedded host as a store: its calls in a worker thread, its failures as one line."""

import functools
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from conceptgraph_core.errors import ConceptGraphError

from ...calls.call import Call
from ...errors import Refused, StoreError
from ..backup_files import Contents
from ..store import FILE_BACKUP
from . import backup
from .ending import Thread
from .host import Host

logger = logging.getLogger(__name__)
T = TypeVar("T")


class EmbeddedStore:
    """A graph in one SQLite file (see `store.Store`)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._host: Host | None = None
        self._thread = Thread()

    @property
    def location(self) -> str:
        return str(self._path)

    async def open(self) -> None:
        await self._in_thread(self._opened)

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        procedure, given = call.procedure, list(call.arguments)
        if procedure.takes_context:
            given.append(context)
        return await self._in_thread(
            lambda: self._opened().call(procedure.name, given, call.lookup, procedure.fields)
        )

    async def export(self, batch: int = 1_000) -> AsyncGenerator[list[dict[str, Any]]]:
        host = await self._in_thread(self._opened)
        with closing(host.export(batch)) as batches:
            following = functools.partial(next, batches, None)
            while (rows := await self._in_thread(following)) is not None:
                yield rows

    backup_suffix = FILE_BACKUP

    async def backup(self, file: Path) -> None:
        await self.open()
        await self._in_thread(lambda: backup.copy(self._path, file))

    async def backup_contents(self, file: Path) -> Contents:
        return await self._in_thread(lambda: backup.contents(file))

    async def restore(self, file: Path | None) -> None:
        await self._in_thread(lambda: self._opened().restore(file))

    async def close(self) -> None:
        self._thread.end()
        if self._host is not None:
            await self._in_thread(self._host.close)
            self._host = None

    def _opened(self) -> Host:
        if self._host is None:
            self._host = Host(self._path)
        return self._host

    async def _in_thread(self, function: Callable[[], T]) -> T:
        try:
            return await self._thread.run(function)
        except ConceptGraphError as error:
            raise Refused(str(error)) from error
        except StoreError:
            raise
        except Exception as error:
            logger.exception("a procedure failed")
            reason = " ".join(str(error).split()) or "no message"
            raise StoreError(f"internal error: {type(error).__name__}: {reason}") from error
