"""Read tables of memories: `memory_nodes` and `memory_edges`, or `memories` and `memory_relations`.

The former are of a SQLite file, the latter JSON: one document, or a row a line.

Scores and states are computed at the time of the import. Old memories decay from a later time, like
ingested messages; otherwise the first nights would expire the whole import.
"""

import itertools
import json
import math
import re
import sqlite3
import struct
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from conceptgraph_core.memories import fade, schema
from conceptgraph_core.texts.dates import unix_ms
from conceptgraph_core.texts.text import kind
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.errors import ConceptGraphError

from ..errors import one_line
from .lines import FormatError, Lines, Naming, Record, Row, Tally, json_objects, shorten_key

# The default embedding of a file's vectors.
UNKNOWN_MODEL: Final = "an unknown model"

_TABLES, _JSON_TABLES = ("memory_nodes", "memory_edges"), ("memories", "memory_relations")
_BEGINNING = re.compile(r'\[\s*(\{|$)|\{\s*("(memories|memory_relations)"|$)')
_LEAST_STRENGTH = 1e-6
# In bytes; more than any content has.
_MOST_IN_A_VALUE = 2**24
# The columns that are read, by our names.
_COLUMNS = {
    **{"user_context": "user_id", "last_accessed": "accessed_at"},
    **{"from_memory_id": "from", "source_node_id": "from"},
    **{"to_memory_id": "to", "target_node_id": "to"},
    **{"relation_type": "type", "edge_type": "type", "weight": "strength"},
}
# The values that are read, by our names, and what each must be.
_TYPES = {
    **dict.fromkeys(("created_at", "accessed_at", "deleted_at", "last_strengthened"), "a time"),
    **dict.fromkeys(("importance_score", "confidence", "decay_rate"), "a number"),
    **dict.fromkeys(("access_count", "strength"), "a number"),
    **dict.fromkeys(("id", "user_id", "summary", "source", "type", "parent_id"), "text"),
    **{"from": "text", "to": "text", "content": "content", "embedding": "a vector"},
    **{"tags": "a list", "metadata": "a map"},
}
# Computed at the import.
_COMPUTED = {"state", "decay_score", "last_decay_update", "embedding_dimension"}
_KNOWN = {*_COLUMNS, *_TYPES, *_COMPUTED}

# Where a row is, its number there, and the row.
_Found = tuple[str, int, Mapping[str, Any]]


def read_json(lines: Lines, naming: Naming, tally: Tally) -> Iterator[Row]:
    """Read the memories, and then the relations between them. Raises FormatError."""
    first = next(lines)
    rest = itertools.chain([first], lines)
    by_line = (("line", number, row) for number, row in json_objects(rest))
    found = _document(rest) if _BEGINNING.match(first[1].strip()) else by_line
    return _convert(found, naming, tally)


def read_sqlite(path: Path, naming: Naming, tally: Tally) -> Iterator[Row]:
    """Read the nodes of the file *path*, then its edges, without writing. Raises FormatError."""
    try:
        # Opened without trust, because it may come from anybody.
        file = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        with closing(file):
            file.row_factory = sqlite3.Row
            file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_IN_A_VALUE)
            file.execute("PRAGMA trusted_schema = OFF")
            rows = itertools.chain.from_iterable(_table(file, one) for one in _TABLES)
            yield from _convert(rows, naming, tally)
    except sqlite3.Error as error:
        raise FormatError(f"cannot be read as SQLite: {one_line(error)}") from None


def _document(lines: Lines) -> Iterator[_Found]:
    try:
        found = json.loads("\n".join(line for _, line in lines))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON: {error}") from None
    tables = found if isinstance(found, dict) else {_JSON_TABLES[0]: found}
    if not tables.keys() & {*_JSON_TABLES}:
        raise FormatError(f"has neither {' nor '.join(_JSON_TABLES)}")
    for table in _JSON_TABLES:
        rows = tables.get(table) or []
        if not isinstance(rows, list):
            raise FormatError(f"{table}: must be a list, not {kind(rows)}")
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict):
                raise FormatError(f"{table} row {number}: must be a map, not {kind(row)}")
            yield f"{table} row", number, row


