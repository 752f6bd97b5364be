"""Open a store on first use, so that a server can shake hands before that."""

import functools
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from conceptgraph_core.graph.primitives import Lookup

from ..errors import TOO_LITTLE_MEMORY, StoreError, lacks_memory
from ..settings import Settings, location
from . import per_user
from .store import EXPORTS, FILES, Backups, KeptStore, Store


def _pass_on(name: str) -> Any:
    """Return the method *name* of a store that is made when it is first called."""

    async def method(self: "LazyStore", *given: Any) -> Any:
        return await getattr(await self._store(), name)(*given)

    return method


class LazyStore:
    """The store that *make* returns (see `store.Store`), made in a thread.

    Its imports take long.
    """

    def __init__(self, location: str, backups: Backups, make: Callable[[], KeptStore]) -> None:
        self.location = location
        self.backups = backups
        self._make = make
        self._made: KeptStore | None = None
        self._making = anyio.Lock()

    open, fit_vectors, identity, size, unwritable, overwrite_removed = map(
        _pass_on,
        ("open", "fit_vectors", "identity", "size", "unwritable", "overwrite_removed"),
    )
    call, problems, backup, contents = map(_pass_on, ("call", "problems", "backup", "contents"))

    async def stream(
        self, batch: int = 1_000, only: Sequence[Lookup] = ()
    ) -> AsyncGenerator[list[dict[str, Any]]]:
        async with aclosing((await self._store()).stream(batch, only)) as batches:
            async for records in batches:
                yield records

    async def restore(self, file: Path | None) -> None:
        async with self.replacing(file):
            pass

    @asynccontextmanager
    async def replacing(self, file: Path | None) -> AsyncGenerator[None]:
        async with (await self._store()).replacing(file):
            yield

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()

    async def _store(self) -> KeptStore:
        if self._made is not None:
            return self._made
        async with self._making:
            if self._made is None:
                try:
                    self._made = await anyio.to_thread.run_sync(self._make)
                except (MemoryError, RuntimeError) as error:
                    if lacks_memory(error):
                        raise StoreError(TOO_LITTLE_MEMORY) from error
                    raise
            return self._made


def connect(settings: Settings, creates: bool = False) -> KeptStore:
    """Return the store of *settings*, not yet opened; with *creates* the first write creates it."""
    path = settings.embedded
    if path is not None:
        return LazyStore(str(path), FILES, functools.partial(_make_embedded, path, creates))
    return LazyStore(location(settings.uri), EXPORTS, functools.partial(_bolt, settings))


def make_served_store(settings: Settings, most_open: int = per_user.MOST_OPEN) -> Store:
    """Return the store that a server of many users has.

    If each user has a file, at most *most_open* files are open.
    """
    if settings.per_user is not None:
        return per_user.UserFiles(settings.per_user, most_open)
    return connect(settings, creates=True)


@asynccontextmanager
async def open_store(settings: Settings, creates: bool = False) -> AsyncGenerator[KeptStore]:
    """Yield the store of *settings*, open until the end. Raises StoreError."""
    store = connect(settings, creates)
    try:
        await store.open()
        yield store
    finally:
        await store.close()


# Imported here, because both are slow to import and only one of them is needed.


def _make_embedded(path: Path, creates: bool) -> KeptStore:
    from .sqlite.store import EmbeddedStore

    return EmbeddedStore(path, creates)


def _bolt(settings: Settings) -> KeptStore:
    if settings.read_uris:
        from .memgraph.replicated import ReplicatedStore

        return ReplicatedStore(settings.uri, settings.read_uris, settings.user, settings.password)
    from .memgraph.store import BoltStore

    return BoltStore(settings.uri, settings.user, settings.password)
