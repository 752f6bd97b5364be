"""Divide the users among several stores, by a table in a file.

The file is JSON:

* `stores`: by a name, the URIs of a store: of its main, then of the replicas to read.
* `by_hash`: the names of the stores that new users are spread over, by the hash of their id. The
  list must never change, or users would be looked for where they are not.
* `moved`: by user, the name of the store that `users move` has moved them to.
* `moving`: the users whose writes are refused because they are being moved.
"""

import hashlib
import json
import logging
import os
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.graph.primitives import Lookup

from ..calls.call import Call
from ..errors import StoreError, Unwritable
from ..settings import SettingsError, location, uris
from .store import Store

if sys.platform != "win32":
    import fcntl

logger = logging.getLogger(__name__)


class Shards(NamedTuple):
    """The table; see the module."""

    stores: Mapping[str, Sequence[str]]
    by_hash: Sequence[str]
    moved: Mapping[str, str]
    moving: Sequence[str]

    def store_of(self, user_id: str) -> str:
        """Return the name of the store of *user_id*."""
        if user_id in self.moved:
            return self.moved[user_id]
        digest = hashlib.sha256(user_id.encode()).digest()
        return self.by_hash[int.from_bytes(digest[:8], "big") % len(self.by_hash)]

    def with_moving(self, user_id: str) -> "Shards":
        """Return the table in which *user_id* is being moved."""
        return self._replace(moving=sorted({*self.moving, user_id}))

    def without_moving(self, user_id: str) -> "Shards":
        """Return the table in which *user_id* is not being moved."""
        return self._replace(moving=[one for one in self.moving if one != user_id])

    def with_moved(self, user_id: str, store: str) -> "Shards":
        """Return the table in which *store* has the data of *user_id*."""
        return self.without_moving(user_id)._replace(moved={**self.moved, user_id: store})


def read(file: Path) -> Shards:
    """Return the table in *file*. Raises SettingsError."""
    try:
        given = json.loads(file.read_text(encoding="utf-8"))
        table = Shards(
            {
                name: uris(",".join(some), f"{file}: {name}")
                for name, some in given["stores"].items()
            },
            list(given["by_hash"]),
            dict(given.get("moved", {})),
            list(given.get("moving", ())),
        )
    except OSError as error:
        raise SettingsError(f"{file}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SettingsError(
            f'{file}: must be like {{"stores": {{"one": ["bolt://one:7687"]}}, "by_hash": ["one"]}}'
        ) from None
    unknown = {*table.by_hash, *table.moved.values()} - table.stores.keys()
    empty = [name for name, some in table.stores.items() if not some]
    if unknown or empty or not table.by_hash:
        wrong = ", ".join(sorted([*unknown, *empty])) or "by_hash"
        raise SettingsError(f"{file}: {wrong}: names no store with a URI")
    return table


def change(file: Path, changed: Callable[[Shards], Shards]) -> None:
    """Replace *file* by what *changed* makes of its table, one process after the other.

    Two moves at once would undo each other's. Raises SettingsError and OSError.
    """
    with _alone(file.parent):
        write(file, changed(read(file)))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes out meanwhile, where the system has locks."""
    if sys.platform == "win32":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write(file: Path, table: Shards) -> None:
    """Replace *file* by *table*, at once for its readers. Raises OSError."""
    made: dict[str, Any] = {**table._asdict(), "stores": {k: [*v] for k, v in table.stores.items()}}
    beside = file.with_name(f"{file.name}.new")
    with beside.open("w", encoding="utf-8") as stream:
        json.dump(made, stream, indent=2)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(file)


class ShardedStore:
    """The stores of a table, as one (see `store.Store`): each call goes to that of its user.

    *make* returns the store at some URIs. A store that is away stops its own users only.
    """

    def __init__(self, file: Path, make: Callable[[Sequence[str]], Store]) -> None:
        self._file = file
        self._make = make
        self._stores: dict[tuple[str, ...], Store] = {}
        self._seen = _state(file)
        self._table = read(file)

    @property
    def location(self) -> str:
        return ", ".join(location(addresses[0]) for addresses in self._table.stores.values())

    async def open(self) -> None:
        for addresses in self._current().stores.values():
            try:
                await self._store(addresses).open()
            except StoreError as error:
                logger.warning("%s", error)

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        user = str({**context, **call.context}.get("user_id", DEFAULT_USER))
        table = self._current()
        if call.procedure.writes and user in table.moving:
            raise Unwritable(f"{user} is being moved to another store; try again in a few minutes")
        return await self._store(table.stores[table.store_of(user)]).call(call, context)

    async def fit_vectors(self) -> None:
        for addresses in self._current().stores.values():
            await self._store(addresses).fit_vectors()

    async def problems(self) -> list[str]:
        return []

    async def stream(
        self, batch: int = 1_000, only: Sequence[Lookup] = ()
    ) -> AsyncGenerator[list[dict[str, Any]]]:
        for addresses in self._current().stores.values():
            async with aclosing(self._store(addresses).stream(batch, only)) as batches:
                async for records in batches:
                    yield records

    async def close(self) -> None:
        for store in self._stores.values():
            await store.close()

    def _store(self, addresses: Sequence[str]) -> Store:
        key = tuple(addresses)
        if key not in self._stores:
            self._stores[key] = self._make(key)
        return self._stores[key]

    def _current(self) -> Shards:
        """Return the table, read again if the file has changed."""
        seen = _state(self._file)
        if seen != self._seen:
            self._seen = seen
            try:
                self._table = read(self._file)
            except SettingsError as error:
                logger.warning("%s; the table read before stays in use", error)
        return self._table


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
