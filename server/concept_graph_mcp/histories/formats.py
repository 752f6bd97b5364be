"""Tell the format of a history by its content, and read its messages.

Find the histories that agents have left on this machine.
"""

import errno
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..file_formats.lines import FormatError, Record, Tally
from . import (
    archives,
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    json_streams,
    markdown,
    marks,
    mem0,
    whatsapp,
)
from .archives import Archive, ArchiveError, Entry
from .conversation import Kept
from .json_streams import Object
from .marks import Mark

# A format of lines: whether a line is one of its, and the messages of a file's lines.
_OfLines = Callable[[Iterator[Object], Kept, Object], Iterator[Record]]
_LINES: dict[str, tuple[Callable[[Object], bool], _OfLines]] = {
    claude_code.NAME: (claude_code.is_one, claude_code.messages),
    codex.NAME: (codex.is_one, codex.messages),
}
# A format of one long list: the key that its items have, and the messages of an item.
_OfItem = Callable[[Object, Kept], Iterator[Record]]
_LISTS: dict[str, tuple[str, _OfItem]] = {
    chatgpt.MARK: (chatgpt.NAME, chatgpt.messages),
    claude_ai.MARK: (claude_ai.NAME, claude_ai.messages),
    claude_ai.OF_MEMORY: (claude_ai.NAME, claude_ai.memories),
    claude_ai.OF_PROJECT: (claude_ai.NAME, claude_ai.projects),
    mem0.MARK: (mem0.NAME, mem0.messages),
}
# The formats in which several people speak.
GROUPS = (whatsapp.NAME,)
OURS = "messages"
NAMES = (
    *(OURS, *_LINES, *dict.fromkeys(name for name, _ in _LISTS.values() if name not in _LINES)),
    *(whatsapp.NAME, markdown.NAME),
)
_IN_ARCHIVES = (".jsonl", ".json", ".txt")
SUFFIXES = (".jsonl", ".json", ".txt", ".zip", *markdown.SUFFIXES)
# A session may begin with so many lines that do not tell.
_FIRST_LINES = 20
_HEAD = 4_096
# The depths of items: of a list, and of a list that is one of a map's values.
_ITEM_DEPTHS = (2, 3)


