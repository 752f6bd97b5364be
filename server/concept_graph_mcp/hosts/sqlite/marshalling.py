"""Check and convert a procedure's arguments and results as strictly as Memgraph."""

import itertools
from collections.abc import Collection, Iterable, Sequence
from types import ModuleType
from typing import Any

from ...errors import Refused
from ..store import Edge, Node
from . import interface, values
from .values import CypherType

Rows = list[dict[str, Any]]

# Values of these types can always leave a call; a str or an int may be invalid.
_LEAVING = frozenset({float, bool, type(None)})
# Stands for a field that a record lacks.
_LEFT_OUT = object()


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
        """Return a procedure's result as plain rows, checked as strictly as Memgraph does."""
        if result is None:
            if callback.results:
                raise ValueError(
                    "Procedure implementation returned None, but its signature declares result"
                    " fields. Did you forget a 'return mgp.Record(...)' statement?"
                )
            return []
        records = [result] if isinstance(result, self._mgp.Record) else result
        if not isinstance(records, list):
            raise TypeError(f"Value '{result}' is not a list of 'mgp.Record'")
        classes = set(map(type, records))
        if not all(issubclass(one, self._mgp.Record) for one in classes):
            raise TypeError("A value is not an instance of 'mgp.Record'")
        given = [record.fields for record in records]
        # By column, because the classes of the values are enough to check most columns.
        wanted = tuple(callback.results) if fields is None else fields
        are_whole, before = _columns(given, callback.results)
        after = [
            self._column(name, expected, column, name in wanted)
            for (name, expected), column in zip(callback.results.items(), before, strict=True)
        ]
        names = tuple(callback.results)
        if are_whole and tuple(name for name in names if name in wanted) == tuple(wanted):
            return _change_rows(given, wanted, zip(names, before, after, strict=True))
        columns = dict(zip(names, after, strict=True))
        rows = zip(*(columns[name] for name in wanted), strict=True)
        return list(map(dict, map(zip, itertools.repeat(wanted), rows)))

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

    def _column(
        self, name: str, expected: CypherType, column: Sequence[Any], wanted: bool
    ) -> Sequence[Any]:
        """Return the plain values of the field *name*, checked to be *expected*."""
        classes = set(map(type, column))
        if not classes <= expected.quick:
            for value in column:
                if value is not _LEFT_OUT and not expected.accepts(self._unwrap(value)):
                    raise _wrong_field(name, value)
            # Such a value becomes null, although null itself may be refused as a value.
            column = [None if value is _LEFT_OUT else value for value in column]
            classes = set(map(type, column))
        if classes <= _LEAVING or not wanted:
            return column
        if classes == {str}:
            # One check of all classes together; the values themselves are returned unchanged.
            values.to_stored("".join(column))
            return column
        if classes == {int}:
            values.to_stored(min(column))
            values.to_stored(max(column))
            return column
        return [self.plain(value) for value in column]


def _columns(
    given: list[dict[str, Any]], names: Collection[str]
) -> tuple[bool, list[Sequence[Any]]]:
    """Return the values of each of *names* in the records *given*, which must have no other fields.

    The first result is whether all records have all of *names*, in that order.
    """
    shapes = set(map(tuple, given))
    for shape in shapes:
        for name in shape:
            if name not in names:
                raise _wrong_field(name, next(row[name] for row in given if name in row))
    if shapes == {tuple(names)}:
        return True, list(zip(*map(dict.values, given), strict=True))
    return False, [[row.get(name, _LEFT_OUT) for row in given] for name in names]


def _change_rows(
    given: list[dict[str, Any]],
    wanted: Sequence[str],
    columns: Iterable[tuple[str, Sequence[Any], Sequence[Any]]],
) -> Rows:
    """Return the *wanted* fields of the records *given*; *columns* are their old and new values.

    Most values do not change, and copying a record is faster than building a row of its values.
    """
    rows = list(map(dict.copy, given))
    for name, before, after in columns:
        if name not in wanted:
            for row in rows:
                del row[name]
        elif after is not before:
            for row, value in zip(rows, after, strict=True):
                row[name] = value
    return rows


def _wrong_field(name: str, value: Any) -> ValueError:
    return ValueError(
        f"Unable to insert field '{name}' with value: '{value}';"
        " did you set the correct field type?"
    )


def _wrong_count(name: str, least: int, most: int) -> str:
    if most == 0:
        return f"'{name}' requires no arguments."
    if least == most:
        return f"'{name}' requires exactly {most} argument{'s' if most > 1 else ''}."
    return f"'{name}' requires between {least} and {most} arguments."
