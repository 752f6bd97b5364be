"""Run `concept-graph-mcp`: without a command the MCP server over stdio, else the command."""

import gc
import sys
from typing import Any

import click

from conceptgraph_core import __version__

from . import logs, settings, settings_file
from .commands.group import Commands
from .printable import printable

# Commands and their modules, imported on demand to keep the server's start short. They stand in
# groups, each with an example; those of a drawer are listed there alone.
_GROUPS = {
    'Use, e.g. concept-graph-mcp recall "What may Clara not eat?"': dict.fromkeys(
        ("recall", "remember", "search", "about", "forget", "relate", "identify"),
        "everyday",
    ),
    "Start, e.g. concept-graph-mcp setup": {
        "setup": "setup",
        "demo": "demo",
        "doctor": "health",
        "view": "viewing",
    },
    "Own, e.g. concept-graph-mcp import conversations.zip": {
        "import": "importing",
        "export": "exporting",
        "serve": "http_server",
        "admin": "",
        "graph": "",
    },
}
_DRAWERS = {
    "admin": (
        "Settings, statistics, checks, backups, users, jobs and other tasks of an owner.",
        {
            "settings": "setup",
            **dict.fromkeys(("stats", "check"), "health"),
            **dict.fromkeys(("backup", "restore", "clean", "reset"), "backups"),
            "users": "users",
            "tokens": "http_server",
            "worker": "worker",
            "sync": "sync",
            **dict.fromkeys(("index", "embed"), "indexing"),
            "card": "viewing",
            "install-modules": "deploying",
            "ingest": "importing",
            "hook": "setup",
        },
    ),
    "graph": (
        "Memories, entities and concepts one by one, and old conversations read into them.",
        {
            **dict.fromkeys(("memories", "entities", "concept"), "layers"),
            **dict.fromkeys(("observe", "backfill"), "observing"),
            "explain": "everyday",
        },
    ),
}


def _unserved(problem: str) -> None:
    """Report wrong arguments, described by *problem*, to the client; click tells a person."""
    if sys.stdin is None or sys.stdout is None or sys.stdin.isatty():
        return
    problem = printable(f"arguments: {problem}; correct them where the client starts this server")
    logs.say(problem)
    _refuse(problem, with_set_time=False)
    sys.exit(2)


def _refuse(problem: str, with_set_time: bool) -> None:
    """Serve only to report *problem*, because clients hide the stderr of a server that exits."""
    from . import serving

    serving.serve_refusing(problem, with_set_time)


@click.group(
    cls=Commands,
    groups=_GROUPS,
    drawers=_DRAWERS,
    unserved=_unserved,
    invoke_without_command=True,
    epilog="\b\nVariables:\n"
    + "\n".join(f"{one.variable:29}{one.meaning}" for one in settings.SETTINGS),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--embedded",
    metavar="[PATH]",
    is_flag=False,
    flag_value="",
    default=None,
    help="Keep the graph in one file, with no database; without PATH, in the data directory. DIR/:"
    " each user in a file of their own.",
)
@click.option(
    "--enable-set-time", is_flag=True, help="Offer the set_time tool, which stops the clock."
)
@click.option(
    "--no-worker",
    is_flag=True,
    help="Leave the due jobs of a store file to another process (see worker).",
)
# Without effect: the machine's time zone is the default.
@click.option("--local-time", is_flag=True, hidden=True)
@click.option(
    "--toolsets",
    metavar="NAMES",
    help="The toolsets to offer, with commas between them; default: everyday.",
)
@click.option(
    "--notes",
    is_flag=True,
    help="Tell the model that notes on each message come by themselves, by hooks.",
)
@click.version_option(__version__, "-V", "--version", message="%(version)s")
@click.pass_context
def main(
    ctx: click.Context,
    embedded: str | None,
    *,
    enable_set_time: bool,
    local_time: bool,
    no_worker: bool,
    notes: bool,
    toolsets: str | None,
) -> None:
    """An associative memory for LLM agents, served over MCP on stdin and stdout.

    The graph is in a file of the data directory, or in Memgraph. Environment variables stand above
    the settings file (see settings).
    """
    ctx.obj = embedded
    if ctx.invoked_subcommand == "serve":
        if enable_set_time:
            raise click.UsageError("--enable-set-time is for serving over stdio only")
        return
    if ctx.invoked_subcommand is not None:
        serving = {
            "--enable-set-time": enable_set_time,
            "--local-time": local_time,
            "--no-worker": no_worker,
            "--notes": notes,
            "--toolsets": toolsets,
        }
        for option, given in serving.items():
            if given:
                raise click.UsageError(f"{option} is for serving only")
        return
    serves = {"with_set_time": enable_set_time, "without_worker": no_worker, "has_notes": notes}
    _serve(embedded, toolsets, **serves)


def _serve(
    embedded: str | None,
    toolsets: str | None,
    *,
    with_set_time: bool,
    without_worker: bool,
    has_notes: bool,
) -> None:
    """Serve; if the settings are invalid, answer every call with the error."""
    if sys.stdin is None or sys.stdout is None:
        raise click.UsageError("stdin and stdout, which clients speak through, are closed")
    configured, problem = None, ""
    try:
        configured = settings_file.read_settings(embedded, toolsets, is_server=True)
    except settings.SettingsError as error:
        problem = str(error)
        for one in error.problems:
            logs.say(printable(one))
    if sys.stdin.isatty():
        logs.say(
            "waits here for an MCP client's messages; clients start it themselves after"
            " `concept-graph-mcp setup`, and --help lists the commands. Ctrl-C ends this."
        )
    if configured is None:
        _refuse(problem, with_set_time)
        sys.exit(1)
    # Nearly all objects of a start stay alive; collecting garbage takes a twentieth of the start.
    gc.disable()
    from . import serving

    serving.serve(configured, with_set_time, without_worker, has_notes=has_notes)


def run(arguments: list[str] | None = None) -> Any:
    return main(arguments, prog_name="concept-graph-mcp")


if __name__ == "__main__":
    sys.exit(run())
