"""Memories as a text that a model reads: a line each, and what it takes of a budget of tokens.

Imports nothing of Memgraph: the shell writes the same text with the days of its own zone.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any, Final

from .. import dates
from .. import text as texts

# No model is asked: English has about four bytes a token, other scripts fewer characters to them.
BYTES_A_TOKEN: Final = 4
# What a text may be asked for in, of whichever layer.
DEFAULT_BUDGET: Final = 2_000
MIN_BUDGET: Final = 50
MAX_BUDGET: Final = 100_000
_CUT: Final = "…"

# A memory in such a text: memory_id, at (unix ms), text.
Entry = Mapping[str, Any]


def written(entries: Sequence[Entry], day: Callable[[int], str]) -> str:
    """Return *entries*, one below the other; *day* tells the date of a time, ten characters."""
    return "\n".join(line(entry, day) for entry in entries)


def line(entry: Entry, day: Callable[[int], str]) -> str:
    """Return an entry as it is read: its date, its id, and what it says.

    All but its first line is indented, so that no content can look like another memory.
    """
    said = "\n  ".join(entry["text"].splitlines())
    return f"[{day(entry['at'])} {entry['memory_id']}] {said}"


def day(time_ms: int, zone: tzinfo = UTC) -> str:
    """Return the date of a time in *zone*, "2025-06-15"; the nearest where no calendar has it."""
    return dates.moment(time_ms, zone).date().isoformat()


def budget(given: int | None) -> int:
    """Return in how many tokens a text is wanted. Raises InvalidNumber."""
    wanted = DEFAULT_BUDGET if given is None else given
    return texts.integer(wanted, "token_budget", MIN_BUDGET, MAX_BUDGET)


def tokens(size: int) -> int:
    """Return how many tokens a text of *size* bytes has, estimated."""
    return -(-size // BYTES_A_TOKEN)


def size(text: str) -> int:
    """Return how many bytes *text* has."""
    return len(text.encode())


def cut(entry: Entry, budget: int) -> Entry:
    """Return *entry*, which does not fit, with as much of its text as *budget* tokens have."""
    lines: list[str] = entry["text"].splitlines()
    room = budget * BYTES_A_TOKEN - size(line({**entry, "text": _CUT}, day))
    kept: list[str] = []
    for number, one in enumerate(lines):
        room -= size("\n  ") if number else 0
        part = one.encode()[: max(0, room)].decode(errors="ignore")
        kept.append(part)
        room -= size(part)
        if part != one:
            break
    return {**entry, "text": "\n".join(kept).rstrip() + _CUT}
