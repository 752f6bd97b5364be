"""End a server on a signal of the system: first cancel its calls."""

import os
import signal
import sys
import threading

import anyio

from .hosts.store import Store

# Longer than cancelling a call takes, and shorter than a supervisor's patience.
_PATIENCE_S = 2.0


def die_of_interrupts() -> None:
    """Let an interrupt end the process until `end_calls_first` runs.

    Python's own handler would wait for the thread that reads stdin.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


async def end_calls_first(store: Store) -> None:
    """On a signal, cancel the calls of *store*, with nothing written, and end the process."""
    if sys.platform == "win32":
        return  # Windows sends no signal that could be handled.
    if threading.current_thread() is not threading.main_thread():
        return  # The main thread handles signals, and this server runs in another.
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
        async for number in received:
            with anyio.move_on_after(_PATIENCE_S):
                await store.close()
            _die(number)


def _die(number: signal.Signals) -> None:
    """End the process by the signal itself, which its sender checks."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    # A signal from itself does not kill the first process of a container.
    os._exit(128 + number)
