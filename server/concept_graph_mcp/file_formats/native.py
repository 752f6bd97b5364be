"""Our own format: JSON Lines, a header and then the records of `import_rows`."""

import json
from collections.abc import Iterator
from typing import Any

from conceptgraph_core.registry import LAYERS

from ..printable import json_text
from .lines import FormatError, Lines, Naming, Record, Row, json_object, plain, sendable, shown
from .tally import Tally

NATIVE = "concept-graph"
_VERSION = 1
_FIRST = ("kind", "name", "summary", "from", "to", "type")
_PROPERTIES = (
    *(each.name for layer in LAYERS for kind in layer.nodes for each in kind.properties),
    *(each.name for layer in LAYERS for kind in layer.edges for each in kind.properties),
)
_FIELDS = dict.fromkeys((*_FIRST, *_PROPERTIES))
_KEYS = (name for layer in LAYERS for kind in layer.nodes for name in kind.key)
_PLAIN = frozenset({"kind", "type", *_KEYS})


def header(version: str) -> dict[str, Any]:
    """Return the first line of an export written by *version*."""
    return {"kind": NATIVE, "format": _VERSION, "version": version}


def line(record: Record) -> str:
    """Return *record* as a line, the same whichever order its store gives its fields in."""
    ordered = {key: record[key] for key in _FIELDS if key in record}
    return json_text(ordered | record) + "\n"


def read(lines: Lines, _naming: Naming, tally: Tally) -> Iterator[Row]:
    """Read what `line` wrote; fields of no meaning here are left out. Raises FormatError."""
    for number, text in lines:
        record = json_object(number, text)
        if record.get("kind") != NATIVE:
            yield Row(number, _known(number, record, tally))
        elif record.get("format") != _VERSION:
            raise FormatError(
                f"line {number}: format {shown(json.dumps(record.get('format')))} is unknown;"
                f" this version reads {_VERSION}"
            )


def _known(number: int, record: Record, tally: Tally) -> Record:
    for key, value in record.items():
        # What the others may be, a list or a map included, is for their layer to say.
        check = sendable if key in _FIELDS and key not in _PLAIN else plain
        check(number, key, value)
        if key not in _FIELDS:
            tally.left_out("fields of no meaning here", shown(key))
    return {key: value for key, value in record.items() if key in _FIELDS}
