"""Read tables of relations: from, type and to, separated by tabs or commas."""

import csv
from collections.abc import Iterator

from conceptgraph_core.concepts import schema

from .lines import (
    FormatError,
    Lines,
    Naming,
    Record,
    Row,
    Tally,
    shorten_key,
    spell_relation,
)

Columns = tuple[str | None, ...]

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
