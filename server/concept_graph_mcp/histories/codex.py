"""Sessions of Codex: JSON Lines in `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`.

The first line is `session_meta`; those of type `response_item` whose payload is a "message" are
what was said. Older sessions have the payloads alone, a line each, and no time but the session's.
"""

import re
from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .conversation import ASSISTANT, USER, Kept, message

NAME = "codex"
FOLDERS = ("~/.codex/sessions",)

_TYPES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_TEXTS = ("input_text", "output_text", "text")
# Parts of the user's messages that are the program's.
_OWN = re.compile(
    r"<(environment_context|user_instructions|INSTRUCTIONS|turn_aborted|permissions[^>]*)>.*?</\1>"
    r"|^# AGENTS\.md instructions for .*?$",
    re.DOTALL | re.MULTILINE,
)
_INTERRUPTED = "[Request interrupted by user"
# The counts of what is left out, by the end of its type.
_LEFT_OUT = {
    "_output": "outputs of tools",
    "_call": "calls of tools",
    "reasoning": "thoughts of the model",
}


def is_one(record: dict[str, Any]) -> bool:
    """Return whether *record* is the first line of such a session."""
    is_old = {"id", "timestamp", "instructions"} <= record.keys()
    return is_old or (record.get("type") in _TYPES and isinstance(record.get("payload"), dict))


def messages(
    records: Iterator[dict[str, Any]], kept: Kept, state: dict[str, Any]
) -> Iterator[Record]:
    """Iterate over the messages of the lines of a session.

    *state* is what the lines before have said: the session, its time and folder, and the number of
    items.
    """
    for record in records:
        payload = record.get("payload")
        if record.get("type") == "session_meta" and isinstance(payload, dict):
            state["session"] = state.get("session") or str(payload.get("id"))
            state["began"] = payload.get("timestamp")
            state["folder"] = state.get("folder") or payload.get("cwd")
            continue
        if not state.get("session") and "id" in record and "timestamp" in record:
            state |= {"session": str(record["id"]), "began": record["timestamp"]}
            continue
        item = payload if record.get("type") == "response_item" else record
        if not isinstance(item, dict):
            continue
        state["number"] = state.get("number", 0) + 1
        if (kind := str(item.get("type"))) != "message":
            left_out = (what for ends, what in _LEFT_OUT.items() if kind.endswith(ends))
            for what in left_out:
                kept.tally.left_out(what)
        elif item.get("role") in (USER, ASSISTANT):
            yield from _message(record, item, kept, state)


def _message(
    record: dict[str, Any], item: dict[str, Any], kept: Kept, state: dict[str, Any]
) -> Iterator[Record]:
    text = _OWN.sub("", kept.of_blocks(item.get("content"), _TEXTS)).strip()
    if text.startswith(_INTERRUPTED):
        return
    at, session = record.get("timestamp") or state.get("began"), state.get("session", "")
    key, thread = f"{NAME} {session} {state['number']}", f"Codex {session}"
    folder = state.get("folder")
    if said := message(key, thread, str(item["role"]), at, text, folder=folder):
        yield said
