"""Gather the chunks in one file: one run at a time, each chunk whole or not at all."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path

from .. import calls
from ..hosts import lazy
from ..hosts.sqlite.opening import copy_store
from ..session import Session
from ..settings import Settings
from .steps import WorkingStoreError

_BEFORE = ".before-chunk-"


@asynccontextmanager
async def open_session(settings: Settings) -> AsyncIterator[Session]:
    """Yield a session on the store of *settings*. Raises StoreError."""
    async with lazy.open_store(settings, creates=True) as store:
        yield Session.of(store, settings)


async def counts(session: Session) -> dict[str, int]:
    """Return how many concepts, episodes and relations of each type there are."""
    rows = await session.run(calls.transfer.stats())
    return {row["measure"]: row["value"] for row in rows if row["kind"] != "time"}


@contextmanager
def lock_store(store: Path) -> Iterator[None]:
    """Lock *store* against other backfills. Raises WorkingStoreError if one is running on it.

    On every platform the lock ends with the process, however that ends.
    """
    import filelock

    path = _name_file_beside(store, ".lock")
    lock = filelock.FileLock(path)
    try:
        store.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except filelock.Timeout:
        raise WorkingStoreError(f"{store}: another backfill is at work on it") from None
    except OSError as error:
        raise WorkingStoreError(f"{store}: cannot be opened: {error}") from None
    try:
        yield
    finally:
        # Removed before the lock is released: a waiting process notices that the name is gone. Some
        # systems cannot remove an open file.
        with suppress(OSError):
            path.unlink(missing_ok=True)
        lock.release()


def keep(store: Path, chunk: int) -> None:
    """Keep a copy of *store* in its state before *chunk*. Raises WorkingStoreError."""
    copy = _name_file_beside(store, f"{_BEFORE}{chunk}")
    partial = _name_file_beside(store, ".partial")
    try:
        partial.unlink(missing_ok=True)
        _copy(store, partial)
        # Renamed only when complete, because a later run may restore it.
        partial.replace(copy)
    except (sqlite3.Error, OSError) as error:
        partial.unlink(missing_ok=True)
        raise WorkingStoreError(f"{copy}: cannot be written: {error}") from None


def let_go(store: Path) -> None:
    """Remove the copy, because the chunk is complete."""
    for copy, _ in _copies(store):
        copy.unlink(missing_ok=True)


def put_back(store: Path) -> int | None:
    """Restore *store* from a leftover copy; return its chunk, or None without a copy.

    No other process may have the store open. Raises WorkingStoreError.
    """
    for copy, chunk in _copies(store):
        try:
            _copy(copy, store)
        except sqlite3.Error as error:
            raise WorkingStoreError(
                f"{store}: cannot be brought back to {copy}, which is how it was before chunk"
                f" {chunk}: {error}"
            ) from None
        copy.unlink(missing_ok=True)
        return chunk
    return None


def _copy(source: Path, target: Path) -> None:
    """Copy a database, its write-ahead log included, in one transaction."""
    with closing(sqlite3.connect(source)) as reader, copy_store(reader, target):
        pass


def _copies(store: Path) -> list[tuple[Path, int]]:
    prefix = f"{store.name}{_BEFORE}"
    found = [path for path in store.parent.iterdir() if path.name.startswith(prefix)]
    numbers = ((path, path.name.removeprefix(prefix)) for path in found)
    return [(path, int(number)) for path, number in numbers if number.isdecimal()]


def _name_file_beside(store: Path, suffix: str) -> Path:
    return store.with_name(store.name + suffix)
