"""Share settings, sessions, options, notes, progress, inputs and outputs among the commands."""

import contextlib
import errno
import functools
import io
import math
import os
import shlex
import shutil
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from subprocess import list2cmdline
from types import FrameType
from typing import Any, BinaryIO, Self, TextIO, TypeVar
from zoneinfo import ZoneInfo

import anyio
import click

from conceptgraph_core.texts import dates
from conceptgraph_core.texts import text as texts
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.errors import ConceptGraphError

from .. import settings, settings_file, user_files
from ..embedding import multilingual
from ..errors import StoreError
from ..hosts.lazy import open_store
from ..hosts.store import KeptStore
from ..printable import json_text, printable
from ..session import Clock, Session
from ..settings import Settings
from ..sharing import adopt_shared

_PROGRAM = "concept-graph-mcp"


def say(line: str) -> None:
    """Print a line of the result, as text, never as markup or control codes."""
    click.echo(printable(line))


def note(line: str) -> None:
    """Print a line about the work to stderr."""
    click.secho(printable(line), err=True, dim=True)


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Print a line for each of *rows*, with their columns aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        say("  ".join(map(str.ljust, row, widths)).rstrip())


def print_json(value: Any) -> None:
    """Print *value* as JSON, with null for numbers that JSON does not have."""
    click.echo(json_text(_finite(value), indent=2))


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def name_program() -> str:
    """Return how to call this program: as it was called, if its name alone does not find it."""
    called = sys.argv[0]
    if Path(called).stem != _PROGRAM or shutil.which(_PROGRAM) is not None:
        return _PROGRAM
    return list2cmdline([called]) if sys.platform == "win32" else shlex.quote(called)


