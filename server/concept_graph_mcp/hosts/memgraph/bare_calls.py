"""Look up the nodes of a call that came without a look-up, from within its procedure.

This module, what it imports here and the calls are deployed with the query modules. The look-ups
are those of the shell, so a bare call in Lab answers as the shell does.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from conceptgraph_core.context import OWN, Context
from conceptgraph_core.graph.primitives import Incoming, Lookup
from conceptgraph_core.layers import SHARED

from ... import calls
from ...calls.also import Also
from ...calls.call import Call
from ...calls.verb import AnyVerb
from ...errors import Refused
from . import cypher
from .lookup_plan import IDS, Finding, finding

# Runs a statement with parameters as a transaction of its own and returns its rows.
Run = Callable[[str, Mapping[str, Any]], list[dict[str, Any]]]

_BUILDERS: Final = {
    "conceptgraph": ("concepts",),
    "memorygraph": ("memories", "memory_links", "memory_search", "memory_admin"),
    "entitygraph": ("entities", "entity_admin"),
    "everyday": ("everyday",),
}
# The look-up is the shell's if a context says no more; the builder takes what it looks up by.
_TOLD: Final = frozenset(
    {"asker", "asked_at", "told_in", "told_around", "also", "project", "tau_ms"}
)
_KNOWN: Final = _TOLD | {
    *("now_ms", "date", "user_id", "concepts", "offset_minutes", "decay", "expires", "owner"),
}
# Parts of an embedding, which a builder takes as one.
_EMBEDDED: Final = ("vector", "model")
# Its builder takes what is given as one.
_OTHERWISE: Final = frozenset({"entitygraph.fact"})


def look_up(
    run: Run, name: str, given: Sequence[tuple[str, Any]], told: Mapping[str, Any], context: Context
) -> dict[str, Any] | None:
    """Return what the context of the procedure *name* gains; None if nothing is known to look up.

    *given* are its arguments by name, and *told* is the map that *context* was made of.
    """
    call = call_of(name, given, told, context)
    if call is None:
        return None
    if call.lookup is None:
        return {**call.context}
    return {**call.context, **_looked_up(run, call, context)}


def call_of(
    name: str,
    given: Sequence[tuple[str, Any]],
    told: Mapping[str, Any],
    context: Context,
) -> Call | None:
    """Return the shell's call that is the same as that of the procedure *name*, if it has one."""
    if name in _OTHERWISE or not told.keys() <= _KNOWN:
        return None
    module, _, verb = name.partition(".")
    for folder in _BUILDERS[module]:
        build = getattr(getattr(calls, folder), _find_writing_twin(name, verb), None)
        if build is None:
            continue
        named = _arguments(build, folder, given, told, context)
        if named is None:
            continue
        try:
            make = build.make_call if isinstance(build, AnyVerb) else build
            call: Call = make(**named)
        except (Refused, TypeError):
            # The procedure refuses it too, and says why; or the builder is of another call.
            continue
        names = {call.procedure.name, call.procedure.peek().name}
        if name in names and _plain(call.arguments) == _plain([_names(one) for _, one in given]):
            return call
    return None


def _find_writing_twin(name: str, verb: str) -> str:
    """Return the name of the twin that writes, if the procedure *name* only reads."""
    twins = {one.peeking: one.name for one in calls.ALL if one.peeking is not None}
    return twins.get(name, f".{verb}").partition(".")[2]


def _arguments(
    build: Any,
    folder: str,
    given: Sequence[tuple[str, Any]],
    told: Mapping[str, Any],
    context: Context,
) -> dict[str, Any] | None:
    """Return the arguments of *build* by name; None if it takes others than *given* and *told*."""
    code = getattr(build, "__wrapped__", build).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    own = context.user_id if context.concepts == OWN else SHARED
    by_name: dict[str, Any] = {
        "scope": own if folder == "concepts" else context.user_id,
        "user_id": context.user_id,
        "concept_scope": own,
        "date": context.date,
        "now_ms": context.now_ms,
    }
    values = dict(given)
    by_name["embedded"] = (values["model"], values["vector"]) if values.get("vector") else None
    for key in _TOLD & told.keys():
        by_name[key] = Also(context.also) if key == "also" else getattr(context, key)
    if not (_TOLD - {"tau_ms"}) & told.keys() <= set(names):
        return None
    left = [_names(one) for key, one in given if key not in _EMBEDDED]
    made: dict[str, Any] = {}
    for one in names:
        if one in by_name and one not in values:
            made[one] = by_name[one]
        elif left:
            made[one] = left.pop(0)
    return None if left else made


def _names(value: Any) -> Any:
    """Return a list of texts without what is none: seeds may be nodes, which are found."""
    if isinstance(value, (list, tuple)) and any(isinstance(one, str) for one in value):
        return [one for one in value if isinstance(one, (str, Mapping))]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return value


def _looked_up(run: Run, call: Call, context: Context) -> dict[str, Any]:
    told: dict[str, Any] = {"now_ms": context.now_ms}
    further: Any = ()
    if (asked := cypher.beforehand(call)) is not None:
        [row] = run(asked[0], {**asked[1], **told})
        further = row["found"]
        call = call if further else cypher.alone(call)
    *first, _ = cypher.call(call, told, True, further)
    known = dict(told)
    for text, parameters in first:
        [row] = run(text, {**parameters, **known})
        known |= row
    assert call.lookup is not None
    return _finish(run, call.lookup, finding(call.lookup, True), known)


def answer(run: Run, lookup: Lookup, context: Context) -> dict[str, Any]:
    """Return what the context gains by *lookup*."""
    known: dict[str, Any] = {"now_ms": context.now_ms}
    plan = finding(lookup, True, long=0)
    if plan.first is not None:
        [row] = run(plan.first[0], {**known, **plan.first[1]})
        known |= row
    return _finish(run, lookup, plan, known)


def _finish(run: Run, lookup: Lookup, plan: Finding, known: dict[str, Any]) -> dict[str, Any]:
    """Return what *lookup* tells; *known* is what the first statement of its *plan* returned."""
    if isinstance(lookup, Incoming):
        # Their edges are not read here: the look-up may see some that the call does not.
        known["incoming"] = [[one] for one in known["read"]]
    elif plan.before:
        fields = {**plan.given, **({"found": IDS} if "found" in plan.given else {})}
        returned = ", ".join(f"{expression} AS {key}" for key, expression in fields.items())
        [row] = run(f"{plan.before}RETURN {returned}", {**plan.parameters, **known})
        known |= row
    return {key: known[expression.removeprefix("$")] for key, expression in plan.given.items()}
