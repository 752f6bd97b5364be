"""Show this memory without a database or a model, in under a minute (`demo`)."""

import shlex
import tempfile
from pathlib import Path

import click

from ..settings import default_path, demo_path, store_path
from .common import Failure
from .notes import note


@click.command()
# Its demo is part of this one.
@click.option("--memory", is_flag=True, hidden=True)
@click.pass_obj
def demo(embedded: str | None, /, *, memory: bool) -> None:
    """Replay the flight of Apollo 13, and recall it that evening, a week and a month later.

    It starts this server as an MCP client would. The graph is in demo.db of the data directory,
    which the next demo replaces, and view draws it until you have a memory of your own. With
    --embedded=PATH it is in that file, which must not exist yet.
    """
    # Imported only here, because an MCP client takes a second to import.
    from . import flight

    del memory
    if embedded:
        path = store_path(embedded)
        if path.exists():
            raise Failure(f"{path}: exists already; the demo wants a store of its own")
        flight.relive(path)
        return
    kept = demo_path()
    kept.parent.mkdir(parents=True, exist_ok=True)
    # One that fails or is ended leaves the last one whole.
    with tempfile.TemporaryDirectory(prefix=".demo-", dir=kept.parent) as folder:
        path = Path(folder) / kept.name
        flight.relive(path)
        path.replace(kept)
    draws = "view" if not default_path().exists() else f"--embedded={shlex.quote(str(kept))} view"
    note(f"concept-graph-mcp {draws} draws it.")