def _table(file: sqlite3.Connection, table: str) -> Iterator[_Found]:
    asked = "SELECT type, rootpage FROM sqlite_schema WHERE name = ? COLLATE NOCASE"
    # Without a page of its own it is a view or a virtual table, and reading it may never end.
    if any(what != "table" or not page for what, page in file.execute(asked, [table])):
        raise FormatError(f"has {table} as something else than a plain table")
    columns = {row["name"] for row in file.execute(f"PRAGMA table_info({table})")} & _KNOWN
    if not columns:
        raise FormatError(
            f"is a SQLite file without the table {table}; a store of this program is moved by"
            " export and import"
        )
    # Columns are selected by name, because a computed column might run anything. Rows come in the
    # order of their creation, so that an import is the same every time.
    rows = file.execute(f"SELECT {', '.join(sorted(columns))} FROM {table} ORDER BY rowid")
    for number, row in enumerate(rows, 1):
        yield f"{table} row", number, dict(row)


def _convert(rows: Iterator[_Found], naming: Naming, tally: Tally) -> Iterator[Row]:
    """Iterate over the records of *rows*, the memories before the links. Raises FormatError."""
    users: dict[str, str] = {}
    links: list[tuple[str, int, Record]] = []
    embedding = naming.embedding
    for place, number, row in rows:
        try:
            given = _values(row, tally)
            if "from" in given:
                links.append((place, number, given))
                continue
            if isinstance(given["content"], str) and not given["content"].strip():
                tally.left_out("memories without a text", shorten_key(given["id"]))
                continue
            vector = _vector(given.pop("embedding", None), embedding, tally)
            record = _memory(given, naming, tally)
        except (ConceptGraphError, FormatError) as error:
            raise FormatError(f"{place} {number}: {error}") from None
        users[record["id"]] = record["user_id"]
        if vector is not None:
            if embedding is None:
                embedding = UNKNOWN_MODEL, len(vector)
                model = {"model": UNKNOWN_MODEL, "dimension": len(vector)}
                yield Row(number, {"kind": "embedding", "use": "texts", **model}, place)
            record |= {"embedding": vector, "embedding_dimension": len(vector)}
        yield Row(number, record, place)
    for place, number, given in links:
        if link := _link(given, users, naming, tally):
            yield Row(number, link, place)


def _memory(given: Record, naming: Naming, tally: Tally) -> Record:
    """Return the record of a memory, with its current score and state. Raises FormatError."""
    # A memory that was never accessed counts as accessed at its creation.
    times = {"created_at": naming.now_ms, "accessed_at": given.get("created_at", naming.now_ms)}
    given = {"user_id": naming.user_id, "tags": [], "access_count": 0, **times, **given}
    given["access_count"] = int(given["access_count"])
    with suppress(TypeError, ValueError):
        given["preserved_until"] = unix_ms(given.get("metadata", {}).get("until"))
    record = {name: schema.KIND.declared(name).check(one, name) for name, one in given.items()}
    if record["user_id"] != naming.user_id:
        whose = shorten_key(record["user_id"])
        tally.count_other(f"memories of user {whose}, for CONCEPT_GRAPH_USER")
    fading = schema.fading(record.get)
    since = fade.fading_since(fading.accessed_at, fading, naming.now_ms, naming.decay)
    is_gone = "deleted_at" in record
    if not is_gone and since > fading.accessed_at:
        record["fades_from"] = since
    score, state = fade.now(schema.fading(record.get), naming.now_ms, naming.decay)
    if is_gone or state == fade.EXPIRED:
        state = fade.EXPIRED if is_gone else fade.ARCHIVED
    living = {"decay_score": score, "state": state, "last_decay_update": naming.now_ms}
    return {"kind": "memory", **record, **living}


