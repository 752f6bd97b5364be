"""Bring two stores of one user to the same (`sync`)."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, TextIO

import click

from .. import calls
from ..file_formats import native
from ..file_formats.lines import FormatError, Record
from ..file_formats.merging import Spool, split_batches
from ..hosts.lazy import open_store
from ..hosts.store import Keeper
from ..session import Session
from . import common
from .common import (
    AS_JSON,
    PATH,
    Failure,
    configured,
    note,
    print_json,
    replace_file,
    with_keeper,
    with_session,
)
from .exporting import write_records

_SSH = "ssh"
# The exit codes of a shell that lacks the program, and of ssh itself.
_NOT_FOUND, _NO_CONNECTION = 127, 255
_PROGRAM = "concept-graph-mcp"
_SUFFIX = ".jsonl"
_SQLITE = b"SQLite format 3\0"


@click.command()
@click.argument("target", type=PATH, required=False)
@click.argument("host", required=False)
@click.option("--send", is_flag=True, help="Only write this store's records to stdout.")
@click.option(
    "--program",
    default=_PROGRAM,
    show_default=True,
    metavar="COMMAND",
    help="This program on HOST, with options such as --embedded=PATH.",
)
@AS_JSON
@click.pass_obj
def sync(
    embedded: str | None,
    /,
    target: Path | None,
    host: str | None,
    *,
    send: bool,
    program: str,
    as_json: bool,
) -> None:
    """Bring this store and another one of the same user to the same, in both directions.

    \b
    TARGET is one of
      a store file  of this program, such as that of another computer's disk
      a folder      that two computers share; each leaves a file in it, and
                    takes over those of the others
      ssh HOST      another computer that has this program
      -             records on stdin, to take over (what `ssh HOST` calls)

    The later of two versions of a record wins. A record that is forgotten in one store is forgotten
    in both; restore it in both. The command can be repeated: it changes nothing then. Records that
    were purged or undone in one store only come back from the other.
    """
    if send:
        # A computer without a store has nothing to send yet.
        with_session(embedded, _send_records, creates=True)
        return
    if target is None or (str(target) == _SSH) != (host is not None):
        raise click.UsageError('say a store file, a folder, "ssh HOST", or "-"')
    changed = _sync_target(embedded, target, host, program)
    if as_json:
        print_json({"changed": changed})
    else:
        for where, count in changed.items():
            note(f"{count:,} records changed {where}.")


def _sync_target(
    embedded: str | None, target: Path, host: str | None, program: str
) -> dict[str, int]:
    """Return how many records were changed here, and there where that is known."""
    if host is not None:
        return {"here": _sync_host(embedded, host, program)}
    if str(target) == "-":
        # The one who calls it is at another computer.
        return {"there": with_session(embedded, partial(_merge, file=target), creates=True)}
    if target.is_dir():
        work = partial(_sync_folder, folder=target)
        return {"here": with_keeper(embedded, work, creates=True)}
    if target.is_file():
        return _sync_store(embedded, target)
    raise Failure(f"{target}: there is no such store or folder")


def _sync_store(embedded: str | None, file: Path) -> dict[str, int]:
    with file.open("rb") as stream:
        if stream.read(len(_SQLITE)) != _SQLITE:
            raise Failure(f"{file}: is no store; import reads an export")
    chosen = configured(embedded)
    if chosen.embedded is not None and chosen.embedded.exists() and file.samefile(chosen.embedded):
        raise Failure(f"{file}: is this store itself")

    async def work(here: Session, _: Keeper) -> tuple[int, int]:
        other = replace(chosen, embedded=file, per_user=None)
        async with open_store(other, creates=False) as store:
            there = Session.of(store, other)
            return await _take_over(here, there), await _take_over(there, here)

    taken, given = with_keeper(embedded, work, creates=True, chosen=chosen)
    return {"here": taken, "there": given}


async def _take_over(into: Session, source: Session) -> int:
    """Merge the records of the store of *source* into that of *into*; return their number."""
    with Spool() as theirs_on_disk, tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        await _spool(into, theirs_on_disk)
        async for batch in source.store.stream(only=calls.transfer.exported_by(source.user_id)):
            file.writelines(native.line(record) for record in batch)
        file.seek(0)
        return await _import(into, theirs_on_disk, (json.loads(line) for line in file))


async def _sync_folder(session: Session, keeper: Keeper, folder: Path) -> int:
    """Take over the files that other stores left in *folder*, and leave one of this store."""
    # Where nothing was stored yet, the store has no id.
    name = f"concept-graph-{await keeper.identity() or ''}{_SUFFIX}"
    taken = 0
    for file in sorted(folder.glob(f"concept-graph-*{_SUFFIX}")):
        if file.name != name:
            taken += await _merge(session, file)
    if (own := await keeper.identity()) is not None:
        with replace_file(folder / f"concept-graph-{own}{_SUFFIX}", True) as stream:
            await _write_records(session, stream)
    return taken


def _sync_host(embedded: str | None, host: str, program: str) -> int:
    if host.startswith("-"):
        raise Failure(f"{host}: is no name of a host")
    with tempfile.TemporaryDirectory() as place:
        theirs, ours = Path(place) / "theirs", Path(place) / "ours"
        _call_host(host, program, "sync --send", None, theirs)
        taken = with_session(embedded, partial(_merge, file=theirs), creates=True)
        with_session(embedded, partial(_write_file, file=ours))
        _call_host(host, program, "sync -", ours, None)
    return taken


def _call_host(
    host: str, program: str, arguments: str, stdin: Path | None, stdout: Path | None
) -> None:
    """Run *program* on *host*. Raises Failure if it fails there, or the host is not reached."""
    command = f"{program} {arguments}"
    with (
        nullcontext(subprocess.DEVNULL) if stdin is None else stdin.open("rb") as given,
        nullcontext() if stdout is None else stdout.open("wb") as taken,
    ):
        try:
            done = subprocess.run(
                [_SSH, "--", host, command],
                stdin=given,
                stdout=taken,
                check=False,
            )
        except FileNotFoundError:
            raise Failure(f"{_SSH}: is not installed") from None
    if done.returncode == _NOT_FOUND:
        raise Failure(f"{host}: {program} is not found there; --program names its path")
    if done.returncode == _NO_CONNECTION:
        raise Failure(f"{host}: the connection failed; the same command completes the work")
    if done.returncode:
        raise Failure(f"{host}: {command} failed there with exit code {done.returncode}; see above")


async def _send_records(session: Session) -> None:
    await _write_records(session, sys.stdout.buffer)
    sys.stdout.buffer.flush()


async def _write_file(session: Session, file: Path) -> None:
    with file.open("wb") as stream:
        await _write_records(session, stream)


async def _write_records(session: Session, stream: BinaryIO) -> None:
    own = session.store.stream(only=calls.transfer.exported_by(session.user_id))
    await write_records(own, stream)


async def _merge(session: Session, file: Path) -> int:
    """Merge the records in *file*, "-": stdin, into the store; return the number of changed ones.

    Raises Failure.
    """
    with Spool() as ours:
        await _spool(session, ours)
        with common.opened(file) as stream:
            try:
                return await _import(session, ours, _read_records(session, stream))
            except FormatError as error:
                raise Failure(f"{file}: {error}") from None


async def _spool(session: Session, ours: Spool) -> None:
    async for batch in session.store.stream(only=calls.transfer.exported_by(session.user_id)):
        ours.add(batch)


def _read_records(session: Session, stream: TextIO) -> Iterator[Record]:
    for row in native.rows(stream):
        user = row.record.get("user_id", session.user_id)
        if user != session.user_id:
            raise Failure(f"the records are those of {user}, not of {session.user_id}")
        yield row.record


async def _import(session: Session, ours: Spool, theirs: Iterable[Record]) -> int:
    count = 0
    for batch in split_batches(ours.merge(theirs)):
        await session.run(calls.transfer.import_rows(batch))
        count += len(batch)
    return count
