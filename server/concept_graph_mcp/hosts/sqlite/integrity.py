"""Check a whole store file: its pages, its rows, and the tables derived from them."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.layers import Layer, Property
from conceptgraph_core.retrieval.schema import LAYER as WORDS

from ...errors import one_line
from ..backup_files import Contents, contents
from . import cancellation, derivation
from .cache import parse
from .database import Database
from .indexes import Catalogue
from .opening import FAILURES, Unsound, code

Report = Callable[[str], None]
Look = Callable[[Report], object]
Execute = Callable[[str], sqlite3.Cursor]


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
    kinds = {kind.label: kind for layer in layers for kind in layer.nodes}
    edges = {
        (kind.label, edge.type): edge
        for layer in layers
        for kind in layer.nodes
        for edge in layer.edges
    }
    uncounted = {kind.type for layer in layers for kind in layer.edges if not kind.exported}
    unique = [index for layer in layers for index in layer.indexes if index.unique]
    nodes: Counter[str] = Counter()
    relations, newest = 0, 0.0
    keys: set[tuple[Any, ...]] = set()
    for vertex, labels, properties in execute("SELECT id, labels, properties FROM vertex"):
        with _reporting(report, f"node {vertex}"):
            names, values = parse(labels, list), parse(properties, dict)
            of_kind = [kinds[name] for name in names if isinstance(name, str) and name in kinds]
            nodes.update(kind.measure for kind in of_kind[:1] if kind.exported)
            for kind in of_kind:
                _check_values(values, kind.properties)
            newest = max(newest, values.get("accessed_at") or 0)
            for index in unique:
                key = (index, *(values.get(name) for name in index.properties))
                if index.label in names and None not in key:
                    if key in keys:
                        raise Unsound(f"has the {index.properties[-1]} of another")
                    keys.add(key)
    for edge, edge_type, properties, labels, target in execute(
        "SELECT e.id, e.type, e.properties, s.labels, t.id FROM edge e"
        " LEFT JOIN vertex s ON s.id = e.source LEFT JOIN vertex t ON t.id = e.target"
    ):
        relations += edge_type not in uncounted
        with _reporting(report, f"relation {edge}"):
            if labels is None or target is None:
                raise Unsound("has an end that is not there")
            values = parse(properties, dict)
            for label in parse(labels, list):
                if (label, edge_type) in edges:
                    _check_values(values, edges[label, edge_type].properties)
    return contents(nodes, relations, int(newest), layers=layers)


@contextmanager
def _reporting(report: Report, where: str) -> Iterator[None]:
    try:
        yield
    except (Unsound, ConceptGraphError, TypeError) as error:
        report(f"{where}: {one_line(error)}")


def _check_values(values: dict[str, Any], declared: Iterable[Property]) -> None:
    """Check the existing properties; elements made by hand may lack any."""
    for one in declared:
        if one.name in values:
            one.check(one.read(values[one.name]), one.name)


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
        for (vertex,) in execute(
            f'SELECT vertex FROM "{vectors.name}" WHERE length(vector) % 4'
            " OR vertex NOT IN (SELECT id FROM vertex)"
        ):
            report(f"node {vertex}: its vector is not as it is stored")
    for name in ("vertex", "edge", "change"):
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
