"""What the commands share: a session on the configured store, and failures as one line."""

import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import click
from rich.console import Console

from conceptgraph_core.errors import ConceptGraphError

from .. import settings
from ..errors import StoreError
from ..serving import connect
from ..session import Clock, Session
from ..settings import Settings

T = TypeVar("T")

# Results go to stdout, everything about the work (progress, notes) to stderr.
out = Console(highlight=False)
notes = Console(stderr=True, highlight=False)


def say(line: str) -> None:
    """Print a line of the result as it is, however long."""
    out.print(line, soft_wrap=True, markup=False)


def note(line: str) -> None:
    """Print a line about the work."""
    notes.print(line, soft_wrap=True, markup=False, style="dim")


class Failure(click.ClickException):
    """A failure told in one line, after the name of the program."""

    def show(self, file: object = None) -> None:
        click.echo(f"concept-graph-mcp: {self.message}", err=True)


def configured(embedded: str | None) -> Settings:
    """Return the settings; where TZ is not set, with the machine's zone, which it says."""
    zone = settings.machine_zone()
    if not os.environ.get("TZ"):
        note(f"TZ is not set; using the machine's zone, {zone}.")
    try:
        return settings.read(os.environ, embedded, zone)
    except settings.SettingsError as error:
        raise Failure(str(error)) from None


def with_session(embedded: str | None, work: Callable[[Session], Awaitable[T]]) -> T:
    """Return what *work* does with a session on the configured store. Raises Failure."""
    chosen = configured(embedded)

    async def main() -> T:
        store = connect(chosen)
        try:
            await store.open()
            return await work(Session(store, chosen.tau_ms, chosen.zone, Clock()))
        finally:
            await store.close()

    return told(lambda: anyio.run(main))


def told(action: Callable[[], T]) -> T:
    """Return what *action* returns; what a store or a rule refuses becomes a Failure."""
    try:
        return action()
    except (StoreError, ConceptGraphError) as error:
        raise Failure(str(error)) from None
