"""The lines of a recalled text: each has a number, and the number's source.

Imports nothing of Memgraph: the shell writes the same text with the times of its own zone.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..recall import budgets
from ..texts import dates

WHO: Final = "who"
SAID: Final = "said"
MIND: Final = "mind"
# The parts of a profile.
ME: Final = "me"
ALWAYS: Final = "always"
RULES: Final = "rules"
PEOPLE: Final = "people"
AHEAD: Final = "ahead"
TITLES: Final = {
    WHO: "Who and what:",
    SAID: "Said:",
    MIND: "Comes to mind:",
    ME: "The user:",
    ALWAYS: "Kept always:",
    RULES: "Wishes and rules:",
    PEOPLE: "Closest:",
    AHEAD: "Coming up:",
}
# Messages and plans have times to the minute, other lines to the day.
_TO_THE_MINUTE: Final = (SAID, MIND, AHEAD)
# A plan for a day has no hour.
_MIDNIGHT: Final = " 00:00"
# The JSON of a result without its text and its sources.
_FRAME: Final = len('{"text":"","sources":[],"tokens":99999}')

# A line: part, kind and id of its source, and parts, which are texts and times (unix ms).
Line = Mapping[str, Any]
Moment = Callable[[int], str]


def make_line(part: str, kind: str, key: str, *parts: str | int) -> dict[str, Any]:
    """Return a line of *part*."""
    return {"part": part, "kind": kind, "id": key, "parts": list(parts)}


def text(lines: Sequence[Line], minute: Moment = dates.minute, day: Moment = dates.day) -> str:
    """Return *lines* as a text: a title before the first of each part, a number before each.

    A time at midnight is written as a day.
    """

    def moment(at: int) -> str:
        return minute(at).removesuffix(_MIDNIGHT)

    written: list[str] = []
    part = None
    for number, line in enumerate(lines, 1):
        if line["part"] != part:
            part = line["part"]
            written.append(TITLES[part])
        written.append(f"[{number}] {_write_line(line, moment, day)}")
    return "\n".join(written)


def sources(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the sources of the numbers in a text."""
    return [
        {"n": number, "kind": line["kind"], "id": line["id"]}
        for number, line in enumerate(lines, 1)
    ]


def size(line: Line) -> int:
    """Return the size of *line* as JSON in bytes, its number and its source included."""
    source = len('{"n":99,"kind":"","id":""},') + len(line["kind"]) + budgets.size(line["id"])
    said = _write_line(line, dates.minute, dates.day)
    # A quote takes two bytes there.
    return budgets.size(said) + said.count('"') + len("[99] \\n") + source


def title_size(part: str) -> int:
    """Return the size of the title of *part* as JSON in bytes."""
    return len(TITLES[part]) + len("\\n")


def tokens(lines: Sequence[Line]) -> int:
    """Return the estimated tokens of a result of *lines*."""
    titles = {line["part"] for line in lines}
    used = sum(map(size, lines)) + sum(map(title_size, titles))
    return budgets.tokens(_FRAME + used)


class Room:
    """The rest of a token budget, in bytes."""

    def __init__(self, budget: int) -> None:
        self.bytes = budget * budgets.BYTES_A_TOKEN - _FRAME

    def holds(self, line: Line, title: bool, least: int = 0) -> bool:
        """Tell whether *line* still fits, and take the room if it does; *title*: of a new part.

        The line alone must leave *least* bytes.
        """
        own = size(line)
        needed = own + (title_size(line["part"]) if title else 0)
        if self.bytes - own < least or needed > self.bytes:
            return False
        self.bytes -= needed
        return True


def _write_line(line: Line, minute: Moment, day: Moment) -> str:
    def at(time_ms: int) -> str:
        if line["part"] not in _TO_THE_MINUTE:
            return day(time_ms)
        said = minute(time_ms)
        return said.removesuffix(_MIDNIGHT) if line["part"] == AHEAD else said

    return "".join(part if isinstance(part, str) else at(part) for part in line["parts"])
