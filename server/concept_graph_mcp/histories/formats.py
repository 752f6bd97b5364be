"""Tell the format of a history by its content, and read its messages.

Find the histories that agents have left on this machine.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import one_line
from ..file_formats.lines import FormatError, Record
from . import chatgpt, claude_ai, claude_code, codex, markdown, marks, mem0
from .conversation import Kept
from .marks import Mark

_Object = dict[str, Any]
# A format of lines: whether a line is one of its, and the messages of a file's lines.
_OfLines = Callable[[Iterator[_Object], Kept, _Object], Iterator[Record]]
_LINES: dict[str, tuple[Callable[[_Object], bool], _OfLines]] = {
    claude_code.NAME: (claude_code.is_one, claude_code.messages),
    codex.NAME: (codex.is_one, codex.messages),
}
# A format of one long list: the key that its items have, and the messages of an item.
_LISTS: dict[str, tuple[str, Callable[[_Object, Kept], Iterator[Record]]]] = {
    chatgpt.NAME: (chatgpt.MARK, chatgpt.messages),
    claude_ai.NAME: (claude_ai.MARK, claude_ai.messages),
    mem0.NAME: (mem0.MARK, mem0.messages),
}
OURS = "messages"
NAMES = (OURS, *_LINES, *_LISTS, markdown.NAME)
SUFFIXES = (".jsonl", ".json", *markdown.SUFFIXES)
# A session may begin with so many lines that do not tell.
_FIRST_LINES = 20
# The longest line, and the longest item of a list, in bytes: it must fit into memory.
_LONGEST = 2**26
# Read in large pieces, because the parser copies a value again for each piece of it.
_READ_BYTES = 2**20
_HEAD = 4_096
_DEEPEST = 100
# The depths of items: of a list, and of a list that is one of a map's values.
_ITEM_DEPTHS = (2, 3)
_FIRST_EVENTS = 100_000


class History(NamedTuple):
    """A file of a format; the name of its format."""

    path: Path
    format: str

    @property
    def has_marks(self) -> bool:
        """Whether reading can continue at a mark."""
        return self.format != markdown.NAME

    def messages(self, kept: Kept, mark: Mark | None = None) -> Iterator[Record]:
        """Iterate over its messages, from *mark* on, which moves along.

        Only one that `has_marks` can continue at a mark. Raises FormatError and OSError.
        """
        if self.format == markdown.NAME:
            yield from markdown.messages(self.path, kept)
            return
        at = mark or Mark()
        with self.path.open("rb") as file:
            if self.format in _LINES:
                file.seek(at.offset)
                yield from _LINES[self.format][1](_objects(file, kept, at), kept, at.state)
            else:
                at.version = marks.version(self.path)
                yield from _of_items(_items(file), _LISTS[self.format][1], kept, at.state)


def recognise_format(path: Path) -> str | None:
    """Return the format of the file *path* by its content; None if it is none of these."""
    if path.suffix.lower() in markdown.SUFFIXES:
        return markdown.NAME
    with path.open("rb") as file:
        begins = file.read(_HEAD).lstrip()[:1]
        file.seek(0)
        if begins == b"[":
            return _of_list(file)
        return _of_lines(file) or _of_list(file) if begins == b"{" else None


def _of_lines(file: BinaryIO) -> str | None:
    ours = False
    for _ in range(_FIRST_LINES):
        # No line that is too long is read to its end here, because nothing may follow it.
        line = file.readline(_LONGEST)
        try:
            record = json.loads(line if len(line) < _LONGEST else b"")
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
    names = {key: name for name, (key, _) in _LISTS.items()}
    depth = 0
    with suppress(FormatError):
        for event, value in itertools.islice(_events(_Pieces(file)), _FIRST_EVENTS):
            depth += _DEEPER.get(event, 0)
            if event == "map_key" and depth in _ITEM_DEPTHS and value in names:
                return names[value]
    return None


def _objects(file: BinaryIO, kept: Kept, mark: Mark) -> Iterator[_Object]:
    """Iterate over the objects in the lines of *file*, which a program may be writing.

    *mark* moves to the end of each whole line.
    """
    for line, is_whole in _lines(file):
        mark.offset = file.tell() if is_whole else mark.offset
        if line is None:
            kept.tally.left_out(f"lines of more than {_LONGEST:,} bytes")
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            what = "lines that are no JSON" if is_whole else "a last line that is not whole yet"
            kept.tally.left_out(what, f"byte {file.tell() - len(line):,}" if line.strip() else "")
            continue
        if isinstance(record, dict):
            yield record


def _lines(file: BinaryIO) -> Iterator[tuple[bytes | None, bool]]:
    """Iterate over the lines of *file*, None for one that is too long, and whether they end."""
    while line := file.readline(_LONGEST):
        part = line
        while len(part) == _LONGEST and not part.endswith(b"\n"):
            part = file.readline(_LONGEST)
        yield line if part is line else None, part.endswith(b"\n")


def _of_items(
    items: Iterator[_Object],
    of_item: Callable[[_Object, Kept], Iterator[Record]],
    kept: Kept,
    state: _Object,
) -> Iterator[Record]:
    """Iterate over the messages of *items*; *state* has the item and the message to go on at."""
    first, past = state.get("item", 0), state.get("message", 0)
    for number, item in enumerate(items):
        if number < first:
            continue
        for place, record in enumerate(of_item(item, kept), 1):
            if number > first or place > past:
                state |= {"item": number, "message": place}
                yield record
        state |= {"item": number + 1, "message": 0}


def _items(file: BinaryIO) -> Iterator[_Object]:
    """Iterate over the items of a list, alone or as `results`, one in memory at a time."""
    import ijson

    prefix = "item" if file.read(_HEAD).lstrip()[:1] == b"[" else "results.item"
    file.seek(0)
    pieces = _Pieces(file)
    for item in ijson.items(ijson.parse(_events(pieces)), prefix):
        pieces.left = _LONGEST
        if isinstance(item, dict):
            yield item


class _Pieces:
    """A file of which only so much is read before `left` is set anew."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.left = _LONGEST

    def read(self, size: int) -> bytes:
        if self.left < 0:
            raise FormatError(f"has an item of more than {_LONGEST:,} bytes")
        piece = self._file.read(size)
        self.left -= len(piece)
        return piece


def _events(file: _Pieces) -> Iterator[tuple[str, Any]]:
    """Iterate over the events of the JSON in *file*.

    The path of an element is as long as its depth, so a file of brackets alone would take all
    memory.
    """
    # Imported on demand: only such a file needs it.
    import ijson

    depth = 0
    try:
        for event, value in ijson.basic_parse(file, buf_size=_READ_BYTES, use_float=True):
            depth += _DEEPER.get(event, 0)
            if depth > _DEEPEST:
                raise FormatError("is nested too deeply")
            yield event, value
    except ijson.JSONError as error:
        raise FormatError(f"is not whole, or no JSON: {one_line(error)}") from None


_DEEPER = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}


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
) -> Iterator[tuple[Path, History | OSError | None]]:
    """Iterate over the files of *path*, a file or a folder, each with its history if it is one.

    *given* is the format of all files; without it the content tells. A pipe, which can be read only
    once, is no history. An unreadable file of a folder comes with its error; alone it raises that.
    """
    if not path.is_dir():
        yield path, _history(path, given)
        return
    for file in sorted(_list_files_below(path)):
        try:
            yield file, _history(file, given)
        except OSError as error:
            yield file, error


def _history(file: Path, given: str | None) -> History | None:
    name = given or (recognise_format(file) if file.is_file() else None)
    return None if name is None else History(file, name)


def _list_files_below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            yield path
