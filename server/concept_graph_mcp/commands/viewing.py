"""Show what is remembered in the browser (`view`)."""

import os
from dataclasses import replace

import click

from ..hosts.store import KeptStore
from ..session import Session
from .common import AT, Failure, configured_or_demo, note_adopted, with_keeper
from .notes import note
from .terminal import say


@click.command()
@click.argument("name", required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    help="Listen on this port; default: any free port.",
)
@AT
@click.option("--no-open", is_flag=True, help="Only print the address.")
@click.pass_obj
def view(embedded: str | None, name: str | None, port: int, at: str | None, no_open: bool) -> None:
    """Show in the browser what is remembered: a picture of the year, people, time and doubts.

    NAME is a person, a place or a project, whose card is open at once.

    Before your first write it shows the demo, if there was one.

    The page asks before it changes anything, and each change can be undone. It is served only to
    this machine, at an address that nobody can guess, until Ctrl-C.
    """

    chosen = configured_or_demo(embedded)

    async def show(session: Session, keeper: KeptStore) -> None:
        # Imported only here, because no other command needs a web server.
        from ..view.serving import serve

        await note_adopted(chosen, keeper, session)
        session = replace(session, unwritable=await keeper.unwritable())
        await _check(session, name)
        try:
            await serve(
                session,
                name,
                port,
                _announce,
                open_browser=not no_open,
            )
        except OSError as error:
            raise Failure(
                f"cannot listen on port {port}: {os.strerror(error.errno or 0)}"
            ) from None

    with_keeper(None, show, at, chosen=chosen)


def _announce(address: str) -> None:
    say(address)
    note("Ctrl-C ends it.")


async def _check(session: Session, name: str | None) -> None:
    from ..view.entities import most_alike

    if name is not None and not (await most_alike(session, name))[0]:
        raise Failure(f"nobody is called {name!r}; concept-graph-mcp search finds what there is")
