"""The Cypher of the Bolt store: for each call what looks up, calls and returns."""

from collections.abc import Iterator, Mapping
from typing import Any

from conceptgraph_core.registry import MODEL, Model

from ...calls import transfer
from ...calls.call import Call
from ...calls.lookups import Filled, Incoming, Similar, Text
from . import lookups
from .lookup_plan import Finding, finding
from .name_forms import State
from .text_search import NAMES, SIZE, beginning, listed

Statement = tuple[str, dict[str, Any]]


def call(
    call: Call,
    context: Mapping[str, Any],
    has_vector_search: bool = False,
    state: State = State(),  # noqa: B008 (it cannot be changed)
) -> list[Statement]:
    """Return the statements that make *call* with what its look-up finds, each with parameters.

    Where there are several, they belong into one transaction, and the one row of each is more
    parameters of those after it; where that row is DONE, only the last one comes after it. *state*:
    what a search may take for granted.
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
    # All rows in one record, which a driver unpacks in half the time that a record a row takes.
    calling = (
        f"{made.before}CALL {procedure.name}({', '.join(given)}) YIELD {fields}"
        f" RETURN collect([{fields}]) AS rows",
        {**made.parameters, **arguments, **context},
    )
    if made.first is None:
        return [calling]
    text, parameters = made.first
    known: dict[str, Any] = {}
    before: list[Statement] = []
    search = searched(call)
    if isinstance(search, Similar):
        known = {SIZE: state.listed}
    elif search is not None:
        before = [beginning(search, state.listed)]
        if state.has_lists:
            before.append(listed(search))
        else:
            known = {NAMES: []}
    # What is looked up may depend on the time of the call.
    return [*before, (text, {**parameters, **known, **context}), calling]


def searched(call: Call) -> Text | Similar | None:
    """Return what *call* searches by a part of texts, if it does."""
    text = call.lookup.first if isinstance(call.lookup, Filled) else call.lookup
    if isinstance(text, Text):
        return text if text.keywords.parts else None
    return text if isinstance(text, Similar) else None


def beforehand(call: Call) -> Statement | None:
    """Return the statement that counts what would be looked at further, if anything might be.

    That is what a further procedure would be asked about, or what nothing has the name of. It calls
    nothing, so that its plan is kept: it takes a tenth of what the question itself does, which most
    calls have no need of.
    """
    if isinstance(call.lookup, Similar):
        return lookups.missing(call.lookup)
    if not isinstance(call.lookup, Incoming) or call.lookup.then is None:
        return None
    body, parameters = lookups.found(call.lookup.then.lookup)
    return f"{body}RETURN size(found) AS found", parameters


def alone(call: Call) -> Call:
    """Return *call* without looking at that."""
    if isinstance(call.lookup, Similar):
        return call._replace(lookup=call.lookup.equal)
    assert isinstance(call.lookup, Incoming)
    return call._replace(lookup=call.lookup._replace(then=None))


def export(model: Model = MODEL) -> Iterator[str]:
    """Return the statements that stream all nodes, then all relations, node by node.

    In the order in which the nodes came into being: an index of labels has them in any, and what
    did not change should be exported alike.
    """
    labels = [kind.label for layer in model.layers for kind in layer.nodes if kind.exported]
    procedure = transfer.exports(model).name
    for part in ("nodes", "relations"):
        for label in labels:
            yield (
                f"MATCH (n:{label}) WITH n ORDER BY id(n)"
                f" CALL {procedure}('{part}', {{found: [n]}})"
                " YIELD record RETURN record"
            )
