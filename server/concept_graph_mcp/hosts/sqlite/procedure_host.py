"""Load the query modules on the genuine `mgp`, and call their procedures as Memgraph calls them."""

import functools
import gc
import importlib
import sys
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from conceptgraph_core.graph.primitives import (
    Incoming,
    Lookup,
    Sized,
    Tallied,
    WithEdges,
)
from conceptgraph_core.transfer.registry import MODEL, Model

from ...errors import Refused
from ..store import Edge, Node
from . import cancellation, interface, lookups, values
from .cache import Cache, VertexElement, read_vertices, read_vertices_after
from .database import Conflict, Database, Row
from .indexes import Catalogue
from .lookups import Postings, incoming
from .opening import FAILURES, Opening
from .transaction import Transaction, UniqueViolation

# Imported modules register with `interface._MODULE`: two imported at once, for stores that several
# threads open, would register with each other's.
_loading = threading.RLock()


def load_mgp() -> ModuleType:
    """Import `mgp` on our interface. Raises ImportError if it was imported on another already."""
    with _loading:
        return _imported_mgp()


@functools.cache
def _imported_mgp() -> ModuleType:
    if "mgp" in sys.modules and sys.modules.get("_mgp") is not interface:
        raise ImportError("mgp was imported before the embedded host, on its stub interface")
    sys.modules["_mgp"] = interface
    return importlib.import_module("mgp")


def load_modules(names: tuple[str, ...] = MODEL.modules) -> Mapping[str, interface.Callback]:
    """Return the procedures and functions of the query modules *names*, by full name."""
    load_mgp()
    return _Callbacks(names)


class _Callbacks(Mapping[str, interface.Callback]):
    """Procedures and functions by full name; a module is imported when first used."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __getitem__(self, name: str) -> interface.Callback:
        module = name.partition(".")[0]
        if module not in self._names:
            raise KeyError(name)
        with _loading:
            return _load(module)[name]

    def __iter__(self) -> Iterator[str]:
        with _loading:
            return iter([name for module in self._names for name in _load(module)])

    def __len__(self) -> int:
        return sum(1 for _ in self)


@functools.cache
def _load(module: str) -> dict[str, interface.Callback]:
    made = load_module(module)
    return {one.name: one for one in (*made.procedures.values(), *made.functions.values())}


def load_module(name: str) -> interface.Module:
    """Import the module *name* from `sys.path` and return the callbacks that it registered."""
    load_mgp()
    with _loading:
        made = interface.Module(name)
        settable: Any = interface
        settable._MODULE = made
        importlib.import_module(name)
        return made


Rows = list[dict[str, Any]]


class Marshal:
    """Converts values for procedures and back: inside, graph elements are those of `mgp`."""

    def __init__(self, mgp: ModuleType) -> None:
        self._mgp = mgp

    def given(self, callback: interface.Callback, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Return *arguments* as *callback* takes them: checked, and completed by defaults."""
        most, least = len(callback.arguments), len(callback.arguments) - len(callback.defaults)
        if not least <= len(arguments) <= most:
            raise Refused(_wrong_count(callback.name, least, most))
        for index, value in enumerate(arguments):
            argument, cypher_type = callback.arguments[index]
            if not cypher_type.accepts(value):
                raise Refused(
                    f"'{callback.name}' argument named '{argument}' at position {index}"
                    f" must be of type {cypher_type.name}."
                )
        given = [*arguments, *callback.defaults[len(arguments) - least :]]
        return tuple(values.to_python(value, self._wrap) for value in given)

    def rows(self, callback: interface.Callback, result: Any, fields: Sequence[str] | None) -> Rows:
        """Return a procedure's result as plain rows; a field that a record lacks is null.

        The conformance tests check that the rows are such as Memgraph takes.
        """
        records = [result] if isinstance(result, self._mgp.Record) else result or []
        names = callback.results if fields is None else fields
        given = [record.fields for record in records]
        return [{name: self.plain(one.get(name)) for name in names} for one in given]

    def plain(self, value: Any) -> Any:
        """Return *value* in the form that leaves the call: graph elements as data."""
        scalars, to_stored = values.SCALARS, values.to_stored
        if value.__class__ in scalars:
            return to_stored(value)
        value = self._unwrap(value)
        if isinstance(value, (list, tuple)):
            return [self.plain(item) for item in value]
        if isinstance(value, dict):
            if not (set(map(type, value)) <= {str} or all(isinstance(key, str) for key in value)):
                raise ValueError("Dictionary keys must be strings")
            # A result may be one row of many such maps, and most of their values are plain.
            return {
                key: to_stored(item) if item.__class__ in scalars else self.plain(item)
                for key, item in value.items()
            }
        if isinstance(value, interface.Vertex):
            vertex = value._element
            return Node(vertex.id, vertex.labels, self.plain(dict(vertex.properties)))
        if isinstance(value, interface.Edge):
            edge = value._element
            ends = edge.source.id, edge.target.id
            return Edge(edge.id, edge.type, *ends, self.plain(dict(edge.properties)))
        return to_stored(value)

    def _wrap(self, value: Any) -> Any:
        if isinstance(value, interface.Vertex):
            return self._mgp.Vertex(value)
        if isinstance(value, interface.Edge):
            return self._mgp.Edge(value)
        if isinstance(value, interface.Path):
            return self._mgp.Path(value)
        raise ValueError(f"Unsupported conversion of a {type(value).__name__}")

    def _unwrap(self, value: Any) -> Any:
        """Return the element that a graph element of `mgp` wraps, anything else unchanged."""
        if value.__class__ is self._mgp.Edge:
            return value._edge
        if value.__class__ is self._mgp.Vertex:
            return value._vertex
        return value._path if value.__class__ is self._mgp.Path else value


