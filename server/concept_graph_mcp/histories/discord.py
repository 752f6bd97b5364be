"""Messages of Discord: a channel by DiscordChatExporter, or the data that Discord sends its user.

The exporter's JSON has everybody's messages. Discord's own archive has the user's alone: a folder
for each channel in `messages/`, with `messages.json` or, before 2024, `messages.csv`.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..file_formats.lines import FormatError, Record
from .archives import Files, open_files
from .conversation import USER, Kept, fold_name, message
from .json_streams import LONGEST

NAME = "discord"
# The key of a message, and of the document, by which the exporter's file is recognised.
MARK, WITHIN = "timestampEdited", "messages"
INDEXES = ("messages/index.json", "Messages/index.json")
_SAID = ("Default", "Reply", "0", "19")
_CHANNEL = re.compile(r"(?:[^/]+/)*messages/c?(?P<channel>\d+)/messages\.(?:json|csv)", re.I)
_LONGEST_NAME = 160


def messages(said: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Yield a message of a channel, whose name is in the head of its file."""
    author = said.get("author") or {}
    if str(said.get("type")) not in _SAID or author.get("isBot"):
        kept.tally.left_out("messages of the program")
        return
    for _ in said.get("attachments") or ():
        kept.tally.left_out("attachments")
    names = [str(one) for one in (author.get("nickname"), author.get("name")) if one]
    if not names:
        return
    is_user = any(fold_name(one) in kept.me for one in names)
    speaker = USER if is_user else kept.name_speaker(names[0])
    head = kept.head
    guild, channel = head.get("guild.name"), head.get("channel.name") or head.get("channel.id")
    thread = f"Discord {' #'.join(str(one) for one in (guild, channel) if one)}"[:_LONGEST_NAME]
    text = kept.prose(str(said.get("content") or ""))
    key, at = f"{NAME} {said.get('id')}", said.get("timestamp")
    if found := message(key, thread, speaker, at, text):
        yield found


def is_package(names: Sequence[str]) -> bool:
    """Tell whether files of these *names* are the data that Discord sends its user."""
    return any(_CHANNEL.fullmatch(one) for one in names)


def package_messages(path: Path, kept: Kept) -> Iterator[Record]:
    """Iterate over the user's messages in the archive or the folder *path*. Raises FormatError."""
    with open_files(path) as files:
        names = files.list_names()
        titles = dict(_name_channels(files, names))
        for name in names:
            found = _CHANNEL.fullmatch(name)
            if found is None:
                continue
            channel = found["channel"]
            title = titles.get(channel) or channel
            for said in _read_rows(files, name):
                for _ in str(said.get("Attachments") or "").split():
                    kept.tally.left_out("attachments")
                key, text = f"{NAME} {said.get('ID')}", kept.prose(str(said.get("Contents") or ""))
                thread = f"Discord {title}"[:_LONGEST_NAME]
                if record := message(key, thread, USER, said.get("Timestamp"), text):
                    yield record


def _name_channels(files: Files, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        if re.fullmatch(r"(?:[^/]+/)*messages/index\.json", name, re.IGNORECASE):
            found = _read_json(files, name)
            for channel, title in found.items() if isinstance(found, dict) else ():
                if title:
                    yield str(channel), str(title)


def _read_rows(files: Files, name: str) -> list[dict[str, Any]]:
    if name.lower().endswith(".csv"):
        text = io.StringIO(_read_text(files, name), newline="")
        try:
            return list(csv.DictReader(text))
        except csv.Error:
            raise FormatError(f"{name[-80:]}: is no CSV") from None
    found = _read_json(files, name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _read_json(files: Files, name: str) -> Any:
    try:
        return json.loads(_read_text(files, name))
    except (ValueError, RecursionError):
        raise FormatError(f"{name[-80:]}: is no JSON") from None


def _read_text(files: Files, name: str) -> str:
    with files.open(name) as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise FormatError(f"{name[-80:]}: is longer than {LONGEST:,} bytes")
    return content.decode("utf-8-sig", "replace")
