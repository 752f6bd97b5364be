"""Tell the format of a history by its content, and read its messages.

Find the histories that agents have left on this machine.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..file_formats.lines import FormatError, Record
from . import archives, chatgpt, claude_ai, claude_code, codex, json_streams, markdown, marks, mem0
from .archives import ArchiveError, Entry
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
# The key of a list that is one of a map's values; a list alone has none.
_WITHIN = {mem0.NAME: "results"}
OURS = "messages"
NAMES = (OURS, *_LINES, *dict.fromkeys(name for name, _ in _LISTS.values()), markdown.NAME)
_IN_ARCHIVES = (".jsonl", ".json")
SUFFIXES = (*_IN_ARCHIVES, ".zip", *markdown.SUFFIXES)
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

    @property
    def has_marks(self) -> bool:
        """Whether reading can continue at a mark."""
        in_archive = self.member is not None
        return self.format != markdown.NAME and not (in_archive and self.format in _LINES)

    @property
    def name(self) -> str:
        """The name of the file, with that of its archive."""
        return self.path.name if self.member is None else f"{self.path.name}/{self.member}"

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Yield the content of the file."""
        return Entry(self.path, self.member).open()

    def messages(self, kept: Kept, mark: Mark | None = None) -> Iterator[Record]:
        """Iterate over its messages, from *mark* on, which moves along.

        Only one that `has_marks` can continue at a mark. Raises FormatError and OSError.
        """
        if self.format == markdown.NAME:
            yield from markdown.messages(self.path, kept)
            return
        at = mark or Mark()
        kept = replace(kept, file_ms=Entry(self.path, self.member).read_time())
        with self.open() as file:
            if self.format in _LINES:
                if at.offset:
                    file.seek(at.offset)
                objects = json_streams.read_objects(file, kept, at)
                yield from _LINES[self.format][1](objects, kept, at.state)
            else:
                at.version = marks.version(self.path)
                within = _WITHIN.get(self.format, "items")
                yield from _of_items(json_streams.read_items(file, within), self.format, kept, at)


def recognise_format(path: Path, member: str | None = None) -> str | None:
    """Return the format of a file by its content; None if it is none of these.

    Raises OSError, ArchiveError.
    """
    entry = Entry(path, member)
    if member is None and path.suffix.lower() in markdown.SUFFIXES:
        return markdown.NAME
    with entry.open() as file:
        begins = file.read(_HEAD).lstrip()[:1]
        file.seek(0)
        if begins == b"[":
            return _of_list(file)
        return _of_lines(file) or _of_list(file) if begins == b"{" else None


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


_PLACES = {claude_code.NAME: claude_code.FOLDERS, codex.NAME: codex.FOLDERS}


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
    for name, folders in _PLACES.items():
        for folder in folders:
            path = Path(folder).expanduser() if home is None else home / folder[2:]
            files = tuple(one for one in sorted(path.rglob("*.jsonl")) if one.is_file())
            if files:
                stats = [one.stat() for one in files]
                times = [one.st_mtime for one in stats]
                size = sum(one.st_size for one in stats)
                yield Found(name, path, files, size, min(times), max(times))


def histories(
    path: Path, given: str | None = None
) -> Iterator[tuple[Path, History | OSError | FormatError | None]]:
    """Iterate over the files of *path*, a file or a folder, each with its history if it is one.

    *given* is the format of all files; without it the content tells. The files of an archive follow
    each other. A pipe, which can be read only once, is no history. An unreadable file of a folder
    comes with its error; alone it raises that.
    """
    if not path.is_dir():
        yield from _list_histories(path, given)
        return
    for file in sorted(_list_files_below(path)):
        try:
            yield from _list_histories(file, given)
        except (OSError, FormatError) as error:
            yield file, error


def _list_histories(file: Path, given: str | None) -> Iterator[tuple[Path, History | None]]:
    if not file.is_file() or not archives.is_archive(file):
        name = given or (recognise_format(file) if file.is_file() else None)
        yield file, None if name is None else History(file, name)
        return
    with archives.open_files(file) as files:
        names = files.list_names()
    for member in names:
        name = recognise_format(file, member) if member.lower().endswith(_IN_ARCHIVES) else None
        is_meant = name not in (None, OURS) and given in (None, name)
        yield file / member, History(file, str(name), member) if is_meant else None


def _list_files_below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            yield path
