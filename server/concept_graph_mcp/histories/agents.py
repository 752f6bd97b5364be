"""Sessions of agents: JSON Lines.

Sessions of Claude Code: JSON Lines in `~/.claude/projects/PROJECT/SESSION.jsonl`.

Nobody documents the format. A line has a `type`; those of "user" and "assistant" have a `message`
with blocks of content, `uuid`, `sessionId` and `timestamp`. Lines of subagents (`isSidechain`),
of the program itself (`isMeta`) and summaries of a compaction are nobody's words.

Sessions of Codex: JSON Lines in `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`.

The first line is `session_meta`; those of type `response_item` whose payload is a "message" are
what was said. Older sessions have the payloads alone, a line each, and no time but the session's.
"""

import re
from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .conversation import ASSISTANT, USER, Kept, message

CLAUDE_CODE = "claude-code"
CLAUDE_CODE_FOLDERS = ("~/.claude/projects",)

_CLAUDE_TYPES = {"user", "assistant", "summary", "system", "progress", "queue-operation"}
_CLAUDE_TYPES |= {"file-history-snapshot", "attachment"}
# Parts of the user's messages that are the program's.
_OF_CLAUDE_CODE = re.compile(
    r"<(system-reminder|command-name|command-message|command-args|local-command-stdout"
    r"|local-command-stderr|bash-input|bash-stdout|bash-stderr|task-notification)>.*?</\1>",
    re.DOTALL,
)
# The model of answers that the program writes itself: errors, interruptions.
_SYNTHETIC = "<synthetic>"
_INTERRUPTED = "[Request interrupted by user"


def is_of_claude_code(record: dict[str, Any]) -> bool:
    """Return whether *record* is a line of such a session."""
    kind = record.get("type")
    return kind in _CLAUDE_TYPES and bool({"sessionId", "leafUuid", "messageId"} & record.keys())


def read_claude_code(
    records: Iterator[dict[str, Any]], kept: Kept, _: dict[str, Any]
) -> Iterator[Record]:
    """Iterate over the messages of the lines of a session; each line stands for itself."""
    for record in records:
        if record.get("type") in (USER, ASSISTANT):
            said = _read_claude_line(record, kept)
            if said is not None:
                yield said


def _read_claude_line(record: dict[str, Any], kept: Kept) -> Record | None:
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
    text = _OF_CLAUDE_CODE.sub("", kept.of_blocks(said.get("content"))).strip()
    if text.startswith(_INTERRUPTED):
        return None
    thread = f"Claude Code {record.get('sessionId')}"
    key, kind, at = f"{CLAUDE_CODE} {record['uuid']}", str(record["type"]), record.get("timestamp")
    return message(key, thread, kind, at, text, folder=record.get("cwd"))


_NOBODYS = {
    "isSidechain": "messages of subagents",
    "isMeta": "messages of the program",
    "isApiErrorMessage": "messages of the program",
    "isCompactSummary": "summaries",
}


CODEX = "codex"
CODEX_FOLDERS = ("~/.codex/sessions",)

_CODEX_TYPES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_TEXTS = ("input_text", "output_text", "text")
# Parts of the user's messages that are the program's.
_OF_CODEX = re.compile(
    r"<(environment_context|user_instructions|INSTRUCTIONS|turn_aborted|permissions[^>]*)>.*?</\1>"
    r"|^# AGENTS\.md instructions for .*?$",
    re.DOTALL | re.MULTILINE,
)
# The counts of what is left out, by the end of its type.
_LEFT_OUT = {
    "_output": "outputs of tools",
    "_call": "calls of tools",
    "reasoning": "thoughts of the model",
}


def is_of_codex(record: dict[str, Any]) -> bool:
    """Return whether *record* is the first line of such a session."""
    is_old = {"id", "timestamp", "instructions"} <= record.keys()
    return is_old or (
        record.get("type") in _CODEX_TYPES and isinstance(record.get("payload"), dict)
    )


def read_codex(
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
            yield from _read_codex_item(record, item, kept, state)


def _read_codex_item(
    record: dict[str, Any], item: dict[str, Any], kept: Kept, state: dict[str, Any]
) -> Iterator[Record]:
    text = _OF_CODEX.sub("", kept.of_blocks(item.get("content"), _TEXTS)).strip()
    if text.startswith(_INTERRUPTED):
        return
    at, session = record.get("timestamp") or state.get("began"), state.get("session", "")
    key, thread = f"{CODEX} {session} {state['number']}", f"Codex {session}"
    folder = state.get("folder")
    if said := message(key, thread, str(item["role"]), at, text, folder=folder):
        yield said
