"""Draw the card of a year: one sentence, the picture and five figures (`card`)."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import click

from ..session import Session
from . import output
from .common import AT, PATH, Failure, with_session
from .export_import import destination
from .notes import note

# Browsers that can photograph a page without a screen.
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_WAIT_S = 60


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

    It has the names of people and topics, and no message. A PNG needs an installed Chromium or
    Chrome.
    """
    is_png = file.suffix.casefold() == ".png"
    if not is_png and str(file) != "-" and file.suffix.casefold() != ".svg":
        raise click.UsageError("--output: the name must end in .svg or .png")
    browser = _find_browser() if is_png else ""

    async def draw(session: Session) -> str:
        # Imported only here, because no other command draws.
        from ..view.drawing import draw_card
        from ..view.portrait import draw_portrait

        if year is not None and year > session.local(session.clock.now_ms()).year:
            raise click.UsageError(f"--year: {year} has not begun")
        return draw_card(await draw_portrait(session, year=year), year, names=not no_names)

    with output.told(file):
        if str(file) != "-":
            output.place(file, force)
        drawn = with_session(embedded, draw, at).encode()
        with destination(file, force) as stream:
            stream.write(_photograph(drawn, browser) if is_png else drawn)
    if str(file) != "-":
        note(f"The card is in {file}.")


def _find_browser() -> str:
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        raise Failure(
            "a PNG needs Chromium or Chrome; write an .svg, or save the PNG from the page of view"
        )
    return found


def _photograph(drawn: bytes, browser: str) -> bytes:
    """Return the SVG *drawn* as a PNG of the same size. Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
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
