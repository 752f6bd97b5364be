"""Load the query modules on the genuine `mgp` package, and convert what they take and return."""

import functools
import importlib
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from conceptgraph_core.registry import MODEL

from ...errors import Refused
from ..store import Edge, Node
from . import interface, values

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