class History(NamedTuple):
    """A file of a format, or the one called *member* in the archive *path*."""

    path: Path
    format: str
    member: str | None = None
    archive: Archive | None = None

    @property
    def has_marks(self) -> bool:
        """Whether reading can continue at a mark."""
        is_line_in_archive = self.member is not None and self.format in _LINES
        return not (self.format in (markdown.NAME, whatsapp.NAME) or is_line_in_archive)

    @property
    def name(self) -> str:
        """The name of the file, with that of its archive."""
        return self.path.name if self.member is None else f"{self.path.name}/{self.member}"

    @property
    def _entry(self) -> Entry:
        return Entry(self.path, self.archive, self.member or "")

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Yield the content of the file."""
        return self._entry.open()

    def messages(self, kept: Kept, mark: Mark | None = None) -> Iterator[Record]:
        """Iterate over its messages, from *mark* on, which moves along.

        Only one that `has_marks` can continue at a mark. Raises FormatError and OSError.
        """
        entry = self._entry
        if self.format == markdown.NAME:
            yield from markdown.messages(self.path, kept)
        elif self.format == whatsapp.NAME:
            yield from whatsapp.messages(entry, kept)
        else:
            yield from self._stream(entry, kept, mark or Mark())

    def _stream(self, entry: Entry, kept: Kept, mark: Mark) -> Iterator[Record]:
        with entry.open() as file:
            is_lines = self.format in _LINES and _begins_with_line(file)
        kept = replace(kept, file_ms=entry.read_time())
        with entry.open() as file:
            if is_lines:
                if mark.offset:
                    file.seek(mark.offset)
                objects = json_streams.read_objects(file, kept, mark)
                yield from _LINES[self.format][1](objects, kept, mark.state)
            else:
                mark.version = marks.version(self.path)
                items = json_streams.read_items(file, mem0.WITHIN)
                yield from _of_items(items, self.format, kept, mark)


def recognise_format(entry: Entry) -> str | None:
    """Return the format of a file by its content; None if it is none of these.

    Raises OSError, ArchiveError.
    """
    if entry.archive is None and entry.path.suffix.lower() in markdown.SUFFIXES:
        return markdown.NAME
    with entry.open() as file:
        head = file.read(_HEAD)
        begins = head.lstrip()[:1]
        file.seek(0)
        if begins not in (b"<", b"{", b"") and whatsapp.is_one(file, _FIRST_LINES):
            return whatsapp.NAME
        file.seek(0)
        if begins == b"[":
            return _of_list(file)
        return _of_lines(file) or _of_list(file) if begins == b"{" else None


def _begins_with_line(file: BinaryIO) -> bool:
    """Tell whether *file* has an object on each line, and is no list or document of many lines."""
    first = file.readline(_HEAD).strip()
    return first.startswith(b"{") and first != b"{"


def _of_lines(file: BinaryIO) -> str | None:
    ours = False
    for _ in range(_FIRST_LINES):
        # No line that is too long is read to its end here, because nothing may follow it.
        line = file.readline(json_streams.LONGEST)
        try:
            record = json.loads(line if len(line) < json_streams.LONGEST else b"")
        except (ValueError, RecursionError):
            break
        if not isinstance(record, dict):
            break
        for name, (is_one, _) in _LINES.items():
            if is_one(record):
                return name
        ours = ours or ("text" in record and bool({"thread", "speaker", "role"} & record.keys()))
    file.seek(0)
    return OURS if ours else None


def _of_list(file: BinaryIO) -> str | None:
    try:
        for depth, key in json_streams.find_keys(file):
            if depth in _ITEM_DEPTHS and key in _LISTS:
                return _LISTS[key][0]
    except ArchiveError:
        raise
    except FormatError:
        pass
    return None


def _of_items(items: Iterator[Object], name: str, kept: Kept, mark: Mark) -> Iterator[Record]:
    """Iterate over the messages of *items*; *mark* has the item and the message to go on at."""
    state = mark.state
    readers = [(key, read) for key, (of, read) in _LISTS.items() if of == name]
    first, past = state.get("item", 0), state.get("message", 0)
    for number, item in enumerate(items):
        if number < first:
            continue
        found = (read(item, kept) for key, read in readers if key in item)
        for place, record in enumerate(next(found, ()), 1):
            if number > first or place > past:
                state |= {"item": number, "message": place}
                yield record
        state |= {"item": number + 1, "message": 0}


# Where agents leave their histories, and how the files are called.
_PLACES = {
    claude_code.NAME: (claude_code.FOLDERS, "*.jsonl"),
    codex.NAME: (codex.FOLDERS, "*.jsonl"),
}


def count_speakers(history: History, kept: Kept) -> Counter[str]:
    """Return the number of messages of each speaker in *history*. Raises FormatError, OSError."""
    found = (str(one["speaker"]) for one in history.messages(replace(kept, tally=Tally())))
    return Counter(found)


class Found(NamedTuple):
    """The histories of one agent in a folder: their files, bytes, and times (unix seconds)."""

    format: str
    folder: Path
    files: tuple[Path, ...]
    size: int
    first: float
    last: float


def discover_histories(home: Path | None = None) -> Iterator[Found]:
    """Iterate over the histories below *home*, by default the user's."""
    for name, (folders, pattern) in _PLACES.items():
        for folder in folders:
            path = Path(folder).expanduser() if home is None else home / folder[2:]
            files = tuple(one for one in sorted(path.rglob(pattern)) if one.is_file())
            if files:
                stats = [one.stat() for one in files]
                times = [one.st_mtime for one in stats]
                size = sum(one.st_size for one in stats)
                yield Found(name, path, files, size, min(times), max(times))


# A file, and its history if it is one.
_Listed = tuple[Path, History | OSError | FormatError | None]


def histories(path: Path, given: str | None = None) -> Iterator[_Listed]:
    """Iterate over the files of *path*, a file or a folder, each with its history if it is one.

    *given* is the format of all files; without it the content tells. The files of an archive follow
    each other. A pipe, which can be read only once, is no history. An unreadable file of a folder,
    and a link out of it, comes with its error; alone it raises that.
    """
    if not path.is_dir():
        yield from _list_histories(path, given)
        return
    top = path.resolve()
    for file in sorted(_list_files_below(path)):
        if not file.resolve().is_relative_to(top):
            yield file, OSError(errno.EPERM, "is a link out of the folder", str(file))
            continue
        try:
            yield from _list_histories(file, given)
        except (OSError, FormatError) as error:
            yield file, error


def _list_histories(file: Path, given: str | None) -> Iterator[tuple[Path, History | None]]:
    if not file.is_file() or not archives.is_archive(file):
        name = given or (recognise_format(Entry(file)) if file.is_file() else None)
        yield file, None if name is None else History(file, name)
        return
    with Archive(file) as archive:
        for member in archive.list_names():
            is_read = member.lower().endswith(_IN_ARCHIVES)
            name = recognise_format(Entry(file, archive, member)) if is_read else None
            is_meant = name not in (None, OURS) and given in (None, name)
            yield file / member, History(file, str(name), member) if is_meant else None


def with_open_archives(histories: Iterable[_Listed]) -> Iterator[_Listed]:
    """Iterate over *histories*, with each archive open as long as its files follow each other."""
    for path, listed in itertools.groupby(histories, _find_archive):
        if path is None:
            yield from listed
            continue
        with Archive(path) as archive:
            for file, found in listed:
                yield file, found._replace(archive=archive) if isinstance(found, History) else found


def _find_archive(listed: _Listed) -> Path | None:
    history = listed[1]
    return history.path if isinstance(history, History) and history.member is not None else None


def _list_files_below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            yield path
