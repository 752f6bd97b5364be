"""Limit what one user can take, and let waiting users take turns by what they have spent."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import coroutine
from typing import Any, Final, NamedTuple, TypeVar, cast

import anyio

from ..hosts.store import Spent

T = TypeVar("T")

# A user's requests for each of their calls: lists of tools and handshakes cost little.
REQUESTS_A_CALL: Final = 5
# Seconds after which half of the processor time that a user has spent is forgotten.
_HALF_LIFE_S: Final = 10.0
# Seconds after a call for which its user counts as active.
_ACTIVE_S: Final = 1.0
_LEAST_REST_S: Final = 0.01
_LONGEST_REST_S: Final = 5.0
# An account with less on it is forgotten, at most once in so many seconds.
_NOTHING_S: Final = 0.001
_SWEPT_EVERY_S: Final = 10.0


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


@dataclass(slots=True)
class _Account:
    """A user's calls in the queue, and what they have spent, as of the time `at`."""

    spent: float = 0.0
    at: float = 0.0
    # Until then the user gives way to those who have spent less.
    rests_until: float = 0.0
    active_at: float = 0.0
    running: int = 0
    waiting: deque[anyio.Event] = field(default_factory=deque)

    def fade(self, now: float) -> float:
        """Return what is left of the time spent: half of it after `_HALF_LIFE_S`."""
        self.spent *= 0.5 ** ((now - self.at) / _HALF_LIFE_S)
        self.at = now
        return self.spent

    def is_active(self, now: float) -> bool:
        return bool(self.running or self.waiting) or now - self.active_at < _ACTIVE_S


class FairQueue:
    """Lets so many calls run at once; the user who has spent least processor time is next.

    * Users who have spent as much take turns.
    * The places are shared among the users who have called lately.
    * A call that runs cannot be interrupted. So a user who has spent more than another active one
      rests after each call for as long as it lasted.
    """

    def __init__(
        self,
        at_once: int,
        each: int,
        waiting_each: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._at_once = at_once
        self._each = each
        self._waiting_each = waiting_each
        self._clock = clock
        # In the order of their turns, if they have spent as much.
        self._accounts: dict[str, _Account] = {}
        self._swept = clock()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def running(self) -> int:
        return sum(one.running for one in self._accounts.values())

    @property
    def waiting(self) -> int:
        return sum(len(one.waiting) for one in self._accounts.values())

    @asynccontextmanager
    async def turn(self, user_id: str) -> AsyncIterator[Spent]:
        """Wait for a turn of *user_id*, which lasts as long as the block; yield its account.

        The user is charged for all that the block has spent by its end. Raises TooManyWaiting.
        """
        mine = self._accounts.setdefault(user_id, _Account(at=self._clock()))
        if len(mine.waiting) >= self._waiting_each:
            raise TooManyWaiting
        called, spent, begun = anyio.Event(), Spent(), 0.0
        mine.waiting.append(called)
        self._call_next()
        try:
            await called.wait()
            begun = self._clock()
            yield spent
        finally:
            now = self._clock()
            mine.active_at = now
            if called.is_set():
                mine.running -= 1
                mine.spent = mine.fade(now) + spent.own + spent.stored
                lasted = min(now - begun, _LONGEST_REST_S)
                mine.rests_until = max(now, mine.rests_until) + lasted
            else:
                mine.waiting.remove(called)
            self._forget(now)
            self._call_next()

    def _call_next(self) -> None:
        """Call those who have spent least, as long as calls may begin."""
        now = self._clock()
        active = {name: one for name, one in self._accounts.items() if one.is_active(now)}
        share = max(1, self._at_once // max(1, len(active)))
        free = self._at_once - self.running
        while free > 0:
            ready = [
                (one.fade(now), name)
                for name, one in active.items()
                if one.waiting and one.running < min(share, self._each)
            ]
            ready = [one for one in ready if not self._must_rest(*one, active, now)]
            if not ready:
                break
            # The first of those who have spent as much.
            _, name = min(ready, key=lambda one: one[0])
            account = active[name]
            account.waiting.popleft().set()
            account.running += 1
            free -= 1
            # Behind all others who have spent as much.
            for accounts in (active, self._accounts):
                accounts[name] = accounts.pop(name)
        self._look_again(now, free)

    def _look_again(self, now: float, free: int) -> None:
        """Call again when a rest is over or a user counts as active no more.

        Nobody else need come or go then.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting = [one for one in self._accounts.values() if one.waiting]
        if waiting and free:
            rests = (one.rests_until - now for one in waiting if one.rests_until > now)
            delay = max(_LEAST_REST_S, min((_ACTIVE_S, *rests)))
            self._timer = asyncio.get_running_loop().call_later(delay, self._call_next)

    @staticmethod
    def _must_rest(spent: float, name: str, active: Mapping[str, _Account], now: float) -> bool:
        return active[name].rests_until > now and any(
            other.fade(now) < spent for one, other in active.items() if one != name
        )

    def _forget(self, now: float) -> None:
        """Forget users who are gone and have next to nothing on their accounts."""
        if now - self._swept < _SWEPT_EVERY_S:
            return
        self._swept = now
        for name, one in list(self._accounts.items()):
            if not one.is_active(now) and one.fade(now) < _NOTHING_S:
                del self._accounts[name]


@coroutine
def metered(work: Awaitable[T], spent: Spent) -> Generator[Any, Any, T]:
    """Await *work*, and charge to *spent* the processor time of its steps in this thread."""
    steps = work.__await__()
    step: Callable[[Any], Any] = steps.send
    given: Any = None
    while True:
        begun = time.thread_time()
        try:
            waits_for = step(given)
        except StopIteration as ended:
            return cast(T, ended.value)
        finally:
            spent.own += time.thread_time() - begun
        try:
            step, given = steps.send, (yield waits_for)
        except BaseException as error:  # noqa: BLE001 - raised in the work itself
            step, given = steps.throw, error
