"""Read JSON of any size piece by piece: the lines of a file, or the items of one long list."""

import itertools
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

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
