"""Keep the users of each tenant in a database of their own, which the session names."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from ...calls.call import Call
from ...calls.lookups import Lookup
from ...errors import Refused
from ...settings import location
from ..store import Many
from .caller import driver_of
from .store import BoltStore


class Databases(Many):
    """The databases of one server, as one store (see `store.Store`): each call goes to its own.

    All share one pool of connections. A call whose session names no database is refused, because
    there is none that everybody may use.
    """

    def __init__(self, uri: str, user: str, password: str) -> None:
        self._uri = uri
        self._driver = driver_of(uri, user, password)
        self._stores: dict[str, BoltStore] = {}

    @property
    def location(self) -> str:
        return location(self._uri)

    async def open(self) -> None:
        """Do nothing: a database is opened by its first call."""

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        # The procedures know nothing of databases.
        given = dict(context)
        if not (name := given.pop("database", None)):
            raise Refused("the call names no database, so nothing was read or written")
        return await (await self._opened(name)).call(call, given)

    async def fit_vectors(self) -> None:
        for store in self._stores.values():
            await store.fit_vectors()

    async def problems(self) -> list[str]:
        return []

    async def stream(
        self, batch: int = 1_000, only: Sequence[Lookup] = ()
    ) -> AsyncGenerator[list[dict[str, Any]]]:
        for store in self._stores.values():
            async with aclosing(store.stream(batch, only)) as batches:
                async for records in batches:
                    yield records

    async def close(self) -> None:
        for store in self._stores.values():
            await store.close()
        await self._driver.close()

    async def _opened(self, name: str) -> BoltStore:
        if (known := self._stores.get(name)) is not None:
            return known
        store = BoltStore(self._uri, "", "", database=name, driver=self._driver)
        await store.open()
        # Kept once it is open: a name that no database has must not stay in memory.
        return self._stores.setdefault(name, store)
