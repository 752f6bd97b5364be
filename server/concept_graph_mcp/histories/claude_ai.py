"""The export of Claude.ai: `conversations.json`, `memories.json`, `projects.json`, `users.json`.

A conversation has `chat_messages`. Claude's memory of the user is one text, and one for each
project; a paragraph is a memory. A project has a description and the user's instructions.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .conversation import ASSISTANT, USER, Kept, message

NAME = "claude-ai"
# The keys by which the files of the export are recognised.
MARK, OF_MEMORY, OF_PROJECT = "chat_messages", "conversations_memory", "prompt_template"
OF_USER = "full_name"

_LONGEST_NAME = 200
_SPEAKERS = {"human": USER, "assistant": ASSISTANT}


def messages(conversation: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Iterate over the messages of *conversation*."""
    for said in conversation.get(MARK) or ():
        if not isinstance(said, dict) or said.get("sender") not in _SPEAKERS:
            continue
        for _ in (*(said.get("attachments") or ()), *(said.get("files") or ())):
            kept.tally.left_out("attachments")
        # Older exports have the text alone.
        text = kept.of_blocks(said.get("content") or said.get("text"))
        thread, at = f"Claude.ai {conversation.get('uuid')}", said.get("created_at")
        key = f"{NAME} {said.get('uuid')}"
        if found := message(key, thread, _SPEAKERS[said["sender"]], at, text):
            yield found


def memories(found: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Iterate over the paragraphs of what Claude remembers, of all and of each project."""
    texts = [("", found.get(OF_MEMORY))]
    by_project = found.get("project_memories")
    texts += list(by_project.items()) if isinstance(by_project, dict) else []
    for project, text in texts:
        heading = ""
        for part in str(text or "").split("\n\n"):
            said = kept.prose(part)
            if _is_heading(said):
                heading = said.strip("*# :")
                continue
            whole = f"{heading}: {said}" if heading and said else said
            digest = hashlib.sha256(f"{project}\0{whole}".encode(errors="replace")).hexdigest()[:32]
            thread = f"Claude.ai memory {project}".strip()
            key, at = f"{NAME} memory {digest}", kept.file_ms / 1_000
            if record := message(key, thread, ASSISTANT, at, whole):
                yield record


def projects(found: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Yield what the user says a project is; its documents are attachments."""
    for _ in found.get("docs") or ():
        kept.tally.left_out("attachments")
    name = str(found.get("name") or "")
    parts = (found.get("description"), found.get(OF_PROJECT))
    text = kept.prose("\n\n".join(str(part) for part in parts if part))
    whole = f"Project {name}: {text}" if name and text else text
    key, at = f"{NAME} project {found.get('uuid')}", found.get("created_at")
    if not at:
        at = kept.file_ms / 1_000
    if record := message(key, f"Claude.ai project {found.get('uuid')}", USER, at, whole):
        yield record | ({"concepts": [name[:_LONGEST_NAME]]} if name.strip() else {})


def names(found: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Yield the name of the user, as the user would say it."""
    name = kept.prose(str(found.get(OF_USER) or ""))[:_LONGEST_NAME]
    key, text = f"{NAME} user {found.get('uuid')}", f"My name is {name}." if name else ""
    if record := message(key, "Claude.ai users", USER, kept.file_ms / 1_000, text):
        yield record


def _is_heading(text: str) -> bool:
    is_bold = text.startswith("**") and text.endswith("**")
    return "\n" not in text and (is_bold or text.startswith("#"))
