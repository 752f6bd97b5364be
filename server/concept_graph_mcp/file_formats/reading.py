"""Read a file in any of the formats.

Read tables of relations: from, type and to, separated by tabs or commas.
"""

import csv
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from conceptgraph_core.concepts import schema
from conceptgraph_core.layers import Layer

from . import memory_tables, native, server_memory
from .lines import (
    FormatError,
    Lines,
    Naming,
    Record,
    Row,
    Tally,
    json_object,
    number_filled_lines,
    shorten_key,
    spell_relation,
)

Columns = tuple[str | None, ...]

EDGES = "edges"
_PLAIN = ("from", "type", "to")
# Column names that a header may use, mapped to ours.
_NAMES = {
    "from": "from", "source": "from", "subject": "from",
    "type": "type", "relation": "type", "relationship": "type", "predicate": "type",
    "to": "to", "target": "to", "object": "to",
    "weight": "weight",
}  # fmt: skip


def read(lines: Lines, _naming: Naming, tally: Tally) -> Iterator[Row]:
    """Read tab- or comma-separated lines; a header may give the order of the columns.

    The first line decides between tabs and commas. Raises FormatError.
    """
    header: Columns | None = None
    delimiter = ""
    for number, line in lines:
        is_first = not delimiter
        if is_first:
            delimiter = "\t" if "\t" in line else ","
        cells = _cells(number, line, delimiter)
        if is_first:
            header = _header(number, cells, tally)
        if not (is_first and header):
            yield Row(number, _record(number, cells, header))


def _cells(number: int, line: str, delimiter: str) -> list[str]:
    # Tab-separated quotes are data, as in the output of spreadsheets and `cut`.
    if delimiter == "\t":
        return line.split(delimiter)
    try:
        (cells,) = csv.reader([line], skipinitialspace=True, strict=True)
    except csv.Error as error:
        raise FormatError(f"line {number}: is not CSV: {error}") from None
    return cells


def _header(number: int, cells: list[str], tally: Tally) -> Columns | None:
    """Return the columns, None for ignored ones, if *cells* are a header."""
    found = tuple(_NAMES.get(cell.strip().lower()) for cell in cells)
    says_something = any(spell_relation(cell) in schema.RELATION_TYPES for cell in cells)
    if says_something or not {"from", "to"} <= {*found}:
        return None
    for name in _PLAIN:
        if found.count(name) != 1:
            raise FormatError(f"line {number}: a header must name from, type and to once each")
    for cell, column in zip(cells, found, strict=True):
        if column is None:
            tally.left_out("columns", shorten_key(cell.strip()))
    return found


def _record(number: int, cells: list[str], header: Columns | None) -> Record:
    columns = header or _PLAIN
    if len(cells) != len(columns):
        what = f"has {len(cells)} columns, the header {len(columns)}"
        plain = "must be from, type and to with tabs or commas between them"
        raise FormatError(f"line {number}: {what if header else plain}")
    given = {name: cell for name, cell in zip(columns, cells, strict=True) if name}
    record: Record = {"kind": "relation", "from": given["from"], "to": given["to"]}
    record["type"] = spell_relation(given["type"])
    if weight := given.get("weight", "").strip():
        try:
            record["weight"] = float(weight)
        except ValueError:
            raise FormatError(f"line {number}: weight: must be a number") from None
    return record


_Read = Callable[[Lines, Naming, Tally], Iterator[Row]]

FORMATS: dict[str, _Read] = {
    native.NATIVE: native.read_for_import,
    server_memory.SERVER_MEMORY: server_memory.read,
    EDGES: read,
    memory_tables.MEMORY_ROWS: memory_tables.read_json,
}
# In these formats of other programs, existing memories stay as they are.
FOREIGN_MEMORIES = (memory_tables.MEMORY_ROWS, memory_tables.MEMORY_SQLITE)


class Reader:
    """The records of a file; `tally` counts what they omit.

    `format` is the given one or that of the first line; None if there is no line. Raises
    FormatError.
    """

    def __init__(self, stream: TextIO, given: str | None = None) -> None:
        self.tally = Tally()
        self._file = _sqlite_file(stream, given)
        if self._file is not None:
            self.format: str | None = memory_tables.MEMORY_SQLITE
            return
        lines = number_filled_lines(stream, self.tally)
        first = next(lines, None)
        self.format = None if first is None else given or _detect(*first)
        self._lines = lines if first is None else itertools.chain([first], lines)

    def rows(self, naming: Naming) -> Iterator[Row]:
        """Iterate over the records, once; *naming* names episodes without a name."""
        if self._file is not None:
            yield from memory_tables.read_sqlite(self._file, naming, self.tally)
        elif self.format is not None:
            yield from FORMATS[self.format](self._lines, naming, self.tally)


def native_rows(stream: TextIO, layers: Sequence[Layer]) -> Iterator[Row]:
    """Iterate over the records of *layers* in *stream*, in our own format. Raises FormatError."""
    tally = Tally()
    return native.read(number_filled_lines(stream, tally), Naming(), tally, native.Fields(layers))


def _sqlite_file(stream: TextIO, given: str | None) -> Path | None:
    """Return the path of the SQLite file that *stream* reads, or None if it is none."""
    raw: Any = getattr(stream, "buffer", None)
    begins = raw.peek(len(memory_tables.MAGIC)) if hasattr(raw, "peek") else b""
    if not begins.startswith(memory_tables.MAGIC):
        if given == memory_tables.MEMORY_SQLITE:
            raise FormatError("is no SQLite file")
        return None
    name = getattr(raw, "name", None)
    if not isinstance(name, (str, Path)) or not Path(name).is_file():
        raise FormatError("is a SQLite file, which is read by its name only")
    return Path(name)


def _detect(number: int, line: str) -> str:
    if memory_tables.begins(line):
        return memory_tables.MEMORY_ROWS
    if not line.lstrip().startswith("{"):
        return EDGES
    record = json_object(number, line)
    if "kind" in record:
        return native.NATIVE
    is_memories = memory_tables.is_row(record)
    return memory_tables.MEMORY_ROWS if is_memories else server_memory.SERVER_MEMORY