def _link(given: Record, users: Mapping[str, str], naming: Naming, tally: Tally) -> Record | None:
    """Return the record of a link, None if it is no valid one."""
    source, target = given["from"], given["to"]
    missing = [one for one in (source, target) if one not in users] if users else []
    if missing:
        tally.left_out("links to memories that the file does not have", shorten_key(missing[0]))
        return None
    if source == target or users.get(source) != users.get(target):
        what = "of a memory to itself" if source == target else "between memories of two users"
        tally.left_out(f"links {what}", shorten_key(source))
        return None
    said = given.get("type", schema.DEFAULT_RELATION)
    try:
        relation = schema.checked_relation(said.replace("-", "_").replace(" ", "_"))
    except ConceptGraphError:
        relation = schema.DEFAULT_RELATION
        tally.count_changed(f"links of type {shorten_key(said)} to {relation}")
    strength = given.get("strength", schema.DEFAULT_STRENGTH)
    if not 0 < strength <= 1:
        tally.count_changed("strengths into the range from 0 to 1", f"{strength:g}")
        strength = min(1.0, max(_LEAST_STRENGTH, strength))
    made = given.get("created_at", naming.now_ms)
    link = {"kind": "link", "from": source, "to": target, "type": relation, "created_at": made}
    return {**link, "strength": strength, "last_strengthened": given.get("last_strengthened", made)}


def _values(row: Mapping[str, Any], tally: Tally) -> Record:
    """Return the values of *row* that are there, in our names and types. Raises FormatError."""
    made: Record = {}
    for column, value in row.items():
        name = _COLUMNS.get(column, column)
        if column not in _KNOWN:
            tally.left_out("columns of no meaning here", shorten_key(column))
        if name not in _TYPES or value is None or value == "":
            continue
        what = _TYPES[name]
        try:
            made[name] = _read(what, value)
        except (TypeError, ValueError, OverflowError):
            shown = str(value) if isinstance(value, (str, int, float)) else kind(value)
            raise FormatError(f"{name}: must be {what}, not {shorten_key(shown)}") from None
    for name in ("from", "to") if made.keys() & {"from", "to"} else ("id", "content"):
        if name not in made:
            raise FormatError(f"{name}: is missing")
    return made


def _read(what: str, value: Any) -> Any:
    """Return *value* as *what* it must be. Raises TypeError, ValueError, OverflowError."""
    if what == "a time":
        return unix_ms(value)
    if what == "a number":
        number = float(value)  # PostgreSQL's NUMERIC arrives as a text.
        return number if math.isfinite(number) else int(number)
    if what == "text" and not isinstance(value, (str, int)):
        raise TypeError
    if what == "text":
        return str(value)
    if what == "content" and isinstance(value, (dict, list)):
        # One source program stores it as JSON.
        said = value.get("text") if isinstance(value, dict) and len(value) == 1 else None
        return said or json.dumps(value, ensure_ascii=False)
    if what in ("a list", "a map") and isinstance(value, (str, bytes)):
        with suppress(ValueError):
            value = json.loads(value)
    if what == "a list":
        parts = value.split(",") if isinstance(value, str) else value
        return [text for one in parts if (text := str(one).strip())]
    return {**value} if what == "a map" else value


def _vector(value: Any, embedding: tuple[str, int] | None, tally: Tally) -> list[float] | None:
    """Return a vector: a list, JSON of one, or 32-bit floats; None for any that does not fit."""
    if value is None:
        return None
    numbers: list[float] = []
    with suppress(TypeError, ValueError, OverflowError, struct.error):
        if isinstance(value, bytes) and value[:1] != b"[":
            value = struct.unpack(f"<{len(value) // 4}f", value)
        value = json.loads(value) if isinstance(value, (str, bytes)) else value
        numbers = [float(one) for one in value]
    if not 0 < len(numbers) <= limits.MAX_DIMENSION or not all(map(math.isfinite, numbers)):
        tally.left_out("vectors that cannot be read")
    elif embedding not in {None, (UNKNOWN_MODEL, len(numbers))}:
        tally.left_out("vectors of another embedding; embed makes them anew")
    else:
        return numbers if any(numbers) else None
    return None
