"""Write the Cypher of a call that pulls what it needs: its look-ups, and the CALL with answers."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from conceptgraph_core.graph.cypher.planning import Finding, finding
from conceptgraph_core.graph.cypher.translating import Statement
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
_HINT = "USING INDEX"


class Pulled(NamedTuple):
    """A look-up that was made: its part of the statement of the call, and the parameters of that.

    `before` stands before the CALL, and `answer` in the context.
    """

    before: str
    answer: str
    parameters: Mapping[str, Any]


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
    plans: dict[str, Finding] = {}
    plain: dict[str, Lookup] = {}
    for name, one in wanted.items():
        # Memgraph holds edges in memory, so they need no look-up.
        bare = one.lookup if isinstance(one, WithEdges) else one
        if isinstance(bare, _TELLING):
            plans[name] = plan(one, has_vector_search)
        else:
            plain[name] = bare
    if plain:
        first, *others = plain
        whole = Union(tuple(plain.values())) if others else plain[first]
        plans[first] = plan(whole, has_vector_search)
        for name in others:
            plans[name] = Finding(None, given={"as": f"'{first}'"})
    return plans


def tell(name: str, plan: Finding, row: Mapping[str, Any], prefix: str = "") -> Pulled:
    """Return the answer called *name* of a look-up, of which the first statement returned *row*.

    Parameters and variables begin with *prefix*, which all but the first of a statement need.
    """
    before, given = plan.before, {**plan.parameters, **row}
    said = ", ".join([f"{key}: {one}" for key, one in plan.given.items()])
    if prefix and given:
        names = rf"\$(?=(?:{'|'.join(given)})\b)"
        before, said = (re.sub(names, f"${prefix}", text) for text in (before, said))
        given = {prefix + key: value for key, value in given.items()}
    if prefix and before:
        inner = dict.fromkeys(one for one in plan.given.values() if not one.startswith("$"))
        fields = ", ".join([f"{one} AS {prefix}{one}" for one in inner])
        before = f"CALL {{ {before}RETURN {fields} }} "
        said = re.sub(rf"(?<=: )(?={'|'.join(inner)})", prefix, said)
    return Pulled(before, f"{name}: {{{said}}}", given)


def tell_given(name: str, told: Mapping[str, Any], prefix: str) -> Pulled:
    """Return what was *told* as an answer, which takes no statement."""
    return tell(name, Finding(None, "", told, {one: f"${one}" for one in told}), {}, prefix)


def calling(call: Call, context: Mapping[str, Any], pulled: Mapping[str, Pulled]) -> Statement:
    """Return the statement of *call* in *context*, with the answers of all that was *pulled*."""
    procedure, context = call.procedure, {**context, **call.context}
    arguments = {f"a{index}": value for index, value in enumerate(call.arguments)}
    parameters: dict[str, Any] = {**arguments, **context}
    before, answers = "", []
    for one in pulled.values():
        parameters.update(one.parameters)
        before += one.before
        answers.append(one.answer)
    takes = [f"${name}" for name in arguments]
    if procedure.takes_context:
        keys = [f"{name}: ${name}" for name in context]
        keys.append(f"answers: {{{', '.join(answers)}}}")
        takes.append(f"{{{', '.join(keys)}}}")
    fields = ", ".join(procedure.fields)
    # All rows in one record, which a driver unpacks in half the time of one record a row.
    calling_it = f"CALL {procedure.name}({', '.join(takes)}) YIELD {fields}"
    return f"{before}{calling_it} RETURN collect([{fields}]) AS rows", parameters


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
            known[name] = tell(name, plan, row, f"w{len(known)}_" if known else "")
    return await run(*calling(call, context, known))
