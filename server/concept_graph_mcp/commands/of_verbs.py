"""Make commands of verbs: the verb has the options, and its rows are printed as plain lines."""

from collections.abc import Awaitable, Callable, Container, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeVar, get_args, get_origin

import click

from conceptgraph_core.verbs.arguments import Between, OneOf, unwrap_type

from ..calls.verb import Argument, Verb
from ..session import Session
from ..times import find_moments, read_moments
from .common import AS_JSON, AT, OF_ASKER, YES, Number, in_session, note, print_json, say

F = TypeVar("F", bound=Callable[..., Any])
Row = dict[str, Any]
Given = dict[str, Any]
Options = Mapping[str, Any]
# The command has this argument otherwise, or not at all.
LEFT_OUT: Final[Options] = {}
_NONE: Mapping[str, Any] = {}
# The field that begins a line, and the one in brackets after it: the first of each that a row has.
_HEADS: Final = ("text", "content", "label", "labels", "summary", "concept", "name")
_IDS: Final = (
    *("memory_id", "entity_id", "episode_id", "merge_id", "fact_id", "mention_id", "id"),
)
_BARE: Final = frozenset(("state", "status", "type", "kind", "date", "action"))


class Made(NamedTuple):
    """A command made of a verb, with the help *told*.

    * `given` are the arguments without a dash; the last may end with `...` and take several. Those
      that `options` names too may be missing.
    * `options` has what differs from the verb's declaration, as in `take_options`.
    * `what` is the key of the rows in JSON, and `fields` are those on a row's line. Without it,
      the command prints the only row, with all its fields; `nothing` is said without any row.
    * `reads` turns what a person types into an argument. `passes` are arguments of the owner.
    * `asks` returns what to show before the question, whose answer must be yes.
    * `finds` runs the call in another way, and `adds` returns further fields, or notes.
    """

    name: str
    verb: Verb[Any]
    told: str
    given: Sequence[str] = ()
    options: Mapping[str, Options | str] = _NONE
    what: str | None = None
    fields: Sequence[str] = ()
    nothing: str = "Nothing."
    reads: Mapping[str, Callable[[Session, Any], Awaitable[Any]]] = _NONE
    passes: Mapping[str, Any] = _NONE
    asks: Callable[..., Awaitable[list[Row]]] | None = None
    finds: Callable[[Session, Given], Awaitable[list[Row]]] | None = None
    adds: Callable[[Session, Given, list[Row]], Awaitable[Given]] | None = None
    looks: bool = False


def make_command(made: Made) -> click.Command:
    """Return the command that *made* declares."""
    moments = find_moments(made.verb)
    by_name = {one.name: one for one in made.verb.arguments}
    bounds = unwrap_type(by_name["limit"].type)[1] if "limit" in by_name and made.what else ()
    most = next((one.most for one in bounds if isinstance(one, Between)), None)

    async def run(session: Session, as_json: bool, yes: bool = True, **typed: Any) -> None:
        given = {name: one for name, one in typed.items() if one not in (None, ())}
        times = read_moments(given, moments, session.zone, session.clock.now_ms())
        given |= {**made.passes, **times}
        for name, read in made.reads.items():
            if name in given:
                given[name] = await read(session, given[name])
        if made.asks is not None:
            shown = await made.asks(session, **given)
            if not as_json:
                print_rows(session, shown, made.fields or None)
            if not yes:
                click.confirm(f"{made.name.capitalize()}?", abort=True, err=as_json)
        limit = given.get("limit")
        if limit is not None and made.what and "total" not in made.verb.procedure.fields:
            # One row more than is printed tells whether there are more.
            given["limit"] = min(limit + 1, most or limit + 1)
        if made.finds is not None:
            rows = await made.finds(session, given)
        else:
            rows = await session.run(session.call(made.verb, **given))
        added = {} if made.adds is None else await made.adds(session, given, rows)
        _print_result(session, made, rows, added, limit, as_json=as_json)

    command: Any = AS_JSON(in_session(run))
    command = YES(command) if made.asks is not None else command
    command = AT(command) if made.looks else command
    names = [one.removesuffix("...") for one in made.given]
    left_out = dict.fromkeys((*names, *made.passes), LEFT_OUT)
    command = take_options(made.verb, **{**made.options, **left_out})(command)
    shown = {
        name: name.removesuffix("_id").removesuffix("_ids").upper() + said.removeprefix(name)
        for name, said in zip(names, made.given, strict=True)
    }
    listed = {one for one in names if one != "query"}
    command = take_arguments(made.verb, shown, made.options, listed)(command)
    return click.command(made.name, help=made.told)(command)


