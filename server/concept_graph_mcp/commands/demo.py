"""Show this memory without a database or a model, in under a minute (`demo`)."""

import os
import shlex
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import click

from ..errors import one_line
from ..settings import default_path, demo_path, store_path
from .common import Failure, with_session
from .notes import name_program, note


@click.command()
@click.option("--no-open", is_flag=True, help="Do not open the picture in the browser.")
@click.pass_obj
def demo(embedded: str | None, /, *, no_open: bool) -> None:
    """Live through half a year of a made-up person, and show what her agent knows unasked.

    It keeps the half year in demo.db of the data directory, which the next demo replaces, and opens
    its picture if there is a screen; view draws it until you have a memory of your own. With
    --embedded=PATH it is in that file, which must not exist yet.
    """
    chosen = None if embedded is None else store_path(embedded)
    if chosen is not None and chosen.exists():
        raise Failure(f"{chosen}: exists already; the demo wants a store of its own")
    # Imported only here, because a terminal takes long to import.
    from . import half_year

    def live(path: Path) -> None:
        with_session(str(path), half_year.print_story, creates=True)

    if chosen is None:
        path = _keep_last(live)
    else:
        path = chosen
        live(path)
    _show_picture(path, opens=not no_open and sys.stdout.isatty() and has_screen(os.environ))


def has_screen(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Return whether a browser that opens here is seen by the person at the terminal."""
    if environment.get("CI"):
        return False
    if platform in {"win32", "darwin"}:
        return not environment.get("SSH_CONNECTION")
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def _keep_last(live: Callable[[Path], None]) -> Path:
    """Return the demo's own file with what *live* does; the last one is whole until that ends."""
    kept = demo_path()
    kept.parent.mkdir(parents=True, exist_ok=True)
    _refuse_open(kept)
    with tempfile.TemporaryDirectory(prefix=".demo-", dir=kept.parent) as folder:
        path = Path(folder) / kept.name
        live(path)
        _refuse_open(kept)
        try:
            path.replace(kept)
        # On Windows, whatever reads the file keeps it.
        except OSError as error:
            raise Failure(f"{kept}: cannot be replaced: {one_line(error)}") from None
    return kept


def _refuse_open(path: Path) -> None:
    """Raise Failure while another process has the store open, whose log a new file would inherit.

    Only without others does SQLite leave the write-ahead log, and then its files are gone too.
    """
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=0)) as store:
            store.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError:
        raise Failure("the last demo is still open; end its view with Ctrl-C") from None
    except sqlite3.DatabaseError:
        # It is no store any more, so nobody reads it.
        return


def _show_picture(path: Path, *, opens: bool) -> None:
    from .viewing import view

    if opens:
        note("The picture of all this opens in the browser; Ctrl-C ends it.")
        view.main([], obj=str(path), standalone_mode=False)
        return
    is_drawn = path == demo_path() and not default_path().exists()
    option = "" if is_drawn else f"--embedded={shlex.quote(str(path))} "
    click.echo(f"\nSee all of it as a picture: {name_program()} {option}view")
