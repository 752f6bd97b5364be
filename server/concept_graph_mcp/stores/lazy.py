"""A store that is made when it is first needed, so that a server can shake hands before that."""

import functools
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from ..calls.call import Call
from ..settings import Settings, location
from .store import EXPORT_BACKUP, FILE_BACKUP, Store

if TYPE_CHECKING:
    from .backup_files import Contents, Written


class DeferredStore:
    """What *make* returns (see `store.Store`), made in a thread: its imports alone take long."""

    def __init__(self, location: str, backup_suffix: str, make: Callable[[], Store]) -> None:
        self.location = location
        self.backup_suffix = backup_suffix
        self._make = make
        self._made: Store | None = None
        self._making = anyio.Lock()

    async def open(self) -> None:
        await (await self._store()).open()

    async def identity(self) -> str | None:
        return await (await self._store()).identity()

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        return await (await self._store()).call(call, context)

    async def export(self, batch: int = 1_000) -> AsyncGenerator[list[dict[str, Any]]]:
        async with aclosing((await self._store()).export(batch)) as batches:
            async for records in batches:
                yield records

    async def backup(self, file: Path) -> "Written":
        return await (await self._store()).backup(file)

    async def backup_contents(self, file: Path) -> "Contents":
        return await (await self._store()).backup_contents(file)

    async def restore(self, file: Path | None) -> None:
        await (await self._store()).restore(file)

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()

    async def _store(self) -> Store:
        async with self._making:
            if self._made is None:
                self._made = await anyio.to_thread.run_sync(self._make)
            return self._made


def connect(settings: Settings, creates: bool = False) -> Store:
    """Return the store that *settings* name, not yet opened; with *creates* writing makes it."""
    path = settings.embedded
    if path is not None:
        return DeferredStore(str(path), FILE_BACKUP, functools.partial(_embedded, path, creates))
    return DeferredStore(location(settings.uri), EXPORT_BACKUP, functools.partial(_bolt, settings))


# Imported here, because each of the two is slow to import and the other one's is not needed.


def _embedded(path: Path, creates: bool) -> Store:
    from .embedded.store import EmbeddedStore

    return EmbeddedStore(path, creates)


def _bolt(settings: Settings) -> Store:
    from .bolt.store import BoltStore

    return BoltStore(settings.uri, settings.user, settings.password)
