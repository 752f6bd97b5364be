"""Look-ups in Cypher: each primitive becomes a subquery that returns the list of what it finds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conceptgraph_core.registry import text_index

from ...calls.lookups import (
    Answered,
    Equal,
    Filled,
    Incoming,
    Lookup,
    Nearest,
    Ordered,
    Range,
    Referring,
    Similar,
    Sized,
    Text,
    Union,
    Vectored,
    Where,
    WithEdges,
)
from . import nearest, searching

Statement = tuple[str, dict[str, Any]]

# From a minute on, each twice as long as the one before, up to a century.
_WINDOWS_MS = [60_000 * 2**power for power in range(27)]


# A look-up that takes more than this to say is made in a statement of its own.
_LONG = 500
_IDS = "[n IN found | id(n)]"
# Of `nodes` as many as no more than `$most` edges lead to, but always one.
_FEWEST = "WITH {nodes} AS nodes, collect(degree) AS degrees"
_MOST = (
    "[i IN range(0, size(nodes) - 1) WHERE i = 0"
    " OR reduce(sum = 0, j IN range(0, i) | sum + degrees[j]) <= $most | nodes[i]]"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """How a look-up is made: `first` in a statement of its own, or by what comes before the CALL.

    Memgraph keeps the plan of a statement, but of none that calls a procedure: that is parsed and
    planned at every call, which takes milliseconds where much is said before. `first` returns one
    row, whose fields are parameters of the statement that calls. `given` says of each key of the
    context that the look-up gives by which expression.
    """

    first: Statement | None
    before: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)


class _Writer:
    """Subqueries and their parameters, each with a name of its own."""

    def __init__(self, has_vector_search: bool, prefix: str) -> None:
        self.has_vector_search = has_vector_search
        self._prefix = prefix
        self.parameters: dict[str, Any] = {}
        self.subqueries: list[tuple[str, str]] = []

    def parameter(self, value: Any) -> str:
        name = f"{self._prefix}{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"

    def add(self, body: str, found: str) -> None:
        """Add a subquery that ends by returning *found*, an expression of a list of nodes."""
        self.subqueries.append((body, found))

    def write(self, lookup: Lookup) -> None:
        _WRITERS[type(lookup)](self, lookup)


def finding(lookup: Lookup, has_vector_search: bool = False) -> Finding:
    """Return how *lookup* is made before a CALL."""
    if isinstance(lookup, WithEdges):
        # An edge that is in memory needs no preparation.
        return finding(lookup.lookup, has_vector_search)
    if isinstance(lookup, Incoming):
        if lookup.then is None:
            return _incoming(lookup, has_vector_search)
        return _incoming_and_later(lookup, lookup.then, has_vector_search)
    if isinstance(lookup, Sized):
        return _sized(lookup, has_vector_search)
    body, parameters = found(lookup, has_vector_search)
    if len(body) > _LONG:
        return Finding((f"{body}RETURN {_IDS} AS found", parameters), given={"found": "$found"})
    return Finding(None, body, parameters, {"found": "found"})


def found(lookup: Lookup, has_vector_search: bool = False, prefix: str = "p") -> Statement:
    """Return what leaves the nodes that *lookup* finds in `found`, and its parameters."""
    if isinstance(lookup, WithEdges):
        return found(lookup.lookup, has_vector_search, prefix)
    writer = _Writer(has_vector_search, prefix)
    writer.write(lookup)
    if len(writer.subqueries) == 1:
        [(body, nodes)] = writer.subqueries
        return f"{body}WITH {nodes} AS found ", writer.parameters
    made = [
        f"CALL {{ {body}RETURN {nodes} AS f{index} }} "
        for index, (body, nodes) in enumerate(writer.subqueries)
    ]
    every = " + ".join(f"f{index}" for index in range(len(made)))
    return f"{''.join(made)}WITH {every} AS found ", writer.parameters


def _sized(lookup: Sized, has_vector_search: bool) -> Finding:
    body, parameters = found(lookup.lookup, has_vector_search)
    counted = []
    for number, where in enumerate((lookup.where, *lookup.others)):
        parameters |= {f"s{number}_{index}": value for index, (_, value) in enumerate(where)}
        wanted = ", ".join(f"{name}: $s{number}_{index}" for index, (name, _) in enumerate(where))
        match = f"MATCH (n:{lookup.label}{f' {{{wanted}}}' if wanted else ''})"
        if lookup.most is not None:
            match += " WITH n LIMIT $counted"
        counted.append(f"CALL {{ {match} RETURN count(n) AS size{number} }} ")
    if lookup.most is not None:
        parameters["counted"] = lookup.most
    size = " + ".join(f"size{number}" for number in range(len(counted)))
    body += "".join(counted)
    if len(body) > _LONG:
        first = f"{body}RETURN {_IDS} AS found, {size} AS size", parameters
        return Finding(first, given={"found": "$found", "size": "$size"})
    before = f"{body}WITH found, {size} AS size "
    return Finding(None, before, parameters, {"found": "found", "size": "size"})


def _answered(lookup: Answered, has_vector_search: bool) -> Statement:
    """Return what makes `answers`, and `later`: the nodes that they name."""
    body, parameters = found(lookup.lookup, has_vector_search, "w")
    arguments = [f"$w_a{index}" for index in range(len(lookup.arguments))]
    context = ["found: found", *(f"{name}: $w_{name}" for name, _ in lookup.context)]
    given = ", ".join([*arguments, f"{{{', '.join(context)}}}"])
    row = ", ".join(f"{name}: {name}" for name in lookup.fields)
    where = "".join(f"{name}: $w_{name}, " for name, _ in lookup.where)
    parameters |= {f"w_a{index}": value for index, value in enumerate(lookup.arguments)}
    parameters |= {f"w_{name}": value for name, value in (*lookup.context, *lookup.where)}
    return (
        f"CALL {{ {body}WITH found WHERE size(found) > 0"
        f" CALL {lookup.procedure}({given}) YIELD {', '.join(lookup.fields)}"
        f" RETURN collect({{{row}}}) AS answers }} "
        f"CALL {{ WITH answers UNWIND answers AS row"
        f" MATCH (n:{lookup.label} {{{where}{lookup.property}: row.{lookup.fields[0]}}})"
        " RETURN collect(n) AS later } ",
        parameters,
    )


def _incoming(lookup: Incoming, has_vector_search: bool) -> Finding:
    """What is read are columns of up to *most* edges: they stay in the database, for the call.

    `inDegree` walks nothing.
    """
    body, parameters = found(lookup.lookup, has_vector_search)
    first = (
        f"{body}WITH found, [n IN found | inDegree(n)] AS degrees "
        f"CALL {{ WITH found UNWIND found AS n WITH n WHERE n:{lookup.label}"
        f" WITH collect(n) AS every, collect(CASE WHEN n.{lookup.unless} IS NULL THEN n END)"
        " AS some UNWIND CASE size(some) WHEN 0 THEN every ELSE some END AS n"
        f" WITH n, inDegree(n) AS degree ORDER BY degree, n.{lookup.by} WHERE degree > 0"
        f" {_FEWEST.format(nodes='collect(id(n))')} RETURN {_MOST} AS read }}"
        f" RETURN {_IDS} AS found, degrees, read"
    )
    before = f"UNWIND $read AS i MATCH (n) WHERE id(n) = i {_columns(lookup, 'WITH')} "
    given = {"found": "$found", "degrees": "$degrees", "incoming": "incoming"}
    return Finding((first, parameters | {"most": lookup.most}), before, given=given)


def _incoming_and_later(lookup: Incoming, then: Answered, has_vector_search: bool) -> Finding:
    """In one statement: what it asks a procedure, it plans anew each time anyway."""
    body, parameters = found(lookup.lookup, has_vector_search)
    answered, more = _answered(then, has_vector_search)
    parameters |= more | {"most": lookup.most, "few": lookup.few}
    given = {"found": "found", "degrees": "degrees", "incoming": "incoming", then.key: "answers"}
    return Finding(None, f"{body}{answered}{_incoming_first(lookup)}", parameters, given)


def _incoming_first(lookup: Incoming) -> str:
    """Return the same of `found`, and after it of `later`, what no more than `$few` lead to."""
    of_label = f"CASE WHEN n:{lookup.label} THEN n END"
    some = f"CASE WHEN n:{lookup.label} AND n.{lookup.unless} IS NULL THEN n END"
    return (
        "WITH answers, found AS own, later, found + later AS found "
        "WITH answers, own, later, found, [n IN found | inDegree(n)] AS degrees "
        "CALL { WITH own, later UNWIND own AS n"
        f" WITH later, collect({of_label}) AS every, collect({some}) AS some"
        " WITH later, CASE size(some) WHEN 0 THEN every ELSE some END AS first"
        " UNWIND first + later AS n"
        " WITH n, n IN later AS after, inDegree(n) AS degree"
        f" ORDER BY after, degree, n.{lookup.by}"
        f" WHERE degree > 0 AND (degree <= $few OR NOT after) {_read(lookup)} }} "
    )


def _read(lookup: Incoming) -> str:
    """Return what makes `incoming` of the rows of `n` and `degree`, as far as `$most` reaches."""
    fewest = _FEWEST.format(nodes="collect(n)")
    return f"{fewest} UNWIND {_MOST} AS n {_columns(lookup, 'RETURN')}"


def _columns(lookup: Incoming, clause: str) -> str:
    """Return what makes `incoming` of the nodes `n`, and ends with *clause*."""
    columns = ["[f IN ends | id(f)]", f"[e IN edges | e.{lookup.weight}]"]
    columns += [f"[f IN ends | f.{one}]" for one in lookup.columns.properties]
    return (
        f"MATCH (n)<-[e:{'|'.join(lookup.edges)}]-(f)"
        " WITH n, collect(e) AS edges, collect(f) AS ends"
        f" {clause} collect([id(n), {', '.join(columns)}]) AS incoming"
    )


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
    order = f"n.{lookup.property}"
    if lookup.then is not None:
        order += f", n.{lookup.then}"
        # Only so does Memgraph read an index in its order, and nothing beyond the limit; where it
        # is merely to be there, a long statement is planned by an index of that property alone.
        condition += f" AND n.{lookup.then} >= ''"
    for label in lookup.labels:
        body = f"MATCH (n:{label}) WHERE {condition} "
        if lookup.limit is not None:
            limit = writer.parameter(lookup.limit)
            body += f"WITH n ORDER BY {order} LIMIT {limit} "
        writer.add(body, "collect(n)")


def _referring(writer: _Writer, lookup: Referring) -> None:
    condition = f"n.{lookup.by} IS NOT NULL" + _filter(writer, lookup.where)
    body = f"MATCH (n:{lookup.label}) WHERE {condition} "
    writer.add(body, "collect(n)")
    named = f"MATCH (m:{lookup.label} {{{lookup.property}: key}}) "
    writer.add(f"{body}WITH DISTINCT n.{lookup.by} AS key {named}", "collect(m)")


def _ordered(writer: _Writer, lookup: Ordered) -> None:
    if lookup.level is not None:
        start = "WITH [] AS matching, false AS done "
        writer.add(start + searching.ranked(writer.parameter, lookup), "ranked")
        return
    by, limit = f"n.{lookup.by}", writer.parameter(lookup.limit)
    nodes, mine = f"MATCH (n:{lookup.label})", _filter(writer, lookup.where)
    first = f"WITH n ORDER BY {by} DESC LIMIT {limit}"
    # An index gives a range, but no order: sorted is the shortest window of time, from that of the
    # call on, which has enough. What goes by anything else than time, or lies far back, all of it.
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


def _nearest(writer: _Writer, lookup: Nearest) -> None:
    if not any(lookup.vector) or lookup.limit < 1:
        writer.add("", "[]")
    elif writer.has_vector_search:
        writer.add(*nearest.searched(lookup, writer.parameter))
    else:
        writer.add(*nearest.compared(lookup, writer.parameter))


def _vectored(writer: _Writer, lookup: Vectored) -> None:
    limit = writer.parameter(lookup.limit)
    there = "IS NOT NULL" if lookup.has_one else "IS NULL"
    condition = f"n.{lookup.property} {there}"
    if not lookup.by:
        writer.add(
            f"MATCH (n:{lookup.label}) WHERE {condition} WITH n LIMIT {limit} ", "collect(n)"
        )
        return
    condition = f"{_beyond(writer, lookup.by, lookup.after)} AND {condition}"
    order = ", ".join(f"n.{name}" for name in lookup.by)
    writer.add(
        f"MATCH (n:{lookup.label}) WHERE {condition} WITH n ORDER BY {order} LIMIT {limit} ",
        "collect(n)",
    )


def _beyond(writer: _Writer, names: tuple[str, ...], after: tuple[Any, ...] | None) -> str:
    """Return the condition that the values of *names* come, in that order, after *after*."""
    [name, *others] = names
    if after is None:
        return " AND ".join(f"n.{one} IS NOT NULL" for one in names)
    value = writer.parameter(after[0])
    if not others:
        return f"n.{name} > {value}"
    further = _beyond(writer, tuple(others), after[1:])
    return f"(n.{name} > {value} OR n.{name} = {value} AND {further})"


def _union(writer: _Writer, lookup: Union) -> None:
    for part in lookup.parts:
        writer.write(part)


def _text(writer: _Writer, lookup: Text) -> None:
    if lookup.keywords.parts:
        writer.parameters[searching.LACKING] = True
        writer.add(searching.matching(writer.parameter, lookup), "matching")
    else:
        writer.add(*_unfolded(lookup.label))


def _filled(writer: _Writer, lookup: Filled) -> None:
    """Matches first; what is ranked is only read where these leave room."""
    if not lookup.first.keywords.parts:
        _ordered(writer, lookup.then)
        return
    writer.parameters[searching.LACKING] = True
    matches = searching.matching(writer.parameter, lookup.first)
    others = searching.ranked(writer.parameter, lookup.then)
    writer.add(matches + others, "matching + ranked")


def _unfolded(label: str) -> tuple[str, str]:
    """Find the nodes that lack a form: Cypher cannot fold, but the procedure can."""
    index = text_index(label)
    lacking = f"n.{index.folded} IS NULL OR n.{index.plain} IS NULL"
    return f"MATCH (n:{label}) WHERE {lacking} ", "collect(n)"


def _similar(writer: _Writer, lookup: Similar) -> None:
    """What *equal* did not find is looked for like it, and only then is anything scanned."""
    index = text_index(lookup.label)
    [name] = lookup.equal.properties
    values = [[value, key] for (value,), key in zip(lookup.equal.values, lookup.keys, strict=True)]
    matches = "".join(
        f"OPTIONAL MATCH (n{number}:{label} {{{name}: v[0]}}) "
        for number, label in enumerate(lookup.equal.labels)
    )
    numbers = range(len(lookup.equal.labels))
    nothing = " AND ".join(f"n{number} IS NULL" for number in numbers)
    unfolded, them = _unfolded(lookup.label)
    squeezed = (
        f"replace(CASE n.{index.plain} WHEN '' THEN n.{index.folded} ELSE n.{index.plain} END,"
        " ' ', '')"
    )
    body = (
        f"UNWIND {writer.parameter(values)} AS v {matches}"
        f"WITH {' + '.join(f'collect(n{number})' for number in numbers)} AS known,"
        f" collect(CASE WHEN {nothing} AND v[1] <> '' THEN v[1] END) AS missing "
        f"WITH known, missing[0..{writer.parameter(lookup.most)}] AS missing "
        "CALL { WITH missing WITH missing WHERE size(missing) > 0"
        f" {unfolded}RETURN {them} AS unfolded }} "
        "CALL { WITH missing UNWIND missing AS key CALL { WITH key"
        f" MATCH (n:{lookup.label}) WITH key, n, {squeezed} AS squeezed"
        " WHERE squeezed CONTAINS key"
        " WITH n, CASE WHEN squeezed = key THEN 0 WHEN squeezed STARTS WITH key THEN 1 ELSE 2 END"
        f" AS place ORDER BY place, n.{index.source} LIMIT {writer.parameter(lookup.limit)}"
        " RETURN n } RETURN collect(n) AS alike } "
    )
    writer.add(body, "known + unfolded + alike")


def _filter(writer: _Writer, where: Where) -> str:
    return "".join(f" AND n.{name} = {writer.parameter(value)}" for name, value in where)


_WRITERS: dict[type, Callable[[_Writer, Any], None]] = {
    Equal: _equal,
    Range: _range,
    Referring: _referring,
    Ordered: _ordered,
    Union: _union,
    Text: _text,
    Filled: _filled,
    Similar: _similar,
    Nearest: _nearest,
    Vectored: _vectored,
}
