"""The export of Claude.ai: `conversations.json`, a list of conversations with `chat_messages`."""

from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .conversation import ASSISTANT, USER, Kept, message

NAME = "claude-ai"
# The key of a conversation by which the export is recognised.
MARK = "chat_messages"

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
