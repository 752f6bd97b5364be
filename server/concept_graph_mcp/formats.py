"""The files that a graph can be read from, each turned into records that `import_rows` takes."""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from conceptgraph_core.concepts import schema

NATIVE = "concept-graph"
_VERSION = 1
_FIELDS = (
    "kind", "name", "summary", "from", "to", "type",
    "valence", "arousal_level", "accessed_at", "weight",
)  # fmt: skip

Lines = Iterable[tuple[int, str]]


class FormatError(Exception):
    """A line cannot be understood; the message begins with its number."""


@dataclass(frozen=True, slots=True)
class Row:
    """A record and the line it came from, counted from 1."""

    line: int
    record: dict[str, Any]


def header(version: str) -> dict[str, Any]:
    """Return the first line of an export written by *version*."""
    return {"kind": NATIVE, "format": _VERSION, "version": version}


def line(record: dict[str, Any]) -> str:
    """Return *record* as a line, the same whichever order its store gives its fields in."""
    ordered = {key: record[key] for key in _FIELDS if key in record}
    return json.dumps(ordered | record, ensure_ascii=False) + "\n"


def rows(stream: Iterable[str], name: str | None, date: str) -> Iterator[Row]:
    """Iterate over the records of *stream*, in the format *name* or the one its first line shows.

    *date* ("YYYYMMDD") names episodes that come without a name. Raises FormatError.
    """
    lines = ((number, line.rstrip("\r\n")) for number, line in enumerate(stream, 1))
    filled = ((number, line) for number, line in lines if line.strip())
    first = next(filled, None)
    if first is None:
        return
    chosen = name or _detect(first[1])
    yield from FORMATS[chosen](itertools.chain([first], filled), date)


def _detect(line: str) -> str:
    if not line.lstrip().startswith("{"):
        return "edges"
    return NATIVE if "kind" in _object(1, line) else "server-memory"


def _native(lines: Lines, _date: str) -> Iterator[Row]:
    for number, line in lines:
        record = _object(number, line)
        if record.get("kind") != NATIVE:
            yield Row(number, record)
        elif record.get("format") != _VERSION:
            raise FormatError(
                f"line {number}: format {record.get('format')} is unknown; this version reads"
                f" {_VERSION}"
            )


def _server_memory(lines: Lines, date: str) -> Iterator[Row]:
    """Read the reference memory server's entities and relations.

    An entity is a concept, its type an is-a relation, each observation an episode that it evokes.
    """
    for number, line in lines:
        record = _object(number, line)
        if record.get("type") == "entity":
            yield from (Row(number, made) for made in _entity(number, record, date))
        elif record.get("type") == "relation":
            relation = {"kind": "relation", "from": record.get("from"), "to": record.get("to")}
            yield Row(number, relation | {"type": _relation_type(record.get("relationType"))})
        else:
            raise FormatError(f'line {number}: type must be "entity" or "relation"')


def _entity(number: int, record: dict[str, Any], date: str) -> Iterator[dict[str, Any]]:
    name, kind, observations = (record.get(k) for k in ("name", "entityType", "observations"))
    if not isinstance(name, str) or not isinstance(observations or [], list):
        raise FormatError(f"line {number}: an entity needs a name and a list of observations")
    yield {"kind": "concept", "name": name}
    if isinstance(kind, str) and kind.strip() and kind != name:
        yield {"kind": "relation", "from": name, "to": kind, "type": "is-a"}
    for observation in observations or []:
        # Named by what it says, so that reading the file twice does not store it twice.
        digest = hashlib.sha256(f"{name}\0{observation}".encode(errors="replace")).digest()
        episode = f"{date}/{name}-{int.from_bytes(digest[:5])}"
        yield {"kind": "episode", "name": episode, "summary": observation}
        yield {"kind": "relation", "from": name, "to": episode, "type": "evokes"}


def _edges(lines: Lines, _date: str) -> Iterator[Row]:
    for number, line in lines:
        parts = line.split("\t")
        if len(parts) != 3:
            raise FormatError(f"line {number}: must be from, type and to with tabs between them")
        source, relation, target = parts
        record = {"kind": "relation", "from": source, "to": target, "type": _spelled(relation)}
        yield Row(number, record)


def _spelled(relation: Any) -> str:
    """Return a relation type as we spell it: "IS_A" and "is a" are "is-a"."""
    return str(relation).strip().lower().replace("_", "-").replace(" ", "-")


def _relation_type(relation: Any) -> str:
    """Return the nearest of our types: whatever is neither is-a nor part-of evokes."""
    spelled = _spelled(relation)
    return spelled if spelled in schema.RELATION_TYPES else "evokes"


def _object(number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise FormatError(f"line {number}: is not a JSON object")
    return record


FORMATS: dict[str, Callable[[Lines, str], Iterator[Row]]] = {
    NATIVE: _native,
    "server-memory": _server_memory,
    "edges": _edges,
}