def is_watched() -> bool:
    """Return whether a person at a terminal sees stderr."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar for *what*, of *total* steps; yield the function that takes how far it is."""
    if not is_watched() or not total:
        yield lambda _: None
        return
    with click.progressbar(length=total, label=what, show_pos=True, file=sys.stderr) as bar:
        yield lambda done: bar.update(done - bar.pos)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show *what* while it is done, where there are no steps to count."""
    line = f"{what} …" if is_watched() else ""
    click.echo(line, err=True, nl=False)
    try:
        yield
    finally:
        click.echo(f"\r{' ' * len(line)}\r" if line else "", err=True, nl=False)


class Interrupts:
    """While entered, a Ctrl-C during a `piece` takes effect at its end, a second one immediately.

    `torn` is true if a piece was left in the middle.
    """

    def __init__(self) -> None:
        self.torn = False
        self._within = False
        self._asked = False
        self._previous: Any = None

    def __enter__(self) -> Self:
        # Other threads cannot set a handler, and receive no Ctrl-C.
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    @contextmanager
    def piece(self) -> Iterator[None]:
        self._within = True
        try:
            yield
        finally:
            self._within = False
        if self._asked:
            raise KeyboardInterrupt

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self._within and not self._asked:
            self._asked = True
            return
        self.torn = self._within
        raise KeyboardInterrupt


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
YES = click.option("--yes", is_flag=True, help="Do not ask.")
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


def _check_name(_: click.Context, option: click.Parameter, name: str | None) -> str | None:
    """Return the value of an option that is a name. Raises Failure."""
    if name is not None:
        try:
            texts.name(name, f"--{option.name}")
        except ConceptGraphError as error:
            raise Failure(str(error)) from None
    return name


THREAD = click.option(
    "--thread",
    metavar="NAME",
    callback=_check_name,
    help="The conversation of lines without one.",
)
OF_ASKER: Mapping[str, Any] = {
    "metavar": "NAME",
    "callback": _check_name,
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
    toolsets: str | None = None,
) -> T:
    """Return the result of *work* with a session on the configured store. Raises StoreError.

    With *at*, a time in ISO 8601, the session's clock is stopped there, and later events are
    hidden. A missing store is an error, unless *creates*: then the first write creates it. The
    defaults are those of a server that offers *toolsets*.
    """
    chosen = configured(embedded, toolsets)

    async def use(session: Session, store: KeptStore) -> T:
        await note_adopted(chosen, store, session)
        return await work(session)

    return with_keeper(None, use, at, creates, chosen=chosen)


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

    return with_session(embedded, use, at, creates, "everyday")


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
    if said is None or (said == settings.AUTOMATIC and not multilingual.is_installed()):
        return
    note(
        "Words find them now. A running server or worker gives them vectors in the background;"
        f" {name_program()} embed does so at once."
    )


def unix_ms(text: str, zone: ZoneInfo, option: str = "--at") -> int:
    """Return the time *text*, in *zone* if it names none itself, as unix milliseconds."""
    try:
        now_ms = dates.unix_ms(text, zone)
    except ValueError:
        raise Failure(f"{option}: not a time in ISO 8601: {text!r}") from None
    except OverflowError:
        now_ms = -1
    if not 0 <= now_ms <= limits.MAX_TIME_MS:
        raise Failure(f"{option}: must be a time from 1970 to 9999, not {text}")
    return now_ms


def place_file(file: Path, force: bool) -> Path:
    """Return the path to write *file* to, which a symbolic link may lead to.

    Raises Failure if a file there must not be replaced: without *force* any, with it all but a
    regular file.
    """
    with report_errors(file):
        status = _file_status(file)
    if status is not None and not stat.S_ISREG(status.st_mode):
        is_directory = stat.S_ISDIR(status.st_mode)
        what = "is a directory" if is_directory else 'is not a regular file; "-" is stdout'
        raise Failure(f"{file}: {what}")
    if status is not None and not force:
        raise Failure(f"{file}: exists already; --force overwrites it")
    # The creator of such a link would choose where the file ends up.
    if status is None and not force and file.is_symlink():
        raise Failure(f"{file}: is a link to a file that is not there; --force writes that")
    return Path(os.path.realpath(file))


@contextmanager
def replace_file(file: Path, force: bool) -> Iterator[BinaryIO]:
    """Yield a stream that replaces the content of *file* at the end, unless an error occurs.

    It writes to a temporary file beside *file*, readable by the owner only. A replaced file passes
    on its mode and owner. Raises Failure.
    """
    target = place_file(file, force)
    with report_errors(file):
        handle, name = tempfile.mkstemp(".partial", ".concept-graph-", target.parent)
        partial = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            # Another program may have created a file there meanwhile.
            place_file(file, force)
            _take_after(partial, _file_status(target))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def report_errors(file: Path) -> Iterator[None]:
    """Turn errors of the operating system into a Failure about *file*."""
    try:
        yield
    except OSError as error:
        # Click handles a stdout whose reader has gone.
        if error.errno == errno.EPIPE:
            raise
        raise Failure(f"{_shorten_path(file)}: {error.strerror or error}") from None


def _file_status(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except FileNotFoundError:
        return None


def _take_after(partial: Path, replaced: os.stat_result | None) -> None:
    if replaced is not None:
        partial.chmod(stat.S_IMODE(replaced.st_mode))
        # Only root may change a file's owner, and a file that root exports must stay the user's.
        if hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):
                os.chown(partial, replaced.st_uid, replaced.st_gid)


def _shorten_path(file: Path) -> str:
    name = str(file)
    return name if len(name) <= 200 else f"{name[:199]}…"


# The first bytes of what is compressed.
_ARCHIVES = {
    "zip": b"PK\x03\x04",
    "gzip": b"\x1f\x8b\x08",
    "xz": b"\xfd7zXZ\0",
    "7z": b"7z\xbc\xaf\x27\x1c",
    "bzip2": b"BZh",
    "zstd": b"\x28\xb5\x2f\xfd",
}


@contextmanager
def opened(file: Path) -> Iterator[TextIO]:
    """Yield the content of *file*, or of stdin for "-"; bytes outside UTF-8 become surrogates."""
    with opened_bytes(file) as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="\n")
        try:
            yield text
        finally:
            # Stdin is not closed here, because this function has not opened it.
            text.detach()


@contextmanager
def opened_bytes(file: Path) -> Iterator[BinaryIO]:
    """Yield the content of *file*, or of stdin for "-". Raises Failure for what is compressed."""
    # Opening one may wait for ever for a writer. A pipe of the shell, `<(…)`, has one.
    if file.is_fifo() and not str(file).startswith("/dev/fd/") and file.resolve().is_fifo():
        raise Failure(f"{file}: is a named pipe; name a file, or give its content to -")
    with ExitStack() as stack:
        is_stdin = str(file) == "-"
        stream = sys.stdin.buffer if is_stdin else stack.enter_context(file.open("rb"))
        begins = stream.peek(8) if isinstance(stream, io.BufferedReader) else b""
        for name, mark in _ARCHIVES.items():
            if begins.startswith(mark):
                raise Failure(f"{file}: is a {name} archive; unpack it and name the file in it")
        yield stream


def count_lines(stream: BinaryIO) -> int | None:
    """Return how many lines are left to read, or None for a stream that can be read only once."""
    try:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return None
    except io.UnsupportedOperation:
        return None
    start, count, last = stream.tell(), 0, b"\n"
    while chunk := stream.read(1 << 20):
        count += chunk.count(b"\n")
        last = chunk[-1:]
    stream.seek(start)
    return count + (last != b"\n")
