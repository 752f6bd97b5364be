"""Listen on a port, and run a uvicorn server there that ends quietly when it is asked to."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on *port* of *host* (0: any free port). Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.create_server((host, port), family=family)
    # asyncio sends a small piece at once only if the socket names its protocol. Otherwise the body
    # of an answer waits until the client has acknowledged its head, 40 ms later.
    return socket.socket(made.family, made.type, socket.IPPROTO_TCP, made.detach())


class Server(uvicorn.Server):
    """Ends quietly on a signal; uvicorn's own server would raise it again afterwards.

    *ready* is called once signals are handled, because a user who sees the address may interrupt.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            # The main thread handles signals.
            self._ready()
            yield
            return
        kinds = (signal.SIGINT, signal.SIGTERM)
        before: dict[signal.Signals, Any] = {
            kind: signal.signal(kind, self.handle_exit) for kind in kinds
        }
        try:
            self._ready()
            yield
        finally:
            for kind, handler in before.items():
                signal.signal(kind, handler)
