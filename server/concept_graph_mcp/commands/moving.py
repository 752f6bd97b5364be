"""`export` and `import`: a graph as one JSON Lines file, out of one store and into another."""

import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from conceptgraph_core import __version__
from conceptgraph_core.errors import ConceptGraphError

from .. import calls, formats
from ..errors import StoreError
from ..session import Session
from .common import FILE, Failure, with_session
from .terminal import note, notes

_BATCH = 1_000
_ROW = re.compile(r"row (?P<number>\d+): (?P<reason>.*)")


@click.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.pass_obj
def export(embedded: str | None, file: Path, force: bool) -> None:
    """Write the whole graph to FILE ("-": stdout), one JSON record a line."""
    to_stdout = str(file) == "-"
    if not to_stdout and file.exists() and not force:
        raise Failure(f"{file}: exists already; --force overwrites it")
    count = with_session(embedded, lambda session: _export(session, file, to_stdout))
    note(f"{count:,} records written to {'stdout' if to_stdout else file}.")


@click.command("import")
@click.argument("file", type=FILE)
@click.option(
    "--format",
    "name",
    type=click.Choice(list(formats.FORMATS)),
    help="What FILE is; told from its first line by default.",
)
@click.pass_obj
def import_(embedded: str | None, file: Path, name: str | None) -> None:
    """Bring FILE ("-": stdin) into the graph; what is there already is kept or updated.

    \b
    FILE is one of
      concept-graph   what export writes
      server-memory   the JSON Lines of the reference memory server: entities
                      become concepts, their types is-a relations, their
                      observations episodes
      edges           lines of: from TAB type TAB to
    """
    totals = with_session(embedded, lambda session: _import(session, file, name))
    note(", ".join(f"{key.replace('_', ' ')}: {value:,}" for key, value in totals.items()))


async def _export(session: Session, file: Path, to_stdout: bool) -> int:
    measures = {row["measure"]: row["value"] for row in await session.run(calls.stats())}
    expected = sum(value for measure, value in measures.items() if not measure.endswith("_at"))
    # Written beside its place and moved there at the end, so that half a file is never taken whole.
    partial = file.with_name(file.name + ".partial")
    count = 0
    try:
        with ExitStack() as stack:
            stream = sys.stdout if to_stdout else stack.enter_context(_opened(partial, "w"))
            progress = stack.enter_context(_progress())
            task = progress.add_task("exporting", total=expected)
            stream.write(json.dumps(formats.header(__version__)) + "\n")
            async for records in session.store.export():
                stream.writelines(map(formats.line, records))
                count += len(records)
                progress.update(task, completed=count)
        if not to_stdout:
            partial.replace(file)
    except OSError as error:
        raise Failure(f"{file}: {error.strerror or error}") from None
    finally:
        if not to_stdout:
            partial.unlink(missing_ok=True)
    return count


async def _import(session: Session, file: Path, name: str | None) -> Counter[str]:
    totals: Counter[str] = Counter()
    read = 0
    date = session.date(session.clock.now_ms())
    with ExitStack() as stack:
        stream = sys.stdin if str(file) == "-" else stack.enter_context(_opened(file, "r"))
        progress = stack.enter_context(_progress())
        task = progress.add_task("importing", total=None)
        rows = _located(formats.rows(stream, name, date), lambda: read)
        while batch := list(itertools.islice(rows, _BATCH)):
            totals.update(await _import_batch(session, batch, read))
            read += len(batch)
            progress.update(task, completed=read)
    return totals


async def _import_batch(session: Session, batch: list[formats.Row], read: int) -> dict[str, int]:
    try:
        call = calls.import_rows([row.record for row in batch])
        return (await session.run(call))[0]
    except (StoreError, ConceptGraphError) as error:
        row = _ROW.match(str(error))
        if row is None:
            raise
        line = batch[int(row["number"])].line
        raise Failure(f"line {line}: {row['reason']}; {_imported(read)}") from None


def _located(rows: Iterator[formats.Row], read: Callable[[], int]) -> Iterator[formats.Row]:
    """Pass *rows* on; a line that cannot be understood says what was imported before it."""
    try:
        yield from rows
    except formats.FormatError as error:
        raise Failure(f"{error}; {_imported(read())}") from None
    except UnicodeDecodeError:
        raise Failure(f"the file is not UTF-8 text; {_imported(read())}") from None


def _imported(read: int) -> str:
    return f"the first {read:,} records were imported" if read else "nothing was imported"


def _opened(file: Path, mode: str) -> IO[str]:
    try:
        return file.open(mode, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{file}: {error.strerror or error}") from None


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(
        *columns,
        TimeRemainingColumn(),
        console=notes,
        transient=True,
        disable=not notes.is_terminal,
    )
