"""Store the messages of conversations as memories, without any model (`ingest`)."""

import gc
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from conceptgraph_core import text
from conceptgraph_core.errors import ConceptGraphError

from .. import calls
from ..errors import StoreError
from ..file_formats import FormatError, Messages, Row
from ..session import Session
from . import importing, output
from .common import FILE, Failure, with_session
from .importing import Interrupted
from .interrupts import Interrupts
from .notes import note
from .progress import progress

# Bounds of one transaction: messages, and characters.
_BATCH = 1_000
_CHARACTERS = 1_000_000
# The first lines of a file for a new store are read twice, so they are few.
_FIRST = 20
_REFUSED = re.compile(r"message (?P<number>\d+): (?P<reason>.*)", re.DOTALL)


@click.command()
@click.argument("file", metavar="MESSAGES.jsonl", type=FILE)
@click.option("--thread", metavar="NAME", help="The conversation of the lines that name none.")
@click.pass_obj
def ingest(embedded: str | None, file: Path, thread: str | None) -> None:
    """Keep each message of MESSAGES.jsonl ("-": stdin) as a memory, without a model.

    A line is a JSON object with text, thread, time_ms (or created_at), speaker (or role), and id.
    Stored messages stay as they are, so a file can be ingested again, after it has grown or after
    an interruption. Lines that differ from the stored message are reported. The order of a thread
    is that of its lines.
    """
    if thread is not None:
        try:
            text.name(thread, "--thread")
        except ConceptGraphError as error:
            raise Failure(str(error)) from None
    with (
        output.told(file),
        importing.opened(file) as stream,
        Interrupts() as interrupts,
        _uncollected(),
    ):
        work = _Ingest(stream, thread, interrupts)
        try:
            with_session(embedded, work.run, creates=True)
        except KeyboardInterrupt:
            raise work.interrupted() from None
    note(f"ingested: {work.created:,}, there already: {work.existing:,}")
    for line in work.notes():
        note(line)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Disable cyclic garbage collection meanwhile.

    Ingesting makes no cycles, and each scan visits all objects. This saves a tenth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Ingest:
    """The messages of one file, stored in batches of one transaction each."""

    def __init__(self, stream: TextIO, thread: str | None, interrupts: Interrupts) -> None:
        self.created = self.existing = 0
        self._stream = stream
        self._lines = importing.count_lines(stream.buffer)
        self._thread = thread
        self._interrupts = interrupts
        self._messages: Messages | None = None
        self._done = 0

    async def run(self, session: Session) -> None:
        """Ingest the file. Raises Failure, which says how much was stored."""
        self._messages = Messages(session.user_id, session.zone, self._thread)
        rows = _Rows(self._messages.rows(self._stream))
        with progress("ingesting lines", self._lines) as tell, self._telling():
            for batch in _batches(rows):
                with self._interrupts.piece():
                    await self._ingest(session, batch)
                tell(self._done)
            if rows.error is not None:
                raise rows.error

    def interrupted(self) -> Interrupted:
        """Return the error for a Ctrl-C."""
        return Interrupted(f"interrupted; {self._so_far()}; the same command goes on from here")

    def notes(self) -> Iterator[str]:
        """Iterate over the notes on the file that are printed at the end."""
        if self._messages is not None:
            yield from self._messages.tally.lines()

    async def _ingest(self, session: Session, batch: list[Row]) -> None:
        messages = [row.record for row in batch]
        try:
            call = calls.ingesting.ingest(session.user_id, messages)
            [made] = await session.run(call)
        except (StoreError, ConceptGraphError) as error:
            refused = _REFUSED.fullmatch(str(error))
            if refused is None:
                raise
            line = batch[int(refused["number"])].line
            raise FormatError(f"line {line}: {refused['reason']}") from None
        self.created += made["created"]
        self.existing += made["existing"]
        self._tell_differing(batch, set(made["differing"]))
        self._done = batch[-1].line

    def _tell_differing(self, batch: list[Row], ids: set[str]) -> None:
        assert self._messages is not None
        for row in batch if ids else ():
            if row.record["id"] in ids:
                what = "with another text, speaker or time, and left so"
                self._messages.tally.there_already(what, f"line {row.line}")

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (FormatError, StoreError, ConceptGraphError) as error:
            raise Failure(f"{error}; {self._so_far()}") from None

    def _so_far(self) -> str:
        torn = self._interrupts.torn
        if not self._done:
            return "a part of it may be in" if torn else "nothing was ingested"
        of_all = f" of {self._lines:,}" if self._lines else ""
        return f"all up to line {self._done:,}{of_all} is in{', perhaps more' if torn else ''}"


class _Rows:
    """The rows of a file before the first wrong line, whose `error` is kept meanwhile."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.error: FormatError | None = None
        self._rows = rows

    def __iter__(self) -> Iterator[Row]:
        try:
            yield from self._rows
        except FormatError as error:
            self.error = error


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Iterate over *rows* in batches of bounded size."""
    batch: list[Row] = []
    characters, most = 0, min(_FIRST, _BATCH)
    for row in rows:
        batch.append(row)
        characters += len(row.record["text"])
        if len(batch) >= most or characters >= _CHARACTERS:
            yield batch
            batch, characters, most = [], 0, _BATCH
    if batch:
        yield batch
