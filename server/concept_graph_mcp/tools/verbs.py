"""Take the arguments of tools from their verbs, as the schemas of pydantic need them."""

import functools
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from inspect import Parameter, Signature
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from pydantic import Field, Strict

from conceptgraph_core import limits
from conceptgraph_core.arguments import Between, Items, Moment, OneOf

from ..calls.also import Also
from ..calls.verb import AnyVerb, Argument
from ..times import find_moments, read_moments
from .arguments import WHOLE, clamped

P = ParamSpec("P")
R = TypeVar("R")
Method = Callable[..., Coroutine[Any, Any, R]]
_NONE: Mapping[str, Any] = {}


def take_arguments(
    verb: AnyVerb[P],
    *,
    without: Sequence[str] = (),
    names: Mapping[str, str] = _NONE,
    defaults: Mapping[str, Any] = _NONE,
    types: Mapping[Any, Any] = _NONE,
    order: Sequence[str] = (),
) -> Callable[[Method[R]], Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]]:
    """Give a method of tools the arguments of *verb*; it gets them by name, times in unix ms.

    It has none of those *without*; a model knows one by another of *names*, or has one of
    *defaults*. *types* of pydantic stand for types of arguments. *order* is that of the names, if
    it is another one.
    """
    taken = [one for one in verb.arguments if one.name not in without]
    if order:
        taken.sort(key=lambda one: order.index(one.name))
    moments = find_moments(verb)

    def decorate(method: Method[R]) -> Method[R]:
        @functools.wraps(method)
        async def run(self: Any, /, *given: Any, **named: Any) -> R:
            bound = {**defaults, **signature.bind(self, *given, **named).arguments}
            del bound["self"]
            return await method(self, **bound | read_moments(bound, moments, self._session.zone))

        parameters = [Parameter("self", Parameter.POSITIONAL_ONLY)]
        parameters += _parameters(taken, names, defaults, types)
        returns = method.__annotations__["return"]
        signature = Signature(parameters, return_annotation=returns)
        run.__signature__ = signature  # type: ignore[attr-defined]
        return run

    return decorate


def run_verb(
    verb: AnyVerb[P], **how: Any
) -> Callable[[Callable[..., R]], Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]]:
    """Make a tool that runs *verb* of a method that returns the result for its rows.

    *how* are arguments of `take_arguments`.
    """

    def decorate(method: Callable[..., R]) -> Callable[..., Coroutine[Any, Any, R]]:
        @functools.wraps(method)
        async def run(self: Any, **given: Any) -> R:
            return method(self, *await self._run(verb, given))

        return take_arguments(verb, **how)(run)

    return decorate


def _parameters(
    taken: Sequence[Argument],
    names: Mapping[str, str],
    defaults: Mapping[str, Any],
    types: Mapping[Any, Any],
) -> Iterator[Parameter]:
    kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    is_optional = is_by_name = False
    for one in taken:
        default = defaults.get(one.name, one.default)
        # A list in a schema; nobody changes it.
        default = list(default) if isinstance(default, tuple) else default
        is_by_name = is_by_name or (default is ... and is_optional)
        is_optional = is_optional or default is not ...
        type_ = schema_type(one.type, types)
        if one.name in names:
            type_ = Annotated[type_, Field(alias=names[one.name])]
        default = Parameter.empty if default is ... else default
        yield Parameter(one.name, kinds[is_by_name], default=default, annotation=type_)


def schema_type(type_: Any, types: Mapping[Any, Any] = _NONE) -> Any:
    """Return pydantic's type of an argument: strict, with its bounds and its meaning."""
    if type_ in types:
        return types[type_]
    origin, parts = get_origin(type_), get_args(type_)
    if origin is Annotated:
        inner, *told = parts
        made = schema_type(inner, types)
        for one in _meta(type_, OneOf):
            made = Literal[one.values]
        if _meta(type_, Moment):
            made = Annotated[str, Strict()] | None if NoneType in get_args(inner) else str
        texts = [one for one in told if isinstance(one, str)]
        bounds = [two for one in told for two in _bounds(one, inner)]
        meaning = [Field(description=texts[-1])] if texts else []
        return functools.reduce(lambda of, one: Annotated[of, one], [*bounds, *meaning], made)
    if origin in {Union, UnionType}:
        members = [schema_type(one, types) for one in parts if one is not Also]
        return functools.reduce(lambda one, other: Union[one, other], members)  # noqa: UP007
    if origin is not None and origin is not Literal and issubclass(origin, Sequence):
        return list[schema_type(parts[0], types)]  # type: ignore[misc]
    if type_ in {str, int, float, bool}:
        return Annotated[type_, Strict()]
    return type_


def _bounds(told: Any, of: Any) -> Iterator[Any]:
    if isinstance(told, Items):
        yield Field(min_length=told.least, max_length=told.most)
    if isinstance(told, Between):
        most = told.most if told.asked is None else told.asked
        if of is float:
            yield Field(ge=told.least, le=most, allow_inf_nan=False)
            return
        yield Field(ge=told.least, le=most)
        low = -limits.MAX_INTEGER if told.refuses_less else int(told.least or 0)
        yield clamped(low, int(most or 0)) if told.clamps else WHOLE


def _meta(type_: Any, kind: type) -> list[Any]:
    return [one for one in getattr(type_, "__metadata__", ()) if isinstance(one, kind)]
