"""Limit what one user can take, and let waiting users take turns."""

import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

import anyio


class Limits(NamedTuple):
    """The limits of each user; `at_once` is for all users together."""

    per_second: float = 20.0
    at_once_each: int = 4
    waiting_each: int = 32
    at_once: int = 8
    bytes: int = 1_000_000
    records: int | None = None
    timeout_s: float = 30.0


class Rate:
    """Admits *per_second* calls a second of each user; after a pause, those of a second at once.

    This is the generic cell rate algorithm (ITU-T I.371): one number for each user, the time at
    which their earlier calls would have been over at that rate.
    """

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = 1 / per_second
        self._ahead = max(1.0, self._interval) + 1e-6
        self._clock = clock
        self._over: dict[str, float] = {}
        self._swept = clock()

    def wait(self, user_id: str, cost: float = 1.0) -> float:
        """Return 0 and count a call of *user_id*, or return the seconds until it is admitted.

        It counts as *cost* calls, and as no more than those of a second.
        """
        now = self._clock()
        if now - self._swept > 60:
            self._over = {user: over for user, over in self._over.items() if over > now}
            self._swept = now
        taken = min(cost * self._interval, self._ahead)
        over = max(now, self._over.get(user_id, now)) + taken
        if over - now > self._ahead:
            return over - now - self._ahead
        self._over[user_id] = over
        return 0.0


class TooManyWaiting(Exception):
    """The user has as many calls waiting as may wait."""


class FairQueue:
    """Lets so many calls run at once, and users with waiting calls take turns.

    One user's calls wait for one another, and never all together for another user's one.
    """

    def __init__(self, at_once: int, each: int, waiting_each: int) -> None:
        self._free = at_once
        self._each = each
        self._waiting_each = waiting_each
        self._running: Counter[str] = Counter()
        # Users in the order of their turns, each with their waiting calls.
        self._waiting: dict[str, deque[anyio.Event]] = {}

    @property
    def running(self) -> int:
        return self._running.total()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def turn(self, user_id: str) -> AsyncIterator[None]:
        """Wait for a turn of *user_id*, which lasts as long as the block. Raises TooManyWaiting."""
        mine = self._waiting.setdefault(user_id, deque())
        if len(mine) >= self._waiting_each:
            raise TooManyWaiting
        called = anyio.Event()
        mine.append(called)
        self._call_next()
        try:
            await called.wait()
            yield
        finally:
            if called.is_set():
                self._running[user_id] -= 1
                if not self._running[user_id]:
                    del self._running[user_id]
                self._free += 1
                self._call_next()
            else:
                self._leave(user_id, called)

    def _call_next(self) -> None:
        """Call users in turn, as long as calls may begin."""
        for user_id in list(self._waiting):
            if not self._free:
                return
            if self._running[user_id] >= self._each:
                continue
            waiting = self._waiting.pop(user_id)
            waiting.popleft().set()
            self._running[user_id] += 1
            self._free -= 1
            if waiting:
                # Behind all others: that makes it fair.
                self._waiting[user_id] = waiting

    def _leave(self, user_id: str, called: anyio.Event) -> None:
        self._waiting[user_id].remove(called)
        if not self._waiting[user_id]:
            del self._waiting[user_id]
