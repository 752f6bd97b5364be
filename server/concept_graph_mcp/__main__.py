"""`concept-graph-mcp`: without a command the MCP server over stdio, else one of the commands."""

import importlib
import os
import sys
from typing import Any

import click

from conceptgraph_core import __version__

from . import settings

# Command -> the module that has it; imported only when asked for, to keep the server's start short.
_COMMANDS = {
    "demo": "demo",
    "recall": "reading",
    "search": "reading",
    "stats": "reading",
    "view": "viewing",
    "export": "moving",
    "import": "moving",
    "backfill": "backfill",
    "rename": "correcting",
    "remove": "correcting",
    "backup": "keeping",
    "restore": "keeping",
    "clean": "keeping",
    "reset": "keeping",
    "install-modules": "deploying",
    "doctor": "doctor",
}


class _Commands(click.Group):
    """Commands imported on demand; `--embedded` before one of them takes no path."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f".commands.{_COMMANDS[cmd_name]}", __package__)
        command: click.Command = getattr(
            module, cmd_name.replace("-", "_").replace("import", "import_")
        )
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for index, argument in enumerate(args[:-1]):
            if argument == "--embedded" and args[index + 1] in _COMMANDS:
                args[index] = "--embedded="
        return super().parse_args(ctx, args)


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--embedded",
    metavar="[PATH]",
    is_flag=False,
    flag_value="",
    default=None,
    help="Keep the graph in one file, with no database; without PATH, in the data directory.",
)
@click.option(
    "--enable-set-time", is_flag=True, help="Offer the set_time tool, which stops the clock."
)
@click.version_option(__version__, "-V", "--version", message="%(version)s")
@click.pass_context
def main(ctx: click.Context, embedded: str | None, enable_set_time: bool) -> None:
    """An associative memory for LLM agents, served over MCP on stdin and stdout.

    \b
    The graph is in Memgraph, configured by environment variables:
      MEMGRAPH_URI       default bolt://localhost:7687 (MEMGRAPH_URL is accepted too)
      MEMGRAPH_USER      MEMGRAPH_PASSWORD
      AROUSAL_TAU_MS     how fast arousal fades, default 86400000 (a day)
      TZ                 your time zone, e.g. Europe/Berlin; needed to serve
      CONCEPT_GRAPH_EMBEDDED   like --embedded: 1, or the path of the file
    """
    ctx.obj = embedded
    if ctx.invoked_subcommand is not None:
        if enable_set_time:
            raise click.UsageError("--enable-set-time is for serving only")
        return
    from . import serving

    try:
        configured = settings.read(os.environ, embedded)
    except settings.SettingsError as error:
        raise click.ClickException(str(error)) from None
    serving.serve(configured, enable_set_time)


def run(arguments: list[str] | None = None) -> Any:
    return main(arguments, prog_name="concept-graph-mcp")


if __name__ == "__main__":
    sys.exit(run())
