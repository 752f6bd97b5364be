"""Reading a store file through: whether everything in it is what it must be."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from typing import Any

from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.layers import Property
from conceptgraph_core.registry import LAYERS

from ..backup_files import Contents, contents

_NODES = {kind.label: kind for layer in LAYERS for kind in layer.nodes}
# Layers may use one type each in its own way: whichever has it decides.
_EDGES = {kind.type: kind for layer in LAYERS for kind in layer.edges}
_UNIQUE = {
    kind.label: [one for one in layer.indexes if one.unique and one.label == kind.label]
    for layer in LAYERS
    for kind in layer.nodes
}


class Unsound(Exception):
    """What is wrong with a file, in a line."""


def read_through(connection: sqlite3.Connection) -> Contents:
    """Return what the file holds, having looked at every page and every row. Raises Unsound.

    Raises SQLite's own errors where it cannot even be read.
    """
    state = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if state != "ok":
        raise Unsound(state.splitlines()[-1])
    counts: Counter[str] = Counter()
    newest = 0
    keys: set[tuple[Any, ...]] = set()
    for vertex, *row in connection.execute("SELECT id, labels, properties FROM vertex"):
        label, properties = _checked_vertex(vertex, *row)
        counts[label] += 1
        newest = max(newest, properties.get("accessed_at") or 0)
        for index in _UNIQUE.get(label, ()):
            key = (index, *(properties.get(name) for name in index.properties))
            if None not in key and key in keys:
                raise Unsound(f"node {vertex}: has the {index.properties[-1]} of another")
            keys.add(key)
    for row in connection.execute(
        "SELECT e.id, e.type, e.properties, s.id, t.id FROM edge e"
        " LEFT JOIN vertex s ON s.id = e.source LEFT JOIN vertex t ON t.id = e.target"
    ):
        _check_edge(*row)
        counts["edges"] += 1
    nodes = {kind.measure: counts[label] for label, kind in _NODES.items()}
    return contents(nodes, counts["edges"], int(newest))


def _checked_vertex(vertex: int, labels: str, properties: str) -> tuple[str, dict[str, Any]]:
    where = f"node {vertex}"
    names = _parsed(labels, f"{where}: its labels are")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Unsound(f"{where}: its labels are not a list of names")
    values = _map(properties, where)
    known = [_NODES[name] for name in names if name in _NODES]
    for kind in known:
        _check(values, kind.properties, where)
    return (known[0].label if known else ""), values


def _check_edge(edge: int, kind: str, properties: str, source: Any, target: Any) -> None:
    where = f"relation {edge}"
    if source is None or target is None:
        raise Unsound(f"{where}: has an end that is not there")
    values = _map(properties, where)
    if kind in _EDGES:
        _check(values, _EDGES[kind].properties, where)


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
