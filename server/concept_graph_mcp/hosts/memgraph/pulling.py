"""Write the Cypher of a call that pulls what it needs: its look-ups, and the CALL with answers."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from conceptgraph_core.graph.primitives import Lookup

from ...calls.call import Call
from .lookup_plan import Finding, finding
from .lookups import Statement

_PARAMETER = re.compile(r"\$(\w+)")
_HINT = "USING INDEX"


class Pulled(NamedTuple):
    """A look-up as it was made: its plan, and in `row` what the first statement returned."""

    plan: Finding
    row: Mapping[str, Any]


def plan(lookup: Lookup, has_vector_search: bool) -> Finding:
    """Return the plan of *lookup*: a statement of its own, or a subquery beside others.

    An index hint may stand only where a statement begins.
    """
    made = finding(lookup, has_vector_search)
    if made.first is None and made.before.startswith(_HINT):
        return finding(lookup, has_vector_search, long=0)
    return made


def plan_given(told: Mapping[str, Any]) -> Pulled:
    """Return what was *told* as an answer, which takes no statement."""
    return Pulled(Finding(None, "", told, {name: f"${name}" for name in told}), {})


def calling(call: Call, context: Mapping[str, Any], pulled: Mapping[str, Pulled]) -> Statement:
    """Return the statement of *call* in *context*, with the answers of all that was *pulled*.

    These have the names that `lacking.key` gives.
    """
    procedure, before, answers = call.procedure, "", []
    context = {**context, **call.context}
    arguments = {f"a{index}": value for index, value in enumerate(call.arguments)}
    parameters: dict[str, Any] = {**arguments, **context}
    if len(pulled) == 1:
        # Most calls have one look-up, whose names need no number.
        [(name, one)] = pulled.items()
        parameters |= {**one.plan.parameters, **one.row}
        before = one.plan.before
        rows = ", ".join([f"{key}: {said}" for key, said in one.plan.given.items()])
        answers.append(f"{name}: {{{rows}}}")
        pulled = {}
    for number, (name, one) in enumerate(pulled.items()):
        made, given = one.plan, {**one.plan.parameters, **one.row}
        parameters |= {f"w{number}_{name}": value for name, value in given.items()}
        told = {key: _number(said, given, number) for key, said in made.given.items()}
        if made.before:
            inner = dict.fromkeys(said for said in told.values() if not said.startswith("$"))
            fields = ", ".join([f"{said} AS w{number}_{said}" for said in inner])
            before += f"CALL {{ {_number(made.before, given, number)}RETURN {fields} }} "
            told = {
                key: f"w{number}_{said}" if said in inner else said for key, said in told.items()
            }
        rows = ", ".join([f"{key}: {said}" for key, said in told.items()])
        answers.append(f"{name}: {{{rows}}}")
    given_context = [f"{name}: ${name}" for name in context]
    given_context.append(f"answers: {{{', '.join(answers)}}}")
    takes = ", ".join([*[f"${name}" for name in arguments], f"{{{', '.join(given_context)}}}"])
    fields = ", ".join(procedure.fields)
    # All rows in one record, which a driver unpacks in half the time of one record a row.
    return (
        f"{before}CALL {procedure.name}({takes}) YIELD {fields} RETURN collect([{fields}]) AS rows",
        parameters,
    )


def _number(text: str, names: Mapping[str, Any], number: int) -> str:
    """Return *text* with the parameters *names* as those of the look-up of that *number*."""
    return _PARAMETER.sub(
        lambda found: f"$w{number}_{found[1]}" if found[1] in names else found[0], text
    )
