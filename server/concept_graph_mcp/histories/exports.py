"""The exports of chats: lists of conversations, as JSON.

The export of ChatGPT: `conversations.json`, or several of it, each a list of conversations.

A conversation is a tree, `mapping`: an edited question or a second answer begins a branch. The
branch that was shown last leads to `current_node`; only that one is read. The transcript of speech
is a part of type `audio_transcription`.

The export of Claude.ai: `conversations.json`, `memories.json`, `projects.json`, `users.json`.

A conversation has `chat_messages`. Claude's memory of the user is one text, and one for each
project; a paragraph is a memory. A project has a description and the user's instructions.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .conversation import ASSISTANT, USER, Kept, message

CHATGPT = "chatgpt"
# The key of a conversation by which the export is recognised.
OF_CHATGPT = "mapping"

_SAID = ("text", "multimodal_text")
_THOUGHTS = ("thoughts", "reasoning_recap")
_SPOKEN = "audio_transcription"
# The program saves what it should remember of the user by a message to this one.
_REMEMBERING = "bio"
# Marks of the page between private characters: a kind, and its values. A citation says nothing,
# an entity or a link has a name that is shown.
_MARKED = re.compile("\ue200([^\ue200\ue201]{0,4000})\ue201")
_SHOWN = {"entity": 1, "url": 0, "link_title": 0}
_LEFT = re.compile(
    "[\ue200-\ue2ff]|【[^【】\n]{0,60}†[^【】\n]{0,200}】"
    r"|:contentReference\[oaicite:\d+\](?:\{index=\d+\})?"
    r"|(?:file)?(?:cite|navlist|video|i)?(?:turn\d+[a-z]+\d+)+"
)
# A mark takes the blanks before it along, if a sign or nothing follows. It is sought from the first
# of them, so that they are read once.
_MARK_GONE = "\ue2ff"
_GONE = re.compile("(?<![ \t])[ \t]*\ue2ff+(?=[\\s.,;:!?)]|$)|\ue2ff")


def read_chatgpt(conversation: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Iterate over the messages of the branch of *conversation* that was shown."""
    own = conversation.get("conversation_id") or conversation.get("id")
    for node in _list_shown_nodes(conversation):
        said = node.get("message")
        if not isinstance(said, dict) or not own:
            continue
        role = (said.get("author") or {}).get("role")
        content = said.get("content") or {}
        hidden = (said.get("metadata") or {}).get("is_visually_hidden_from_conversation")
        if role not in (USER, ASSISTANT) or hidden:
            kept.tally.left_out("outputs of tools" if role == "tool" else "messages of the program")
            continue
        if content.get("content_type") in _THOUGHTS:
            kept.tally.left_out("thoughts of the model")
            continue
        to_tool = said.get("recipient") not in (None, "all", _REMEMBERING)
        if content.get("content_type") not in _SAID or to_tool:
            kept.tally.left_out("calls of tools")
            continue
        text = kept.prose(clear_marks("\n\n".join(_texts(content.get("parts") or (), kept))))
        at = said.get("create_time") or conversation.get("create_time")
        if found := message(f"{CHATGPT} {said.get('id')}", f"ChatGPT {own}", str(role), at, text):
            yield found


def clear_marks(text: str) -> str:
    """Return *text* without the marks of citations, and with the names that marks show."""
    if _LEFT.search(text) is None:
        return text
    return _GONE.sub("", _LEFT.sub(_MARK_GONE, _MARKED.sub(_show_mark, text)))


def _show_mark(match: re.Match[str]) -> str:
    kind, *values = match[1].split("\ue202")
    place = _SHOWN.get(kind)
    if place is None or not values:
        return _MARK_GONE
    try:
        found = json.loads(values[0])
    except (ValueError, RecursionError):
        return values[0]
    return str(found[place]) if isinstance(found, list) and len(found) > place else values[0]


def _texts(parts: Any, kept: Kept) -> Iterator[str]:
    for part in parts:
        if isinstance(part, dict) and part.get("content_type") == _SPOKEN:
            yield str(part.get("text") or "")
        elif isinstance(part, str):
            yield part
        else:
            kept.tally.left_out("attachments")


def _list_shown_nodes(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the nodes from the root to the current one."""
    nodes = conversation.get(OF_CHATGPT)
    at, way, seen = conversation.get("current_node"), [], set()
    while isinstance(nodes, dict) and isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        way.append(nodes[at])
        at = nodes[at].get("parent")
    return way[::-1]


CLAUDE_AI = "claude-ai"
# The keys by which the files of the export are recognised.
OF_CLAUDE_AI, OF_MEMORY, OF_PROJECT = "chat_messages", "conversations_memory", "prompt_template"
OF_USER = "full_name"

_LONGEST_NAME = 200
_SPEAKERS = {"human": USER, "assistant": ASSISTANT}


def read_claude_ai(conversation: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Iterate over the messages of *conversation*."""
    for said in conversation.get(OF_CLAUDE_AI) or ():
        if not isinstance(said, dict) or said.get("sender") not in _SPEAKERS:
            continue
        for _ in (*(said.get("attachments") or ()), *(said.get("files") or ())):
            kept.tally.left_out("attachments")
        # Older exports have the text alone.
        text = kept.of_blocks(said.get("content") or said.get("text"))
        thread, at = f"Claude.ai {conversation.get('uuid')}", said.get("created_at")
        key = f"{CLAUDE_AI} {said.get('uuid')}"
        if found := message(key, thread, _SPEAKERS[said["sender"]], at, text):
            yield found


def read_memories(found: dict[str, Any], kept: Kept) -> Iterator[Record]:
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
            key, at = f"{CLAUDE_AI} memory {digest}", kept.file_ms / 1_000
            if record := message(key, thread, ASSISTANT, at, whole):
                yield record


def read_projects(found: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Yield what the user says a project is; its documents are attachments."""
    for _ in found.get("docs") or ():
        kept.tally.left_out("attachments")
    name = str(found.get("name") or "")
    parts = (found.get("description"), found.get(OF_PROJECT))
    text = kept.prose("\n\n".join(str(part) for part in parts if part))
    whole = f"Project {name}: {text}" if name and text else text
    key, at = f"{CLAUDE_AI} project {found.get('uuid')}", found.get("created_at")
    if not at:
        at = kept.file_ms / 1_000
    if record := message(key, f"Claude.ai project {found.get('uuid')}", USER, at, whole):
        yield record | ({"concepts": [name[:_LONGEST_NAME]]} if name.strip() else {})


def read_names(found: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Yield the name of the user, as the user would say it."""
    name = kept.prose(str(found.get(OF_USER) or ""))[:_LONGEST_NAME]
    key, text = f"{CLAUDE_AI} user {found.get('uuid')}", f"My name is {name}." if name else ""
    if record := message(key, "Claude.ai users", USER, kept.file_ms / 1_000, text):
        yield record


def _is_heading(text: str) -> bool:
    is_bold = text.startswith("**") and text.endswith("**")
    return "\n" not in text and (is_bold or text.startswith("#"))
