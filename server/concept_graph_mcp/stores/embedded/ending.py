"""Work in a thread that ends, with nothing written, when nobody waits for it any more."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import anyio
import anyio.to_thread

from ...errors import Ended

T = TypeVar("T")

_must_end: ContextVar[Callable[[], bool]] = ContextVar("must_end")


def must_end() -> bool:
    """Tell whether what this thread does is to end: every loop over the graph asks, and SQLite."""
    asked = _must_end.get(None)
    return asked is not None and asked()


def check() -> None:
    """Raise Ended if what this thread does is to end."""
    if must_end():
        raise Ended("the call was ended; nothing was written")


@contextmanager
def ended_when(asked: Callable[[], bool]) -> Iterator[None]:
    """Let what is done meanwhile end as soon as *asked* says so."""
    token = _must_end.set(asked)
    try:
        yield
    finally:
        _must_end.reset(token)


class Thread:
    """A place for one piece of work at a time; further ones wait, and not in threads of their own.

    Work whose caller is cancelled is told to end and waited for, so that nothing of it goes on.
    """

    def __init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(1)
        self._running: set[threading.Event] = set()

    def end(self) -> None:
        """Tell all work that is under way to end."""
        for ended in self._running:
            ended.set()

    async def run(self, function: Callable[[], T]) -> T:
        """Return what *function* returns, or raise Ended."""
        ended, started, finished = (threading.Event() for _ in range(3))

        def work() -> T:
            started.set()
            try:
                with ended_when(ended.is_set):
                    check()
                    return function()
            finally:
                finished.set()

        async with self._limiter:
            self._running.add(ended)
            try:
                return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
            except anyio.get_cancelled_exc_class():
                # What has not started by now will find this before it does anything.
                ended.set()
                if started.is_set():
                    with anyio.CancelScope(shield=True):
                        await anyio.to_thread.run_sync(finished.wait)
                raise
            finally:
                self._running.discard(ended)
