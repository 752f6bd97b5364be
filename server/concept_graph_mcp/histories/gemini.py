"""Chats with Gemini: `MyActivity.json` of Google Takeout, and the sessions of Gemini CLI.

An activity is a prompt, `title`, with the answer as HTML in `safeHtmlItem`; nothing says which ones
belong together, so a thread is a day. A session of the CLI is a document, or lines since 2026; its
messages have the `type` user or gemini.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from ..file_formats.lines import Record
from .conversation import ASSISTANT, USER, Kept, message

NAME, CLI = "gemini", "gemini-cli"
# The key of an activity, of a session, of its messages, and of a line of its log of prompts.
MARK, OF_SESSION, OF_MESSAGE, OF_LOG = "header", "projectHash", "timestamp", "messageId"
LOG, CHATS = "logs.json", "chats"
FOLDERS = ("~/.gemini/tmp",)
WITHIN = "messages"
_PRODUCTS = ("gemini", "bard")
_PROMPTED = re.compile(r"^(?:Prompted|Asked|Said|Eingegebener Prompt:|Prompt eingegeben:)\s+")
_SPEAKERS = {"user": USER, "gemini": ASSISTANT}
_BLOCKS = {"p", "br", "li", "div", "tr", "h1", "h2", "h3", "h4", "pre", "ul", "ol", "table"}


def activities(found: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Yield the prompt and the answer of an activity."""
    products = f"{found.get('header')} {found.get('products')}".lower()
    if not any(one in products for one in _PRODUCTS):
        kept.tally.left_out("activities of other products")
        return
    title, at = str(found.get("title") or ""), found.get("time")
    answers = [one for one in found.get("safeHtmlItem") or () if isinstance(one, dict)]
    prompt = _PROMPTED.sub("", title)
    if prompt == title and not answers:
        kept.tally.left_out("messages of the program")
        return
    thread = f"Gemini {str(at)[:10]}"
    answer = "\n\n".join(show_text(str(one.get("html") or "")) for one in answers)
    for speaker, text in ((USER, prompt), (ASSISTANT, answer)):
        digest = hashlib.sha256(f"{at}\0{text}".encode(errors="replace")).hexdigest()[:32]
        key = f"{NAME} {speaker} {digest}"
        if record := message(key, thread, speaker, at, kept.prose(text)):
            yield record


def is_session(record: dict[str, Any]) -> bool:
    """Tell whether *record* is a session of the CLI, or its first line."""
    return OF_SESSION in record and "sessionId" in record


def session_lines(
    records: Iterator[dict[str, Any]], kept: Kept, state: dict[str, Any]
) -> Iterator[Record]:
    """Iterate over the messages in the lines of a session; *state* is what its first line says."""
    for record in records:
        if is_session(record):
            state |= {"sessionId": record["sessionId"], "kind": record.get("kind")}
            for said in record.get(WITHIN) or ():
                if isinstance(said, dict):
                    yield from _of_session(said, kept, state)
        elif state.get("sessionId"):
            yield from _of_session(record, kept, state)


def session_messages(said: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Yield a message of the session that the head names, or a line of its log of prompts."""
    yield from _of_session(said, kept, kept.head)


def _of_session(said: dict[str, Any], kept: Kept, head: Mapping[str, Any]) -> Iterator[Record]:
    speaker = _SPEAKERS.get(str(said.get("type")))
    session = head.get("sessionId") or said.get("sessionId")
    if speaker is None or not session:
        if said.get("type"):
            kept.tally.left_out("messages of the program")
        return
    if head.get("kind") == "subagent":
        kept.tally.left_out("messages of subagents")
        return
    for _ in said.get("toolCalls") or ():
        kept.tally.left_out("calls of tools")
    for _ in said.get("thoughts") or ():
        kept.tally.left_out("thoughts of the model")
    content = said.get("displayContent") or said.get("content") or said.get("message")
    text = kept.prose("\n\n".join(_texts(content)))
    own = said.get("id") or f"log {said.get(OF_LOG)}"
    key, thread = f"{CLI} {session} {own}", f"Gemini CLI {session}"
    if record := message(key, thread, speaker, said.get("timestamp"), text):
        yield record


def _texts(content: Any) -> Iterator[str]:
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text


class _Shown(HTMLParser):
    """Collects the text of HTML, each block on lines of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n- " if tag == "li" else "\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def show_text(html: str) -> str:
    """Return the text that *html* shows."""
    shown = _Shown()
    shown.feed(html)
    shown.close()
    lines = [" ".join(line.split()) for line in "".join(shown.parts).split("\n")]
    return re.sub(r"\n{2,}", "\n", "\n".join(lines)).strip()
