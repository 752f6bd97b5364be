"""Check a whole store file: its pages, its rows, and the tables derived from them."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.layers import Index, Layer, Property
from conceptgraph_core.retrieval.schema import LAYER as WORDS

from ...errors import one_line
from ..backup_files import Contents, contents
from . import cancellation, checksums, derivation
from .checksums import FAILURES, Unsound
from .database import Database
from .indexes import Catalogue
from .opening import code

Report = Callable[[str], None]
Look = Callable[[Report], object]
Execute = Callable[[str], sqlite3.Cursor]


class _Declared:
    """The declarations of *layers*: properties by label, and edges by the label that they leave."""

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


def refuse(line: str) -> None:
    """Raise Unsound with *line*, because the first problem is enough."""
    raise Unsound(line)


def read_through(connection: sqlite3.Connection, layers: Sequence[Layer]) -> Contents:
    """Read every page and every row, and return the file's contents.

    Raises Unsound, or SQLite's own errors if the file cannot be read at all.
    """
    check_pages(connection.execute, refuse)
    return check_rows(connection.execute, (*layers, WORDS), refuse)


def check_pages(execute: Execute, report: Report) -> None:
    """Have SQLite check the structure of the file."""
    for (state,) in execute("PRAGMA integrity_check(10)"):
        if state != "ok":
            report(state.splitlines()[-1])


def check_rows(execute: Execute, layers: Sequence[Layer], report: Report) -> Contents:
    """Check every node and relation on its own, and each relation's ends."""
    declared = _Declared(layers)
    uncounted = {kind.type for layer in layers for kind in layer.edges if not kind.exported}
    counts: Counter[str] = Counter()
    newest = 0
    keys: set[tuple[Any, ...]] = set()
    for vertex, *row in execute(
        f"SELECT id, labels, properties, {_checksum(execute, 'vertex')} FROM vertex"
    ):
        with _report_unsound(report):
            label, properties = _checked_vertex(declared, vertex, *row)
            counts[label] += 1
            newest = max(newest, properties.get("accessed_at") or 0)
            for index in declared.unique.get(label, ()):
                key = (index, *(properties.get(name) for name in index.properties))
                if None not in key and key in keys:
                    raise Unsound(f"node {vertex}: has the {index.properties[-1]} of another")
                keys.add(key)
    for row in execute(
        "SELECT e.id, e.type, e.source, e.target, e.properties,"
        f" {_checksum(execute, 'edge', 'e.')}, s.labels, t.id FROM edge e"
        " LEFT JOIN vertex s ON s.id = e.source LEFT JOIN vertex t ON t.id = e.target"
    ):
        with _report_unsound(report):
            _check_edge(declared, row)
        counts["edges"] += row[1] not in uncounted
    nodes = {
        kind.measure: counts[kind.label]
        for layer in layers
        for kind in layer.nodes
        if kind.exported
    }
    return contents(nodes, counts["edges"], int(newest), layers=layers)


def check_derived(execute: Execute, catalogue: Catalogue, report: Report) -> None:
    """Check the data that are derived from the nodes and relations.

    Only sums of tables are compared, so that a graph of any size needs little memory.
    """
    expected: Counter[str] = Counter()
    for vertex, labels, properties in execute("SELECT id, labels, properties FROM vertex"):
        state = tuple(json.loads(labels)), json.loads(properties)
        for table, row in derivation.rows(catalogue, vertex, state).items():
            expected[table.name] += hash(row)
    for table in catalogue.derived:
        found = sum(map(hash, execute(f'SELECT * FROM "{table.name}"')))
        if found != expected[table.name]:
            report(f"{table.name}: does not agree with the nodes")
    for vectors in catalogue.vectors:
        for vertex, vector, checksum, node in execute(
            f'SELECT i.vertex, i.vector, i.checksum, v.id FROM "{vectors.name}" i'
            " LEFT JOIN vertex v ON v.id = i.vertex"
        ):
            if node is None or checksums.is_wrong(checksum, vertex, vector):
                report(f"node {vertex}: its vector is not as it was written")
    for name in checksums.CHECKED:
        [(last, known)] = execute(
            f"SELECT max(rowid), (SELECT max(seq) FROM sqlite_sequence WHERE name = '{name}')"
            f" FROM {name}"
        )
        if (last or 0) > (known or 0):
            report(f"{name}: its numbers would be given again")


