"""Group the commands: import each on demand, and print each failure as one line."""

import errno
import importlib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from ..errors import StoreError, one_line
from ..printable import printable
from ..settings import SettingsError

# How alike a word and a command's name are if one is the other mistyped; "memory" is a path.
_ALIKE = 0.8
# The packages that only the server needs.
_SERVERS = frozenset({"mcp", "mcp_types"})
# How alike they are where the word can only be a command.
_LIKELY = 0.6
_TOLD = (click.UsageError, SettingsError, StoreError, OSError)


class Sentences(click.Group):
    """A group whose help prints the whole first sentence of each command; click would cut it."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the first sentence of each."""
        for title, names in self.list_groups(ctx).items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name, command.get_short_help_str(limit=1_000))
                        for name in names
                        if (command := self.get_command(ctx, name)) and not command.hidden
                    ]
                )

    def list_groups(self, ctx: click.Context) -> Mapping[str, Iterable[str]]:
        """Return the title of each group of commands, and their names."""
        return {"Commands": self.list_commands(ctx)}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that *args* begin with. Raises UsageError with what may be meant."""
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            self.refuse_command(ctx, args[0])
        return super().resolve_command(ctx, args)

    def refuse_command(self, ctx: click.Context, name: str) -> None:
        """Raise UsageError for the unknown command *name*, if another may be meant."""
        meant = get_close_matches(name, self.list_commands(ctx), 1, _LIKELY)
        if meant:
            raise click.UsageError(f"No such command '{name}'. Did you mean '{meant[0]}'?", ctx)


class Topic(Sentences):
    """Commands about one subject; without a subcommand it prints the list of them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)


class Drawer(Topic):
    """Commands by module, which the program itself has too without listing them."""

    def __init__(self, name: str, sentence: str, modules: Mapping[str, str]) -> None:
        super().__init__(name=name, help=sentence)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _load(self._modules, cmd_name)


def _load(modules: Mapping[str, str], cmd_name: str) -> click.Command | None:
    if cmd_name not in modules:
        return None
    module = importlib.import_module(f".{modules[cmd_name]}", __package__)
    name = cmd_name.replace("-", "_").replace("import", "import_")
    command: click.Command = getattr(module, name)
    return command


class Commands(Sentences):
    """Commands by module; `--embedded` before a command's name takes no path.

    Those of the *drawers* are listed there alone. Wrong arguments that name no command are reported
    to *unserved* first.
    """

    def __init__(
        self,
        *,
        groups: Mapping[str, Mapping[str, str]],
        drawers: Mapping[str, tuple[str, Mapping[str, str]]],
        unserved: Callable[[str], None],
        **attributes: Any,
    ) -> None:
        super().__init__(**attributes)
        self._groups = groups
        self._drawers = {name: Drawer(name, *of) for name, of in drawers.items()}
        every = (*groups.values(), *(modules for _, modules in drawers.values()))
        self._modules = {name: one for each in every for name, one in each.items()}
        self._unserved = unserved

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._modules)

    def list_groups(self, ctx: click.Context) -> Mapping[str, Iterable[str]]:
        """Return the commands in the groups that were given."""
        return self._groups

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self._drawers.get(cmd_name) or _load(self._modules, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        names_none = self._modules.keys().isdisjoint(self._leave_values_out(args))
        try:
            self._tell_from_paths(ctx, args)
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            misused = Misused(error, error.format_message())
            if names_none:
                self._unserved(misused.message)
            raise misused from None

    def _leave_values_out(self, args: list[str]) -> list[str]:
        """Return *args* without a toolset after a mistyped option, as in "--toolset concept"."""
        return [
            argument
            for before, argument in pairwise(["", *args])
            if argument != "concept" or not before.startswith("--") or self._has(before)
        ]

    def _tell_from_paths(self, ctx: click.Context, args: list[str]) -> None:
        """Keep a command after --embedded from being taken for its path. Raises UsageError."""
        for index, (argument, following) in enumerate(pairwise([*args, ""])):
            if argument in self._modules or argument == "--":
                break
            if argument == "--embedded" and following in self._modules:
                args[index] = "--embedded="
            elif argument == "--embedded" and (meant := self._meant(following)):
                raise click.UsageError(
                    f"No such command '{following}'. Did you mean '{meant}'? For a file of that"
                    f" name write --embedded={following}",
                    ctx,
                )
            if argument.startswith("--embedded=-"):
                # A command's name after --embedded would be taken for its path.
                args[index] = argument.replace("=", "=./", 1)

    def _meant(self, word: str) -> str | None:
        """Return the command that *word* after --embedded resembles, unless it is surely a path."""
        if not word or not word.isalpha() or Path(word).exists():
            return None
        return next(iter(get_close_matches(word, self._modules, 1, _ALIKE)), None)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error is printed as one line."""
        try:
            return super().invoke(ctx)
        except ImportError as error:
            if (error.name or "").partition(".")[0] not in _SERVERS:
                raise
            from .common import Failure

            raise Failure(_tell_mcp()) from None
        except _TOLD as error:
            # Click handles a stdout whose reader has gone.
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise
            raise self._told(error) from None

    def _told(self, error: Exception) -> click.ClickException:
        if isinstance(error, click.NoSuchOption):
            return Misused(error, self._explain_option(error))
        if isinstance(error, click.UsageError):
            return Misused(error, error.format_message())
        from .common import Failure

        if isinstance(error, OSError):
            where = f"{error.filename}: " if error.filename is not None else ""
            return Failure(f"{where}{error.strerror or error}")
        if isinstance(error, SettingsError):
            return Failure(*error.problems)
        return Failure(str(error))

    def _explain_option(self, error: click.NoSuchOption) -> str:
        option, name = error.option_name, error.ctx.info_name if error.ctx else None
        if self._has(option):
            return f"{option} goes before the command: concept-graph-mcp {option} {name}"
        message = error.format_message()
        if option.startswith("--"):
            return message
        return f"{message.removesuffix('.')}; what begins with a dash and is none goes after --"

    def _has(self, option: str) -> bool:
        return any(option in parameter.opts for parameter in self.params)


def _tell_mcp() -> str:
    """Return why the server cannot be imported: other packages here may need an older mcp."""
    # Slow to import, and hardly ever needed.
    from importlib.metadata import PackageNotFoundError, version

    try:
        there = f"the installed one is {version('mcp')}"
    except PackageNotFoundError:
        there = "it is not installed"
    return (
        f"the server needs the package mcp 2, and {there}; install concept-graph-mcp into an"
        " environment of its own (Memory, in Python, works here too)"
    )


class Misused(click.UsageError):
    """An invalid command line, reported in one line that names its help."""

    def __init__(self, error: click.UsageError, message: str) -> None:
        super().__init__(one_line(message).removesuffix("."), error.ctx)

    def show(self, file: Any = None) -> None:
        path = self.ctx.command_path if self.ctx else "concept-graph-mcp"
        click.echo(f"{path}: {printable(self.message)}; see {path} --help", err=True)
