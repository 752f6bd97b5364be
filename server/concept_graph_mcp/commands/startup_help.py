"""Tell a person who starts the server by hand how a client starts it."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from conceptgraph_core import __version__, limits
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.words import languages

from .. import settings
from ..printable import json_text, printable
from ..settings import Settings

# Printed for the user to copy.
_SECRET = "…"
_EVERYDAY = ("--toolsets", "everyday")


def explain(configured: Settings | None) -> None:
    """Print to stderr what the server waits for and how a client starts it.

    Without *configured* the settings are invalid, which another message reports.
    """
    example = json_text(client_configuration(configured), indent=2)
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


def client_configuration(configured: Settings | None) -> dict[str, Any]:
    """Return the configuration that an MCP client needs to start a server like this one.

    Without *configured*, or where nothing is set: the toolset everyday, with the usual store.
    """
    command, *arguments = _program()
    variables: dict[str, str] = {}
    if configured is None or _is_bare(configured):
        arguments += _EVERYDAY
    else:
        if configured.embedded is not None:
            is_usual = configured.embedded == settings.default_path()
            arguments.append(
                "--embedded" if is_usual else f"--embedded={configured.embedded.absolute()}"
            )
        variables = _variables(configured)
    server = {
        "command": command,
        **({"args": arguments} if arguments else {}),
        **({"env": variables} if variables else {}),
    }
    return {"mcpServers": {"memory": server}}


def _is_bare(configured: Settings) -> bool:
    """Return whether nothing says that the graph is in Memgraph but an earlier version's rule."""
    return configured.embedded is None and settings.given(os.environ).keys().isdisjoint(
        settings.STORE_VARIABLES
    )


def _variables(configured: Settings) -> dict[str, str]:
    """Return the variables that a client must set: those that differ from the defaults."""
    variables = {
        # A client may give its servers another environment.
        "TZ": configured.zone.key if os.environ.get("TZ") else "",
        "AROUSAL_TAU_MS": str(configured.tau_ms),
        "CONCEPT_GRAPH_USER": configured.user_id,
        "CONCEPT_GRAPH_TOOLSETS": ",".join(configured.toolsets),
        languages.VARIABLE: ",".join(languages.read_configured(os.environ)),
        "CONCEPT_GRAPH_DECAY": ",".join(f"{name}={one}" for name, one in configured.decay.items()),
        settings.EMBEDDINGS_VARIABLE: configured.embeddings or settings.NO_EMBEDDINGS,
    }
    if variables[settings.EMBEDDINGS_VARIABLE].startswith("openai:"):
        variables["OPENAI_BASE_URL"] = os.environ.get("OPENAI_BASE_URL", "")
        variables["OPENAI_API_KEY"] = _SECRET if os.environ.get("OPENAI_API_KEY") else ""
    if configured.embedded is None:
        variables["MEMGRAPH_URI"] = configured.uri
        variables["MEMGRAPH_READ_URI"] = ",".join(configured.read_uris)
        variables["MEMGRAPH_USER"] = configured.user
        variables["MEMGRAPH_PASSWORD"] = _SECRET if configured.password else ""
    usual = {
        "AROUSAL_TAU_MS": str(limits.DEFAULT_TAU_MS),
        "CONCEPT_GRAPH_USER": DEFAULT_USER,
        "CONCEPT_GRAPH_TOOLSETS": ",".join(settings.DEFAULT_TOOLSETS),
        languages.VARIABLE: ",".join(languages.DEFAULT),
        settings.EMBEDDINGS_VARIABLE: settings.AUTOMATIC,
    }
    return {key: value for key, value in variables.items() if value != usual.get(key, "")}


def _program() -> list[str]:
    """Return the command that started this program, with absolute paths."""
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
        f"The graph of this server is in Memgraph at {settings.location(configured.uri)}.",
        f'With "args": {json_text(_EVERYDAY)} it is in a file, and no database is needed.',
    ]