def take_arguments(
    verb: Verb[Any],
    given: Mapping[str, str],
    optional: Container[str] = (),
    listed: Container[str] = (),
) -> Callable[[F], F]:
    """Give a command arguments of *verb*, by name as they are shown; one with `...` takes several.

    Several words of a text are joined, unless they are *listed*. Those that are *optional*, or have
    a default, may be missing.
    """
    by_name = {one.name: one for one in verb.arguments}

    def decorate(command: F) -> F:
        for name, shown in reversed([*given.items()]):
            needed = by_name[name].default is ... and name not in optional
            is_list = get_origin(unwrap_type(by_name[name].type)[0]) is Sequence or name in listed
            several = shown.endswith("...")
            command = click.argument(
                name,
                metavar=shown if needed else f"[{shown}]",
                nargs=-1 if several else 1,
                required=needed,
                type=None if is_list else _read_declaration(by_name[name]).get("type"),
                callback=_join_words if several and not is_list else None,
            )(command)
        return command

    return decorate


def _join_words(_: click.Context, __: click.Parameter, words: Sequence[str]) -> str | None:
    return " ".join(words) if words else None


def take_options(verb: Verb[Any], **told: Options | str) -> Callable[[F], F]:
    """Give a command an option for each argument of *verb*.

    *told* has texts of help for some of them, or arguments of `click.option` with its `name`;
    `LEFT_OUT` leaves one out.
    """

    def decorate(command: F) -> F:
        for one in reversed(verb.arguments):
            given = told.get(one.name, OF_ASKER if one.name == "asker" else None)
            if given is not LEFT_OUT and one.name != "asked_at":
                by = {"help": given} if isinstance(given, str) else {**(given or {})}
                name = by.pop("name", f"--{one.name.replace('_', '-')}")
                read = {**_read_declaration(one), **by}
                command = click.option(name, one.name, **read)(command)
        # The reference says which verb a command is made of.
        vars(command)["procedure"] = verb.procedure.name
        return command

    return decorate


def _read_declaration(argument: Argument) -> dict[str, Any]:
    """Return the arguments of `click.option` that the verb's declaration gives."""
    type_, told = unwrap_type(argument.type)
    made: dict[str, Any] = {"required": argument.default is ...}
    made["help"] = next((one for one in reversed(told) if isinstance(one, str)), None)
    if get_origin(type_) is Sequence:
        made["multiple"] = True
        type_, told = unwrap_type(get_args(type_)[0])
    bounds = next((one for one in told if isinstance(one, Between)), None)
    choices = next((one.values for one in told if isinstance(one, OneOf)), None)
    if choices is not None:
        made["type"] = click.Choice(choices)
    elif get_origin(type_) is Literal:
        made["type"] = click.Choice(get_args(type_))
    elif bounds is not None:
        range_: Any = Number if type_ is float else click.IntRange
        made["type"] = range_(bounds.least, bounds.most)
    elif type_ is bool:
        made["is_flag"] = True
    if isinstance(argument.default, (str, int, float)) and argument.default is not False:
        made |= {"default": argument.default, "show_default": True}
    return made


