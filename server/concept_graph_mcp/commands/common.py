"""Share a session on the configured store, options, and failures as one line among the commands."""

import functools
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import anyio
import click

from conceptgraph_core import limits

from .. import settings, settings_file, user_files
from ..embedding import automatic
from ..errors import StoreError
from ..hosts.lazy import open_store
from ..hosts.store import KeptStore
from ..printable import printable
from ..session import Clock, Session
from ..settings import Settings
from ..sharing import adopt_shared
from .notes import name_program, note

T = TypeVar("T")


class _Named(click.Path):
    """A path that must not be empty: `Path("")` would mean the current directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not value:
            self.fail("must not be empty", param, ctx)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A number in a range; NaN is refused, because it compares neither below nor above a bound."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


FILE = _Named(dir_okay=False, path_type=Path)
PATH = _Named(path_type=Path)
FOLDER = _Named(file_okay=False, path_type=Path)

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
SHARED_CONCEPTS = (
    "These are the concepts all users share; CONCEPT_GRAPH_CONCEPTS=own shows your own."
)
AT = click.option("--at", metavar="TIME", help="Use this time (ISO 8601) as the current time.")


class Failure(click.ClickException):
    """A failure, each of its problems in one line after the name of the program."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems

    def show(self, file: object = None) -> None:
        for one in self.problems:
            click.echo(f"concept-graph-mcp: {printable(one)}", err=True)


def need_extra(what: str, extra: str, package: str) -> None:
    """Raise Failure unless *package* is installed, which *what* needs and *extra* brings."""
    if find_spec(package) is None:
        raise Failure(f"{what} needs the extra {extra}: pip install '.[{extra}]' in the checkout")