def _wrong_count(name: str, least: int, most: int) -> str:
    if most == 0:
        return f"'{name}' requires no arguments."
    if least == most:
        return f"'{name}' requires exactly {most} argument{'s' if most > 1 else ''}."
    return f"'{name}' requires between {least} and {most} arguments."


class Host:
    """The query modules over one store file, for several threads: one call at a time.

    Any number of processes may have a host on the same file.
    """

    def __init__(
        self,
        path: Path,
        callbacks: Mapping[str, interface.Callback] | None = None,
        opening: Opening = Opening.CREATE,
        model: Model = MODEL,
    ) -> None:
        self._mgp = load_mgp()
        self._marshal = Marshal(self._mgp)
        self._callbacks = load_modules(model.modules) if callbacks is None else callbacks
        self._model = model
        self._catalogue = Catalogue(model.stored)
        self._database = Database(path, opening, self._catalogue)
        self._cache = Cache(self._database)
        self._lock = threading.Lock()
        self._contended = False
        self._openings = self._database.openings

    def close(self) -> None:
        with self._lock:
            self._database.close()

    @property
    def store_id(self) -> str:
        """Return the id of the store, a UUID. Raises Unavailable if the file cannot be read."""
        with self._locked():
            return self._database.store_id

    @property
    def cached_bytes(self) -> int:
        """Return about how many bytes of the store are kept in memory between calls."""
        return self._cache.bytes

    @property
    def was_written(self) -> bool:
        """Return whether the store was ever written to."""
        with self._lock:
            return self._database.position() > 0

    def call(
        self,
        name: str,
        arguments: Sequence[Any],
        fields: Sequence[str] | None = None,
        *,
        is_synced: bool = True,
    ) -> Rows:
        """Call the procedure *name* in a transaction of its own and return its rows.

        *fields* are the result fields wanted, all by default. Unless it *is_synced*, it does not
        wait for the disk: a power failure may undo it, but never a part of it.

        Raises Refused if the arguments do not fit the signature, Ended if the call was cancelled,
        and Unavailable if the store fails. Exceptions of the procedure pass through. In each case
        nothing is written.
        """
        callback = self._callback(name)

        def attempt(exclusive: bool) -> Rows:
            with self._transaction(callback.writes, exclusive, is_synced) as graph:
                return self._marshal.rows(callback, self._run(callback, graph, arguments), fields)

        with self._locked():
            try:
                return attempt(exclusive=callback.writes and self._contended)
            except Conflict:
                # Another process wrote since this call began to read. The second attempt waits for
                # its turn to write before it reads, so no other can overtake it. Further calls do
                # the same, until one finds nothing to write.
                self._contended = True
                return attempt(exclusive=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other threads out; raise what the store fails with as a StoreError."""
        with self._lock:
            try:
                yield
            except FAILURES as error:
                raise self._database.unavailable(error) from error

    def evaluate(self, name: str, arguments: Sequence[Any], lookup: Lookup | None = None) -> Any:
        """Return the value of the function *name*; the results of *lookup* precede *arguments*."""
        callback = self._callback(name)
        with self._lock, self._transaction(False, False) as graph:
            found = self._find(graph, lookup) if lookup else []
            return self._marshal.plain(self._run(callback, graph, [*found, *arguments]))

    def export(self, batch: int, only: Sequence[Lookup] = ()) -> Generator[list[Any]]:
        """Iterate over records as `Store.stream` does."""
        self._database.check_presence("nothing was read")
        # On a connection of its own, so that calls go on meanwhile.
        reader = Host(self._database.path, self._callbacks, Opening.EXISTING, self._model)
        try:
            with reader._transaction(False, False) as graph:
                for part in ("nodes", "relations"):
                    yield from reader._export(graph, part, reader._iterate_exported(batch, only))
        except FAILURES as error:
            raise self._database.unavailable(error) from error
        finally:
            reader.close()

    @property
    def is_writable(self) -> bool:
        """Return whether the file was found writable when it was opened."""
        return self._database.is_writable

    def empty_log(self) -> bool:
        """Overwrite all that was removed; return whether no other process prevented it."""
        with self._lock:
            return self._database.empty_log()

    def make_room(self) -> None:
        """Let what removes something be written although the disk is full."""
        with self._lock:
            self._database.make_room()

    def problems(self) -> list[str]:
        """Check the whole file and return its problems, one line each."""
        from . import backup

        with self._locked():
            return backup.problems(self._database)

    def forget(self) -> None:
        """Drop everything cached between calls."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._cache.clear()
        self._database.vectors.clear()

    def backup(self, file: Path) -> None:
        """Copy the store to the empty *file*, from one snapshot."""
        from . import backup

        self._database.check_presence("nothing was read")
        backup.copy(self._database.path, file, self._catalogue)

    def hold(self) -> None:
        """Block other writers until `restore` or `let_go`, so a backup made now is complete."""
        with self._locked():
            self._database.begin(exclusive=True)

    def let_go(self) -> None:
        """End the block of `hold`, if it has not ended."""
        with self._lock:
            self._database.rollback()

    def restore(self, file: Path | None) -> None:
        """Replace the graph by that of another store file, or by an empty one."""
        from . import backup

        with self._locked():
            backup.put_back(self._database, file, self._model.stored)

    def _iterate_exported(self, batch: int, only: Sequence[Lookup]) -> Iterator[list[Row]]:
        """Iterate over the rows of vertices, by id."""
        if only:
            ids = sorted({one for lookup in only for one in lookups.find(self._database, lookup)})
            for start in range(0, len(ids), batch):
                yield sorted(read_vertices(self._database, ids[start : start + batch]))
            return
        last_id = 0
        while rows := read_vertices_after(self._database, last_id, batch):
            yield rows
            last_id = rows[-1][0]

    def _export(
        self, graph: interface.Graph, part: str, batches: Iterable[list[Row]]
    ) -> Iterator[list[Any]]:
        from ...calls import transfer

        callback = self._callback(transfer.exports(self._model).name)
        for rows in batches:
            found = [interface.Vertex(graph, self._cache.vertex_of(row)) for row in rows]
            records = self._run(callback, graph, [part, {"found": found}])
            yield [row["record"] for row in self._marshal.rows(callback, records, None)]
            self._cache.clear()

    def _callback(self, name: str) -> interface.Callback:
        try:
            return self._callbacks[name]
        except KeyError:
            raise Refused(f"There is no procedure named '{name}'.") from None

    @contextmanager
    def _transaction(
        self, writes: bool, exclusive: bool, is_synced: bool = True
    ) -> Iterator[interface.Graph]:
        """Yield the graph for one call; at the end all of its changes are stored, or none."""
        position = self._database.begin(exclusive, is_synced)
        if self._database.openings != self._openings:
            # The file at the path may be another store by now.
            self._forget()
            self._openings = self._database.openings
        collecting = gc.isenabled()
        # A call creates many objects and no cycles; a collection during it would scan the whole
        # cache.
        gc.disable()
        transaction = Transaction(self._database, self._cache, self._catalogue)
        graph = interface.Graph(
            transaction, writes, cancellation.must_end, self._catalogue.vector_names
        )
        graph.answer = partial(self._look_up, graph)
        try:
            self._cache.catch_up(position)
            yield graph
            wrote = transaction.flush()
            # The last chance to cancel a writing call.
            cancellation.check()
            self._database.commit()
        except BaseException as error:
            self._database.rollback()
            transaction.undo()
            if isinstance(error, UniqueViolation):
                raise Refused(str(error)) from error
            if isinstance(error, self._mgp.AbortError):
                cancellation.check()
            raise
        else:
            transaction.finish()
            if exclusive:
                self._contended = wrote
            self._cache.trim()
        finally:
            graph.invalidate()
            if collecting:
                gc.enable()

    def _look_up(self, graph: interface.Graph, lookup: Lookup) -> dict[str, Any]:
        """Return the keys of the context that *lookup* tells."""
        found = self._find(graph, lookup)
        told: dict[str, Any] = {"found": found}
        if isinstance(lookup, Incoming):
            elements = [vertex._element for vertex in found]
            named: list[Lookup] = [] if lookup.also is None else [lookup.also]
            later = self._later(graph, lookup, elements, named)
            after = [vertex._element for vertex in later]
            postings = Postings(self._database, lookup)
            told |= incoming(postings, lookup, elements, after)
            told["found"] = found + later
            graph.postings = postings
        if isinstance(lookup, Sized):
            told["size"] = lookups.size(self._database, lookup)
        if isinstance(lookup, Tallied):
            told["tallies"] = lookups.tallies(self._database, lookup)
        return told

    def _later(
        self,
        graph: interface.Graph,
        lookup: Incoming,
        found: Sequence[VertexElement],
        named: Sequence[Lookup],
    ) -> list[interface.Vertex]:
        """Return the results of *named*, and what those *found* name as related, each once."""
        related = lookups.look_up_related(lookup, found)
        every = [*named, *([] if related is None else [related])]
        later = {vertex._element.id: vertex for one in every for vertex in self._find(graph, one)}
        return [
            vertex
            for key, vertex in later.items()
            if lookup.unless not in vertex._element.properties
        ]

    def _find(self, graph: interface.Graph, lookup: Lookup) -> list[interface.Vertex]:
        ids = lookups.find(self._database, lookup)
        elements = list(self._cache.load_vertices(ids))
        if isinstance(lookup, WithEdges):
            if lookup.leaving:
                self._cache.load_edges(elements, outgoing=True)
            if lookup.entering:
                self._cache.load_edges(elements, outgoing=False)
        return [interface.Vertex(graph, element) for element in elements]

    def _run(
        self, callback: interface.Callback, graph: interface.Graph, arguments: Sequence[Any]
    ) -> Any:
        return callback.run(graph, self._marshal.given(callback, arguments))
