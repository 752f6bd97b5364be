"""Send the accesses that reads of replicas count to the main, behind the answers."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

import anyio

from conceptgraph_core.context import DEFAULT_USER, OWN
from conceptgraph_core.layers import SHARED
from conceptgraph_core.procedures import ACCESSED

from ... import calls
from ...calls import Call
from ...errors import StoreError, Unavailable

logger = logging.getLogger(__name__)

Make = Callable[[Call, Mapping[str, Any]], Awaitable[Any]]

# Beyond that many the oldest are dropped: the main has been away for long.
_MOST = 10_000
_PAUSE_S = 1.0
_PATIENCE_S = 1.0


def take_accesses(rows: Sequence[dict[str, Any]], context: Mapping[str, Any]) -> Iterator[Call]:
    """Take from the *rows* of a read-only twin what it accessed; yield the calls that count it."""
    user = str(context.get("user_id", DEFAULT_USER))
    scope = user if context.get("concepts") == OWN else SHARED
    for row in rows:
        accessed = row.pop(ACCESSED)
        given = accessed.get("memories", ()), accessed.get("concepts", {})
        if any(given):
            yield calls.everyday.access(user, *given, concept_scope=scope)


class Accesses:
    """Accesses on their way to the main, made one after the other, each with its own context.

    `advice` says why they wait, or is None.
    """

    def __init__(self, make: Make) -> None:
        self._make = make
        self._waiting: deque[tuple[Call, Mapping[str, Any]]] = deque(maxlen=_MOST)
        self._sending: asyncio.Task[None] | None = None
        self.advice: str | None = None

    def add(self, call: Call, context: Mapping[str, Any]) -> None:
        """Make *call* soon, behind those that wait."""
        self._waiting.append((call, context))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def end(self) -> None:
        """Wait a moment for those that wait; log how many are lost."""
        if self._sending is None:
            return
        if self.advice is None:
            with anyio.move_on_after(_PATIENCE_S):
                await asyncio.wait([self._sending])
        self._sending.cancel()
        if self._waiting:
            reason = self.advice or "the main is slow"
            logger.warning("%d accesses were not counted: %s", len(self._waiting), reason)

    async def _send(self) -> None:
        while self._waiting:
            one = self._waiting.popleft()
            try:
                await self._make(*one)
            except Unavailable as error:
                self.advice = f"accesses are counted when the main can be written again: {error}"
                self._waiting.appendleft(one)
                await anyio.sleep(_PAUSE_S)
                continue
            except StoreError as error:
                logger.warning("an access was not counted: %s", error)
            self.advice = None