def _asker(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    """Return the value of --asker. Raises Failure."""
    if name is not None and not name.strip():
        raise Failure("--asker: must not be empty")
    return name


OF_ASKER: Mapping[str, Any] = {
    "metavar": "NAME",
    "callback": _asker,
    "help": "The speaker who asks, whose texts count 1.5 times. Default: the user.",
}


def look_only(at: str | None, touch: bool) -> None:
    """Raise UsageError if a command with --at should also --touch."""
    if touch and at is not None:
        raise click.UsageError("--at only looks; it cannot be combined with --touch")


def configured(
    embedded: str | None,
    toolsets: str | None = None,
    *,
    whole: bool = False,
    is_server: bool = False,
) -> Settings:
    """Return the settings.

    If each user has a store file, the settings must name a user, unless the caller is for the
    *whole* directory. Raises SettingsError, Failure.
    """
    chosen = settings_file.read_settings(embedded, toolsets, is_server=is_server)
    if chosen.per_user is not None and not (whole or names_user()):
        raise Failure(
            f"{chosen.per_user}: has a file for each user; set CONCEPT_GRAPH_USER to one of them"
        )
    return chosen


def names_user() -> bool:
    """Return whether the environment or the settings file says which user is meant."""
    return "CONCEPT_GRAPH_USER" in settings_file.merge_environment()


def each_store(chosen: Settings) -> list[Settings]:
    """Return *chosen* for each store that it means: one, or the file of every user. Raises OSError.

    A user who is named means one file.
    """
    if chosen.per_user is None or names_user():
        return [chosen]
    return [replace(chosen, embedded=file) for file in user_files.files(chosen.per_user)]


def of_user(chosen: Settings, user: str) -> Settings:
    """Return *chosen* for *user*, who may have a file of their own."""
    chosen = replace(chosen, user_id=user)
    if chosen.per_user is None:
        return chosen
    return replace(chosen, embedded=user_files.file_of(chosen.per_user, user))


def in_each_store(chosen: Settings, work: Callable[[Settings], object]) -> None:
    """Do *work* for each store that *chosen* means.

    If it fails for one of several, it is done for the others first. Raises StoreError, Failure.
    """
    stores, failed = each_store(chosen), []
    for one in stores:
        try:
            work(one)
        except (StoreError, Failure) as error:
            if len(stores) == 1:
                raise
            note(str(error))
            failed.append(one)
    if failed:
        raise Failure(f"{len(failed):,} of {len(stores):,} stores failed; see above")


def configured_or_demo(embedded: str | None) -> Settings:
    """Return the settings; before the first write, those of the last demo, with a note of it."""
    chosen = configured(embedded)
    usual, demo = settings.default_path(), settings.demo_path()
    if chosen.embedded == usual and not usual.exists() and demo.exists():
        note("nothing is stored yet; this is the demo.")
        return replace(chosen, embedded=demo)
    return chosen


def with_session(
    embedded: str | None,
    work: Callable[[Session], Awaitable[T]],
    at: str | None = None,
    creates: bool = False,
) -> T:
    """Return the result of *work* with a session on the configured store. Raises StoreError.

    With *at*, a time in ISO 8601, the session's clock is stopped there, and later events are
    hidden. A missing store is an error, unless *creates*: then the first write creates it.
    """
    return _with_own(configured(embedded), work, at, creates)


def in_session(command: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run the coroutine *command* with a session as its first argument, as `with_session` does.

    If the command has --at, its value is that of `with_session`.
    """

    @click.pass_obj
    @functools.wraps(command)
    def run(embedded: str | None, /, *, at: str | None = None, **given: Any) -> None:
        with_session(embedded, lambda session: command(session, **given), at)

    return run


def with_everyday(
    embedded: str | None,
    work: Callable[[Session], Awaitable[T]],
    at: str | None = None,
    creates: bool = False,
) -> T:
    """Do as `with_session`, with the defaults of a server that offers the toolset everyday.

    The project is the git repository in which the command runs, if it runs in one.
    """
    from ..histories.conversation import name_repository

    project = name_repository(str(Path.cwd()))

    async def use(session: Session) -> T:
        return await work(replace(session, project=project))

    return _with_own(configured(embedded, "everyday"), use, at, creates)


def _with_own(
    chosen: Settings,
    work: Callable[[Session], Awaitable[T]],
    at: str | None,
    creates: bool,
) -> T:
    async def use(session: Session, store: KeptStore) -> T:
        await note_adopted(chosen, store, session)
        return await work(session)

    return with_keeper(None, use, at, creates, chosen=chosen)


def with_keeper(
    embedded: str | None,
    work: Callable[[Session, KeptStore], Awaitable[T]],
    at: str | None = None,
    creates: bool = False,
    *,
    chosen: Settings | None = None,
) -> T:
    """Return the result of *work* with a session and its store's keeper, as `with_session` does."""
    chosen = chosen or configured(embedded)
    # Before the first write the usual file is an empty memory, and not a mistyped path.
    creates = creates or chosen.embedded == settings.default_path()
    until_ms = None if at is None else unix_ms(at, chosen.zone)
    clock = Clock(until_ms)

    async def main() -> T:
        async with open_store(chosen, creates) as store:
            return await work(Session.of(store, chosen, clock, until_ms=until_ms), store)

    return anyio.run(main)


async def note_adopted(
    chosen: Settings, store: KeptStore, session: Session, *, keeps_copy: bool = True
) -> None:
    """Give the shared concepts of a file with one owner to that owner, and print a note of it."""
    # If it fails, the command itself says what is wrong with the store, or need not know.
    with suppress(StoreError, OSError):
        if (told := await adopt_shared(chosen, store, session, keeps_copy)) is not None:
            note(told)


def note_vectors() -> None:
    """Print where texts that were stored get their vectors, unless these are switched off."""
    said = settings_file.read_embeddings()
    if said is None or (said == settings.AUTOMATIC and not automatic.is_installed()):
        return
    note(
        "Words find them now. A running server or worker gives them vectors in the background;"
        f" {name_program()} embed does so at once."
    )


def unix_ms(text: str, zone: ZoneInfo, option: str = "--at") -> int:
    """Return the time *text*, in *zone* if it names none itself, as unix milliseconds."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Failure(f"{option}: not a time in ISO 8601: {text!r}") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    now_ms = int(moment.timestamp() * 1000)
    if not 0 <= now_ms <= limits.MAX_TIME_MS:
        raise Failure(f"{option}: must be a time from 1970 to 9999, not {moment.isoformat()}")
    return now_ms