def check_trigrams(execute: Execute, catalogue: Catalogue, report: Report) -> None:
    """Check the full-text indexes, which takes a transaction that may write."""
    for text in catalogue.texts:
        name = text.trigrams
        try:
            execute(f'INSERT INTO "{name}" ("{name}", rank) VALUES (\'integrity-check\', 1)')
        except sqlite3.DatabaseError as error:
            if code(error) != sqlite3.SQLITE_CORRUPT:
                raise
            report(f"{name}: does not agree with the nodes")


def problems(database: Database) -> list[str]:
    """Return the problems of the file of *database*, one line each."""
    execute, catalogue = database.execute, database.catalogue
    found = _seen(database, lambda report: check_pages(execute, report))
    found += _seen(database, lambda report: check_rows(execute, catalogue.layers, report))
    # Derived data can be judged only if the nodes and relations are sound.
    if not found:
        found = _seen(database, lambda report: check_derived(execute, catalogue, report))
    if not found and database.is_writable:
        found = _seen(
            database,
            lambda report: check_trigrams(execute, catalogue, report),
            exclusive=True,
        )
    return list(dict.fromkeys(found))


def _seen(database: Database, look: Look, exclusive: bool = False) -> list[str]:
    """Return the problems that *look* reports, and the error that stopped it, if any."""
    found: list[str] = []
    try:
        database.begin(exclusive)
        look(found.append)
    except FAILURES as error:
        cancellation.check()
        if isinstance(error, sqlite3.Error) and code(error) == sqlite3.SQLITE_BUSY:
            raise
        found.append(one_line(error))
    finally:
        database.rollback()
    return found


@contextmanager
def _report_unsound(report: Report) -> Iterator[None]:
    try:
        yield
    except Unsound as error:
        report(str(error))


def _checksum(execute: Execute, table: str, prefix: str = "") -> str:
    """Return the checksum column, or NULL for a file of version 0.1.0, which has none."""
    columns = {row[1] for row in execute(f"PRAGMA table_info({table})")}
    return f"{prefix}checksum" if "checksum" in columns else "NULL"


def _checked_vertex(
    declared: _Declared, vertex: int, labels: str, properties: str, checksum: int | None
) -> tuple[str, dict[str, Any]]:
    where = f"node {vertex}"
    names = _labels(labels, where)
    values = _map(properties, where)
    known = [declared.nodes[name] for name in names if name in declared.nodes]
    for kind in known:
        _check(values, kind.properties, where)
    if checksums.is_wrong(checksum, vertex, labels, properties):
        raise Unsound(f"{where}: is not as it was written")
    return (known[0].label if known else ""), values


def _check_edge(declared: _Declared, row: tuple[Any, ...]) -> None:
    """Check an edge's row with its checksum, the labels of its source and the id of its target."""
    edge, kind, source, target, properties, checksum, labels, end = row
    where = f"relation {edge}"
    if labels is None or end is None:
        raise Unsound(f"{where}: has an end that is not there")
    values = _map(properties, where)
    for label in _labels(labels, where):
        if (label, kind) in declared.edges:
            _check(values, declared.edges[label, kind].properties, where)
    if checksums.is_wrong(checksum, edge, kind, source, target, properties):
        raise Unsound(f"{where}: is not as it was written")


def _labels(labels: str, where: str) -> list[str]:
    names = _parse(labels, f"{where}: its labels are")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Unsound(f"{where}: its labels are not a list of names")
    return names


def _check(values: dict[str, Any], declared: Iterable[Property], where: str) -> None:
    """Check the existing properties.

    Missing ones, of elements created by hand, are allowed everywhere.
    """
    for one in declared:
        if one.name in values:
            try:
                one.check(one.read(values[one.name]), one.name)
            except ConceptGraphError as error:
                raise Unsound(f"{where}: {one_line(error)}") from None


def _map(properties: str, where: str) -> dict[str, Any]:
    values = _parse(properties, f"{where}: its properties are")
    if not isinstance(values, dict):
        raise Unsound(f"{where}: its properties are not a map")
    return values


def _parse(text: Any, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise Unsound(f"{what} not JSON") from None
