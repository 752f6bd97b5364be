"""End the process at a time, whatever it is doing: a prompt waits for it."""

import os
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

_STAT = Path("/proc/self/stat")
# The number of the field with the start of the process, counted behind its name.
_START_FIELD = 19


class Deadline:
    """While entered, the process ends with exit code 0 *seconds* after its start.

    A thread ends it, because a signal would wait for a call into SQLite to return.
    """

    def __init__(self, seconds: float) -> None:
        self._timer = threading.Timer(max(0.0, seconds - seconds_since_start()), os._exit, (0,))
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._timer.cancel()


def seconds_since_start() -> float:
    """Return the seconds since this process was started; elsewhere than on Linux its CPU time."""
    try:
        fields = _STAT.read_text().rpartition(")")[2].split()
        started = int(fields[_START_FIELD]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()
