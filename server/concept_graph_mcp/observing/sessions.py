"""Where the sessions of a history end: a thread that is silent for an hour goes on as another."""

from collections import OrderedDict
from dataclasses import dataclass

from ..calls.entity_admin import HOUR_MS


@dataclass(slots=True)
class Open:
    """A session that has not ended yet, and when something was said in it last (unix ms)."""

    session_id: str
    last_ms: int


class Sessions:
    """Tells which session each message is of, told one after the other in the file's order.

    A thread's first session is called like it, the next ones have a number: "thread #2". So the
    same file, or one that has grown, has the same sessions.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[str, Open] = OrderedDict()
        self._numbers: dict[str, int] = {}

    def of(self, thread: str, at_ms: int) -> tuple[str, list[Open]]:
        """Return the session of what is said in *thread* then, and those that ended before it."""
        ended = self._silent(at_ms)
        now = self._open.get(thread)
        if now is None:
            number = self._numbers[thread] = self._numbers.get(thread, 0) + 1
            now = Open(thread if number == 1 else f"{thread} #{number}", at_ms)
            self._open[thread] = now
        # What is told of late turns no clock back.
        now.last_ms = max(now.last_ms, at_ms)
        self._open.move_to_end(thread)
        return now.session_id, ended

    def rest(self) -> list[Open]:
        """Return the sessions that end with the file."""
        rest = list(self._open.values())
        self._open.clear()
        return rest

    def _silent(self, at_ms: int) -> list[Open]:
        """Take out what has been silent for an hour: first is the thread heard of the longest ago.

        In a file that is not in the order of time a session is ended somewhat later than that.
        """
        ended = []
        while self._open:
            thread, first = next(iter(self._open.items()))
            if at_ms - first.last_ms < HOUR_MS:
                break
            ended.append(self._open.pop(thread))
        return ended
