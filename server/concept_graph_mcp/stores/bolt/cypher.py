"""The Cypher of the Bolt store: for each call one statement that looks up, calls and returns."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conceptgraph_core.registry import MODEL, Model

from ...calls import keeping
from ...calls.call import Call
from ...calls.lookups import Incoming, Lookup, Sized
from . import lookups

Statement = tuple[str, dict[str, Any]]


def call(call: Call, context: Mapping[str, Any], has_vector_search: bool = False) -> Statement:
    """Return the statement that makes *call* with what its look-up finds, and its parameters."""
    finding, parameters = _lookup(call.lookup, has_vector_search)
    parameters |= {f"a{index}": value for index, value in enumerate(call.arguments)}
    context = {**context, **call.context}
    parameters |= context
    given = [f"$a{index}" for index in range(len(call.arguments))]
    procedure = call.procedure
    if procedure.takes_context:
        pairs = [f"{key}: ${key}" for key in context]
        pairs += ["found: found"] if call.lookup is not None else []
        if isinstance(call.lookup, Incoming):
            pairs += ["degrees: degrees", "incoming: incoming"]
            if call.lookup.then is not None:
                pairs.append(f"{call.lookup.then.key}: answers")
        pairs += ["size: size"] if isinstance(call.lookup, Sized) else []
        given.append("{" + ", ".join(pairs) + "}")
    fields = ", ".join(procedure.fields)
    # All rows in one record, which a driver unpacks in half the time that a record a row takes.
    return (
        f"{finding}CALL {procedure.name}({', '.join(given)}) YIELD {fields}"
        f" RETURN collect([{fields}]) AS rows",
        parameters,
    )


def beforehand(call: Call) -> Statement | None:
    """Return the statement that counts what a further procedure would be asked about, if any is.

    It calls nothing, so that its plan is kept: it takes a tenth of what the question itself does,
    which most calls have no need of.
    """
    if not isinstance(call.lookup, Incoming) or call.lookup.then is None:
        return None
    found, parameters = lookups.finding(call.lookup.then.lookup)
    return f"{found}RETURN size(found) AS found", parameters


def alone(call: Call) -> Call:
    """Return *call* without the further procedure."""
    assert isinstance(call.lookup, Incoming)
    return replace(call, lookup=replace(call.lookup, then=None))


def export(model: Model = MODEL) -> Iterator[str]:
    """Return the statements that stream all nodes, then all relations, node by node.

    In the order in which the nodes came into being: an index of labels has them in any, and what
    did not change should be exported alike.
    """
    labels = [kind.label for layer in model.layers for kind in layer.nodes if kind.exported]
    procedure = keeping.exports(model).name
    for part in ("nodes", "relations"):
        for label in labels:
            yield (
                f"MATCH (n:{label}) WITH n ORDER BY id(n)"
                f" CALL {procedure}('{part}', {{found: [n]}})"
                " YIELD record RETURN record"
            )


def _lookup(lookup: Lookup | None, has_vector_search: bool) -> Statement:
    """Return what comes before CALL and leaves the nodes found in `found`."""
    return ("", {}) if lookup is None else lookups.finding(lookup, has_vector_search)
