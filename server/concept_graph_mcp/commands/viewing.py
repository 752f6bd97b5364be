"""Draw the memory: in the browser (`view`), and the user as a picture (`card`)."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
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


# Browsers that can photograph a page without a screen; macOS and Windows have them on no path.
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_ON_MACOS = ("Google Chrome", "Chromium", "Microsoft Edge")
_ON_WINDOWS = ("Google/Chrome", "Chromium", "Microsoft/Edge")
_WAIT_S = 60
# The last letter of the blocks of Latin.
_LATIN = 0x24F


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
    default=Path("-"),
    help='FILE.svg or FILE.png; "-", the default, prints the SVG.',
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@AT
@click.pass_obj
def card(
    embedded: str | None,
    *,
    year: int | None,
    no_names: bool,
    file: Path,
    force: bool,
    at: str | None,
) -> None:
    """Draw the card of a year: one sentence, a picture of the names, and five figures.

    It has the names of people and topics, and no message. A PNG needs an installed Chromium, Chrome
    or Edge. Before your first write it shows the demo, if there was one.
    """
    is_png = file.suffix.casefold() == ".png"
    if not is_png and str(file) != "-" and file.suffix.casefold() != ".svg":
        raise click.UsageError("--output: the name must end in .svg or .png")
    browser = _find_browser() if is_png else ""

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
            stream.write(_photograph(drawn, browser) if is_png else drawn)
    if str(file) != "-":
        note(f"The card is in {file}.")
    if is_png and (missing := " ".join(_list_undrawn(drawn.decode()))):
        fonts = "install one (Debian: fonts-noto-core, fonts-noto-cjk), or write an .svg"
        note(f"No font here has {missing}, so the card has boxes in their place: {fonts}.")


def _find_browser() -> str:
    found = next(filter(None, map(shutil.which, (*_BROWSERS, *map(str, _list_usual())))), None)
    if found is None:
        raise Failure(
            "a PNG needs Chromium or Chrome; write an .svg, or save the PNG from the page of view"
        )
    return found


def _list_usual(platform: str = sys.platform) -> Iterator[Path]:
    """Iterate over the places where these browsers are installed on macOS and Windows."""
    if platform == "darwin":
        for folder in (Path("/Applications"), Path.home() / "Applications"):
            yield from (folder / f"{one}.app/Contents/MacOS/{one}" for one in _ON_MACOS)
    if platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            for one in _ON_WINDOWS if (folder_name := os.environ.get(variable)) else ():
                program = "msedge.exe" if one.endswith("Edge") else "chrome.exe"
                yield Path(folder_name or "") / one / "Application" / program


def _list_undrawn(drawn: str) -> list[str]:
    """Return a letter of each script in *drawn* that no font has, as far as fontconfig tells."""
    lister = shutil.which("fc-list")
    # One letter stands for its script; every font has those of Latin.
    letters = {
        unicodedata.name(one, one).partition(" ")[0]: one
        for one in drawn
        if ord(one) > _LATIN and unicodedata.category(one)[0] in "LS"
    }
    if lister is None:
        return []
    return [one for one in letters.values() if not _list_fonts(lister, one)]


def _list_fonts(lister: str, letter: str) -> bytes:
    command = [lister, f":charset={ord(letter):x}"]
    return subprocess.run(command, capture_output=True, timeout=_WAIT_S, check=False).stdout


def _photograph(drawn: bytes, browser: str) -> bytes:
    """Return the SVG *drawn* as a PNG of the same size. Raises Failure."""
    # On Windows a browser may hold a file of its profile a little longer.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "card.svg", Path(folder) / "card.png"
        source.write_bytes(drawn)
        flags = ["--headless", "--hide-scrollbars", "--window-size=1200,900"]
        # Chromium refuses its sandbox to root. The file is this program's own and has no script.
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            flags.append("--no-sandbox")
        command = [browser, *flags, f"--user-data-dir={folder}/profile"]
        command += [f"--screenshot={target}", source.as_uri()]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=_WAIT_S, check=False)
        if not target.is_file():
            raise Failure(f"{browser} made no PNG; write an .svg instead")
        return target.read_bytes()
