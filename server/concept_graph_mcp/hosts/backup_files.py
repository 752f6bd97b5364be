"""Describe a backup's contents, and read backups that are compressed exports."""

import gzip
import json
import uuid
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conceptgraph_core.layers import Layer
from conceptgraph_core.registry import LAYERS

from .. import file_formats
from ..errors import StoreError, one_line

STORE = "store"
# The longest first line, in characters.
_LONGEST_HEAD = 1 << 16


class BadBackup(StoreError):
    """A file that cannot be restored: damaged, or of another kind."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Contents:
    """The size of a graph: its nodes by measure, and its relations of all kinds.

    Unused layers are left out. `newest_accessed_at` is in unix ms, 0 for an empty graph.

    `store` is the id of the backup's store; None if the backup does not name it.
    """

    nodes: Mapping[str, int]
    relations: int
    newest_accessed_at: int
    store: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """The result of a backup.

    `damage` describes a store so damaged that only its file could be copied; then `contents` is
    unknown.
    """

    contents: Contents | None
    damage: str | None = None


def header(version: str, store_id: str) -> dict[str, Any]:
    """Return the first line of a backup that is an export: an export's, with the store."""
    return file_formats.header(version) | {STORE: store_id}


def rows(file: Path, layers: Sequence[Layer] = LAYERS) -> Iterator[file_formats.Row]:
    """Iterate over the records of a backup that is a compressed export. Raises BadBackup."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            _head(file, stream.readline(_LONGEST_HEAD))
            stream.seek(0)
            yield from file_formats.rows(stream, layers)
    except (EOFError, OSError, ValueError, zlib.error, file_formats.FormatError) as error:
        reason = one_line(error) or type(error).__name__
        raise BadBackup(file, f"is damaged or of another kind: {reason}") from None


def contents(
    counted: Mapping[str, int],
    relations: int,
    newest: int,
    store: str | None = None,
    layers: Sequence[Layer] = LAYERS,
) -> Contents:
    """Return the contents for these amounts of nodes by measure, in the layers' order."""
    measures = [
        kind.measure
        for layer in layers
        for kind in layer.nodes
        if layer is layers[0] or counted.get(kind.measure)
    ]
    return Contents({name: counted.get(name, 0) for name in measures}, relations, newest, store)


def contents_of(file: Path, layers: Sequence[Layer] = LAYERS) -> Contents:
    """Read *file*, a compressed export, and return its contents. Raises BadBackup."""
    kinds: Counter[str] = Counter()
    newest = 0
    for record in (row.record for row in rows(file, layers)):
        kinds[str(record.get("kind"))] += 1
        accessed_at = record.get("accessed_at")
        if isinstance(accessed_at, int) and accessed_at > newest:
            newest = accessed_at
    nodes = {kind.measure: kinds[kind.kind] for layer in layers for kind in layer.nodes}
    relations = sum(kinds[kind] for kind in {layer.edge_kind for layer in layers})
    return contents(nodes, relations, newest, _store(file), layers)


def known_id(value: object) -> str | None:
    """Return *value* if it is a valid store id."""
    try:
        return str(uuid.UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _store(file: Path) -> str | None:
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        return known_id(_head(file, stream.readline(_LONGEST_HEAD)).get(STORE))


def _head(file: Path, line: str) -> dict[str, Any]:
    head = json.loads(line or "null")
    if not isinstance(head, dict) or head.get("kind") != file_formats.NATIVE:
        raise BadBackup(file, "is not a backup of a concept graph")
    return head
