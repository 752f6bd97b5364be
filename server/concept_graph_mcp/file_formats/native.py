"""Read and write our own format: JSON Lines, a header and then the records of `import_rows`.

Read lists of edges: lines of from, type and to.
"""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from conceptgraph_core.concepts import schema
from conceptgraph_core.embeddings.schema import LAYER as EMBEDDINGS
from conceptgraph_core.embeddings.schema import embedded_kinds
from conceptgraph_core.graph.layers import Layer
from conceptgraph_core.transfer.registry import LAYERS

from ..printable import json_text
from .lines import (
    FormatError,
    Lines,
    Naming,
    Record,
    Row,
    Tally,
    json_objects,
    number_filled_lines,
    plain,
    sendable,
    shorten_key,
    spell_relation,
)

NATIVE = "concept-graph"
_VERSION = 1
# Exports of versions before 0.3 are not read.
_VERSIONS, _OLDEST = re.compile(r"0\.(\d+)\.\d+"), 3
_FIRST = ("kind", "name", "summary", "from", "to", "type")


class Fields:
    """The fields that a record of *layers* may have, in order, and those with a single value."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        nodes = [kind for layer in layers for kind in layer.nodes]
        edges = [kind for layer in layers for kind in layer.edges]
        of_nodes = (each.name for kind in nodes for each in kind.properties)
        of_edges = (each.name for kind in edges for each in kind.properties)
        self.names = dict.fromkeys((*_FIRST, *of_nodes, *of_edges))
        self.plain = frozenset({"kind", "type", *(name for kind in nodes for name in kind.key)})


_OURS = Fields(LAYERS)
_PLACES = {name: place for place, name in enumerate(_OURS.names)}
# The field of the vector, for each kind whose texts have vectors.
_VECTORS = {kind.kind: index.vector for kind, index in embedded_kinds(LAYERS)}
_NAMING = frozenset(kind.kind for kind in EMBEDDINGS.nodes)


def header(version: str) -> dict[str, Any]:
    """Return the first line of an export written by *version*."""
    return {"kind": NATIVE, "format": _VERSION, "version": version}


def line(record: Record) -> str:
    """Return *record* as a line, independent of the order of its fields."""
    names = sorted(record, key=lambda name: _PLACES.get(name, len(_PLACES)))
    return json_text({name: _sort_keys(record[name]) for name in names}) + "\n"


def _sort_keys(value: Any) -> Any:
    """Return *value* with sorted keys in each map: the one order that every store can produce."""
    if isinstance(value, dict):
        return {key: _sort_keys(value[key]) for key in sorted(value)}
    # Vectors are long and hold nothing but numbers.
    if isinstance(value, list) and value and not isinstance(value[0], float):
        return [_sort_keys(one) for one in value]
    return value


def read(lines: Lines, _naming: Naming, tally: Tally, fields: Fields = _OURS) -> Iterator[Row]:
    """Read the lines that `line` wrote, without unknown fields. Raises FormatError."""
    for number, record in json_objects(lines):
        if record.get("kind") != NATIVE:
            yield Row(number, _check_fields(number, record, tally, fields))
        elif record.get("format") != _VERSION:
            raise FormatError(
                f"line {number}: format {shorten_key(json.dumps(record.get('format')))} is unknown;"
                f" this version reads {_VERSION}"
            )
        elif (found := _VERSIONS.match(str(record.get("version")))) and int(found[1]) < _OLDEST:
            raise FormatError(
                f"line {number}: was exported by {found[0]}; open it with 0.3.0 first"
            )


def rows(stream: TextIO, layers: Sequence[Layer] = LAYERS) -> Iterator[Row]:
    """Iterate over the records of *layers* in *stream*. Raises FormatError."""
    tally = Tally()
    return read(number_filled_lines(stream, tally), Naming(), tally, Fields(layers))


def read_for_import(lines: Lines, naming: Naming, tally: Tally) -> Iterator[Row]:
    """Read as `read` does, and report vectors whose embedding the file does not name.

    Vectors with the store's dimension cannot be told apart. A file may name the embedding after the
    vectors.
    """
    is_named, unnamed = False, 0
    for row in read(lines, naming, tally):
        kind = str(row.record.get("kind"))
        is_named = is_named or kind in _NAMING
        unnamed += row.record.get(_VECTORS.get(kind, "")) is not None
        yield row
    for _ in range(0 if is_named else unnamed):
        tally.count_taken("vectors of an embedding that the file does not name")


def _check_fields(number: int, record: Record, tally: Tally, fields: Fields) -> Record:
    for key, value in record.items():
        # The other values may be lists or maps; their layer checks them.
        check = sendable if key in fields.names and key not in fields.plain else plain
        check(number, key, value)
        if key not in fields.names:
            tally.left_out("fields of no meaning here", shorten_key(key))
    return {key: value for key, value in record.items() if key in fields.names}


Columns = tuple[str | None, ...]

_PLAIN = ("from", "type", "to")
# Column names that a header may use, mapped to ours.
_NAMES = {
    "from": "from", "source": "from", "subject": "from",
    "type": "type", "relation": "type", "relationship": "type", "predicate": "type",
    "to": "to", "target": "to", "object": "to",
    "weight": "weight",
}  # fmt: skip


def read_edges(lines: Lines, _naming: Naming, tally: Tally) -> Iterator[Row]:
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
