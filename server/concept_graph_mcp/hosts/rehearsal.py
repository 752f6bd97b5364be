"""Check the records of a backup by the rules of the import that would restore them."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conceptgraph_core.errors import ConceptGraphError, NameTaken
from conceptgraph_core.layers import EdgeKind, NodeKind
from conceptgraph_core.registry import MODEL, Model
from conceptgraph_core.transfer.places import Place, shown_key
from conceptgraph_core.transfer.rows import Rows

from ..file_formats import Row
from .backup_files import BadBackup

# An empty name opens a database for this connection alone, in memory until it is large.
_TEMPORARY = ""
_SETTINGS = ("journal_mode = OFF", "cache_size = -65536")
# The nodes that are in memory before they are written.
_MOST_MET = 10_000
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


Record = dict[str, Any]


@dataclass(slots=True)
class _Node:
    """A node, with those of its properties that the checks of later records need."""

    label: str
    values: Mapping[str, Any]


class Rehearsal(Rows[_Node]):
    """An empty store that takes records as a restore would, and keeps only what it checks them by.

    A real import into a temporary store would take three times as long.
    """

    def __init__(self, model: Model = MODEL) -> None:
        super().__init__(model.layers, now_ms=0)
        # A backup uses it in several threads, one after the other.
        self._stored = sqlite3.connect(_TEMPORARY, isolation_level=None, check_same_thread=False)
        for setting in _SETTINGS:
            self._stored.execute(f"PRAGMA {setting}")
        self._stored.execute("CREATE TABLE node (place PRIMARY KEY, label, kept) WITHOUT ROWID")
        self._met: dict[Place, _Node | None] = {}
        self._changed: dict[Place, _Node] = {}
        indexes = [index for layer in model.layers for index in layer.indexes if index.unique]
        # The properties that are unique beside the keys.
        self._unique = {
            kind.label: [
                index.properties
                for index in indexes
                if index.label == kind.label and index.properties != kind.key
            ]
            for layer in model.layers
            for kind in layer.nodes
        }

    def close(self) -> None:
        self._stored.close()

    def taken(self, records: Iterable[Record]) -> tuple[list[Record], list[str]]:
        """Return the importable ones of *records*, and a line for each refused one."""
        kept, refusals = [], []
        for record in records:
            try:
                self._take(record)
            except ConceptGraphError as error:
                refusals.append(str(error))
            else:
                kept.append(record)
        return kept, refusals

    def checked(self, file: Path, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the *rows* of *file*. Raises BadBackup for one that cannot be restored."""
        for row in rows:
            try:
                self._take(row.record)
            except ConceptGraphError as error:
                raise BadBackup(file, f"is damaged: line {row.line}: {error}") from None
            yield row

    def _take(self, record: Record) -> None:
        before = len(self._changed)
        try:
            self.add(record)
        except ConceptGraphError:
            # The ends that the refused one would have created.
            while len(self._changed) > before:
                del self._met[self._changed.popitem()[0]]
            raise
        if len(self._met) >= _MOST_MET:
            self._write()

    def _write(self) -> None:
        rows = [
            (_write_place(place), node.label, _encode(node.values))
            for place, node in self._changed.items()
        ]
        with self._stored:
            self._stored.execute("BEGIN")
            self._stored.executemany("INSERT OR REPLACE INTO node VALUES (?, ?, ?)", rows)
        self._met.clear()
        self._changed.clear()

    def _find_node(self, place: Place) -> _Node | None:
        if place not in self._met:
            select = "SELECT label, kept FROM node WHERE place = ?"
            row = self._stored.execute(select, (_write_place(place),)).fetchone()
            self._met[place] = None if row is None else _Node(row[0], json.loads(row[1]))
        return self._met[place]

    def _keep(self, place: Place, node: _Node) -> None:
        self._met[place] = self._changed[place] = node

    def _properties(self, node: _Node) -> Callable[[str], Any]:
        return node.values.get

    def _create(self, kind: NodeKind, values: dict[str, Any]) -> _Node:
        self._claim(kind, values)
        if kind.told_apart is None:
            needed = (*kind.key, *kind.unchanging)
            return _Node(kind.label, {name: values.get(name) for name in needed})
        return _Node(kind.label, values)

    def _update(self, kind: NodeKind, node: _Node, given: dict[str, Any]) -> None:
        self._claim(kind, {**node.values, **given})
        node.values = {**node.values, **given}

    def _claim(self, kind: NodeKind, values: Mapping[str, Any]) -> None:
        """Raise NameTaken if another node has the unique values of a node with *values*."""
        key = [values[name] for name in kind.key]
        for properties in self._unique[kind.label]:
            claimed = tuple(values.get(name) for name in properties)
            place = (kind.label, *properties), claimed
            claim = self._find_node(place)
            if claim is not None and claim.values["key"] != key:
                labels = self._layer_of[kind.label].sharing(kind.label)
                other = self._find_node((labels, tuple(claim.values["key"])))
                # A later record may have changed the other's.
                if other and tuple(map(other.values.get, properties)) == claimed:
                    name = f"{properties[-1]}: {shown_key(claimed[-1:])}"
                    raise NameTaken(f"{name} is already another {kind.kind}'s")
            self._keep(place, _Node(kind.label, {"key": key}))

    def _join(self, row: Mapping[str, Any], kind: EdgeKind, source: _Node, target: _Node) -> None:
        self._complete(row, kind.properties)


def _write_place(place: Place) -> str:
    labels, key = place
    return "\0".join((*labels, *map(str, key)))
