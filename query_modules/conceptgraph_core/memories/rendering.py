"""Memories as a text that a model reads: a line each, and what it takes of a budget of tokens.

Imports nothing of Memgraph: the shell writes the same text with the days of its own zone.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import quoting
from ..budgets import BYTES_A_TOKEN, size
from ..dates import minute
from .schema import DEFAULT_SOURCE

# A memory in such a text: memory_id, at (unix ms), speaker (None of a note), source, text; and how
# many `also` say the same, and the id of a later one that it is `contradicted_by`, if there are.
Entry = Mapping[str, Any]


def written(entries: Sequence[Entry], minute: Callable[[int], str]) -> str:
    """Return *entries*, one below the other; *minute* tells a time, in sixteen characters."""
    return "\n".join(line(entry, minute) for entry in entries)


def line(entry: Entry, minute: Callable[[int], str]) -> str:
    """Return an entry as it is read: its time, its id, who says so, and what, quoted.

    It is one line, so that no content can look like another memory, or like a line of the server's.
    """
    about = f"[{minute(entry['at'])} {quoting.identified(entry['memory_id'])}]"
    return f"{about} {teller(entry)}: {quoting.quoted(entry['text'])}{marks(entry)}"


def marks(entry: Entry) -> str:
    """Return what is known of an entry besides: for how many it stands, and what denies it."""
    also, later = entry.get("also"), entry.get("contradicted_by")
    marks = [f"{also} more say the same"] if also else []
    if later:
        marks.append(f"contradicted by {quoting.identified(later)}")
    return f" ({'; '.join(marks)})" if marks else ""


def teller(entry: Entry) -> str:
    """Return who says so: a speaker, or a note, whose words are nobody's own."""
    speaker, source = entry["speaker"], entry["source"]
    if speaker is not None:
        return f"{quoting.quoted(speaker)} said"
    return "note" if source == DEFAULT_SOURCE else f"note from {quoting.named(source)}"


def cut(entry: Entry, budget: int) -> Entry:
    """Return *entry*, which does not fit, with as much of its text as *budget* tokens have."""
    room = budget * BYTES_A_TOKEN - size(line({**entry, "text": quoting.CUT}, minute))
    kept = 0
    for character in entry["text"]:
        room -= size(quoting.inside(character))
        if room < 0:
            break
        kept += 1
    return {**entry, "text": entry["text"][:kept].rstrip() + quoting.CUT}
