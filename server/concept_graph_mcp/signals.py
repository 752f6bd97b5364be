"""What a server does when the system asks it to end: first it ends its calls."""

import os
import signal
import sys
import threading

import anyio

from .stores.store import Store

# Longer than ending a call takes, and shorter than a supervisor waits.
_PATIENCE_S = 2.0


def die_of_interrupts() -> None:
    """Let an interrupt end the process until `end_calls_first` runs.

    Python's own answer would wait for the thread that reads stdin.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


async def end_calls_first(store: Store) -> None:
    """When asked to end, end the calls of *store* with nothing written, and then the process."""
    if sys.platform == "win32":
        return  # Nothing asks there in a way that could be answered.
    if threading.current_thread() is not threading.main_thread():
        return  # Who runs the server in another thread hears the signals, and answers them.
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
        async for number in received:
            with anyio.move_on_after(_PATIENCE_S):
                await store.close()
            _die(number)


def _die(number: signal.Signals) -> None:
    """End as if the signal had not been caught, which is what its sender looks for."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    # The first process of a container is not killed by its own signals.
    os._exit(128 + number)
