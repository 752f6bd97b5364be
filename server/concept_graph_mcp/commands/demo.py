"""Live through a made-up person's half year, without a database or a model (`demo`)."""

import json
import os
import shlex
import shutil
import sqlite3
import sys
import tempfile
import textwrap
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click

from conceptgraph_core.everyday import lines

from .. import answers
from ..embedding.base import EmbeddingError
from ..errors import one_line
from ..printable import printable
from ..session import Session
from ..settings import default_path, demo_path, store_path
from ..times import time_given
from .common import Failure, Interrupts, name_program, note, say, with_session
from .storing import Import

SAMPLE: Final = "rosa.jsonl"
# Tokens: few lines, so that all of the demo is seen at once.
_BUDGET: Final = 205
_INDENT: Final = "    "
# A step is a message, something that the agent stores, or a message that the demo shows.
_KINDS: Final = ("said", "remember", "shown")

Step = dict[str, Any]


def read_steps() -> list[Step]:
    """Return the half year, in the order of time."""
    file = resources.files("concept_graph_mcp") / "sample" / SAMPLE
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def print_story(session: Session) -> None:
    """Live through the half year on the empty store of *session*, and print the notes."""
    steps = read_steps()
    said = [one for one in steps if "said" in one]
    shown = sum("shown" in one for one in steps)
    _print(
        f"Half a year of Rosa, a made-up person: from {_show_day(said[0])} to"
        f" {_show_day(said[-1])} she writes her agent {len(said)} messages. With each one the"
        " agent gets notes from its memory, unasked. No language model is at work."
        f" {shown} messages, and their notes:"
    )
    async for step, notes in live(session, steps):
        click.secho(f"\n{printable(step['why'])}", bold=True)
        _print(f"{_show_day(step)}, Rosa: “{step['shown']}”")
        for line in notes.splitlines() or ["no notes: nothing belongs to this"]:
            _print(line, _INDENT)


async def live(session: Session, steps: Sequence[Step]) -> AsyncIterator[tuple[Step, str]]:
    """Take each of *steps* at its time; yield those to show, with the notes that the agent gets.

    The clock of *session* is stopped at each. No notes are "". Raises StoreError, Failure.
    """
    ids: dict[str, str] = {}
    for kind, group in groupby(steps, lambda step: next(one for one in _KINDS if one in step)):
        if kind == "said":
            await _ingest(session, [*group])
            continue
        for step in group:
            session.clock.set(time_given(step["at"], "at", session.zone))
            if kind == "remember":
                ids[step.get("name", "")] = await _remember(session, step, ids)
            else:
                await _embed(session)
                row, _ = await answers.recall(
                    session, step["shown"], token_budget=_BUDGET, counts=False
                )
                yield step, lines.text(row["lines"], session.show_minute, session.show_day)


async def _ingest(session: Session, steps: Sequence[Step]) -> None:
    """Store messages as hooks and `ingest` do, with whom they mention: each day has its thread."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "messages.jsonl"
        rows = (
            {
                "thread": f"Rosa {one['at'][:10]}",
                "speaker": "user",
                "text": one["said"],
                "created_at": one["at"],
            }
            for one in steps
        )
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        await Import([(file, None)], None, Interrupts(), people=True).run(session)


async def _remember(session: Session, step: Step, ids: dict[str, str]) -> str:
    given = {**step["remember"]}
    if "replaces" in given:
        given["replaces"] = ids[given["replaces"]]
    if "happened_at" in given:
        given["happened_at"] = time_given(given["happened_at"], "happened_at", session.zone)
    row, _ = await answers.remember(session, **given)
    made: str = row["id"]
    return made


async def _embed(session: Session) -> None:
    """Give the texts their vectors, as a server does in the background."""
    if session.embedding is None:
        return
    # Imported only here, because words alone need none of it.
    from ..worker.embedding import embed_lacking, prepare

    try:
        embedding = await prepare(session)
        if embedding is not None:
            async for _ in embed_lacking(session, embedding):
                pass
    except EmbeddingError:
        # Words find them all the same.
        return


def _show_day(step: Step) -> str:
    day = datetime.fromisoformat(step["at"])
    return f"{day.day} {day:%B}"


def _print(text: str, indent: str = "") -> None:
    for line in textwrap.wrap(text, shutil.get_terminal_size().columns - len(indent)):
        say(indent + line)


@click.command()
@click.option("--no-open", is_flag=True, help="Do not open the page in the browser.")
@click.pass_obj
def demo(embedded: str | None, /, *, no_open: bool) -> None:
    """Live through half a year of a made-up person, and show what her agent knows unasked.

    It keeps the half year in demo.db of the data directory, which the next demo replaces, and opens
    the page if there is a screen; view shows it until you have a memory of your own. With
    --embedded=PATH it is in that file, which must not exist yet.
    """
    chosen = None if embedded is None else store_path(embedded)
    if chosen is not None and chosen.exists():
        raise Failure(f"{chosen}: exists already; the demo wants a store of its own")
    # Imported only here, because a terminal takes long to import.

    def live(path: Path) -> None:
        with_session(str(path), print_story, creates=True)

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
        note("All of this opens as a page in the browser; Ctrl-C ends it.")
        view.main([], obj=str(path), standalone_mode=False)
        return
    is_drawn = path == demo_path() and not default_path().exists()
    option = "" if is_drawn else f"--embedded={shlex.quote(str(path))} "
    click.echo(f"\nSee all of it as a page: {name_program()} {option}view")
