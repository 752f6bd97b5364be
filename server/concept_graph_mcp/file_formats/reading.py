"""Read a file in any of the formats."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from conceptgraph_core.layers import Layer

from . import edges, memory_rows, memory_sqlite, native, server_memory
from .lines import FormatError, Lines, Naming, Row, json_object, number_filled_lines
from .tally import Tally

_Read = Callable[[Lines, Naming, Tally], Iterator[Row]]

FORMATS: dict[str, _Read] = {
    native.NATIVE: native.read_for_import,
    server_memory.SERVER_MEMORY: server_memory.read,
    edges.EDGES: edges.read,
    memory_rows.MEMORY_ROWS: memory_rows.read,
}
NAMES = (*FORMATS, memory_sqlite.MEMORY_SQLITE)
# In these formats of other programs, existing memories stay as they are.
FOREIGN_MEMORIES = (memory_rows.MEMORY_ROWS, memory_sqlite.MEMORY_SQLITE)


class Reader:
    """The records of a file; `tally` counts what they omit.

    `format` is the given one or that of the first line; None if there is no line. Raises
    FormatError.
    """

    def __init__(self, stream: TextIO, given: str | None = None) -> None:
        self.tally = Tally()
        self._file = _sqlite_file(stream, given)
        if self._file is not None:
            self.format: str | None = memory_sqlite.MEMORY_SQLITE
            return
        lines = number_filled_lines(stream, self.tally)
        first = next(lines, None)
        self.format = None if first is None else given or _detect(*first)
        self._lines = lines if first is None else itertools.chain([first], lines)

    def count(self) -> int | None:
        """Return the number of rows to read, if they are not lines."""
        return None if self._file is None else memory_sqlite.count(self._file)

    def rows(self, naming: Naming) -> Iterator[Row]:
        """Iterate over the records, once; *naming* names episodes without a name."""
        if self._file is not None:
            yield from memory_sqlite.read(self._file, naming, self.tally)
        elif self.format is not None:
            yield from FORMATS[self.format](self._lines, naming, self.tally)


def native_rows(stream: TextIO, layers: Sequence[Layer]) -> Iterator[Row]:
    """Iterate over the records of *layers* in *stream*, in our own format. Raises FormatError."""
    tally = Tally()
    return native.read(number_filled_lines(stream, tally), Naming(), tally, native.Fields(layers))


def _sqlite_file(stream: TextIO, given: str | None) -> Path | None:
    """Return the path of the SQLite file that *stream* reads, or None if it is none."""
    raw: Any = getattr(stream, "buffer", None)
    begins = raw.peek(len(memory_sqlite.MAGIC)) if hasattr(raw, "peek") else b""
    if not begins.startswith(memory_sqlite.MAGIC):
        if given == memory_sqlite.MEMORY_SQLITE:
            raise FormatError("is no SQLite file")
        return None
    name = getattr(raw, "name", None)
    if not isinstance(name, (str, Path)) or not Path(name).is_file():
        raise FormatError("is a SQLite file, which is read by its name only")
    return Path(name)


def _detect(number: int, line: str) -> str:
    if memory_rows.begins(line):
        return memory_rows.MEMORY_ROWS
    if not line.lstrip().startswith("{"):
        return edges.EDGES
    record = json_object(number, line)
    if "kind" in record:
        return native.NATIVE
    is_memories = memory_rows.is_row(record)
    return memory_rows.MEMORY_ROWS if is_memories else server_memory.SERVER_MEMORY
