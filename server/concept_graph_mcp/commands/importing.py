"""A file on its way into a store, in batches of whole lines."""

import io
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, aclosing, contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from conceptgraph_core.errors import ConceptGraphError

from .. import calls, file_formats
from ..errors import StoreError
from ..session import Session
from .common import Failure
from .interrupts import Interrupts
from .progress import progress

_BATCH = 1_000
_ROW = re.compile(r"row (?P<number>\d+): (?P<reason>.*)")
_EPISODE = re.compile(r"\d{8}/(?P<key>.*-\d+)", re.DOTALL)


class Interrupted(Failure):
    """The owner has stopped the work."""

    exit_code = 130


class Import:
    """The import of one file, in batches that are one transaction each: all of it or nothing.

    `totals` are what `import_rows` counted, `tally` what the file says and the graph does not.
    """

    def __init__(self, stream: TextIO, given: str | None, interrupts: Interrupts) -> None:
        self.totals: Counter[str] = Counter()
        self._lines = _count_lines(stream.buffer)
        self._done = 0
        self._interrupts = interrupts
        with self._telling():
            self._reader = file_formats.Reader(stream, given)

    @property
    def tally(self) -> file_formats.Tally:
        return self._reader.tally

    async def run(self, session: Session) -> None:
        """Import it all. Raises Failure, which says how much is in."""
        naming = file_formats.Naming(session.date(session.clock.now_ms()))
        if self._reader.format == file_formats.SERVER_MEMORY:
            naming = file_formats.Naming(naming.date, await _named(session))
        batches = _batches(self._reader.rows(naming))
        with progress("importing lines", self._lines) as done, self._telling():
            for batch in batches:
                with self._interrupts.piece():
                    self.totals.update(await _imported(session, batch))
                    self._done = batch[-1].line
                done(self._done)

    def interrupted(self, again: str) -> Interrupted:
        """Return what to say after a Ctrl-C; *again* is what completes the import."""
        return Interrupted(f"interrupted; {self._so_far()}; {again} completes it")

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (file_formats.FormatError, StoreError, ConceptGraphError) as error:
            raise Failure(f"{error}; {self._so_far()}") from None

    def _so_far(self) -> str:
        torn = self._interrupts.torn
        if not self._done:
            return "a part of it may be in" if torn else "nothing was imported"
        of_all = f" of {self._lines:,}" if self._lines else ""
        more = ", perhaps more" if torn else ""
        return f"all up to line {self._done:,}{of_all} is in{more}"


@contextmanager
def opened(file: Path) -> Iterator[TextIO]:
    """The content of *file*, or of stdin for "-"; a byte that is not UTF-8 as a surrogate."""
    with ExitStack() as stack:
        at_stdin = str(file) == "-"
        stream = sys.stdin.buffer if at_stdin else stack.enter_context(file.open("rb"))
        text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="\n")
        # Whoever opened it closes it: stdin stays open.
        stack.callback(text.detach)
        yield text


def _count_lines(stream: BinaryIO) -> int | None:
    """Return how many lines are still to be read, or None for what can be read only once."""
    try:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return None
    except io.UnsupportedOperation:
        return None
    start, count, last = stream.tell(), 0, b"\n"
    while chunk := stream.read(1 << 20):
        count += chunk.count(b"\n")
        last = chunk[-1:]
    stream.seek(start)
    return count + (last != b"\n")


def _batches(rows: Iterator[file_formats.Row]) -> Iterator[list[file_formats.Row]]:
    """Iterate over *rows* in batches that part no line's rows from one another."""
    batch: list[file_formats.Row] = []
    for row in rows:
        if len(batch) >= _BATCH and row.line != batch[-1].line:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


async def _imported(session: Session, batch: list[file_formats.Row]) -> dict[str, int]:
    """Import *batch* and return what `import_rows` counted; what is refused names its line."""
    try:
        call = calls.keeping.import_rows([row.record for row in batch])
        return (await session.run(call))[0]
    except (StoreError, ConceptGraphError) as error:
        row = _ROW.match(str(error))
        if row is None:
            raise
        line = batch[int(row["number"])].line
        raise file_formats.FormatError(f"line {line}: {row['reason']}") from None


async def _named(session: Session) -> dict[str, str]:
    """Return the names of episodes that an import may have given, by what follows their date."""
    found = {}
    async with aclosing(session.store.stream()) as batches:
        async for records in batches:
            if records[0]["kind"] == "relation":
                break
            for record in records:
                match = _EPISODE.fullmatch(record["name"])
                if record["kind"] == "episode" and match:
                    found[match["key"]] = record["name"]
    return found
