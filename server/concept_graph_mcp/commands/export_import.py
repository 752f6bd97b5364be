"""Export a graph to one file, and import records into a store."""

import json
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from conceptgraph_core import __version__

from .. import calls, file_formats
from ..hosts.store import KeptStore
from ..session import Session
from . import importing, notes_folder, output
from .common import (
    AS_JSON,
    PATH,
    configured,
    note_adopted,
    note_vectors,
    with_keeper,
    with_session,
)
from .importing import Import
from .interrupts import Interrupts
from .notes import note
from .progress import progress, waiting
from .terminal import print_json


@click.command()
@click.argument("file", type=PATH)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.option(
    "--format",
    "name",
    type=click.Choice([file_formats.NATIVE, notes_folder.FORMAT]),
    default=file_formats.NATIVE,
    show_default=True,
    help="The format of FILE.",
)
@AS_JSON
@click.pass_obj
def export(embedded: str | None, file: Path, force: bool, name: str, as_json: bool) -> None:
    """Write the whole graph to FILE ("-": stdout), one JSON record a line.

    \b
    FILE is one of
      concept-graph   all there is; what import brings into another store
      markdown        a folder of notes to read, of one user: a file a month, a
                      file an entity
    """
    if as_json and str(file) == "-":
        raise click.UsageError("--json is for a file; stdout has the records")
    if name == notes_folder.FORMAT:
        _export_notes(embedded, file, force, as_json)
        return

    async def work(session: Session, _: KeptStore) -> int:
        with destination(file, force) as stream:
            return await _write_records(session, stream)

    with output.told(file):
        if str(file) != "-":
            # Checked before the store is opened: no graph is read for a file that cannot be
            # written.
            output.place(file, force)
        count = with_keeper(embedded, work)
    if as_json:
        print_json({"records": count, "file": str(file), "counts": {}})
        return
    note(f"{count:,} records written to {'stdout' if str(file) == '-' else file}.")


def _export_notes(embedded: str | None, folder: Path, force: bool, as_json: bool) -> None:
    if str(folder) == "-" or folder.is_file():
        raise click.UsageError("name a folder for the notes")

    async def work(session: Session) -> tuple[int, file_formats.Tally]:
        return await notes_folder.write(session, folder, force)

    count, tally = with_session(embedded, work)
    if as_json:
        print_json({"notes": count, "folder": str(folder), "counts": tally.counts()})
        return
    note(f"{count:,} notes written to {folder}.")
    _note_all(tally)


def import_records(
    embedded: str | None,
    file: Path,
    name: str | None,
    *,
    me: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import the records in *file*, which are in the format *name* if it is given."""
    with output.told(file), importing.opened(file) as stream, Interrupts() as interrupts:
        work, chosen = Import(stream, name, interrupts, me), configured(embedded)

        async def bring(session: Session, store: KeptStore) -> str | None:
            whose = await work.run(session)
            # FILE itself is the copy of what was shared.
            await note_adopted(chosen, store, session, keeps_copy=False)
            return whose

        if dry_run:
            counted = work.counted(chosen)
            if as_json:
                _print_counts(counted, work.tally, dry_run)
            else:
                _note_counts(counted, work.tally, file)
                _ask_for_user(work)
                note("nothing was imported: a dry run.")
            return
        try:
            whose = with_keeper(embedded, bring, creates=True, chosen=chosen)
        except KeyboardInterrupt:
            # Records imported by now are not reported again.
            _note_all(work.tally)
            same_input = " with the same input" if str(file) == "-" else ""
            raise work.interrupted(f"the same command{same_input}") from None
    if as_json:
        _print_counts(work.totals, work.tally, dry_run)
    else:
        _note_counts(work.totals, work.tally, file)
    if whose is not None:
        note(whose)
    if work.totals["memories_created"]:
        _ask_for_user(work)
        note_vectors()


def _ask_for_user(work: Import) -> None:
    if work.asks_for_user:
        note("Nothing in it is called default_user; --me NAME says which entity you are.")


@contextmanager
def destination(file: Path, force: bool) -> Iterator[BinaryIO]:
    """Yield the stream to write *file* with, or stdout for "-"."""
    if str(file) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with output.replacing(file, force) as stream:
            yield stream


async def _write_records(session: Session, stream: BinaryIO) -> int:
    count = 0
    stream.write(json.dumps(file_formats.header(__version__)).encode() + b"\n")
    async for batch in records(session):
        stream.writelines(file_formats.line(record).encode() for record in batch)
        count += len(batch)
    return count


async def records(session: Session) -> AsyncIterator[list[dict[str, Any]]]:
    """Iterate over all records of the store in batches, and report the progress."""
    with waiting("counting"):
        measures = await session.run(calls.transfer.stats())
    expected = sum(row["value"] for row in measures if row["kind"] != "time")
    count = 0
    with progress("exporting", expected) as done:
        async for batch in session.store.stream():
            yield batch
            count += len(batch)
            done(count)


def _print_counts(totals: Mapping[str, int], tally: file_formats.Tally, dry_run: bool) -> None:
    print_json({"imported": dict(totals), "counts": tally.counts(), "dry_run": dry_run})


def _note_counts(counts: Mapping[str, int], tally: file_formats.Tally, file: Path) -> None:
    if counts:
        note(", ".join(f"{key.replace('_', ' ')}: {n:,}" for key, n in counts.items()))
    else:
        note(f"{'stdin' if str(file) == '-' else file}: has no records; nothing was imported.")
    _note_all(tally)


def _note_all(tally: file_formats.Tally) -> None:
    for line in tally.lines():
        note(line)
