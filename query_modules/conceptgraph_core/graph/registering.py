"""Register procedures with Memgraph: each is a function of the core, on a view of the graph.

A procedure has the arguments and defaults of its function, in the same order. A name that ends with
"_" loses it. `Mapping` stands for a map, `Sequence` for a list, `float` for any number. The context
comes last. Arguments by name alone are keys of the context, so that a procedure can get new ones.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

import mgp

from ..verbs.context import KEYS
from ..verbs.errors import WrongValue
from ..verbs.procedures import Edge, Procedure, Vertex
from .nested_query import BARE
from .raw import records

# Memgraph checks a signature by the `inspect` that `mgp` has; a reload may have imported another.
inspect = mgp.inspect

# `types` may not be imported here: a reload may have imported another.
_UNION = type(int | str)
_PLAIN = {Any: mgp.Any, Vertex: mgp.Vertex, Edge: mgp.Edge}


class Module:
    """A query module as it is loaded: its docstring is the manual of its procedures.

    *context* makes of the map that a call is given the context that its procedures have.
    """

    def __init__(
        self,
        manual: str,
        context: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda given: given,
    ) -> None:
        self._context = context
        self._manual = dict(map(_item, manual.split("\nCALL ")[1:]))

    def register(
        self, procedure: Procedure, view: Callable[..., Any], does: Callable[..., Any]
    ) -> None:
        """Register *procedure*, which *does* something with a *view* of the graph, and its peek."""
        for one in dict.fromkeys((procedure.name, procedure.peek().name)):
            is_write = procedure.writes and one == procedure.name
            run = self._running(one, is_write, view, does)
            run.__name__ = one.partition(".")[2]
            keys = _names(does, by_name=True)
            if not KEYS.isdisjoint(keys):
                raise ValueError(f"{procedure.name}: an argument is called as a key of the context")
            run.__doc__ = _add_keys(self._manual[run.__name__], keys)
            run.__signature__ = _signature(does, procedure.returns)
            (mgp.write_proc if is_write else mgp.read_proc)(run)

    def _running(
        self, name: str, writes: bool, view: Callable[..., Any], does: Callable[..., Any]
    ) -> Any:
        keys = frozenset(_names(does, by_name=True))

        def run(ctx: mgp.ProcCtx, *given: Any) -> list[Any]:
            context, named = self._context(given[-1]), {}
            if not keys.isdisjoint(context):
                named = {key: context[key] for key in keys & context.keys()}
                context = {key: one for key, one in context.items() if key not in keys}
            try:
                graph = view(ctx, context)
                if "found" not in context and "answers" not in context:
                    graph.nested = BARE.look_ups(ctx, name, writes, graph.context.now_ms)
                answer = does(graph, *given[:-1], **named)
                if answer is None:
                    return []
                return records([answer] if answer.__class__ is dict else answer)
            except (TypeError, AttributeError) as error:
                raise WrongValue(_of_wrong_type(error)) from error

        return run


def _names(does: Callable[..., Any], *, by_name: bool = False) -> list[str]:
    """Return the names of the arguments of a procedure, or of the keys of its context."""
    given = list(inspect.signature(does).parameters.values())[1:]
    return [
        one.name.removesuffix("_") for one in given if (one.kind is one.KEYWORD_ONLY) is by_name
    ]


def _add_keys(manual: str, keys: Sequence[str]) -> str:
    about, between, example = manual.partition("\n\nExample:")
    told = f" Also a key of the context: {', '.join(keys)}." if keys else ""
    return f"{about}{told}{between}{example}"


def _of_wrong_type(error: Exception) -> str:
    """Return the line about *error*, with its place but without its text, which may be stored."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    file = "" if place is None else place.tb_frame.f_code.co_filename.rpartition("/")[2]
    at = "" if place is None else f" ({type(error).__name__} in {file}, line {place.tb_lineno})"
    return f"a value of a wrong type, set by hand, is in the way{at}; run concept-graph-mcp check"


def _item(text: str) -> tuple[str, str]:
    """Return the name and the description of a procedure in the manual."""
    call, _, says = text.partition(";\n")
    name = call.partition("(")[0].partition(".")[2]
    says = " ".join(says.partition("\n\n")[0].split())
    example = f"CALL {call};".replace("\n", "\n    ")
    return name, f"{says}\n\nExample:\n    {example}\n"


def _signature(does: Callable[..., Any], returns: Mapping[str, Any]) -> Any:
    made = inspect.Parameter
    every = list(inspect.signature(does).parameters.values())[1:]
    given = [one for one in every if one.kind is not one.KEYWORD_ONLY]
    parameters = [
        made("ctx", made.POSITIONAL_ONLY, annotation=mgp.ProcCtx),
        *(
            made(
                one.name.removesuffix("_"),
                made.POSITIONAL_ONLY,
                annotation=_type(one.annotation, mgp.Number),
                default=_default(one.default),
            )
            for one in given
        ),
        made("context", made.POSITIONAL_ONLY, annotation=mgp.Map, default={}),
    ]
    fields = mgp.Record(**{name: _type(kind, float) for name, kind in returns.items()})
    return inspect.Signature(parameters, return_annotation=fields)


def _type(kind: Any, number: Any) -> Any:
    """Return Memgraph's type for *kind*, a Python type; *number* stands for float."""
    parts, origin = get_args(kind), get_origin(kind)
    if origin in (Annotated, Literal):
        return _type(parts[0] if origin is Annotated else type(parts[0]), number)
    if type(None) in parts:
        return mgp.Nullable[_type(parts[0], number)]
    if origin is _UNION:
        return mgp.Any
    if origin in (list, Sequence):
        return mgp.List[_type(parts[0], number)]
    if origin in (dict, Mapping):
        return mgp.Map
    return number if kind is float else _PLAIN.get(kind, kind)


def _default(value: Any) -> Any:
    """Return a default as Memgraph takes it."""
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value
