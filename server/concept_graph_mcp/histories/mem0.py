"""Memories of mem0, as `get_all` returns them: a list, or a map with the list as `results`."""

from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .conversation import USER, Kept, message

NAME = "mem0"
# The key of a memory by which the file is recognised.
MARK = "memory"
# The key of the list, where a map is around it.
WITHIN = "results"


def messages(memory: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Yield what *memory* says; it is the user's, for mem0 extracts it from their messages."""
    whose = memory.get("user_id") or memory.get("agent_id") or USER
    at = memory.get("updated_at") or memory.get("created_at")
    text = kept.prose(str(memory.get(MARK) or ""))
    if found := message(f"{NAME} {memory.get('id')}", f"mem0 {whose}", USER, at, text):
        yield found
