"""Read the files of a zip archive as streams, and long lists in JSON item by item.

An archive comes from anywhere, so what it may cost is bounded: its directory, the number of its
files, and how many times larger than itself a file may be unpacked.
"""

import io
import itertools
import json
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self, cast

from ..errors import one_line
from ..file_formats.lines import FormatError
from .conversation import Kept
from .marks import Mark

Object = dict[str, Any]
# The longest line, and the longest item of a list, in bytes: it must fit into memory.
LONGEST = 2**26
# Read in large pieces, because the parser copies a value again for each piece of it.
_READ_BYTES = 2**20
_HEAD = 4_096
_DEEPEST = 100
_DEEPER = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}
# The events of a file, or of what stands before its list, that are looked through for a key.
_FIRST_EVENTS = 100_000


def read_objects(file: BinaryIO, kept: Kept, mark: Mark) -> Iterator[Object]:
    """Iterate over the objects in the lines of *file*, which a program may be writing.

    *mark* moves to the end of each whole line.
    """
    for line, is_whole in _lines(file):
        mark.offset = file.tell() if is_whole else mark.offset
        if line is None:
            kept.tally.left_out(f"lines of more than {LONGEST:,} bytes")
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
    while line := file.readline(LONGEST):
        part = line
        while len(part) == LONGEST and not part.endswith(b"\n"):
            part = file.readline(LONGEST)
        yield line if part is line else None, part.endswith(b"\n")


def read_items(file: BinaryIO, within: str) -> Iterator[Object]:
    """Iterate over the items of a list, alone or as *within*, one in memory at a time."""
    import ijson

    prefix = "item" if file.read(_HEAD).lstrip()[:1] == b"[" else f"{within}.item"
    file.seek(0)
    pieces = _Pieces(file)
    for item in ijson.items(ijson.parse(_events(pieces)), prefix):
        pieces.left = LONGEST
        if isinstance(item, dict):
            yield item


def find_keys(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Iterate over the depths and the keys at the beginning of *file*. Raises FormatError."""
    depth = 0
    for event, value in itertools.islice(_events(_Pieces(file)), _FIRST_EVENTS):
        depth += _DEEPER.get(event, 0)
        if event == "map_key":
            yield depth, value


class _Pieces:
    """A file of which only so much is read before `left` is set anew."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.left = LONGEST

    def read(self, size: int) -> bytes:
        if self.left < 0:
            raise FormatError(f"has an item of more than {LONGEST:,} bytes")
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


MOST_FILES = 100_000
# In bytes. The directory of an archive is read at once, and each file in it takes some memory.
_LONGEST_DIRECTORY = 2**24
_MOST_UNPACKED = 2**36
# JSON of conversations is packed 5 to 20 times, and blanks alone a thousand times.
MOST_TIMES = 200
_ALWAYS_UNPACKED = 2**20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MARK = b"PK\x03\x04"


class ArchiveError(FormatError):
    """An archive cannot be read, or is larger inside than any history."""


class Archive:
    """The files of a zip archive, by their names with "/" between the parts.

    Links, folders and encrypted files are none of them. Raises OSError, ArchiveError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream = _Directory(path.open("rb"))
        try:
            self._zip = zipfile.ZipFile(cast(BinaryIO, self._stream))
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            self._stream.close()
            raise ArchiveError(f"is a damaged archive: {one_line(error)}") from None
        except ArchiveError:
            self._stream.close()
            raise
        infos = self._zip.infolist()
        if len(infos) > MOST_FILES:
            self.close()
            raise ArchiveError(f"is an archive of {len(infos):,} files; at most {MOST_FILES:,}")
        self._size = path.stat().st_size
        self._infos = {one.filename: one for one in infos if _is_file(one)}

    def list_names(self) -> list[str]:
        """Return the names of the files, sorted."""
        return sorted(self._infos)

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Yield the content of the file *name*. Raises OSError, ArchiveError."""
        info, shown = self._infos[name], one_line(name)[-80:]
        if info.compress_type not in _METHODS:
            raise ArchiveError(f"{shown}: is packed by a method that is not read")
        packed = min(info.compress_size, self._size)
        most = min(_MOST_UNPACKED, max(_ALWAYS_UNPACKED, packed * MOST_TIMES))
        try:
            packed_stream = self._zip.open(info)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise ArchiveError(f"{shown}: cannot be unpacked: {one_line(error)}") from None
        with packed_stream:
            yield io.BufferedReader(_Unpacked(cast(BinaryIO, packed_stream), shown, most))

    def read_time(self, name: str) -> int:
        """Return the time of the file's last change, unix milliseconds."""
        try:
            return int(datetime(*self._infos[name].date_time, tzinfo=UTC).timestamp() * 1_000)
        except ValueError:
            return int(self.path.stat().st_mtime * 1_000)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release what is open."""
        self._zip.close()
        self._stream.close()


class Entry(NamedTuple):
    """A file: one of its own, or the one called *member* in an open archive."""

    path: Path
    archive: Archive | None = None
    member: str = ""

    @property
    def name(self) -> str:
        return self.path.name if self.archive is None else self.member.rpartition("/")[2]

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Yield its content. Raises OSError, ArchiveError."""
        return self.path.open("rb") if self.archive is None else self.archive.open(self.member)

    def read_time(self) -> int:
        """Return the time of its last change, unix milliseconds."""
        if self.archive is None:
            return int(self.path.stat().st_mtime * 1_000)
        return self.archive.read_time(self.member)


def is_archive(path: Path) -> bool:
    """Tell whether the file *path* begins as a zip archive does. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(_MARK)) == _MARK


class _Directory(io.BufferedReader):
    """A file of which no more is read at once than the directory of an archive may have."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _LONGEST_DIRECTORY:
            raise ArchiveError(f"is an archive with a directory of {size:,} bytes; it is not read")
        return super().read(size)


class _Unpacked(io.RawIOBase):
    """The content of a file in an archive, of which at most *most* bytes are unpacked."""

    def __init__(self, stream: BinaryIO, name: str, most: int) -> None:
        self._stream = stream
        self._name = name
        self._most = most

    def readinto(self, buffer: object) -> int:
        into = memoryview(cast(bytearray, buffer))
        try:
            piece = self._stream.read(len(into))
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            why = one_line(error) or "it ends too early"
            raise ArchiveError(f"{self._name}: is damaged in the archive: {why}") from None
        if self._stream.tell() > self._most:
            raise ArchiveError(
                f"{self._name}: is over {MOST_TIMES} times larger than in the archive;"
                " it is not unpacked"
            )
        into[: len(piece)] = piece
        return len(piece)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._stream.seek(offset, whence)


def _is_file(info: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(info.external_attr >> 16)
    return not info.is_dir() and kind in (0, stat.S_IFREG)
