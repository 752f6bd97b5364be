"""Chats of Cursor: the SQLite file `state.vscdb`, of all folders or of one.

In `cursorDiskKV`, `composerData:ID` is a conversation; the messages are in it, or each is a
`bubbleId:ID:MESSAGE`. Older versions have the tabs of a chat in `ItemTable`. Few messages have a
time of their own, so they get that of the conversation.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from ..errors import one_line
from ..file_formats.lines import FormatError, Record
from .conversation import ASSISTANT, USER, Kept, message
from .json_streams import LONGEST

NAME = "cursor"
FILE = "state.vscdb"
MAGIC = b"SQLite format 3\0"
FOLDERS = (
    "~/.config/Cursor/User",
    "~/Library/Application Support/Cursor/User",
    "~/AppData/Roaming/Cursor/User",
)
_SPEAKERS = {1: USER, 2: ASSISTANT, "user": USER, "ai": ASSISTANT}
_TABS = "workbench.panel.aichat.view.aichat.chatdata"


def is_one(path: Path) -> bool:
    """Tell whether the SQLite file *path* is one of Cursor's. Raises OSError."""
    try:
        with closing(_open_read_only(path)) as file:
            return _has_table(file, "cursorDiskKV") or _has_table(file, "ItemTable")
    except sqlite3.Error:
        return False


def messages(path: Path, kept: Kept) -> Iterator[Record]:
    """Iterate over the messages of the file *path*, which Cursor may have open.

    Raises FormatError.
    """
    try:
        with closing(_open_read_only(path)) as file:
            if _has_table(file, "cursorDiskKV"):
                yield from _composers(file, kept)
            if _has_table(file, "ItemTable"):
                yield from _tabs(file, kept)
    except sqlite3.Error as error:
        raise FormatError(f"cannot be read as SQLite: {one_line(error)}") from None


def _open_read_only(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    return file


def _has_table(file: sqlite3.Connection, name: str) -> bool:
    row = file.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)
    ).fetchone()
    return row is not None


def _composers(file: sqlite3.Connection, kept: Kept) -> Iterator[Record]:
    # The keys have an index, and those that begin so are next to each other in it.
    rows = file.execute(
        "SELECT value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
    )
    for (value,) in rows:
        composer = _parse(value)
        own = composer.get("composerId")
        at = composer.get("createdAt") or composer.get("lastUpdatedAt")
        bubbles = composer.get("conversation") or list(_find_bubbles(file, composer))
        for bubble in bubbles:
            if own and isinstance(bubble, dict):
                yield from _message(bubble, f"Cursor {own}", at, kept)


def _find_bubbles(file: sqlite3.Connection, composer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for head in composer.get("fullConversationHeadersOnly") or ():
        if isinstance(head, dict):
            key = f"bubbleId:{composer.get('composerId')}:{head.get('bubbleId')}"
            row = file.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()
            if row is not None:
                yield {"bubbleId": head.get("bubbleId"), "type": head.get("type"), **_parse(row[0])}


def _tabs(file: sqlite3.Connection, kept: Kept) -> Iterator[Record]:
    row = file.execute("SELECT value FROM ItemTable WHERE key = ?", (_TABS,)).fetchone()
    for tab in _parse(row[0]).get("tabs") or () if row is not None else ():
        if isinstance(tab, dict):
            for number, bubble in enumerate(tab.get("bubbles") or ()):
                if isinstance(bubble, dict):
                    named = {"bubbleId": f"{tab.get('tabId')} {number}", **bubble}
                    at = tab.get("lastSendTime")
                    yield from _message(named, f"Cursor {tab.get('tabId')}", at, kept)


def _message(bubble: dict[str, Any], thread: str, at: Any, kept: Kept) -> Iterator[Record]:
    speaker = _SPEAKERS.get(bubble.get("type"))
    if speaker is None or not bubble.get("bubbleId"):
        return
    if bubble.get("toolFormerData"):
        kept.tally.left_out("calls of tools")
    if bubble.get("thinking"):
        kept.tally.left_out("thoughts of the model")
    text = kept.prose(str(bubble.get("text") or bubble.get("rawText") or ""))
    own = bubble.get("createdAt") or at
    time = own / 1_000 if isinstance(own, int | float) else own
    if found := message(f"{NAME} {bubble['bubbleId']}", thread, speaker, time, text):
        yield found


def _parse(value: Any) -> dict[str, Any]:
    with suppress(ValueError, RecursionError, TypeError):
        found = json.loads(value)
        if isinstance(found, dict):
            return found
    return {}
