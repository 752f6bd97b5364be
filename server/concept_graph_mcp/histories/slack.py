"""The export of a Slack workspace: `users.json`, `channels.json`, and a file a day for a channel.

It is an archive or a folder. Messages of bots are left out.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..file_formats.lines import FormatError, Record
from .archives import Files, open_files
from .conversation import Kept, message
from .json_streams import LONGEST

NAME = "slack"
USERS = "users.json"
_CHANNELS = "channels.json"
_OF_CHANNELS = (_CHANNELS, "groups.json", "dms.json", "mpims.json")
_DAY = re.compile(r"(?P<folder>(?:[^/]+/)*)(?P<channel>[^/]+)/\d{4}-\d{2}-\d{2}\.json")
_SAID = (None, "", "thread_broadcast", "me_message", "file_share", "reply_broadcast")
# <@U1>, <@U1|ann>, <#C1|general>, <!here>, <https://a.org|label>.
_MARK = re.compile(r"<([@#!]?)([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>")


def is_export(names: Sequence[str]) -> bool:
    """Tell whether files of these *names* are an export."""
    return find_root(names) is not None


def find_root(names: Sequence[str]) -> str | None:
    """Return the folder, "" or one with "/" at its end, that is an export; None if none is."""
    for name in names:
        root = name.removesuffix(USERS)
        if name.endswith(USERS) and root + _CHANNELS in names and root.count("/") <= 1:
            return root
    return None


def messages(path: Path, kept: Kept) -> Iterator[Record]:
    """Iterate over the messages of the export *path*, channel by channel. Raises FormatError."""
    with open_files(path) as files:
        names = files.list_names()
        root = find_root(names)
        if root is None:
            raise FormatError(f"has no {USERS} and {_CHANNELS}, as an export of Slack has")
        people = dict(_name_people(_read_list(files, root + USERS)))
        channels = {
            str(one.get(key)): str(one.get("id") or one.get("name"))
            for name in _OF_CHANNELS
            if root + name in names
            for one in _read_list(files, root + name)
            for key in ("id", "name")
        }
        for name in names:
            day = _DAY.fullmatch(name)
            if day is not None and day["folder"] == root:
                channel = day["channel"]
                for said in _read_list(files, name):
                    own = channels.get(channel, channel)
                    yield from _message(said, own, f"Slack #{channel}"[:200], people, kept)


def _message(
    said: dict[str, Any], channel: str, thread: str, people: dict[str, str], kept: Kept
) -> Iterator[Record]:
    user = said.get("user")
    is_bot = said.get("bot_id") or said.get("subtype") == "bot_message"
    if said.get("type") != "message" or said.get("subtype") not in _SAID or is_bot or not user:
        kept.tally.left_out("messages of the program")
        return
    for _ in said.get("files") or ():
        kept.tally.left_out("attachments")
    try:
        at = float(said.get("ts") or "")
    except (TypeError, ValueError):
        return
    text = kept.prose(_show_text(str(said.get("text") or ""), people))
    profile = said.get("user_profile") or {}
    own = people.get(str(user)) or profile.get("real_name") or profile.get("name") or user
    key = f"{NAME} {channel} {said.get('ts')}"
    if found := message(key, thread, kept.name_speaker(str(own)), at, text):
        yield found


def _show_text(text: str, people: dict[str, str]) -> str:
    """Return *text* as it was shown: with the names of people and channels."""

    def show(match: re.Match[str]) -> str:
        kind, value, label = match.groups()
        if kind == "@":
            return people.get(value) or label or value
        if kind == "#":
            return f"#{label or value}"
        if kind == "!":
            return label or f"@{value.partition('^')[0]}"
        return f"{label} ({value})" if label and label not in value else value

    return html.unescape(_MARK.sub(show, text))


def _name_people(users: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for one in users:
        profile = one.get("profile") or {}
        names = (profile.get("real_name"), one.get("real_name"), profile.get("display_name"))
        shown = next((name for name in (*names, one.get("name")) if name), None)
        if one.get("id") and shown:
            yield str(one["id"]), str(shown)


def _read_list(files: Files, name: str) -> list[dict[str, Any]]:
    with files.open(name) as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise FormatError(f"{name[-80:]}: is longer than {LONGEST:,} bytes")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise FormatError(f"{name[-80:]}: is no JSON") from None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
