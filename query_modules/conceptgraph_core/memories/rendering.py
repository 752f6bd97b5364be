"""Render memories as lines that a model reads, within a token budget.

Imports nothing of Memgraph: the shell renders the same text with days in its own time zone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..recall.budgets import BYTES_A_TOKEN, size, tokens
from ..texts import quoting
from ..texts.dates import minute
from .schema import DEFAULT_SOURCE

# A memory in such a text: memory_id, at (unix ms), speaker (None for a note), source and text.
# Optional: `also`, the number of its copies, and `contradicted_by`, the id of a later memory.
Entry = Mapping[str, Any]


def render_entries(entries: Sequence[Entry], minute: Callable[[int], str]) -> str:
    """Render *entries*, one a line; *minute* formats a time in sixteen characters."""
    return "\n".join(line(entry, minute) for entry in entries)


def line(entry: Entry, minute: Callable[[int], str]) -> str:
    """Render an entry: its time, its id, its speaker, and the quoted text.

    It is one line, so that no content can look like another memory, or like a line of the server's.
    """
    about = f"[{minute(entry['at'])} {quoting.quote_id(entry['memory_id'])}]"
    return f"{about} {teller(entry)}: {quoting.quote(entry['text'])}{marks(entry)}"


def marks(entry: Entry) -> str:
    """Return the notes on an entry: its number of copies, and the memory that contradicts it."""
    also, later = entry.get("also"), entry.get("contradicted_by")
    marks = [f"{also} more say the same"] if also else []
    if later:
        marks.append(f"contradicted by {quoting.quote_id(later)}")
    return f" ({'; '.join(marks)})" if marks else ""


def teller(entry: Entry) -> str:
    """Return the speaker, or "note" for a text that nobody said."""
    speaker, source = entry["speaker"], entry["source"]
    if speaker is not None:
        return f"{quoting.quote(speaker)} said"
    return "note" if source == DEFAULT_SOURCE else f"note from {quoting.quote_name(source)}"


def fitting(entries: Iterable[Entry], budget: int) -> Iterator[tuple[int, Entry, str]]:
    """Yield those of *entries* that fit within *budget* tokens: the place, the entry and its line.

    One that does not fit is left out; only the first one is cut.
    """
    used = 0
    for place, whole in enumerate(entries):
        shown, made = whole, line(whole, minute)
        needed = size(made) + (1 if used else 0)
        if tokens(used + needed) > budget:
            if used:
                continue
            shown = cut(whole, budget)
            made = line(shown, minute)
            needed = size(made)
            if tokens(needed) > budget:
                continue
        used += needed
        yield place, shown, made


def cut(entry: Entry, budget: int) -> Entry:
    """Cut *entry*, which does not fit, to a text of *budget* tokens."""
    room = budget * BYTES_A_TOKEN - size(line({**entry, "text": quoting.CUT}, minute))
    kept = 0
    for character in entry["text"]:
        room -= size(quoting.escape(character))
        if room < 0:
            break
        kept += 1
    return {**entry, "text": entry["text"][:kept].rstrip() + quoting.CUT}
