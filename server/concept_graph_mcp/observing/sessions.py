"""Split a history into sessions: after an hour of silence a thread begins a new one."""

from collections import OrderedDict
from dataclasses import dataclass

from ..calls.entity_admin import HOUR_MS


@dataclass(slots=True)
class Open:
    """An open session, and the time of its last message (unix ms)."""

    session_id: str
    last_ms: int


class Sessions:
    """Assigns each message to a session; messages must come in the file's order.

    A thread's first session has the thread's name, the next ones have a number: "thread #2". So the
    same file has the same sessions each time, also after it has grown.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[str, Open] = OrderedDict()
        self._numbers: dict[str, int] = {}

    def assign_session(self, thread: str, at_ms: int) -> tuple[str, list[Open]]:
        """Return the session of a message in *thread*, and the sessions that ended before it."""
        ended = self._silent(at_ms)
        now = self._open.get(thread)
        if now is None:
            number = self._numbers[thread] = self._numbers.get(thread, 0) + 1
            now = Open(thread if number == 1 else f"{thread} #{number}", at_ms)
            self._open[thread] = now
        # A late message does not turn the clock back.
        now.last_ms = max(now.last_ms, at_ms)
        self._open.move_to_end(thread)
        return now.session_id, ended

    def rest(self) -> list[Open]:
        """Return the sessions that end with the file."""
        rest = list(self._open.values())
        self._open.clear()
        return rest

    def _silent(self, at_ms: int) -> list[Open]:
        """Remove and return the sessions silent for an hour, the longest silent first.

        In a file out of time order a session ends somewhat later than that.
        """
        ended = []
        while self._open:
            thread, first = next(iter(self._open.items()))
            if at_ms - first.last_ms < HOUR_MS:
                break
            ended.append(self._open.pop(thread))
        return ended
