"""`demo`: what this memory is like, without a database, a model or a minute to spare."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import click

from ..settings import store_path
from .common import Failure


@click.command()
@click.option(
    "--memory", is_flag=True, help="Live through a year of memories, which fade, instead."
)
@click.pass_obj
def demo(embedded: str | None, memory: bool) -> None:
    """Live through the flight of Apollo 13 and recall it then and a week later.

    With --memory, live through a family's year: memories are kept, linked, found by words, fade
    and come back, and are forgotten without being lost.

    Starts this server as an MCP client does and leaves nothing behind; with --embedded=PATH it
    keeps the graph in that file, which must not exist yet.
    """
    # Only here, because an MCP client takes a second to import.
    from . import flight, year

    with ExitStack() as stack:
        if embedded:
            path = store_path(embedded)
            if path.exists():
                raise Failure(f"{path}: exists already; the demo wants a store of its own")
        else:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "demo.db"
        if memory:
            year.live(path)
        else:
            flight.relive(path)
