"""The export of ChatGPT: `conversations.json`, a list of conversations.

A conversation is a tree, `mapping`: an edited question or a second answer begins a branch. The
branch that was shown last leads to `current_node`; only that one is read.
"""

from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .conversation import ASSISTANT, USER, Kept, message

NAME = "chatgpt"
# The key of a conversation by which the export is recognised.
MARK = "mapping"

_SAID = ("text", "multimodal_text")


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
        if content.get("content_type") not in _SAID:
            kept.tally.left_out("calls of tools")
            continue
        parts = content.get("parts") or ()
        for part in parts:
            if not isinstance(part, str):
                kept.tally.left_out("attachments")
        text = kept.prose("\n\n".join(part for part in parts if isinstance(part, str)))
        at = said.get("create_time") or conversation.get("create_time")
        if found := message(f"{NAME} {said.get('id')}", f"ChatGPT {own}", str(role), at, text):
            yield found


def _list_shown_nodes(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the nodes from the root to the current one."""
    nodes = conversation.get(MARK)
    at, way, seen = conversation.get("current_node"), [], set()
    while isinstance(nodes, dict) and isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        way.append(nodes[at])
        at = nodes[at].get("parent")
    return way[::-1]