def _print_result(
    session: Session,
    made: Made,
    rows: list[Row],
    added: Given,
    limit: int | None,
    *,
    as_json: bool,
) -> None:
    """Print *rows*, or as many as the *limit* says; *added* has fields, and `notes` for stderr."""
    notes = added.pop("notes", ())
    total = rows[0].get("total", len(rows)) if rows else 0
    shown = rows if limit is None else rows[:limit]
    if as_json:
        listed = [{k: v for k, v in date(session, one).items() if k != "total"} for one in shown]
        more: Given = {"more": total > len(shown)}
        if "total" in made.verb.procedure.fields:
            more["total"] = total
        print_json({**({made.what: listed, **more} if made.what else listed[0]), **added})
    elif made.what is None:
        for line in show_row(session, {**shown[0], **added}):
            say(line)
    elif made.asks is not None:
        say(f"{made.what.capitalize()}.")
    else:
        print_rows(session, shown, made.fields)
        if total > len(shown):
            say("There are more; --limit shows them.")
        elif not shown:
            say(made.nothing)
    for line in notes:
        note(line)


def date(session: Session, value: Any, name: str = "") -> Any:
    """Return *value* with its times (unix ms) in ISO 8601, in the session's zone, at any depth."""
    if isinstance(value, Mapping):
        return {key: date(session, one, key) for key, one in value.items() if key != "metadata"} | (
            {"metadata": value["metadata"]} if "metadata" in value else {}
        )
    if isinstance(value, (list, tuple)):
        return [date(session, one) for one in value]
    is_time = name.endswith(("_at", "_from", "_until")) or name in {"at", "last_activated", "since"}
    if is_time and isinstance(value, int):
        return session.local(value).isoformat(timespec="seconds")
    return value


def print_rows(session: Session, rows: Sequence[Row], fields: Sequence[str] | None) -> None:
    """Print a line for each of *rows*: its text, its id, and *fields*."""
    for row in rows:
        say(show_line(date(session, row), fields))


def show_line(row: Mapping[str, Any], fields: Sequence[str] | None = None) -> str:
    """Return a line on *row*; by default with all of its fields."""
    head = next((one for one in _HEADS if row.get(one)), "")
    key = next((one for one in _IDS if row.get(one)), "")
    who = f"{row['speaker']}: " if row.get("speaker") else ""
    text = f"{who}{_show(row[head])}" if head else str(row.get(key, ""))
    text += f" ({row[key]})" if head and key and row[key] != row[head] else ""
    rest = [
        one
        for one in (sorted(row) if fields is None else fields)
        if one not in {head, key, "speaker"}
    ]
    said = ", ".join(_show_field(one, row[one]) for one in rest if _says_anything(row.get(one)))
    return ": ".join(filter(None, (text, said)))


def show_row(session: Session, row: Row) -> Iterator[str]:
    """Iterate over the lines on *row*: its text, then each of its fields that says anything."""
    row = date(session, row)
    if row.get("metadata"):
        row["metadata"] = [date(session, row["metadata"])]
    head = next((one for one in _HEADS if row.get(one)), "")
    if head:
        # Lines after the first are indented, so that none looks like a field.
        yield from _show(row[head]).replace("\r\n", "\n").replace("\n", "\n  ").split("\n")
        yield ""
    for name, value in row.items():
        if name in {head, "total", "also"} or not _says_anything(value):
            continue
        if isinstance(value, list) and isinstance(value[0], Mapping):
            for one in value:
                yield f"{name}: {show_line(one)}"
        else:
            yield f"{name}: {_show(value)}"


def _says_anything(value: Any) -> bool:
    return value is not None and value is not False and value not in ("", [], {})


def _show_field(name: str, value: Any) -> str:
    if value is True:
        return name.removeprefix("is_")
    if name.endswith(("_at", "last_activated")) and isinstance(value, str):
        return f"{name.removesuffix('_at').replace('_', ' ')} {value[:10]}"
    return _show(value) if name in _BARE else f"{name.replace('_', ' ')} {_show(value)}"


def _show(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        # Memgraph sorts the keys of a map, and the other host keeps their order.
        said = ((key, one) for key, one in sorted(value.items()) if _says_anything(one))
        return ", ".join(f"{key} {_show(one)}" for key, one in said)
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_show, value))
    return str(value)
