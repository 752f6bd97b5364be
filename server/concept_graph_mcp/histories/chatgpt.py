"""The export of ChatGPT: `conversations.json`, or several of it, each a list of conversations.

A conversation is a tree, `mapping`: an edited question or a second answer begins a branch. The
branch that was shown last leads to `current_node`; only that one is read. The transcript of speech
is a part of type `audio_transcription`.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .conversation import ASSISTANT, USER, Kept, message

NAME = "chatgpt"
# The key of a conversation by which the export is recognised.
MARK = "mapping"

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


def messages(conversation: dict[str, Any], kept: Kept) -> Iterator[Record]:
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
        if found := message(f"{NAME} {said.get('id')}", f"ChatGPT {own}", str(role), at, text):
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
    nodes = conversation.get(MARK)
    at, way, seen = conversation.get("current_node"), [], set()
    while isinstance(nodes, dict) and isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        way.append(nodes[at])
        at = nodes[at].get("parent")
    return way[::-1]
