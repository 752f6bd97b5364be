"""Run work in a thread that ends, with nothing written, when its caller is cancelled."""

import asyncio
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from queue import SimpleQueue
from time import thread_time
from typing import Any, Generic, TypeVar

import anyio

from ...errors import Ended
from ..store import SPENT

T = TypeVar("T")

_must_end: ContextVar[Callable[[], bool]] = ContextVar("must_end")


def must_end() -> bool:
    """Return whether this thread's work must end; every loop over the graph, and SQLite, asks."""
    asked = _must_end.get(None)
    return asked is not None and asked()


def check() -> None:
    """Raise Ended if this thread's work must end."""
    if must_end():
        raise Ended("the call was ended; nothing was written")


class _Work(Generic[T]):
    """One piece of work.

    Only `do` runs in the worker thread, the rest in the waiting event loop.
    """

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._loop = asyncio.get_running_loop()
        self._done = self._loop.create_future()
        self._result: T | None = None
        self._error: BaseException | None = None
        self._started = self._is_over = self._must_end = False
        # The processor time that it took.
        self.seconds = 0.0

    def end(self) -> None:
        self._must_end = True

    def must_end(self) -> bool:
        return self._must_end

    def do(self) -> None:
        self._started = True
        begun = thread_time()
        _must_end.set(self.must_end)
        try:
            check()
            self._result = self._function()
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            self._error = error
        self.seconds = thread_time() - begun
        # After the loop has closed, no caller waits for the result.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._be_over)

    async def outcome(self) -> T:
        """Return the function's result, or raise its exception."""
        try:
            await self._done
        except asyncio.CancelledError:
            # Work that has not started yet checks this flag first.
            self._must_end = True
            if self._started and not self._is_over:
                self._done = self._loop.create_future()
                with anyio.CancelScope(shield=True):
                    await self._done
            raise
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                # Otherwise the exception and this frame would keep each other alive.
                del error
        return self._result  # type: ignore[return-value]

    def _be_over(self) -> None:
        self._is_over = True
        if not self._done.done():
            self._done.set_result(None)


class Thread:
    """Runs one piece of work at a time in a thread of its own; further ones wait.

    If a caller is cancelled, its work is asked to end and waited for, so that none of it goes on.
    """

    def __init__(self) -> None:
        self._unended: set[_Work[Any]] = set()
        self._waiting: SimpleQueue[_Work[Any] | None] | None = None

    def end(self) -> None:
        """Ask all running work to end."""
        for work in self._unended:
            work.end()

    async def run(self, function: Callable[[], T]) -> T:
        """Return what *function* returns, or raise Ended."""
        if self._waiting is None:
            self._waiting = self._begin()
        work = _Work(function)
        self._unended.add(work)
        # A plain queue, because a pool's locks and limits would slow down every call.
        self._waiting.put(work)
        try:
            return await work.outcome()
        finally:
            self._unended.discard(work)
            if (spent := SPENT.get()) is not None:
                spent.stored += work.seconds

    def _begin(self) -> "SimpleQueue[_Work[Any] | None]":
        """Start the thread, which ends with this object; return its queue of work."""
        waiting: SimpleQueue[_Work[Any] | None] = SimpleQueue()
        threading.Thread(target=_do_all, args=(waiting,), daemon=True, name="store").start()
        weakref.finalize(self, waiting.put, None)
        return waiting


def _do_all(waiting: "SimpleQueue[_Work[Any] | None]") -> None:
    while (work := waiting.get()) is not None:
        work.do()
        # Otherwise the finished work would stay in memory until the next piece arrives.
        del work
