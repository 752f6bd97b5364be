"""Write look-ups in Cypher: each primitive becomes a subquery that returns a list of nodes."""

from collections.abc import Callable
from typing import Any

from ...transfer.registry import LAYERS, text_index
from ..layers import SHARED
from ..primitives import (
    Equal,
    Joined,
    Last,
    Lookup,
    Nearest,
    Ordered,
    Range,
    Ranges,
    Reached,
    Referring,
    Similar,
    Text,
    Union,
    Vectored,
    Where,
    WithEdges,
)
from . import name_search, nearest
from .name_search import is_shared

Statement = tuple[str, dict[str, Any]]

# The scopes that nodes may lack: these are shared.
_LEFT_OUT = frozenset(kind.scope for layer in LAYERS for kind in layer.nodes if kind.may_be_shared)
# Windows of time: from a minute on, each twice as long as the one before, up to a century.
_WINDOWS_MS = [60_000 * 2**power for power in range(27)]


class _Writer:
    """Collects subqueries and their parameters, each with a unique name."""

    def __init__(self, has_vector_search: bool, prefix: str) -> None:
        self.has_vector_search = has_vector_search
        self._prefix = prefix
        self.parameters: dict[str, Any] = {}
        self.subqueries: list[tuple[str, str]] = []
        self.hints: dict[str, None] = {}

    def parameter(self, value: Any) -> str:
        name = f"{self._prefix}{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"

    def add(self, body: str, found: str) -> None:
        """Add a subquery that ends by returning *found*, an expression of a list of nodes."""
        self.subqueries.append((body, found))

    def write(self, lookup: Lookup) -> None:
        _WRITERS[type(lookup)](self, lookup)


def write_lookup(lookup: Lookup, has_vector_search: bool = False, prefix: str = "p") -> Statement:
    """Return the Cypher that puts the nodes of *lookup* into `found`, and its parameters.

    It begins a statement, because only there may an index hint stand.
    """
    if isinstance(lookup, WithEdges):
        return write_lookup(lookup.lookup, has_vector_search, prefix)
    writer = _Writer(has_vector_search, prefix)
    writer.write(lookup)
    if not writer.subqueries:
        writer.add("", "[]")
    hints = f"USING INDEX {', '.join(writer.hints)} " if writer.hints else ""
    if len(writer.subqueries) == 1:
        [(body, nodes)] = writer.subqueries
        return f"{hints}{body}WITH {nodes} AS found ", writer.parameters
    made = [
        f"CALL {{ {body}RETURN {nodes} AS f{index} }} "
        for index, (body, nodes) in enumerate(writer.subqueries)
    ]
    every = " + ".join(f"f{index}" for index in range(len(made)))
    return f"{hints}{''.join(made)}WITH {every} AS found ", writer.parameters


def _equal(writer: _Writer, lookup: Equal) -> None:
    if not lookup.values:
        # Kept short, because Memgraph parses and plans this text at every call.
        return
    # The first of two values may be a scope that nodes lack: then they are shared.
    if len(lookup.properties) == 2 and lookup.properties[0] in _LEFT_OUT:
        shared = tuple([(name,) for scope, name in lookup.values if scope == SHARED])
        own = tuple([value for value in lookup.values if value[0] != SHARED])
        _equal_to(writer, lookup._replace(properties=lookup.properties[1:], values=shared), True)
        _equal_to(writer, lookup._replace(values=own), False)
    else:
        _equal_to(writer, lookup, _is_of_text(lookup))


def _equal_to(writer: _Writer, lookup: Equal, shared: bool) -> None:
    """Look up what is equal; *shared*: of it what is shared, or has no scope."""
    if not lookup.values:
        return
    single = len(lookup.properties) == 1
    values = [value[0] if single else list(value) for value in lookup.values]
    wanted = [
        f":{label} {{{_name_each(properties)}}}"
        for label in lookup.labels
        for properties in _list_indexed(label, lookup.properties)
    ]
    # With several labels, one without a match must not drop the matches of another.
    match = "MATCH" if len(wanted) == 1 else "OPTIONAL MATCH"
    matches = "".join(
        [
            f"{match} (n{number}{one}) " + (f"WHERE {is_shared(f'n{number}')} " if shared else "")
            for number, one in enumerate(wanted)
        ]
    )
    # One node has a text exactly; several may share its folded form.
    several = "DISTINCT " if len(wanted) > len(lookup.labels) else ""
    found = " + ".join([f"collect({several}n{number})" for number in range(len(wanted))])
    writer.add(f"UNWIND {writer.parameter(values)} AS v {matches}", found)


def _name_each(properties: tuple[str, ...]) -> str:
    if len(properties) == 1:
        return f"{properties[0]}: v"
    return ", ".join(f"{name}: v[{number}]" for number, name in enumerate(properties))


