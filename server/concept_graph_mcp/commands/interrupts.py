"""Handle Ctrl-C in work that is done piece by piece: the current piece is finished first."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self


class Interrupts:
    """While entered, a Ctrl-C during a `piece` takes effect at its end, a second one immediately.

    `torn` is true if a piece was left in the middle.
    """

    def __init__(self) -> None:
        self.torn = False
        self._within = False
        self._asked = False
        self._previous: Any = None

    def __enter__(self) -> Self:
        # Other threads cannot set a handler, and receive no Ctrl-C.
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    @contextmanager
    def piece(self) -> Iterator[None]:
        self._within = True
        try:
            yield
        finally:
            self._within = False
        if self._asked:
            raise KeyboardInterrupt

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self._within and not self._asked:
            self._asked = True
            return
        self.torn = self._within
        raise KeyboardInterrupt
