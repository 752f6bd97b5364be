"""Look-ups in Cypher: each primitive becomes a subquery that returns the list of what it finds."""

from collections.abc import Callable
from typing import Any

from ...calls.lookups import Equal, Lookup, Range, Union, Where

Statement = tuple[str, dict[str, Any]]


class _Writer:
    """Subqueries and their parameters, each with a name of its own."""

    def __init__(self) -> None:
        self.parameters: dict[str, Any] = {}
        self.subqueries: list[tuple[str, str]] = []

    def parameter(self, value: Any) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"

    def add(self, body: str, found: str) -> None:
        """Add a subquery that ends by returning *found*, an expression of a list of nodes."""
        self.subqueries.append((body, found))

    def write(self, lookup: Lookup) -> None:
        _WRITERS[type(lookup)](self, lookup)


def finding(lookup: Lookup) -> Statement:
    """Return what comes before a CALL and leaves the nodes found in `found`; its parameters."""
    writer = _Writer()
    writer.write(lookup)
    if len(writer.subqueries) == 1:
        [(body, found)] = writer.subqueries
        return f"{body}WITH {found} AS found ", writer.parameters
    made = [
        f"CALL {{ {body}RETURN {found} AS f{index} }} "
        for index, (body, found) in enumerate(writer.subqueries)
    ]
    every = " + ".join(f"f{index}" for index in range(len(made)))
    return f"{''.join(made)}WITH {every} AS found ", writer.parameters


def _equal(writer: _Writer, lookup: Equal) -> None:
    single = len(lookup.properties) == 1
    values = [value[0] if single else list(value) for value in lookup.values]
    wanted = ", ".join(
        f"{name}: {'v' if single else f'v[{index}]'}"
        for index, name in enumerate(lookup.properties)
    )
    matches = "".join(
        f"OPTIONAL MATCH (n{index}:{label} {{{wanted}}}) "
        for index, label in enumerate(lookup.labels)
    )
    found = " + ".join(f"collect(n{index})" for index in range(len(lookup.labels)))
    writer.add(f"UNWIND {writer.parameter(values)} AS v {matches}", found)


def _range(writer: _Writer, lookup: Range) -> None:
    first, beyond = writer.parameter(lookup.first), writer.parameter(lookup.beyond)
    condition = f"n.{lookup.property} >= {first} AND n.{lookup.property} < {beyond}"
    condition += _filter(writer, lookup.where)
    for label in lookup.labels:
        body = f"MATCH (n:{label}) WHERE {condition} "
        if lookup.limit is not None:
            limit = writer.parameter(lookup.limit)
            body += f"WITH n ORDER BY n.{lookup.property} LIMIT {limit} "
        writer.add(body, "collect(n)")


def _union(writer: _Writer, lookup: Union) -> None:
    for part in lookup.parts:
        writer.write(part)


def _filter(writer: _Writer, where: Where) -> str:
    return "".join(f" AND n.{name} = {writer.parameter(value)}" for name, value in where)


_WRITERS: dict[type, Callable[[_Writer, Any], None]] = {
    Equal: _equal,
    Range: _range,
    Union: _union,
}