def _list_indexed(label: str, properties: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the indexed properties that stand for *properties* of the nodes of *label*.

    A text that equals its folded form is found by itself, any other by the folded property.
    """
    for layer in LAYERS:
        for index in layer.texts:
            if (index.label, (index.folded,)) == (label, properties):
                return [(index.source,), (index.other,)]
    return [properties]


def _is_of_text(lookup: Equal) -> bool:
    """Tell whether texts are looked for case-folded: these are the shared ones."""
    [label, *_], properties = lookup.labels, lookup.properties
    return any(
        (one.label, (one.folded,)) == (label, properties) for layer in LAYERS for one in layer.texts
    )


def _range(writer: _Writer, lookup: Range) -> None:
    first, beyond = writer.parameter(lookup.first), writer.parameter(lookup.beyond)
    condition = f"n.{lookup.property} >= {first} AND n.{lookup.property} < {beyond}"
    condition += _filter(writer, lookup.where)
    order = f"n.{lookup.property}"
    if lookup.then is not None:
        order += f", n.{lookup.then}"
        # Only in this form does Memgraph read an index in order, and no further than the limit. If
        # the property must merely exist, an index of that property alone serves a long statement.
        condition += f" AND n.{lookup.then} >= ''"
        # The index with the fewest entries need not be the one with the fewest reads; and it holds
        # old versions of changed nodes too, until the garbage collector removes them.
        names = (*(name for name, _ in lookup.where), lookup.property, lookup.then)
        for label in lookup.labels:
            writer.hints[f":{label}({', '.join(names)})"] = None
    for label in lookup.labels:
        body = f"MATCH (n:{label}) WHERE {condition} "
        if lookup.limit is not None:
            way = " DESC" if lookup.descending else ""
            body += f"WITH n ORDER BY {order}{way} LIMIT {writer.parameter(lookup.limit)} "
        writer.add(body, "collect(n)")


def _ranges(writer: _Writer, lookup: Ranges) -> None:
    ranges = writer.parameter([list(one) for one in lookup.ranges])
    by = f"n.{lookup.property}"
    writer.add(
        f"UNWIND {ranges} AS v CALL {{ WITH v MATCH (n:{lookup.label})"
        f" WHERE {by} >= v[0] AND {by} < v[1]{_filter(writer, lookup.where)}"
        f" WITH n LIMIT {writer.parameter(lookup.limit)} RETURN n }} ",
        "collect(n)",
    )


def _referring(writer: _Writer, lookup: Referring) -> None:
    condition = f"n.{lookup.by} IS NOT NULL" + _filter(writer, lookup.where)
    body = f"MATCH (n:{lookup.label}) WHERE {condition} "
    writer.add(body, "collect(n)")
    named = f"MATCH (m:{lookup.label} {{{lookup.property}: key}}) "
    writer.add(f"{body}WITH DISTINCT n.{lookup.by} AS key {named}", "collect(m)")


def _write_ordered(writer: _Writer, lookup: Ordered) -> None:
    if lookup.level is not None:
        writer.add(name_search.write_ranked(writer.parameter, lookup), "ranked")
        return
    by, limit = f"n.{lookup.by}", writer.parameter(lookup.limit)
    nodes, mine = f"MATCH (n:{lookup.label})", _filter(writer, lookup.where)
    first = f"WITH n ORDER BY {by} DESC, id(n) DESC LIMIT {limit}"
    # An index finds a range, but has no order. So the shortest window of time with enough nodes,
    # counted back from the call, is sorted. Other properties, and times far back, are sorted as a
    # whole.
    writer.add(
        f"CALL {{ UNWIND {writer.parameter(_WINDOWS_MS)} AS back WITH $now_ms - back AS edge"
        f" CALL {{ WITH edge {nodes} WHERE {by} >= edge{mine} WITH n LIMIT {limit}"
        " RETURN count(n) AS found }"
        f" WITH edge, found WHERE found = {limit}"
        " WITH edge LIMIT 1 RETURN collect(edge) AS edges } "
        f"CALL {{ WITH edges UNWIND edges AS edge {nodes} WHERE {by} >= edge{mine} {first}"
        " RETURN collect(n) AS latest } "
        "CALL { WITH edges WITH edges WHERE size(edges) = 0"
        f" {nodes} WHERE {by} IS NOT NULL{mine} {first} RETURN collect(n) AS rest }} ",
        "latest + rest",
    )


def _last(writer: _Writer, lookup: Last) -> None:
    by = f"n.{lookup.by}"
    writer.add(
        f"UNWIND {writer.parameter(list(lookup.values))} AS v CALL {{ WITH v"
        f" MATCH (n:{lookup.label}) WHERE n.{lookup.property} = v AND {by} IS NOT NULL"
        f"{_filter(writer, lookup.where)}"
        f" WITH n ORDER BY {by} DESC, id(n) DESC LIMIT {writer.parameter(lookup.limit)}"
        " RETURN n } ",
        "collect(n)",
    )


def _write_joined(writer: _Writer, lookup: Joined) -> None:
    first = _first(writer, lookup.lookup)
    where = [(name, writer.parameter(value)) for name, value in lookup.where]
    given = "".join(f"{name}: {value}, " for name, value in where)
    if lookup.same is not None:
        given += f"{lookup.same}: n.{lookup.same}, "
    keys = f"coalesce(n.{lookup.by}, [null])" if lookup.each else f"[n.{lookup.by}]"
    writer.add(
        f"{first}UNWIND {keys} AS key"
        f" OPTIONAL MATCH (m:{lookup.label} {{{given}{lookup.property}: key}}) ",
        "collect(DISTINCT n) + collect(DISTINCT m)",
    )


def _write_reached(writer: _Writer, lookup: Reached) -> None:
    ways = f"[:{'|'.join(lookup.edges)} *BFS 1..{lookup.most}]"
    writer.add(
        f"{_first(writer, lookup.lookup)}"
        f"OPTIONAL MATCH (n)-{ways}-{'' if lookup.entering else '>'}(m) ",
        "collect(DISTINCT n) + collect(DISTINCT m)",
    )


def _first(writer: _Writer, lookup: Lookup) -> str:
    """Return the beginning of a subquery for each node `n` of *lookup*, which is no union."""
    writer.write(lookup)
    body, nodes = writer.subqueries.pop()
    return f"CALL {{ {body}RETURN {nodes} AS first }} UNWIND first AS n "


def _nearest(writer: _Writer, lookup: Nearest) -> None:
    if not any(lookup.vector) or lookup.limit < 1:
        writer.add("", "[]")
    elif writer.has_vector_search:
        writer.add(*nearest.write_search(lookup, writer.parameter))
    else:
        writer.add(*nearest.write_comparison(lookup, writer.parameter))


def _write_vectored(writer: _Writer, lookup: Vectored) -> None:
    limit = writer.parameter(lookup.limit)
    there = "IS NOT NULL" if lookup.has_one else "IS NULL"
    condition = f"n.{lookup.property} {there}"
    if lookup.newest is not None:
        time, mine = f"n.{lookup.newest}", _filter(writer, lookup.where)
        writer.add(
            f"MATCH (n:{lookup.label}) WHERE {time} IS NOT NULL AND {condition}{mine}"
            f" WITH n ORDER BY {time} DESC LIMIT {limit} ",
            "collect(n)",
        )
        return
    if not lookup.by:
        writer.add(
            f"MATCH (n:{lookup.label}) WHERE {condition} WITH n LIMIT {limit} ", "collect(n)"
        )
        return
    condition = f"{_write_beyond(writer, lookup.by, lookup.after)} AND {condition}"
    order = ", ".join(f"n.{name}" for name in lookup.by)
    writer.add(
        f"MATCH (n:{lookup.label}) WHERE {condition} WITH n ORDER BY {order} LIMIT {limit} ",
        "collect(n)",
    )


def _write_beyond(writer: _Writer, names: tuple[str, ...], after: tuple[Any, ...] | None) -> str:
    """Return the condition that the values of *names* come after *after* in their order."""
    [name, *others] = names
    if after is None:
        return " AND ".join(f"n.{one} IS NOT NULL" for one in names)
    value = writer.parameter(after[0])
    if not others:
        return f"n.{name} > {value}"
    further = _write_beyond(writer, tuple(others), after[1:])
    return f"(n.{name} > {value} OR n.{name} = {value} AND {further})"


def _union(writer: _Writer, lookup: Union) -> None:
    for part in lookup.parts:
        writer.write(part)


def _text(writer: _Writer, lookup: Text) -> None:
    if lookup.keywords.parts:
        writer.add(name_search.matching(writer.parameter, lookup), "matching")
    else:
        writer.add(f"{name_search.write_unfolded(text_index(lookup.label))} ", "collect(n)")


def _similar(writer: _Writer, lookup: Similar) -> None:
    writer.add(name_search.write_alike(writer.parameter, lookup), "unfolded + alike")


def _filter(writer: _Writer, where: Where) -> str:
    return "".join(
        f" AND {is_shared('n')}"
        if is_left_out(name, value)
        else f" AND n.{name} = {writer.parameter(value)}"
        for name, value in where
    )


def is_left_out(name: str, value: Any) -> bool:
    """Tell whether *value* of the property *name* is what nodes that lack it have: shared."""
    return name in _LEFT_OUT and value == SHARED


_WRITERS: dict[type, Callable[[_Writer, Any], None]] = {
    Equal: _equal,
    Range: _range,
    Ranges: _ranges,
    Referring: _referring,
    Ordered: _write_ordered,
    Last: _last,
    Union: _union,
    Text: _text,
    Similar: _similar,
    Nearest: _nearest,
    Joined: _write_joined,
    Reached: _write_reached,
    Vectored: _write_vectored,
}
