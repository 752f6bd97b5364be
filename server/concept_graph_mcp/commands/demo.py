"""Show this memory without a database or a model, in under a minute (`demo`)."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import click

from ..settings import store_path
from .common import Failure


@click.command()
# Its demo is part of this one.
@click.option("--memory", is_flag=True, hidden=True)
@click.pass_obj
def demo(embedded: str | None, /, *, memory: bool) -> None:
    """Replay the flight of Apollo 13, and recall it that evening, a week and a month later.

    It starts this server as an MCP client would and leaves nothing behind; with --embedded=PATH it
    keeps the graph in that file, which must not exist yet.
    """
    # Imported only here, because an MCP client takes a second to import.
    from . import flight

    del memory
    with ExitStack() as stack:
        if embedded:
            path = store_path(embedded)
            if path.exists():
                raise Failure(f"{path}: exists already; the demo wants a store of its own")
        else:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "demo.db"
        flight.relive(path)
