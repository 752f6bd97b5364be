"""Read rows of `memories` and `memory_relations`: one JSON document, or a row a line."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from conceptgraph_core.text import kind

from .lines import FormatError, Lines, Naming, Record, Row, Tally, json_object, shorten_key
from .memories import Memories

MEMORY_ROWS = "memory-rows"
_MEMORIES, _RELATIONS = "memories", "memory_relations"
_BEGINNING = re.compile(r'\[\s*(\{|$)|\{\s*("(memories|memory_relations)"|$)')
# The source columns, by our names.
_COLUMNS = {
    "user_context": "user_id",
    "from_memory_id": "from",
    "to_memory_id": "to",
    "relation_type": "type",
}
_OF_MEMORY = {
    *("id", "user_context", "content", "summary", "source", "type", "tags", "metadata"),
    *("importance_score", "confidence", "access_count", "created_at", "accessed_at"),
    *("decay_rate", "parent_id", "embedding", "deleted_at"),
    # Computed at the import.
    *("state", "decay_score", "last_decay_update", "embedding_dimension"),
}
_OF_RELATION = {
    *("id", "user_context", "from_memory_id", "to_memory_id", "relation_type", "strength"),
    *("created_at", "last_strengthened"),
}

# A row's table, its number, and the row.
_Found = tuple[str, int, Record]


def begins(line: str) -> bool:
    """Return whether *line* begins a JSON document that may hold such rows."""
    return _BEGINNING.match(line.strip()) is not None


def is_row(record: Mapping[str, Any]) -> bool:
    """Return whether *record* is a row of one of the tables."""
    return "from_memory_id" in record or {"id", "content"} <= record.keys()


def read(lines: Lines, naming: Naming, tally: Tally) -> Iterator[Row]:
    """Read the memories, and then the relations between them. Raises FormatError."""
    first = next(lines)
    rest = itertools.chain([first], lines)
    rows = _document(rest) if begins(first[1]) else _line_by_line(rest)
    made = Memories(naming, tally)
    held: list[_Found] = []
    for table, number, row in rows:
        if "from_memory_id" in row:
            held.append((table, number, row))
        else:
            _tell(row, _OF_MEMORY, tally)
            records = made.memory(f"{table} {number}", _convert_row(row))
            yield from (Row(number, record, table) for record in records)
    for table, number, row in held:
        _tell(row, _OF_RELATION, tally)
        records = made.link(f"{table} {number}", _convert_row(row))
        yield from (Row(number, record, table) for record in records)


def _line_by_line(lines: Lines) -> Iterator[_Found]:
    for number, line in lines:
        row = json_object(number, line)
        if not is_row(row):
            raise FormatError(
                f"line {number}: is neither a memory (id, content) nor a relation (from_memory_id)"
            )
        yield "line", number, row


def _document(lines: Lines) -> Iterator[_Found]:
    try:
        found = json.loads("\n".join(line for _, line in lines))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON: {error}") from None
    tables = found if isinstance(found, dict) else {_MEMORIES: found}
    if not tables.keys() & {_MEMORIES, _RELATIONS}:
        raise FormatError(f"has neither {_MEMORIES} nor {_RELATIONS}")
    for table in (_MEMORIES, _RELATIONS):
        rows = tables.get(table) or []
        if not isinstance(rows, list):
            raise FormatError(f"{table}: must be a list, not {kind(rows)}")
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict):
                raise FormatError(f"{table} row {number}: must be a map, not {kind(row)}")
            yield f"{table} row", number, row


def _convert_row(row: Record) -> Record:
    return {_COLUMNS.get(name, name): value for name, value in row.items()}


def _tell(row: Record, known: set[str], tally: Tally) -> None:
    for name in row.keys() - known:
        if row[name] is not None:
            tally.left_out("columns of no meaning here", shorten_key(name))
