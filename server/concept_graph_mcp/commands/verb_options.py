"""Take the options of commands from their verbs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

import click

from conceptgraph_core.arguments import Between, OneOf, unwrap_type

from ..calls.verb import AnyVerb, Argument
from .common import Number

F = TypeVar("F", bound=Callable[..., Any])
Options = Mapping[str, Any]
# The command has this argument otherwise, or not at all.
LEFT_OUT: Final[Options] = {}


def options(verb: AnyVerb[Any], **told: Options | str) -> Callable[[F], F]:
    """Give a command an option for each argument of *verb*.

    *told* has texts of help for some of them, or arguments of `click.option` with its `name`;
    `LEFT_OUT` leaves one out.
    """

    def decorate(command: F) -> F:
        for one in reversed(verb.arguments):
            given = told.get(one.name)
            if given is not LEFT_OUT:
                by = {"help": given} if isinstance(given, str) else {**(given or {})}
                command = _option(one, by)(command)
        return command

    return decorate


def _option(argument: Argument, told: dict[str, Any]) -> Callable[[F], F]:
    name = told.pop("name", f"--{argument.name.replace('_', '-')}")
    return click.option(name, argument.name, **{**_read_declaration(argument), **told})


def _read_declaration(argument: Argument) -> dict[str, Any]:
    """Return the arguments of `click.option` that the verb's declaration gives."""
    type_, told = unwrap_type(argument.type)
    made: dict[str, Any] = {"required": argument.default is ...}
    made["help"] = next((one for one in reversed(told) if isinstance(one, str)), None)
    bounds = next((one for one in told if isinstance(one, Between)), None)
    choices = next((one.values for one in told if isinstance(one, OneOf)), None)
    if choices is not None:
        made["type"] = click.Choice(choices)
    elif get_origin(type_) is Literal:
        made["type"] = click.Choice(get_args(type_))
    elif get_origin(type_) is Sequence:
        made["multiple"] = True
    elif bounds is not None:
        range_: Any = Number if type_ is float else click.IntRange
        made["type"] = range_(bounds.least, bounds.most)
    elif type_ is bool:
        made["is_flag"] = True
    if isinstance(argument.default, (str, int, float)) and argument.default is not False:
        made |= {"default": argument.default, "show_default": True}
    return made
