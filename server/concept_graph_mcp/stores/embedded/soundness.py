"""Reading a store file through: whether everything in it is what it must be."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.layers import Index, Layer, Property

from ..backup_files import Contents, contents


class Unsound(Exception):
    """What is wrong with a file, in a line."""


class _Declared:
    """What *layers* say of a label, and of an edge by the label that it leaves."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self.nodes = {kind.label: kind for layer in layers for kind in layer.nodes}
        self.edges = {
            (node.label, edge.type): edge
            for layer in layers
            for node in layer.nodes
            for edge in layer.edges
        }
        self.unique: dict[str, list[Index]] = {}
        for index in (one for layer in layers for one in layer.indexes if one.unique):
            self.unique.setdefault(index.label, []).append(index)


def read_through(connection: sqlite3.Connection, layers: Sequence[Layer]) -> Contents:
    """Return what the file holds, having looked at every page and every row. Raises Unsound.

    Raises SQLite's own errors where it cannot even be read.
    """
    state = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if state != "ok":
        raise Unsound(state.splitlines()[-1])
    declared = _Declared(layers)
    counts: Counter[str] = Counter()
    newest = 0
    keys: set[tuple[Any, ...]] = set()
    for vertex, *row in connection.execute("SELECT id, labels, properties FROM vertex"):
        label, properties = _checked_vertex(declared, vertex, *row)
        counts[label] += 1
        newest = max(newest, properties.get("accessed_at") or 0)
        for index in declared.unique.get(label, ()):
            key = (index, *(properties.get(name) for name in index.properties))
            if None not in key and key in keys:
                raise Unsound(f"node {vertex}: has the {index.properties[-1]} of another")
            keys.add(key)
    for row in connection.execute(
        "SELECT e.id, e.type, e.properties, s.labels, t.id FROM edge e"
        " LEFT JOIN vertex s ON s.id = e.source LEFT JOIN vertex t ON t.id = e.target"
    ):
        _check_edge(declared, row)
        counts["edges"] += 1
    nodes = {kind.measure: counts[label] for label, kind in declared.nodes.items()}
    return contents(nodes, counts["edges"], int(newest), layers=layers)


def _checked_vertex(
    declared: _Declared, vertex: int, labels: str, properties: str
) -> tuple[str, dict[str, Any]]:
    where = f"node {vertex}"
    names = _labels(labels, where)
    values = _map(properties, where)
    known = [declared.nodes[name] for name in names if name in declared.nodes]
    for kind in known:
        _check(values, kind.properties, where)
    return (known[0].label if known else ""), values


def _check_edge(declared: _Declared, row: tuple[Any, ...]) -> None:
    """Check an (id, type, properties, labels of its source, id of its target) row."""
    edge, kind, properties, labels, target = row
    where = f"relation {edge}"
    if labels is None or target is None:
        raise Unsound(f"{where}: has an end that is not there")
    values = _map(properties, where)
    for label in _labels(labels, where):
        if (label, kind) in declared.edges:
            _check(values, declared.edges[label, kind].properties, where)


def _labels(labels: str, where: str) -> list[str]:
    names = _parsed(labels, f"{where}: its labels are")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Unsound(f"{where}: its labels are not a list of names")
    return names


def _check(values: dict[str, Any], declared: Iterable[Property], where: str) -> None:
    """Check those properties that are there: what a hand left out is borne with everywhere."""
    for one in declared:
        if one.name in values:
            try:
                one.check(values[one.name], one.name)
            except ConceptGraphError as error:
                raise Unsound(f"{where}: {error}") from None


def _map(properties: str, where: str) -> dict[str, Any]:
    values = _parsed(properties, f"{where}: its properties are")
    if not isinstance(values, dict):
        raise Unsound(f"{where}: its properties are not a map")
    return values


def _parsed(text: Any, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise Unsound(f"{what} not JSON") from None
