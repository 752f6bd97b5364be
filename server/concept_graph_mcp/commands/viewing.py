"""Draw the memory: in the browser (`view`), and the user as a picture (`card`)."""

import os
from dataclasses import replace
from pathlib import Path

import click

from ..hosts.store import KeptStore
from ..session import Session
from .common import (
    AT,
    PATH,
    Failure,
    configured_or_demo,
    note,
    note_adopted,
    place_file,
    report_errors,
    say,
    with_keeper,
)
from .exporting import destination


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
    """Show in the browser what is remembered: you, people, memories by day, and doubts.

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
    from ..view.people import find_called

    if name is not None and await find_called(session, name) is None:
        raise Failure(f"nobody is called {name!r}; concept-graph-mcp search finds what there is")


@click.command()
@click.option(
    "--year",
    type=click.IntRange(1971, 9000),
    help="The calendar year to show; default: the last twelve months.",
)
@click.option("--no-names", is_flag=True, help="Draw circles alone, without any name.")
@click.option(
    "--output",
    "file",
    type=PATH,
    help='FILE.svg, or "-" for stdout; default: card-YEAR.svg here, overwritten.',
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@AT
@click.pass_obj
def card(
    embedded: str | None,
    *,
    year: int | None,
    no_names: bool,
    file: Path | None,
    force: bool,
    at: str | None,
) -> None:
    """Draw the card of a year: one sentence, people and topics, and three figures.

    It has the names of people and topics, and no message; the page of view saves it as a PNG too.
    Before your first write it shows the demo, if there was one.
    """
    if file is None:
        file, force = Path(f"card-{year or 'latest'}.svg"), True
    if str(file) != "-" and file.suffix.casefold() != ".svg":
        raise click.UsageError("--output: the name must end in .svg")

    async def draw(session: Session, _: KeptStore) -> str:
        # Imported only here, because no other command draws.
        from ..view.drawing import draw_card
        from ..view.portrait import draw_portrait

        if year is not None and year > session.local(session.clock.now_ms()).year:
            raise click.UsageError(f"--year: {year} has not begun")
        drawn = await draw_portrait(session, year=year)
        if drawn.since is None:
            raise Failure("nothing is remembered of that time, so there is no card to draw")
        return draw_card(drawn, year, names=not no_names)

    with report_errors(file):
        if str(file) != "-":
            place_file(file, force)
        chosen = configured_or_demo(embedded)
        drawn = with_keeper(None, draw, at, chosen=chosen).encode()
        with destination(file, force) as stream:
            stream.write(drawn)
    if str(file) != "-":
        note(f"The card is in {file}.")
