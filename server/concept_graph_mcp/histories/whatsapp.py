"""A chat that WhatsApp exported: `_chat.txt` of iOS, or `WhatsApp Chat with NAME.txt` of Android.

A message begins with its date and time as people write them where the phone is; further lines of it
follow. Lines of the program have no name, or begin with an invisible mark after it.
"""

import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import BinaryIO, NamedTuple

from ..file_formats.lines import FormatError, Record
from .archives import Entry
from .conversation import Kept, message

NAME = "whatsapp"
_LINE = re.compile(
    r"\[?(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})\.?,?\s(?:[^\W\d]{1,4}\s)?"
    r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:\s?([AaPp])\.?\s?[Mm]\.?)?(?:\]\s|\s[-–]\s)(.*)"
)
_LONGEST_NAME = 80
_LONGEST_LINE = 2**20
_LONGEST_TEXT = 100_000
_INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_BLANKS = re.compile("[\u00a0\u202f]")
# The program's words in place of a message, in the languages that are known.
_OF_PROGRAM = re.compile(
    r"<[^<>]{1,80}>|.{0,80}\((?:file attached|Datei angehängt|archivo adjunto|fichier joint"
    r"|arquivo anexado)\)|(?:You deleted this message|This message was deleted"
    r"|Missed (?:voice|video) call|Du hast diese Nachricht gelöscht|Diese Nachricht wurde gelöscht"
    r"|Verpasster (?:Sprach|Video)anruf|Se eliminó este mensaje|Ce message a été supprimé"
    r"|Mensagem apagada|null)\.?"
)
# From the first of several blanks, so that they are read once.
_EDITED = re.compile(
    r"(?<!\s)\s*<[^<>]{0,40}(?:edited|bearbeitet|editó|modifié|editada)[^<>]{0,20}>\s*$"
)
_COPY = re.compile(r"\s*\(\d+\)$")
_TITLE = re.compile(r"^WhatsApp[ -]+Chat(?:[ -]+(?:with|mit|avec|con|com)\b)?[ -]*", re.IGNORECASE)
_ORDERS = ("dmy", "mdy", "ymd")


class _Line(NamedTuple):
    """The first line of a message: the parts of its time as written, and what follows."""

    parts: Sequence[str]
    mark: str
    rest: str


def is_one(file: BinaryIO, lines: int) -> bool:
    """Tell whether one of the first *lines* of *file* begins a message."""
    text = file.read(4_096 * lines).decode("utf-8", "ignore")
    found = (_parse_line(one) for one in text.splitlines()[:lines])
    return any(one is not None for one in found)


def messages(entry: Entry, kept: Kept) -> Iterator[Record]:
    """Iterate over the messages of the chat in *entry*. Raises FormatError, OSError."""
    with entry.open() as file:
        order = _find_order(_lines(file))
    thread, seen = f"WhatsApp {_name_chat(entry)}", Counter[str]()
    with entry.open() as file:
        for line, text in _join_lines(_lines(file)):
            name, is_said, words = line.rest.partition(": ")
            said = _clear(words + text)
            if not is_said or len(name) > _LONGEST_NAME or '"' in name or "“" in name:
                kept.tally.left_out("messages of the program")
            elif words.startswith("\u200e") or _OF_PROGRAM.fullmatch(said):
                kept.tally.left_out("attachments")
            else:
                at = _read_time(line, order).replace(tzinfo=kept.zone).timestamp()
                told = "\0".join((thread, str(at), _clear(name), said))
                seen[told] += 1
                digest = hashlib.sha256(f"{told}\0{seen[told]}".encode(errors="replace"))
                key, speaker = f"{NAME} {digest.hexdigest()[:32]}", kept.name_speaker(_clear(name))
                if found := message(key, thread, speaker, at, kept.prose(_EDITED.sub("", said))):
                    yield found
                if len(seen) > 10_000:
                    seen.clear()


def _lines(file: BinaryIO) -> Iterator[str]:
    text = io.TextIOWrapper(file, "utf-8-sig", "replace")
    while line := text.readline(_LONGEST_LINE):
        yield line.rstrip("\r\n")
    text.detach()


def _parse_line(line: str) -> _Line | None:
    found = _LINE.match(_BLANKS.sub(" ", line.lstrip("\u200e\u200f\ufeff")))
    if found is None:
        return None
    first, mark, second, third, *time, rest = found.groups()
    return _Line((first, second, third, *(one or "" for one in time)), mark, rest)


def _join_lines(lines: Iterator[str]) -> Iterator[tuple[_Line, str]]:
    """Iterate over the first lines of messages, each with the lines that follow it."""
    begun, more, size = None, list[str](), 0
    for line in lines:
        first = _parse_line(line)
        if first is not None:
            if begun is not None:
                yield begun, "".join(more)
            begun, more, size = first, [], 0
        elif size < _LONGEST_TEXT:
            more.append(f"\n{line}")
            size += len(line) + 1
    if begun is not None:
        yield begun, "".join(more)


def _find_order(lines: Iterator[str]) -> str:
    """Return the order of day, month and year: the one in which times go back least."""
    last: dict[str, datetime] = {}
    back, halves, count = Counter[str](), 0, 0
    orders = list(_ORDERS)
    for line in filter(None, map(_parse_line, lines)):
        count += 1
        halves += bool(line.parts[-1])
        for order in tuple(orders):
            try:
                at = _read_time(line, order)
            except (ValueError, FormatError):
                orders.remove(order)
                continue
            back[order] += at < last.get(order, at)
            last[order] = at
        if not orders:
            raise FormatError("has dates in no order that is known")
    # In doubt the day comes first, except with "PM", which Americans write.
    likely = ("mdy", "dmy", "ymd") if halves * 2 > count else _ORDERS
    return min(orders or _ORDERS, key=lambda one: (back[one], likely.index(one)))


def _read_time(line: _Line, order: str) -> datetime:
    """Return the local time of *line*. Raises ValueError."""
    day, month, year = (int(line.parts[order.index(one)]) for one in "dmy")
    widths = [len(line.parts[order.index(one)]) for one in "dm"]
    if max(widths) > 2 or len(line.parts[order.index("y")]) not in (2, 4):
        raise ValueError("a year of that length")
    hour, minute, second = (int(one or 0) for one in line.parts[3:6])
    half = line.parts[6].lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return datetime(year + 2000 if year < 100 else year, month, day, hour, minute, second)


def _clear(text: str) -> str:
    return _INVISIBLE.sub("", text).strip()


def _name_chat(entry: Entry) -> str:
    """Return the name of the chat: that of its file, or of its archive or folder."""
    stem = entry.name.rpartition(".")[0]
    if stem == "_chat":
        stem = entry.path.stem if entry.member is not None else entry.path.parent.name
    return _COPY.sub("", _TITLE.sub("", stem)).strip()[:_LONGEST_NAME] or "chat"
