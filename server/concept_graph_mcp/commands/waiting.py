"""What a person is told who starts the server by hand: what it waits for, and how clients do."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from conceptgraph_core import __version__

from .. import settings
from ..printable import json_text, printable
from ..settings import Settings

# What is set for this server must be set by a client too. The password is the owner's to copy.
_HANDED_ON = ("AROUSAL_TAU_MS", "MEMGRAPH_URI", "MEMGRAPH_URL", "MEMGRAPH_USER")
_SECRET = "MEMGRAPH_PASSWORD"


def explain(configured: Settings | None) -> None:
    """Print to stderr what the server waits for and how a client starts it.

    Without *configured* something in the settings is wrong, which is told elsewhere.
    """
    example = json_text(client_configuration(configured, os.environ), indent=2)
    lines = (
        f"concept-graph-mcp {__version__} is an MCP server and waits here for a client's messages.",
        "Clients start it themselves, once this is in their configuration:",
        "",
        *example.splitlines(),
        "",
        *_where(configured),
        "Commands for people: concept-graph-mcp --help. Ctrl-C ends this.",
    )
    click.echo("\n".join(map(printable, lines)), err=True)


def client_configuration(
    configured: Settings | None, environment: Mapping[str, str]
) -> dict[str, Any]:
    """Return what the configuration of an MCP client needs to start a server like this one.

    Without *configured*: an embedded one, in the zone of the machine.
    """
    command, *arguments = _program()
    variables = {"TZ": settings.machine_zone()}
    if configured is None:
        arguments.append("--embedded")
    else:
        variables = {"TZ": configured.zone.key}
        variables |= {name: environment[name] for name in _HANDED_ON if environment.get(name)}
        if configured.embedded is not None:
            is_usual = configured.embedded == settings.default_path()
            path = "" if is_usual else f"={configured.embedded.absolute()}"
            arguments.append(f"--embedded{path}")
            variables = {key: value for key, value in variables.items() if "MEMGRAPH" not in key}
        elif environment.get(_SECRET):
            variables[_SECRET] = "…"
    server = {"command": command, **({"args": arguments} if arguments else {}), "env": variables}
    return {"mcpServers": {"memory": server}}


def _program() -> list[str]:
    """Return how this program was started, in words that work from anywhere."""
    program = Path(shutil.which(sys.argv[0]) or sys.argv[0]).absolute()
    if program.name == "__main__.py":
        return [sys.executable, "-m", program.parent.name]
    return [str(program)]


def _where(configured: Settings | None) -> list[str]:
    if configured is None:
        return []
    if configured.embedded is not None:
        return [f"The graph is in {configured.embedded}."]
    return [
        f"The graph is in Memgraph at {settings.location(configured.uri)}.",
        'With "args": ["--embedded"] it is in a file, and no database is needed.',
    ]
