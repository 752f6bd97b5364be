"""Plan a call's look-up: in a statement of its own, or before the CALL."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..primitives import Incoming, Joined, Lookup, Reached, Sized, Tallied, Union, WithEdges
from .name_search import is_shared
from .translating import Statement, is_left_out, write_lookup

# Runs a statement with parameters as a transaction of its own and returns its rows.
Run = Callable[[str, Mapping[str, Any]], list[dict[str, Any]]]
# A look-up with more text than this gets a statement of its own.
LONG = 500
IDS = "[n IN found | id(n)]"
# Keeps as many of `nodes` as have at most `$most` edges together, but at least one.
_FEWEST = "WITH {nodes} AS nodes, collect(degree) AS degrees"
_MOST = (
    "[i IN range(0, size(nodes) - 1) WHERE i = 0"
    " OR reduce(sum = 0, j IN range(0, i) | sum + degrees[j]) <= $most | nodes[i]]"
)
# Keeps as many as have the edges that are left of `$most`, or `$few` edges.
_MOST_LAST = (
    "[i IN range(0, size(nodes) - 1)"
    " WHERE reduce(sum = used, j IN range(0, i) | sum + degrees[j]) <= $most"
    " OR reduce(sum = 0, j IN range(0, i) | sum + degrees[j]) <= $few | nodes[i]]"
)
# An aggregate, because a group needs a row.
_USED = ", max(used) AS used"


@dataclass(frozen=True, slots=True)
class Finding:
    """A look-up's plan: the statement `first`, or the Cypher before the CALL.

    Memgraph keeps the plans of statements, except of those that call a procedure: it parses and
    plans them at every call, which takes milliseconds if the statement is long. `first` returns one
    row, whose fields are parameters of the calling statement. `given` maps each key of the context
    to an expression. The nodes that the statements `also` find are found too.
    """

    first: Statement | None
    before: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    also: tuple[Statement, ...] = ()


def finding(lookup: Lookup, has_vector_search: bool = False, long: int = LONG) -> Finding:
    """Return the plan for *lookup* before a CALL; one of *long* text is a statement of its own."""
    if isinstance(lookup, WithEdges):
        # Edges need no preparation, because Memgraph holds them in memory.
        return finding(lookup.lookup, has_vector_search, long)
    if isinstance(lookup, Incoming):
        return _incoming(lookup, has_vector_search)
    if isinstance(lookup, Sized | Tallied):
        return _plan_counts(lookup, has_vector_search)
    if isinstance(lookup, Union):
        parts = list(_list_parts(lookup))
        walks = [part for part in parts if _walks(part)]
        if walks and len(parts) > 1:
            # Memgraph compares the plans of all walks of a statement with one another: three of
            # them are planned in seconds.
            others = tuple(part for part in parts if part not in walks)
            apart = (*([Union(others)] if others else []), *walks)
            first, *also = (_write_ids(one, has_vector_search) for one in apart)
            return Finding(first, given={"found": "$found"}, also=tuple(also))
    body, parameters = write_lookup(lookup, has_vector_search)
    if len(body) > long:
        first = f"{body}RETURN {IDS} AS found", parameters
        return Finding(first, given={"found": "$found"})
    return Finding(None, body, parameters, {"found": "found"})


def _list_parts(lookup: Union) -> Iterator[Lookup]:
    for part in lookup.parts:
        bare = part.lookup if isinstance(part, WithEdges) else part
        yield from _list_parts(bare) if isinstance(bare, Union) else (bare,)


def _walks(lookup: Lookup) -> bool:
    while isinstance(lookup, Joined | Reached):
        if isinstance(lookup, Reached):
            return True
        lookup = lookup.lookup
    return False


def _write_ids(lookup: Lookup, has_vector_search: bool) -> Statement:
    body, parameters = write_lookup(lookup, has_vector_search)
    return f"{body}RETURN {IDS} AS found", parameters


def _plan_counts(lookup: Sized | Tallied, has_vector_search: bool) -> Finding:
    if isinstance(lookup, Sized):
        return _plan_size(lookup, has_vector_search)
    return _plan_tallies(lookup, has_vector_search)


def _plan_size(lookup: Sized, has_vector_search: bool) -> Finding:
    body, parameters = write_lookup(lookup.lookup, has_vector_search)
    counted = []
    for number, where in enumerate((lookup.where, *lookup.others)):
        compared = [one for one in where if not is_left_out(*one)]
        parameters |= {f"s{number}_{index}": value for index, (_, value) in enumerate(compared)}
        wanted = ", ".join(
            f"{name}: $s{number}_{index}" for index, (name, _) in enumerate(compared)
        )
        match = f"MATCH (n:{lookup.label}{f' {{{wanted}}}' if wanted else ''})"
        # Memgraph has no plain label index: without a property it would read all nodes.
        match += "" if wanted else f" WHERE n.{lookup.property} IS NOT NULL"
        if len(compared) < len(where):
            match += f" AND {is_shared('n')}"
        if lookup.most is not None:
            match += " WITH n LIMIT $counted"
        counted.append(f"CALL {{ {match} RETURN count(n) AS size{number} }} ")
    if lookup.most is not None:
        parameters["counted"] = lookup.most
    size = " + ".join(f"size{number}" for number in range(len(counted)))
    body += "".join(counted)
    if len(body) > LONG:
        first = f"{body}RETURN {IDS} AS found, {size} AS size", parameters
        return Finding(first, given={"found": "$found", "size": "$size"})
    before = f"{body}WITH found, {size} AS size "
    return Finding(None, before, parameters, {"found": "found", "size": "size"})


def _plan_tallies(lookup: Tallied, has_vector_search: bool) -> Finding:
    body, parameters = write_lookup(lookup.lookup, has_vector_search)
    for number, tally in enumerate(lookup.of):
        name = f"t{number}"
        parameters |= {name: list(tally.bounds)}
        parameters |= {f"{name}_{index}": value for index, (_, value) in enumerate(tally.where)}
        where = [f"n.{one} = ${name}_{index}" for index, (one, _) in enumerate(tally.where)]
        key = f"n.{tally.property}"
        where += [f"{key} >= ${name}[i]", f"{key} < ${name}[i + 1]"]
        body += (
            f"CALL {{ UNWIND range(0, size(${name}) - 2) AS i OPTIONAL MATCH (n:{tally.label})"
            f" WHERE {' AND '.join(where)} WITH i, count(n) AS count ORDER BY i"
            f" RETURN collect(count) AS tally{number} }} "
        )
    tallies = f"[{', '.join(f'tally{number}' for number in range(len(lookup.of)))}]"
    first = f"{body}RETURN {IDS} AS found, {tallies} AS tallies", parameters
    return Finding(first, given={"found": "$found", "tallies": "$tallies"})


def _incoming(lookup: Incoming, has_vector_search: bool) -> Finding:
    """Plan the columns of up to *most* incoming edges, which stay in the database for the call.

    `inDegree` walks no edges.
    """
    before = f"UNWIND $read AS i MATCH (n) WHERE id(n) = i {_columns(lookup)} "
    given = {"found": "$found", "degrees": "$degrees", "incoming": "incoming"}
    return Finding(_looking_into(lookup, has_vector_search), before, given=given)


def _looking_into(lookup: Incoming, has_vector_search: bool) -> Statement:
    """Return the Cypher for the ids of `found`, their `degrees`, and those whose edges to read."""
    body, parameters = write_lookup(lookup.lookup, has_vector_search)
    fewest, every = _FEWEST.format(nodes="collect(id(n))"), "read"
    read, last = f"{fewest} RETURN {_MOST} AS read", ""
    if lookup.last:
        used = "reduce(sum = 0, i IN range(0, size(read) - 1) | sum + degrees[i]) AS used"
        read = f"{fewest} WITH degrees, {_MOST} AS read RETURN read, {used}"
        last, every = (
            _last(lookup, f"{fewest}{_USED} RETURN {_MOST_LAST} AS more"),
            "read + more AS read",
        )
    first = (
        f"{body}WITH found, [] AS later {_also(lookup)}{_write_related(lookup)}"
        f"{_fewest_first(lookup, read)}{last}"
        f"RETURN {IDS} AS found, degrees, {every}"
    )
    parameters |= {"most": lookup.most, "few": lookup.few, **_list_named(lookup)}
    return first, parameters


def _also(lookup: Incoming) -> str:
    """Return the Cypher that adds the results of `also` to `later`."""
    if lookup.also is None:
        return ""
    keys = ", ".join(f"{one}: v[{index}]" for index, one in enumerate(lookup.also.properties))
    return (
        f"CALL {{ UNWIND $also AS v MATCH (n:{lookup.label} {{{keys}}})"
        f" WHERE n.{lookup.unless} IS NULL RETURN collect(n) AS named }} "
        "WITH found,"
        " later + [n IN named WHERE NOT n IN found AND NOT n IN later] AS later "
    )


def _list_named(lookup: Incoming) -> dict[str, Any]:
    named = {} if lookup.also is None else {"also": [list(one) for one in lookup.also.values]}
    return {**named, "last": list(lookup.last)} if lookup.last else named


def _last(lookup: Incoming, more: str) -> str:
    """Return the Cypher for what *more* returns of the nodes that are read `last`.

    `used` is the number of edges read before.
    """
    return (
        "CALL { WITH found, used UNWIND found AS n WITH DISTINCT n, used"
        f" WHERE n:{lookup.label} AND n.{lookup.by} IN $last AND n.{lookup.unless} IS NULL"
        f" WITH n, used, inDegree(n) AS degree ORDER BY degree, n.{lookup.by} WHERE degree > 0"
        f" {more} }} "
    )


def _write_related(lookup: Incoming) -> str:
    """Return the Cypher for `beside`, the nodes that those of `found` name as related."""
    if lookup.related is None:
        return ""
    wanted = f"{lookup.scope}: one.{lookup.scope}, {lookup.by}: other[0]"
    return (
        f"CALL {{ WITH found, later UNWIND found AS one WITH found, later, one"
        f" WHERE one:{lookup.label} AND valueType(one.{lookup.related}) = 'LIST'"
        f"{f' AND NOT one.{lookup.by} IN $last' if lookup.last else ''}"
        f" UNWIND one.{lookup.related} AS other WITH found, later, one, other"
        f" WHERE valueType(other) = 'LIST' MATCH (n:{lookup.label} {{{wanted}}})"
        f" WHERE n.{lookup.unless} IS NULL AND NOT n IN found AND NOT n IN later"
        " RETURN collect(DISTINCT n) AS beside } "
    )


def _fewest_first(lookup: Incoming, read: str) -> str:
    """Return the Cypher for `degrees` and for what *read* returns of the nodes to read.

    These come from `found`, then from `later` and `beside` if at most `$few` edges lead to them.
    """
    of_label = f"n:{lookup.label}" + (f" AND NOT n.{lookup.by} IN $last" if lookup.last else "")
    some = f"[n IN own WHERE {of_label} AND n.{lookup.unless} IS NULL]"
    every = f"[n IN own WHERE {of_label} AND size(some) = 0]"
    later = "later" if lookup.related is None else "later + beside"
    return (
        f"WITH found AS own, {later} AS later "
        "WITH own, later, own + later AS found "
        "WITH own, later, found, [n IN found | inDegree(n)] AS degrees "
        # No CASE: Memgraph would parse it, with each call, for most of a millisecond.
        f"CALL {{ WITH own, later WITH own, later, {some} AS some WHERE size(own) > 0"
        f" WITH later, some + {every} AS first"
        " WITH first, [n IN later WHERE NOT n IN first] AS later UNWIND first + later AS n"
        " WITH n, n IN later AS after, inDegree(n) AS degree"
        f" ORDER BY after, degree, n.{lookup.by}"
        f" WHERE degree > 0 AND (degree <= $few OR NOT after) {read} }} "
    )


def _columns(lookup: Incoming) -> str:
    """Return the Cypher for `incoming` from the nodes `n`."""
    columns = ["[f IN ends | id(f)]", f"[e IN edges | e.{lookup.weight}]"]
    columns += [f"[f IN ends | f.{one}]" for one in lookup.columns.properties]
    return (
        f"MATCH (n)<-[e:{'|'.join(lookup.edges)}]-(f)"
        " WITH n, collect(e) AS edges, collect(f) AS ends"
        f" WITH collect([id(n), {', '.join(columns)}]) AS incoming"
    )


def answer(run: Run, lookup: Lookup, now_ms: int) -> dict[str, Any]:
    """Return what the context gains by *lookup*, for a call by hand."""
    known: dict[str, Any] = {"now_ms": now_ms}
    plan = finding(lookup, True, long=0)
    if plan.first is not None:
        [row] = run(plan.first[0], {**known, **plan.first[1]})
        known |= row
        for text, given in plan.also:
            [row] = run(text, {**known, **given})
            known["found"] = known["found"] + row["found"]
    if isinstance(lookup, Incoming):
        # Their edges are not read here: the look-up may see some that the call does not.
        known["incoming"] = [[one] for one in known["read"]]
    elif plan.before:
        fields = {**plan.given, **({"found": IDS} if "found" in plan.given else {})}
        returned = ", ".join(f"{expression} AS {key}" for key, expression in fields.items())
        [row] = run(f"{plan.before}RETURN {returned}", {**plan.parameters, **known})
        known |= row
    return {key: known[expression.removeprefix("$")] for key, expression in plan.given.items()}
