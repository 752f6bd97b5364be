"""Run a uvicorn server that ends quietly when it is asked to."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn


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
