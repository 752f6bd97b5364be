"""The events of hosts, what they send on stdin, and the form of the answers.

Claude Code and Codex send and take the same fields. Their references:

* https://code.claude.com/docs/en/hooks
* https://developers.openai.com/codex/hooks, with schemas in codex-rs/hooks/schema/generated of
  https://github.com/openai/codex
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from conceptgraph_core.texts.quoting import visible

START: Final = "SessionStart"
PROMPT: Final = "UserPromptSubmit"
COMPACT: Final = "PreCompact"
STOP: Final = "Stop"
END: Final = "SessionEnd"
# Seconds until the host ends the hook of an event and shows an error: later than it ends itself.
# Claude Code ends all hooks of SessionEnd after 1.5 seconds.
EVENTS: Final[Mapping[str, int]] = {START: 20, PROMPT: 15, COMPACT: 10, STOP: 10, END: 2}
# Where a host keeps its transcripts: a variable that names its folder, the folder otherwise, and
# the part for transcripts, which may be a link to another disk.
_FOLDERS: Final = {
    "claude-code": ("CLAUDE_CONFIG_DIR", "~/.claude", "projects"),
    "codex": ("CODEX_HOME", "~/.codex", "sessions"),
}
# The tool that a host called for a hook of 0.3.0.
TOOL: Final = "hook"
# The sources of SessionStart after which the model no longer sees what was said before.
FORGOTTEN: Final = ("compact", "clear")


class HookError(Exception):
    """A hook cannot do its work; the message goes to the log."""


class Given(NamedTuple):
    """The JSON of a host; fields that it did not send are empty."""

    session: str
    cwd: Path
    transcript: Path | None
    prompt: str
    source: str


def find_event(name: str) -> str:
    """Return the event *name*, which may be written as session-start too. Raises HookError."""
    wanted = name.replace("-", "").lower()
    for event in EVENTS:
        if event.lower() == wanted:
            return event
    raise HookError(f"{name[:80]!r} is none of {', '.join(EVENTS)}")


def parse_input(text: bytes) -> Given:
    """Return what is in the JSON *text*. Raises HookError."""
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        raise HookError("stdin holds no JSON") from None
    if not isinstance(sent, dict):
        raise HookError("stdin holds no JSON object")
    transcript = _text(sent, "transcript_path")
    return Given(
        session=_text(sent, "session_id"),
        cwd=Path(_text(sent, "cwd") or "."),
        transcript=Path(transcript).expanduser() if transcript else None,
        prompt=_text(sent, "prompt"),
        source=_text(sent, "source"),
    )


def keeps_transcript(client: str, transcript: Path) -> bool:
    """Tell whether *transcript* lies where *client* keeps such; of one not known, where any does.

    The caller of a hook names a file, and its content ends in the memory.
    """
    known = [_FOLDERS[client]] if client in _FOLDERS else _FOLDERS.values()
    for variable, otherwise, part in known:
        folder = Path(os.environ.get(variable) or otherwise).expanduser()
        for one in (folder, folder / part):
            if transcript.resolve().is_relative_to(one.resolve()):
                return True
    return False


def make_answer(event: str, context: str) -> str:
    """Return the answer that puts *context* in front of the model; "" if there is none."""
    if not context:
        return ""
    told = {"hookEventName": event, "additionalContext": visible(context)}
    return json.dumps({"hookSpecificOutput": told}, ensure_ascii=False)


def _text(sent: Mapping[str, Any], field: str) -> str:
    value = sent.get(field)
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""
