"""Bound the connections: how many there are, and how long a slow client may take."""

import asyncio
from time import monotonic
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

# Open connections; beyond that the one goes that has let the server wait longest.
MOST = 500
# Seconds within which a request must have arrived, and within which an answer must be read.
PATIENCE_S = 30.0


class Connection(H11Protocol):
    """A connection whose client cannot hold it by being slow.

    uvicorn alone waits for a request without end, and for a client that does not read.
    """

    def __init__(self, config: Config, *args: Any, **options: Any) -> None:
        super().__init__(config, *args, **options)
        self._since = monotonic()
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()
        if len(self.connections) > MOST:
            waiting = [one for one in self.connections if isinstance(one, Connection) and one.waits]
            slowest = min(waiting, key=lambda one: one._since)
            slowest.transport.abort()
            # Its end is noticed only later, and of many newcomers at a time each must find another.
            self.connections.discard(slowest)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._deadline, self._unread):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None:
            self._expect()
        super().data_received(data)
        if not self.waits and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.more_body and not self.cycle.response_complete:
            # The rest of a request whose beginning came with the one before.
            self._expect()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(PATIENCE_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        # Closing waits until the client has read, which it may never do.
        self._unread = self.loop.call_later(PATIENCE_S, self.transport.abort)

    @property
    def waits(self) -> bool:
        """Return whether the server waits for this client: for a request, or the rest of it."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _expect(self) -> None:
        """Give the client some time for a whole request, however many pieces it sends."""
        self._since = monotonic()
        self._deadline = self.loop.call_later(PATIENCE_S, self._give_up)

    def _give_up(self) -> None:
        self._deadline = None
        if self.waits:
            self.transport.abort()
