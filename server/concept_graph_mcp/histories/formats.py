"""One table of all that `import` reads: recognise a format by the content, and read its rows.

A row has a message, a note, or a record of the graph. Find the histories that agents have left on
this machine.
"""

import codecs
import errno
import importlib
import io
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..file_formats.lines import (
    FormatError,
    Naming,
    Record,
    Row,
    Tally,
    number_filled_lines,
)
from ..file_formats.messages import Messages
from . import agents, archives, exports, markdown, marks, whatsapp
from .archives import Archive, ArchiveError, Entry, Object
from .conversation import USER, Kept, message
from .marks import Mark

_MEM0 = "mem0"
# The key by which a memory of mem0 is recognised, and that of the list, where a map is around it.
_MEM0_MARK = "memory"
_MEM0_WITHIN = "results"


def _read_mem0(memory: dict[str, Any], kept: Kept) -> Iterator[Record]:
    """Yield what *memory* says; it is the user's, for mem0 extracts it from their messages."""
    whose = memory.get("user_id") or memory.get("agent_id") or USER
    at = memory.get("updated_at") or memory.get("created_at")
    text = kept.prose(str(memory.get(_MEM0_MARK) or ""))
    if found := message(f"mem0 {memory.get('id')}", f"mem0 {whose}", USER, at, text):
        yield found


# A format of lines: whether a line is one of its, and the messages of a file's lines.
_OfLines = Callable[[Iterator[Object], Kept, Object], Iterator[Record]]
_LINES: dict[str, tuple[Callable[[Object], bool], _OfLines]] = {
    agents.CLAUDE_CODE: (agents.is_of_claude_code, agents.read_claude_code),
    agents.CODEX: (agents.is_of_codex, agents.read_codex),
}
# A format of one long list: the key that its items have, and the messages of an item.
_OfItem = Callable[[Object, Kept], Iterator[Record]]
_LISTS: dict[str, tuple[str, _OfItem]] = {
    exports.OF_CHATGPT: (exports.CHATGPT, exports.read_chatgpt),
    exports.OF_CLAUDE_AI: (exports.CLAUDE_AI, exports.read_claude_ai),
    exports.OF_MEMORY: (exports.CLAUDE_AI, exports.read_memories),
    exports.OF_PROJECT: (exports.CLAUDE_AI, exports.read_projects),
    exports.OF_USER: (exports.CLAUDE_AI, exports.read_names),
    _MEM0_MARK: (_MEM0, _read_mem0),
}
# The formats in which several people speak.
GROUPS = (whatsapp.NAME,)
OURS = "messages"
NATIVE, SERVER_MEMORY, EDGES = "concept-graph", "server-memory", "edges"
MEMORY_ROWS, MEMORY_SQLITE = "memory-rows", "memory-sqlite"
# The formats of records: the module that reads each, imported on first use, and its function.
_RECORDS = {
    NATIVE: ("native", "read_for_import"),
    SERVER_MEMORY: ("server_memory", "read"),
    EDGES: ("native", "read_edges"),
    MEMORY_ROWS: ("memory_tables", "read_json"),
    MEMORY_SQLITE: ("memory_tables", "read_sqlite"),
}
# Formats of other programs whose memories have ids: those that are there stay as they are.
TABLES = (MEMORY_ROWS, MEMORY_SQLITE)
_HISTORIES = (*_LINES, *dict.fromkeys(name for name, _ in _LISTS.values()), whatsapp.NAME)
NAMES = (OURS, *_HISTORIES, markdown.NAME, *_RECORDS)
_IN_ARCHIVES = (".jsonl", ".json", ".txt")
SUFFIXES = (".jsonl", ".json", ".txt", ".zip", *markdown.SUFFIXES)
# A session may begin with so many lines that do not tell.
_FIRST_LINES = 20
_HEAD = 8_192
# The depths of items: of a list, and of a list that is one of a map's values.
_ITEM_DEPTHS = (2, 3)
_SQLITE = b"SQLite format 3\0"


@dataclass(slots=True)
class Reading:
    """The choices of a reading: what is `kept`, whose the messages are, and names of records.

    `mark` moves along with a history that `has_marks`.
    """

    kept: Kept
    messages: Messages
    naming: Naming = field(default_factory=Naming)
    mark: Mark = field(default_factory=Mark)


