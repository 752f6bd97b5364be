"""Sessions of Claude Code: JSON Lines in `~/.claude/projects/PROJECT/SESSION.jsonl`.

Nobody documents the format. A line has a `type`; those of "user" and "assistant" have a `message`
with blocks of content, `uuid`, `sessionId` and `timestamp`. Lines of subagents (`isSidechain`),
of the program itself (`isMeta`) and summaries of a compaction are nobody's words.
"""

import re
from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .conversation import ASSISTANT, USER, Kept, message

NAME = "claude-code"
FOLDERS = ("~/.claude/projects",)

_TYPES = {"user", "assistant", "summary", "system", "progress", "queue-operation"}
_TYPES |= {"file-history-snapshot", "attachment"}
# Parts of the user's messages that are the program's.
_OWN = re.compile(
    r"<(system-reminder|command-name|command-message|command-args|local-command-stdout"
    r"|local-command-stderr|bash-input|bash-stdout|bash-stderr|task-notification)>.*?</\1>",
    re.DOTALL,
)
# The model of answers that the program writes itself: errors, interruptions.
_SYNTHETIC = "<synthetic>"
_INTERRUPTED = "[Request interrupted by user"


def is_one(record: dict[str, Any]) -> bool:
    """Return whether *record* is a line of such a session."""
    kind = record.get("type")
    return kind in _TYPES and bool({"sessionId", "leafUuid", "messageId"} & record.keys())


def messages(records: Iterator[dict[str, Any]], kept: Kept, _: dict[str, Any]) -> Iterator[Record]:
    """Iterate over the messages of the lines of a session; each line stands for itself."""
    for record in records:
        if record.get("type") in (USER, ASSISTANT):
            said = _message(record, kept)
            if said is not None:
                yield said


def _message(record: dict[str, Any], kept: Kept) -> Record | None:
    for field, what in _NOBODYS.items():
        if record.get(field):
            kept.tally.left_out(what)
            return None
    said = record.get("message")
    if not isinstance(said, dict) or not record.get("uuid"):
        return None
    if said.get("model") == _SYNTHETIC:
        kept.tally.left_out(_NOBODYS["isMeta"])
        return None
    text = _OWN.sub("", kept.of_blocks(said.get("content"))).strip()
    if text.startswith(_INTERRUPTED):
        return None
    thread = f"Claude Code {record.get('sessionId')}"
    key, kind, at = f"{NAME} {record['uuid']}", str(record["type"]), record.get("timestamp")
    return message(key, thread, kind, at, text, folder=record.get("cwd"))


_NOBODYS = {
    "isSidechain": "messages of subagents",
    "isMeta": "messages of the program",
    "isApiErrorMessage": "messages of the program",
    "isCompactSummary": "summaries",
}
