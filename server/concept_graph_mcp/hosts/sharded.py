"""Spread users over stores, as a table says that is read again when it changes."""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from conceptgraph_core.context import DEFAULT_USER

from ..calls.call import Call
from ..calls.lookups import Lookup
from ..errors import StoreError, Unwritable
from ..settings import SettingsError, location
from . import shards
from .store import Store

logger = logging.getLogger(__name__)


class ShardedStore:
    """The stores of a table, as one (see `store.Store`): each call goes to that of its user.

    *make* returns the store at some URIs. A store that is away stops its own users only.
    """

    def __init__(self, file: Path, make: Callable[[Sequence[str]], Store]) -> None:
        self._file = file
        self._make = make
        self._stores: dict[tuple[str, ...], Store] = {}
        self._seen = _state(file)
        self._table = shards.read(file)

    @property
    def location(self) -> str:
        return ", ".join(location(uris[0]) for uris in self._table.stores.values())

    async def open(self) -> None:
        for uris in self._current().stores.values():
            try:
                await self._store(uris).open()
            except StoreError as error:
                logger.warning("%s", error)

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        user = str({**context, **call.context}.get("user_id", DEFAULT_USER))
        table = self._current()
        if call.procedure.writes and user in table.moving:
            raise Unwritable(f"{user} is being moved to another store; try again in a few minutes")
        return await self._store(table.stores[table.store_of(user)]).call(call, context)

    async def fit_vectors(self) -> None:
        for uris in self._current().stores.values():
            await self._store(uris).fit_vectors()

    async def problems(self) -> list[str]:
        return []

    async def stream(
        self, batch: int = 1_000, only: Sequence[Lookup] = ()
    ) -> AsyncGenerator[list[dict[str, Any]]]:
        for uris in self._current().stores.values():
            async with aclosing(self._store(uris).stream(batch, only)) as batches:
                async for records in batches:
                    yield records

    async def close(self) -> None:
        for store in self._stores.values():
            await store.close()

    def _store(self, uris: Sequence[str]) -> Store:
        key = tuple(uris)
        if key not in self._stores:
            self._stores[key] = self._make(key)
        return self._stores[key]

    def _current(self) -> shards.Shards:
        """Return the table, read again if the file has changed."""
        seen = _state(self._file)
        if seen != self._seen:
            self._seen = seen
            try:
                self._table = shards.read(self._file)
            except SettingsError as error:
                logger.warning("%s; the table read before stays in use", error)
        return self._table


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
