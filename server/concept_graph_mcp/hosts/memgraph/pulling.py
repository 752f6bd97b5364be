"""Write the Cypher of a call that pulls what it needs: its look-ups, and the CALL with answers."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from conceptgraph_core.cypher.planning import Finding, finding
from conceptgraph_core.cypher.translating import Statement
from conceptgraph_core.graph.primitives import (
    Incoming,
    Lookup,
    Sized,
    Tallied,
    Union,
    WithEdges,
)

from ...calls.call import Call

T = TypeVar("T")
# These tell more than the nodes that they find.
_TELLING = (Incoming, Sized, Tallied)
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


def plan_all(wanted: Mapping[str, Lookup], has_vector_search: bool) -> dict[str, Finding]:
    """Return the plans of *wanted*, by `lacking.key`: those that only find nodes are one look-up.

    Its results are the answer to each of them, given once.
    """
    # Memgraph holds edges in memory, so they need no look-up.
    bare = {n: one.lookup if isinstance(one, WithEdges) else one for n, one in wanted.items()}
    plain = {name: one for name, one in bare.items() if not isinstance(one, _TELLING)}
    if len(plain) > 1:
        whole = plan(Union(tuple(plain.values())), has_vector_search)
        first, *others = plain
        made = {first: whole}
        made |= {name: Finding(None, given={"as": f"'{first}'"}) for name in others}
    else:
        made = {name: plan(one, has_vector_search) for name, one in plain.items()}
    return made | {
        name: plan(one, has_vector_search) for name, one in wanted.items() if name not in plain
    }


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
    takes = [f"${name}" for name in arguments]
    if procedure.takes_context:
        keys = [f"{name}: ${name}" for name in context]
        keys.append(f"answers: {{{', '.join(answers)}}}")
        takes.append(f"{{{', '.join(keys)}}}")
    fields = ", ".join(procedure.fields)
    # All rows in one record, which a driver unpacks in half the time of one record a row.
    calling_it = f"CALL {procedure.name}({', '.join(takes)}) YIELD {fields}"
    return f"{before}{calling_it} RETURN collect([{fields}]) AS rows", parameters


def _number(text: str, names: Mapping[str, Any], number: int) -> str:
    """Return *text* with the parameters *names* as those of the look-up of that *number*."""
    return _PARAMETER.sub(
        lambda found: f"$w{number}_{found[1]}" if found[1] in names else found[0], text
    )


async def make(
    run: Callable[[str, dict[str, Any]], Awaitable[T]],
    call: Call,
    context: Mapping[str, Any],
    plans: Mapping[str, Finding],
    known: dict[str, Pulled],
) -> T:
    """Make the look-ups of *plans* that are not *known*, then *call* with all these answers."""
    for name, plan in plans.items():
        if name not in known:
            row: dict[str, Any] = {}
            for text, given in (*((plan.first,) if plan.first else ()), *plan.also):
                found: Any = await run(text, {**context, **given})
                told = (await found.single(strict=True)).data()
                row = {**told, "found": row["found"] + told["found"]} if row else told
            known[name] = Pulled(plan, row)
    return await run(*calling(call, context, known))