class Source(NamedTuple):
    """A file of a format, the one called *member* in the archive *path*, or a *stream*.

    A *stream* can be read only once.
    """

    path: Path
    format: str
    member: str | None = None
    archive: Archive | None = None
    stream: BinaryIO | None = None

    @property
    def has_marks(self) -> bool:
        """Whether reading can continue at a mark."""
        is_line_in_archive = self.member is not None and self.format in _LINES
        is_history = self.format in _HISTORIES and self.format not in GROUPS
        return is_history and not is_line_in_archive

    @property
    def name(self) -> str:
        """The name of the file, with that of its archive."""
        return self.path.name if self.member is None else f"{self.path.name}/{self.member}"

    @property
    def is_of_records(self) -> bool:
        return self.format in _RECORDS

    @property
    def is_of_lines(self) -> bool:
        """Whether its rows come from numbered lines."""
        return self.is_of_records or self.format == OURS

    @property
    def _entry(self) -> Entry:
        return Entry(self.path, self.archive, self.member or "")

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Yield the content of the file."""
        return self._entry.open() if self.stream is None else nullcontext(self.stream)

    def rows(self, reading: Reading) -> Iterator[Row]:
        """Iterate over its rows, from the mark of *reading* on. Raises FormatError, OSError."""
        if not self.is_of_lines:
            yield from reading.messages.of_history(self._messages(reading.kept, reading.mark))
            return
        with self.open() as file:
            module, name = _RECORDS.get(self.format, ("messages", ""))
            module = f"concept_graph_mcp.file_formats.{module}"
            if self.format == MEMORY_SQLITE and self.stream is not None:
                raise FormatError("is a SQLite file, which is read by its name only")
            if self.format == MEMORY_SQLITE and file.read(len(_SQLITE)) != _SQLITE:
                raise FormatError("is no SQLite file")
            text = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="\n")
            try:
                if self.format == OURS:
                    yield from reading.messages.rows(text)
                    return
                tally, read = reading.kept.tally, getattr(importlib.import_module(module), name)
                if self.format == MEMORY_SQLITE:
                    yield from read(self.path, reading.naming, tally)
                else:
                    yield from read(number_filled_lines(text, tally), reading.naming, tally)
            finally:
                # The file is closed by whoever opened it.
                text.detach()

    def _messages(self, kept: Kept, mark: Mark) -> Iterator[Record]:
        entry = self._entry
        if self.format == markdown.NAME:
            yield from markdown.messages(self.path, kept)
            return
        if self.format == whatsapp.NAME:
            yield from whatsapp.messages(entry, kept)
            return
        with entry.open() as file:
            is_lines = self.format in _LINES and _begins_with_line(file)
        kept = replace(kept, file_ms=entry.read_time())
        with entry.open() as file:
            if is_lines:
                if mark.offset:
                    file.seek(mark.offset)
                objects = archives.read_objects(file, kept, mark)
                yield from _LINES[self.format][1](objects, kept, mark.state)
            else:
                mark.version = marks.version(self.path)
                items = archives.read_items(file, _MEM0_WITHIN)
                yield from _of_items(items, self.format, kept, mark)

    def count_speakers(self, kept: Kept) -> Counter[str]:
        """Return the number of messages of each speaker. Raises FormatError, OSError."""
        found = self._messages(replace(kept, tally=Tally()), Mark())
        return Counter(str(one["speaker"]) for one in found)


def recognise_format(entry: Entry) -> str | None:
    """Return the format of a file by its content; None if it is none of these.

    Raises OSError, ArchiveError.
    """
    if entry.archive is None and entry.path.suffix.lower() in markdown.SUFFIXES:
        return markdown.NAME
    with entry.open() as file:
        head = file.read(_HEAD)
        if head.startswith(_SQLITE):
            return MEMORY_SQLITE
        begins = head.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
        file.seek(0)
        if begins not in (b"<", b"{", b"") and whatsapp.is_one(file, _FIRST_LINES):
            return whatsapp.NAME
        file.seek(0)
        if begins == b"[":
            return _of_list(file)
        found = _of_lines(file) or _of_list(file) if begins == b"{" else None
        return found or _of_first(head)


def guess_format(head: bytes) -> str:
    """Return what format a file of no known one was meant to have, by its beginning."""
    line = _read_first_line(head)
    if head.startswith(_SQLITE):
        return MEMORY_SQLITE
    if line.startswith(b"["):
        return MEMORY_ROWS
    if not line.startswith(b"{"):
        return EDGES
    return _of_first(head) or (OURS if b'"text"' in line else SERVER_MEMORY)


def _read_first_line(head: bytes) -> bytes:
    """Return the first line of *head* that is neither blank nor a comment."""
    lines = map(bytes.strip, head.removeprefix(codecs.BOM_UTF8).splitlines())
    return next((one for one in lines if one and not one.startswith(b"#")), b"")


def _of_first(head: bytes) -> str | None:
    """Return the format of lines, or of a document, whose first line alone tells it."""
    line = _read_first_line(head)
    if line == b"{" or line.startswith((b'{"memories"', b'{"memory_relations"')):
        return MEMORY_ROWS
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _of_record(record) if isinstance(record, dict) else None


def _of_record(record: Mapping[str, Any]) -> str | None:
    """Return the format whose first record is *record*."""
    if "kind" in record:
        return NATIVE
    if record.get("type") in ("entity", "relation"):
        return SERVER_MEMORY
    if "from_memory_id" in record or {"id", "content"} <= record.keys():
        return MEMORY_ROWS
    return None


def _begins_with_line(file: BinaryIO) -> bool:
    """Tell whether *file* has an object on each line, and is no list or document of many lines."""
    first = file.readline(_HEAD).strip()
    return first.startswith(b"{") and first != b"{"


def _of_lines(file: BinaryIO) -> str | None:
    ours = False
    for _ in range(_FIRST_LINES):
        # No line that is too long is read to its end here, because nothing may follow it.
        line = file.readline(archives.LONGEST)
        try:
            record = json.loads(line if len(line) < archives.LONGEST else b"")
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
        for depth, key in archives.find_keys(file):
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
    agents.CLAUDE_CODE: (agents.CLAUDE_CODE_FOLDERS, "*.jsonl"),
    agents.CODEX: (agents.CODEX_FOLDERS, "*.jsonl"),
    # The memories of their own that Claude Code and Codex write.
    markdown.NAME: ((*agents.CLAUDE_CODE_FOLDERS, "~/.codex/memories"), "*.md"),
}


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


# A file, and what is read of it if it is of a known format.
_Listed = tuple[Path, Source | OSError | FormatError | None]


def list_sources(path: Path, given: str | None = None) -> Iterator[_Listed]:
    """Iterate over the files of *path*, a file or a folder, each with its source if it is one.

    *given* is the format of all files; without it the content tells. A file alone has a source
    whatever it is. The files of an archive follow each other. An unreadable file of a folder, and a
    link out of it, comes with its error; alone it raises that.
    """
    if not path.is_dir():
        for file, source in _list_files(path, given):
            if source is not None or file != path:
                yield file, source
                continue
            with path.open("rb") as stream:
                yield file, Source(path, guess_format(stream.read(_HEAD)))
        return
    top = path.resolve()
    files = (one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES and one.is_file())
    for file in sorted(files):
        if not file.resolve().is_relative_to(top):
            yield file, OSError(errno.EPERM, "is a link out of the folder", str(file))
            continue
        try:
            yield from _list_files(file, given)
        except (OSError, FormatError) as error:
            yield file, error


def make_source(path: Path, stream: BinaryIO, given: str | None) -> Source:
    """Return the source of what *stream* has, which is no file: nothing of it is consumed."""
    if isinstance(stream, io.BufferedReader):
        head = stream.peek(_HEAD)[:_HEAD]
    else:
        head = stream.read(_HEAD)
        stream.seek(-len(head), io.SEEK_CUR)
    found = given or _of_lines(io.BytesIO(head)) or guess_format(head)
    if found in _HISTORIES:
        raise FormatError(f"is of {found}, which is read from a file only")
    return Source(path, found, stream=stream)


def _list_files(file: Path, given: str | None) -> Iterator[tuple[Path, Source | None]]:
    if not archives.is_archive(file):
        name = given or recognise_format(Entry(file))
        yield file, None if name is None else Source(file, name)
        return
    with Archive(file) as archive:
        for member in archive.list_names():
            is_read = member.lower().endswith(_IN_ARCHIVES)
            name = recognise_format(Entry(file, archive, member)) if is_read else None
            is_meant = name in _HISTORIES and given in (None, name)
            yield file / member, Source(file, str(name), member) if is_meant else None


def with_open_archives(sources: Iterable[_Listed]) -> Iterator[_Listed]:
    """Iterate over *sources*, with each archive open as long as its files follow each other."""
    for path, listed in itertools.groupby(sources, _find_archive):
        if path is None:
            yield from listed
            continue
        with Archive(path) as archive:
            for file, found in listed:
                yield file, found._replace(archive=archive) if isinstance(found, Source) else found


def _find_archive(listed: _Listed) -> Path | None:
    source = listed[1]
    return source.path if isinstance(source, Source) and source.member is not None else None
