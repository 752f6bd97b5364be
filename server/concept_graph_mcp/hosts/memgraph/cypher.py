"""Write the Cypher of a call: the look-up, the CALL and the RETURN."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conceptgraph_core.graph.primitives import Incoming, Lookup
from conceptgraph_core.registry import MODEL, Model

from ...calls import transfer
from ...calls.call import Call
from . import lookups
from .lookup_plan import IDS, Finding, finding, write_answers

Statement = tuple[str, dict[str, Any]]


def call(
    call: Call,
    context: Mapping[str, Any],
    has_vector_search: bool = False,
    further: Sequence[int] = (),
) -> list[Statement]:
    """Return the statements for *call* and its look-up, each with parameters.

    The fields of the single row of each statement are parameters of the later ones. *further* is
    what `beforehand` found.
    """
    made = Finding(None)
    if call.lookup is not None:
        made = finding(call.lookup, has_vector_search)
    context = {**context, **call.context}
    arguments = {f"a{index}": value for index, value in enumerate(call.arguments)}
    given = [f"${name}" for name in arguments]
    procedure = call.procedure
    if procedure.takes_context:
        pairs = [f"{key}: ${key}" for key in context]
        pairs += [f"{key}: {expression}" for key, expression in made.given.items()]
        given.append("{" + ", ".join(pairs) + "}")
    fields = ", ".join(procedure.fields)
    # All rows in one record, which a driver unpacks in half the time of one record a row.
    calling = (
        f"{made.before}CALL {procedure.name}({', '.join(given)}) YIELD {fields}"
        f" RETURN collect([{fields}]) AS rows",
        {**made.parameters, **arguments, **context},
    )
    if made.first is None:
        return [calling]
    text, parameters = made.first
    before: list[Statement] = []
    if isinstance(call.lookup, Incoming) and call.lookup.then is not None:
        # Apart, because Memgraph keeps no plan of a statement that calls a procedure.
        before = [write_answers(call.lookup.then, further)]
    # Look-ups may depend on the time of the call. Their own parameters stand above its other keys.
    return [*before, (text, {**context, **parameters}), calling]


def beforehand(call: Call) -> Statement | None:
    """Return the statement for what a further look-up needs, if *call* has one.

    `found` has the ids of the nodes for a further procedure. The statement calls none, so Memgraph
    keeps its plan.
    """
    if not isinstance(call.lookup, Incoming) or call.lookup.then is None:
        return None
    body, parameters = lookups.write_lookup(call.lookup.then.lookup)
    return f"{body}RETURN {IDS} AS found", parameters


def alone(call: Call) -> Call:
    """Return *call* without its further look-up."""
    assert isinstance(call.lookup, Incoming)
    return call._replace(lookup=call.lookup._replace(then=None))


def select_exported(model: Model = MODEL, only: Sequence[Lookup] = ()) -> Iterator[Statement]:
    """Return the statements for the `ids` of the nodes of each label in an export.

    With *only*, they are for those that each look-up finds.
    """
    for lookup in only:
        text, parameters = lookups.write_lookup(lookup)
        yield f"{text}RETURN [one IN found | id(one)] AS ids", parameters
    if only:
        return
    for kind in (kind for layer in model.layers for kind in layer.nodes if kind.exported):
        yield f"MATCH (n:{kind.label}) RETURN collect(id(n)) AS ids", {}


def export(
    labels: Sequence[Sequence[int]], batch: int, model: Model = MODEL
) -> Iterator[Statement]:
    """Return the statements that stream all nodes, then all relations, *batch* nodes each.

    *labels* has the ids of each label. Between two statements the database serves other callers; a
    call of a procedure for each node would take twice the time.
    """
    procedure = transfer.exports(model).name
    text = f"CALL {procedure}($part, {{found: $ids}}) YIELD record RETURN record"
    for part in ("nodes", "relations"):
        # In the order of creation, so that unchanged graphs have identical exports.
        for ids in map(sorted, labels):
            for start in range(0, len(ids), batch):
                yield text, {"part": part, "ids": ids[start : start + batch]}
