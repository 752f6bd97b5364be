"""Keep each user in a store file of their own, a limited number of which are open at a time."""

import logging
import os
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.verbs.context import DEFAULT_USER

from .. import user_files
from ..calls.call import Call
from ..errors import StoreError, Unavailable

if TYPE_CHECKING:
    from .sqlite.store import EmbeddedStore

logger = logging.getLogger(__name__)

MOST_OPEN = 64
# Seconds after which an unused file is closed.
IDLE_S = 300.0
# Bytes of all open files' elements in memory, beyond which unused files are closed.
_MOST_BYTES = 1 << 30

Make = Callable[[Path], "EmbeddedStore"]


@dataclass(slots=True)
class _Open:
    """An open file: how many calls use it, and when the last one ended."""

    store: "EmbeddedStore"
    users: int = 0
    used_at: float = 0.0


class UserFiles:
    """The files in *directory*, as one store (see `store.Store`): each call goes to its user's.

    The user is that of the session, so no argument of a call can choose a file. At most *most_open*
    files are open; the one that was used longest ago is closed for another. A file that cannot be
    used stops its own user only.
    """

    def __init__(
        self,
        directory: Path,
        most_open: int = MOST_OPEN,
        loaded: Callable[[], Make] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.directory = directory
        self._most_open = most_open
        self._loaded = loaded or _import_embedded
        self._clock = clock
        self._make: Make | None = None
        # The file that was used longest ago comes first.
        self._open: OrderedDict[Path, _Open] = OrderedDict()
        self._freed = anyio.Event()

    @property
    def location(self) -> str:
        return f"{self.directory}{user_files.MARK}"

    def count_open(self) -> int:
        return len(self._open)

    async def open(self) -> None:
        """Create the directory if it is missing. Raises Unavailable."""
        prepare(self.directory)

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        user_id = str(context.get("user_id", DEFAULT_USER))
        return await self.of_user(user_id).call(call, context)

    async def fit_vectors(self) -> None:
        """Do nothing: vectors are stored without an index."""

    async def problems(self) -> list[str]:
        return []

    async def stream(
        self, batch: int = 1_000, only: Sequence[Lookup] = ()
    ) -> AsyncGenerator[list[dict[str, Any]]]:
        for file in user_files.files(self.directory):
            async with aclosing(self.of(file).stream(batch, only)) as batches:
                async for records in batches:
                    yield records

    def of_user(self, user_id: str) -> "UserFile":
        """Return the store of *user_id*."""
        return self.of(user_files.file_of(self.directory, user_id))

    def of(self, file: Path) -> "UserFile":
        """Return the store in *file*."""
        return UserFile(self, file)

    @asynccontextmanager
    async def using(self, file: Path) -> AsyncIterator["EmbeddedStore"]:
        """Yield the store in *file*, which stays open until the end of the block."""
        if self._make is None:
            self._make = await anyio.to_thread.run_sync(self._loaded)
        while file not in self._open and not await self._has_room():
            await self._freed.wait()
        # Nothing else runs between the test above and this.
        if file not in self._open:
            self._open[file] = _Open(self._make(file))
        held = self._open[file]
        held.users += 1
        try:
            yield held.store
        finally:
            held.users -= 1
            held.used_at = self._clock()
            if file in self._open:
                self._open.move_to_end(file)
            self._freed.set()
            self._freed = anyio.Event()
            await self._keep_small()

    async def close_idle(self) -> None:
        """Close the files that were not used for some minutes."""
        for file, held in list(self._open.items()):
            if not held.users and self._clock() - held.used_at >= IDLE_S:
                await self._close(file)

    async def close(self) -> None:
        for file in list(self._open):
            await self._close(file)

    async def _has_room(self) -> bool:
        """Return whether another file can be opened; close one that is not in use for it."""
        if len(self._open) < self._most_open:
            return True
        unused = self._find_unused()
        if unused is not None:
            await self._close(unused)
        return len(self._open) < self._most_open

    async def _keep_small(self) -> None:
        """Close files that are not in use as long as all together take too much memory."""
        while sum(held.store.cached_bytes for held in self._open.values()) > _MOST_BYTES:
            unused = self._find_unused()
            if unused is None:
                return
            await self._close(unused)

    def _find_unused(self) -> Path | None:
        """Return the file that has been out of use longest, if any is."""
        return next((file for file, held in self._open.items() if not held.users), None)

    async def _close(self, file: Path) -> None:
        if (held := self._open.pop(file, None)) is None:
            return
        with anyio.CancelScope(shield=True):
            try:
                await held.store.close()
            except StoreError as error:
                logger.warning("%s: was not closed: %s", file, error)


def prepare(directory: Path) -> None:
    """Create *directory*, for its owner only, unless it exists. Raises Unavailable."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(f"{directory}: cannot be used: {error.strerror}") from error
    if not os.access(directory, os.R_OK | os.W_OK | os.X_OK):
        raise Unavailable(f"{directory}: cannot be written")


class UserFile:
    """One of *files*, as a store that is opened when it is needed."""

    def __init__(self, files: UserFiles, file: Path) -> None:
        self._files = files
        self._file = file

    @property
    def location(self) -> str:
        return str(self._file)

    async def open(self) -> None:
        async with self._files.using(self._file) as store:
            await store.open()

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        async with self._files.using(self._file) as store:
            return await store.call(call, context)

    async def fit_vectors(self) -> None:
        """Do nothing: vectors are stored without an index."""

    async def problems(self) -> list[str]:
        async with self._files.using(self._file) as store:
            return await store.problems()

    async def stream(
        self, batch: int = 1_000, only: Sequence[Lookup] = ()
    ) -> AsyncGenerator[list[dict[str, Any]]]:
        async with (
            self._files.using(self._file) as store,
            aclosing(store.stream(batch, only)) as batches,
        ):
            async for records in batches:
                yield records

    async def close(self) -> None:
        """Do nothing: *files* closes it."""


def _import_embedded() -> Make:
    """Return the class of store files. Its import takes long."""
    from .sqlite.store import EmbeddedStore

    return EmbeddedStore
